"""Cases with their tasks, sources and transitions."""

from annotation.models import Submission, Task
from audit.domain.change_state import Transitions
from consolidation.enums import CaseState
from consolidation.models import Case, CaseTask
from schemes.base import Json

TRANSITIONS: Transitions = {
    # An empty case is validated without being offered.
    CaseState.OPEN: [CaseState.VALIDATED],
    CaseState.OFFERED: [CaseState.CONSOLIDATED, CaseState.VALIDATED],
    CaseState.CONSOLIDATED: [CaseState.OFFERED],
}


def case_of_task(task: Task) -> Case:
    """Return the case that the task offers, with its item, sentence and project."""
    return Case.objects.select_related("item__sentence", "item__project").get(case_tasks__task=task)


def case_of_assignment(assignment_id: int) -> Case:
    """Return the case that the assignment worked on, with its item, sentence and project."""
    cases = Case.objects.select_related("item__sentence", "item__project")
    return cases.get(case_tasks__task__hit__assignments=assignment_id)


def case_of(submission: Submission) -> Case:
    """Return the case that the submission worked on."""
    assert submission.assignment_id
    return case_of_assignment(submission.assignment_id)


def link_task(*, case: Case, task: Task) -> None:
    """Make the task the case's current offer. Its earlier tasks stay linked to it."""
    CaseTask.objects.create(case=case, task=task)
    case.task = task


def sources_of(case: Case) -> list[Json]:
    """Return the contents of the case's submissions in display order.

    A case in a qualification round has given contents instead.
    """
    if case.given is not None:
        return list(case.given)
    return [source.submission.content for source in case.sources.select_related("submission")]
