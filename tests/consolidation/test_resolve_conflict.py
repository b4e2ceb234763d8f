"""Tests of conflicts between two copies of a submission, resolved by staff."""

import json
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Draft, Submission
from audit.models import StateChange
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.reviews.resolve_conflict import (
    ConflictResolutionError,
    Version,
    compare_versions,
    has_two_versions,
    resolve_conflict,
)
from consolidation.models import Case, Gold
from consolidation.protocols.consolidation import CONSOLIDATION
from crowd.models import Worker
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_case
from tests.consolidation.test_record_gold import WHO, A, B, judged
from tests.consolidation.validation import GOOD, INVALID, make_validation_case
from tests.crowd.factories import NOW, make_assignment

pytestmark = pytest.mark.django_db

MERGED = [
    judged(WHO, ["the U.S. Geological Survey"], of=(0, 0)),
    judged(WHO, [], "redundant", of=(1, 0), same_as=0),
]
DROPPED = [MERGED[0], judged(WHO, [], "invalid", of=(1, 0))]
UNJUDGED = [MERGED[0]]


def submit_conflict(
    ours: list, theirs: list, *, case: Case | None = None, worker=None
) -> Submission:
    """Submit a consolidation whose copies contain these judged questions."""
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


def choose(submission: Submission, copy: Version, reason: str = "Ours was cut short.") -> bool:
    return resolve_conflict(submission=submission, copy=copy, reason=reason, actor="me", now=NOW)


@pytest.mark.parametrize("copy", list(Version))
def test_chosen_consolidation_becomes_the_gold(copy):
    submission = submit_conflict(MERGED, DROPPED)
    assert has_two_versions(submission)
    assert choose(submission, copy)
    CONSOLIDATION.write_due_gold(clock=lambda: NOW)
    assert Gold.objects.get().submission == submission
    submission.refresh_from_db()
    verdict = submission.content["questions"][1]["verdict"]
    assert verdict == {Version.OURS: "redundant", Version.THEIRS: "invalid"}[copy]
    assert not has_two_versions(submission)
    log = StateChange.objects.get(object_id=submission.pk, actor="me", old="submitted")
    assert log.reason.endswith(f"Decided for {copy.value}: Ours was cut short.")


def test_consolidation_is_parsed_in_its_case():
    submission = submit_conflict(MERGED, UNJUDGED)
    with pytest.raises(ConflictResolutionError, match="can't be used"):
        choose(submission, Version.THEIRS)
    comparison = compare_versions(submission=submission)
    assert (comparison.ours.refusal, bool(comparison.theirs.refusal)) == ("", True)
    assert choose(submission, Version.OURS)


def test_difference_is_described():
    comparison = compare_versions(submission=submit_conflict(MERGED, DROPPED))
    assert (
        "“Who identified something?” of B, verdict: ours is “redundant”, the marketplace's “invalid”."
        in comparison.differences
    )


def test_choice_requires_a_reason_and_is_final():
    submission = submit_conflict(MERGED, DROPPED)
    with pytest.raises(ConflictResolutionError, match="Explain why"):
        choose(submission, Version.OURS, " ")
    choose(submission, Version.OURS)
    with pytest.raises(ConflictResolutionError, match="no conflict to resolve"):
        choose(submission, Version.THEIRS)


def test_consolidation_by_a_source_author_awaits_review_after_the_choice():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    insider = case.sources.first().submission.worker
    submission = submit_conflict(MERGED, DROPPED, case=case, worker=insider)
    assert "different content" in submission.problem
    assert not choose(submission, Version.OURS)
    submission.refresh_from_db()
    assert submission.problem == "The consolidator wrote one of the annotations."
    assert not has_two_versions(submission)


def test_command_chooses_a_copy(capsys):
    submission = submit_conflict(MERGED, DROPPED)
    chosen = [submission.pk, "theirs", "--reason", "It is whole."]
    call_command("resolve_conflict", *chosen, "--json")
    assert f'{{"submission": {submission.pk}, "accepted": true}}' in capsys.readouterr().out
    with pytest.raises(CommandError, match="no conflict to resolve"):
        call_command("resolve_conflict", *chosen)


NO_GAS = [GOOD[0], INVALID, INVALID]


def submit_validation_conflict(*, worker: Worker | None = None) -> Submission:
    """Submit a validation whose two copies differ in the second question."""
    return submit_conflict(list(GOOD), NO_GAS, case=make_validation_case(), worker=worker)


@pytest.mark.parametrize(("copy", "second"), [(Version.OURS, "valid"), (Version.THEIRS, "invalid")])
def test_validation_is_settled_by_a_choice(copy, second):
    submission = submit_validation_conflict()
    assert has_two_versions(submission)
    two = compare_versions(submission=submission)
    assert (two.ours.refusal, two.theirs.refusal) == ("", "")
    assert two.differences
    assert choose(submission, copy)
    submission.refresh_from_db()
    assert submission.state == "accepted"
    assert submission.content["questions"][1]["verdict"] == second


def test_validation_by_the_author_awaits_review_after_the_choice():
    case = make_validation_case()
    insider = case.sources.get().submission.worker
    submission = submit_conflict(list(GOOD), NO_GAS, case=case, worker=insider)
    assert not choose(submission, Version.OURS)
    submission.refresh_from_db()
    assert submission.problem == "The validator wrote one of the annotations."


def test_command_and_page_settle_a_validation(capsys, client, admin_user):
    first, second = submit_validation_conflict(), submit_validation_conflict()
    call_command("resolve_conflict", first.pk, "theirs", "--reason", "It is whole.", "--json")
    assert f'{{"submission": {first.pk}, "accepted": true}}' in capsys.readouterr().out
    client.force_login(admin_user)
    address = reverse("consolidation:copies", args=[second.item.project.slug, second.pk])
    page = client.get(address)
    assert page.status_code == 200
    assert "Can't be used" not in unescape(page.content.decode())
    chosen = {"copy": "ours", "reason": "The marketplace's was cut short."}
    assert (
        "The copy was selected and accepted."
        in client.post(address, chosen, follow=True).content.decode()
    )
    second.refresh_from_db()
    assert second.state == "accepted"
