"""The allowed transitions of an enrolment."""

from audit.domain.change_state import Transitions
from qualification.enums import EnrolmentState as State

TRANSITIONS: Transitions = {
    State.INVITED: [State.WORKING, State.FINISHED, State.DECLINED, State.WITHDRAWN],
    State.WORKING: [State.FINISHED, State.DECLINED, State.WITHDRAWN],
    State.FINISHED: [State.PASSED, State.REPEATING, State.DECLINED, State.WITHDRAWN],
    State.REPEATING: [State.INVITED, State.DECLINED, State.WITHDRAWN],
    State.PASSED: [State.DECLINED],
    State.WITHDRAWN: [State.INVITED, State.REPEATING],
    State.DECLINED: [State.PASSED, State.REPEATING],
}
