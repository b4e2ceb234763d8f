"""Two copies of one piece of work that differ: read by the case's own parser, decided by a person."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.choose_copy import CanNotChoose, Copy, has_two_copies
from annotation.models import Draft, Submission
from audit.models import StateChange
from consolidation.domain.choose_copy import choose_copy_of, compare_copies
from consolidation.domain.record_gold import record_new_case_work, write_due_gold
from consolidation.models import Case, Gold
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_case
from tests.consolidation.test_record_gold import WHO, A, B, judged
from tests.crowd.factories import NOW, make_assignment

pytestmark = pytest.mark.django_db

MERGED = [
    judged(WHO, ["the U.S. Geological Survey"], of=(0, 0)),
    judged(WHO, [], "redundant", of=(1, 0), same_as=0),
]
DROPPED = [MERGED[0], judged(WHO, [], "invalid", of=(1, 0))]
UNJUDGED = [MERGED[0]]


def handed_in(ours: list, theirs: list, *, case: Case | None = None, worker=None) -> Submission:
    """A consolidation whose copies hold these judged questions."""
    case = case or make_case(SURVEY, IDENTIFIED, A, B)
    assignment = make_assignment(case.task.hit, worker)
    key = str(case.item_id)
    assignment.answer = {"content": json.dumps({key: {"questions": theirs}})}
    assignment.save()
    Draft.objects.create(
        task=case.task,
        assignment_ref=assignment.external_id,
        worker_ref=assignment.worker.external_id,
        content={key: {"questions": ours}},
        opened_at=NOW,
        saved_at=NOW,
        submitted_at=NOW,
    )
    record_new_case_work(clock=lambda: NOW)
    return Submission.objects.select_related("item__sentence").get(assignment=assignment)


def choose(submission: Submission, copy: Copy, reason: str = "Ours was cut short.") -> bool:
    return choose_copy_of(submission=submission, copy=copy, reason=reason, actor="me", now=NOW)


@pytest.mark.parametrize("copy", list(Copy))
def test_chosen_consolidation_becomes_the_gold(copy):
    submission = handed_in(MERGED, DROPPED)
    assert has_two_copies(submission)
    assert choose(submission, copy)
    write_due_gold(clock=lambda: NOW)
    assert Gold.objects.get().submission == submission
    submission.refresh_from_db()
    verdict = submission.content["questions"][1]["verdict"]
    assert verdict == {Copy.OURS: "redundant", Copy.THEIRS: "invalid"}[copy]
    assert not has_two_copies(submission)
    log = StateChange.objects.get(object_id=submission.pk, actor="me", old="submitted")
    assert log.reason.endswith(f"Decided for {copy.value}: Ours was cut short.")


def test_consolidation_is_read_by_its_case():
    submission = handed_in(MERGED, UNJUDGED)
    with pytest.raises(CanNotChoose, match="can't be used"):
        choose(submission, Copy.THEIRS)
    two = compare_copies(submission=submission)
    assert (two.ours.refusal, bool(two.theirs.refusal)) == ("", True)
    assert choose(submission, Copy.OURS)


def test_difference_is_told_in_words():
    two = compare_copies(submission=handed_in(MERGED, DROPPED))
    assert (
        "“Who identified something?” of B, verdict: ours is “redundant”, the marketplace's “invalid”."
        in two.differences
    )


def test_choice_needs_a_reason_and_is_made_once():
    submission = handed_in(MERGED, DROPPED)
    with pytest.raises(CanNotChoose, match="Say why"):
        choose(submission, Copy.OURS, " ")
    choose(submission, Copy.OURS)
    with pytest.raises(CanNotChoose, match="any more"):
        choose(submission, Copy.THEIRS)


def test_consolidator_who_wrote_a_source_still_waits_after_the_choice():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    insider = case.sources.first().submission.worker
    submission = handed_in(MERGED, DROPPED, case=case, worker=insider)
    assert "other content" in submission.problem
    assert not choose(submission, Copy.OURS)
    submission.refresh_from_db()
    assert submission.problem == "The consolidator wrote one of the annotations."
    assert not has_two_copies(submission)


def test_command_chooses_a_copy(capsys):
    submission = handed_in(MERGED, DROPPED)
    chosen = [submission.pk, "theirs", "--reason", "It is whole."]
    call_command("choose_copy", *chosen, "--json")
    assert f'{{"submission": {submission.pk}, "accepted": true}}' in capsys.readouterr().out
    with pytest.raises(CommandError, match="no two copies"):
        call_command("choose_copy", *chosen)
