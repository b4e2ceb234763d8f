"""Cases with their tasks, sources and transitions."""

from annotation.domain.corpus.fit_content import fit_content
from annotation.enums import ModelUse, SubmissionState
from annotation.models import Submission, Task
from audit.domain.change_state import Transitions
from consolidation.enums import CaseState
from consolidation.models import Case, CaseTask
from projects.enums import Role
from schemes.contract.values import Json

TRANSITIONS: Transitions = {
    # A case that is empty or has identical annotations is settled without being offered.
    CaseState.OPEN: [CaseState.VALIDATED, CaseState.CONSOLIDATED],
    CaseState.OFFERED: [
        CaseState.CONSOLIDATED,
        CaseState.VALIDATED,
        CaseState.REVISING,
        CaseState.DISPUTED,
    ],
    # An expert returned the gold, or the item was reopened.
    CaseState.CONSOLIDATED: [CaseState.OFFERED, CaseState.OPEN, CaseState.REOPENED],
    CaseState.VALIDATED: [CaseState.OFFERED, CaseState.REOPENED],
    # A newer case has the new annotations.
    CaseState.REOPENED: [CaseState.REPLACED],
    # A revised annotation is verified again.
    CaseState.REVISING: [CaseState.OPEN, CaseState.DISPUTED],
    CaseState.DISPUTED: [CaseState.RESOLVED],
}
# Work that was decided, and that newer work replaces.
REPLACED: Transitions = {
    SubmissionState.ACCEPTED: [SubmissionState.WITHDRAWN],
    SubmissionState.REJECTED: [SubmissionState.WITHDRAWN],
}


def case_of_task(task: Task) -> Case:
    """Return the case that the task offers, with its item, sentence and project."""
    cases = Case.objects.select_related("item__sentence__image", "item__project")
    return cases.get(case_tasks__task=task)


def case_of_assignment(assignment_id: int) -> Case:
    """Return the case that the assignment worked on, with its item, sentence and project."""
    cases = Case.objects.select_related("item__sentence__image", "item__project")
    return cases.get(case_tasks__task__hit__assignments=assignment_id)


def case_of(submission: Submission) -> Case:
    """Return the case that the submission worked on."""
    assert submission.assignment_id
    return case_of_assignment(submission.assignment_id)


def link_task(*, case: Case, task: Task) -> None:
    """Make the task the case's current offer. Its earlier tasks stay linked to it."""
    CaseTask.objects.create(case=case, task=task)
    case.task = task


def sources_of(case: Case, round: int | None = None) -> list[Json]:
    """Return the contents of the case's submissions in display order.

    A case in a qualification round has given contents instead. In an earlier `round`, the source was
    the annotation that was disputed then.
    """
    if case.given is not None:
        return [
            fit_content(content, item=case.item, since=case.opened_at) for content in case.given
        ]
    if round is not None and round < case.round:
        return [source_at(case, round).content]
    return [source.submission.content for source in case.sources.select_related("submission")]


def marked_source(case: Case) -> int | None:
    """Return the position of the model's annotation if the consolidator may know it, else None."""
    own = case.sources.filter(
        submission__role=Role.MODEL, case__item__item_arm__arm__use=ModelUse.SHOWN_SOURCE
    )
    return own.values_list("position", flat=True).first()


def source_at(case: Case, round: int) -> Submission:
    """Return the annotation that was verified in this round of a case with a single source."""
    dispute = case.disputes.filter(round=round).select_related("source__worker").first()
    if dispute:
        return dispute.source
    return case.sources.select_related("submission__worker").get().submission
