"""A stand-in for the Prolific API on 127.0.0.1, with its state in memory and a clock that tests set.

It follows the API as documented in 2026. `Options` selects the behaviour where sources differ. Run
`python -m tests.fakes.prolific --port 8200` to try it in a browser.
"""

from tests.fakes.prolific.faults import Fault, Faults
from tests.fakes.prolific.participants import NotEligibleError
from tests.fakes.prolific.server import CODE, FakeProlific, running_prolific, study_fields
from tests.fakes.prolific.state import Clock, Options

__all__ = [
    "CODE",
    "Clock",
    "FakeProlific",
    "Fault",
    "Faults",
    "NotEligibleError",
    "Options",
    "running_prolific",
    "study_fields",
]
