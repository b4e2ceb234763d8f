"""Tests of gold that is recorded from a generation and its validations."""

from dataclasses import replace

import pytest
from django.db import DatabaseError, transaction

from annotation.domain.decisions.decide_submission import accept_assignment, reject_submissions
from annotation.domain.publishing.qualification_codes import pool_code
from annotation.enums import SubmissionState
from annotation.models import Submission
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.republish_cases import republish_cases
from consolidation.enums import CaseState
from consolidation.models import Case, Gold, Judgment
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.enums import HitState
from crowd.models import Hit, Payment
from projects.domain.choose_protocol import ProtocolError, choose_protocol
from projects.enums import ExclusionScope, Protocol, Role
from projects.models import Project
from schemes.registry import SCHEMES
from tests.consolidation.factories import (
    CONTAIN,
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    source,
)
from tests.consolidation.factories import make_project as make_consolidation_project
from tests.consolidation.validation import (
    GENERATION,
    GOOD,
    INVALID,
    MIGHT,
    WHAT,
    clock,
    make_validation_case,
    make_validation_project,
    sweep,
    validate,
    verdict,
)
from tests.crowd.factories import NOW, make_worker

pytestmark = pytest.mark.django_db


# --- the protocol ------------------------------------------------------------------------------


def test_validation_has_one_generator_and_excludes_workers_of_the_sentence():
    project = make_validation_project(validators=5, agree=4)
    assert (project.generators_per_item, project.validators_per_item) == (1, 5)
    assert project.validators_to_agree == 4
    assert project.exclusion_scope == ExclusionScope.SENTENCE
    assert "Answer the questions" in project.guidelines.get(role=Role.VALIDATOR).text


@pytest.mark.parametrize(("validators", "agree"), [(2, 3), (0, 0), (2, 0), (10, 2)])
def test_protocol_with_unreachable_agreement_is_refused(validators, agree):
    project = make_consolidation_project()
    with pytest.raises(ProtocolError, match="can't agree"):
        choose_protocol(
            project=project,
            protocol=Protocol.VALIDATION,
            validators=validators,
            agree=agree,
            actor="test",
            now=NOW,
        )


def test_protocol_is_fixed_once_items_are_published():
    project = make_validation_case().item.project
    with pytest.raises(ProtocolError, match="has published items under validation"):
        choose_protocol(project=project, protocol=Protocol.CONSOLIDATION, actor="test", now=NOW)
    again = choose_protocol(project=project, protocol=Protocol.VALIDATION, actor="test", now=NOW)
    assert again.protocol == Protocol.VALIDATION


def test_pay_without_terms_for_validators_is_refused():
    project = make_consolidation_project()
    Project.objects.filter(pk=project.pk).update(
        pay_scheme={"generator": project.pay_scheme["generator"]}
    )
    with pytest.raises(ProtocolError, match="no terms for validators"):
        choose_protocol(project=project, protocol=Protocol.VALIDATION, actor="test", now=NOW)


def test_protocol_without_scheme_support_is_refused(monkeypatch):
    project = make_consolidation_project()
    monkeypatch.setitem(SCHEMES, "qasrl", replace(SCHEMES["qasrl"], validating=None))
    with pytest.raises(ProtocolError, match="does not support validation"):
        choose_protocol(project=project, protocol=Protocol.VALIDATION, actor="test", now=NOW)
    project.refresh_from_db()
    assert project.protocol == Protocol.CONSOLIDATION


# --- publication -------------------------------------------------------------------------------


def test_generation_is_offered_to_all_validators():
    project = make_validation_project(validators=3, agree=2)
    make_generation(make_item(SURVEY, CONTAIN, project), GENERATION)
    assert open_due_cases(clock=clock) == 1
    assert publish_open_cases(clock=clock) == 1
    case = Case.objects.get()
    assert case.task.role == Role.VALIDATOR
    assert case.task.hit.max_assignments == 3
    assert "/validate/" in case.task.hit.url
    assert case.task.batch.reward_cents == 8


def test_validator_pool_excludes_workers_of_the_sentence():
    project = make_validation_project()
    item = make_item(SURVEY, CONTAIN, project)
    other = make_item(SURVEY, IDENTIFIED, project)
    other.sentence = item.sentence
    other.save()
    pool = define_qualification(
        provider=project.provider,
        code=pool_code(project, Role.VALIDATOR),
        name="v",
        description="v",
    )
    known, neighbour, fresh = make_worker(), make_worker(), make_worker()
    for worker in (known, neighbour, fresh):
        grant_qualification(qualification=pool, worker=worker, now=NOW)
    make_generation(item, GENERATION, known)
    make_generation(other, source(SURVEY, ("Who identified something?", ["USGS"])), neighbour)
    open_due_cases(clock=clock)
    publish_open_cases(clock=clock)
    hit = Case.objects.get(item=item).task.hit
    (requirement,) = hit.hit_type.qualifications
    assert requirement["code"] == pool.code
    assert sorted(requirement["integers"]) == [1, 2]


# --- results -----------------------------------------------------------------------------------


def test_gold_is_recorded_once_with_the_last_validation():
    case = make_validation_case()
    validate(case, *GOOD)
    assert sweep() == (1, 0)
    validate(case, *GOOD)
    assert sweep() == (1, 1)
    assert sweep() == (0, 0)
    gold = Gold.objects.get()
    assert (gold.source, gold.version, gold.case) == ("validated", 1, case)
    assert [
        (question["question"], question["answers"]) for question in gold.content["questions"]
    ] == [
        (MIGHT, [[16, 18]]),
        (WHAT, [[20, 22]]),
    ]
    assert [origin["valid"] for origin in gold.provenance] == [2, 2]
    assert gold.provenance[0]["answers"] == [{"generator": True, "validators": [0, 1]}]
    case.refresh_from_db()
    assert case.state == CaseState.VALIDATED


def test_gold_keeps_every_judgment():
    case = make_validation_case()
    validate(case, *GOOD)
    validate(case, verdict("that basin"), verdict(same_as=0), INVALID)
    sweep()
    gold = Gold.objects.get()
    assert [entry["question"] for entry in gold.content["questions"]] == [MIGHT]
    judgments = gold.judgments.select_related("submission")
    assert [
        [question["verdict"] for question in judgment.submission.content["questions"]]
        for judgment in judgments
    ] == [["valid", "valid", "invalid"], ["valid", "redundant", "invalid"]]
    with pytest.raises(DatabaseError), transaction.atomic():
        Judgment.objects.update(position=7)


def test_validator_is_paid_as_in_the_2018_study():
    questions = [
        (f"{adverb} might something contain something?", []) for adverb in ("When", "Where", "Why")
    ]
    questions += [(MIGHT, []), (WHAT, []), ("How might something contain something?", [])]
    spans = iter(range(20))
    generation = {
        "questions": [
            {"question": text, "answers": [[at, at + 1]]}
            for (text, _), at in zip(questions, spans, strict=False)
        ],
        "no_question": "",
    }
    case = make_validation_case(generation)
    validate(case, *[INVALID] * 6)
    sweep()
    # 8 cents, and 2 cents for each of the two questions beyond the fourth.
    assert sorted(Payment.objects.values_list("kind", "amount_cents")) == [
        ("bonus", 4),
        ("reward", 8),
    ]


def test_generation_without_questions_becomes_empty_gold_without_validation():
    project = make_validation_project()
    make_generation(make_item(SURVEY, CONTAIN, project), source(SURVEY, no_question="no verb"))
    open_due_cases(clock=clock)
    assert publish_open_cases(clock=clock) == 0
    assert sweep() == (0, 1)
    assert Gold.objects.get().content == {"questions": []}
    assert Case.objects.get().state == CaseState.VALIDATED
    assert not Hit.objects.filter(task__role=Role.VALIDATOR).exists()


def test_invalid_validation_awaits_review():
    case = make_validation_case()
    validate(case, *GOOD[:2])
    validate(case, *GOOD)
    assert sweep() == (2, 0)
    refused = Submission.objects.exclude(problem="").get()
    assert refused.problem == "questions: 2 are judged of 3 asked."
    reject_submissions(assignment=refused.assignment, reason="Unfinished.", actor="a", now=NOW)
    assert sweep() == (0, 0)


def test_validation_by_an_earlier_author_of_the_sentence_awaits_review():
    project = make_validation_project()
    author, later = make_worker(), make_worker()
    item = make_item(SURVEY, CONTAIN, project)
    other = make_item(SURVEY, IDENTIFIED, project)
    other.sentence = item.sentence
    other.save()
    case = make_validation_case(item=item)
    own = Submission.objects.get(item=item)
    Submission.objects.filter(pk=own.pk).update(worker=author)
    validate(case, *GOOD, worker=author)
    validate(case, *GOOD, worker=later)
    later_generation = make_generation(
        other, source(SURVEY, ("Who identified something?", ["USGS"])), later
    )
    Submission.objects.filter(pk=later_generation.pk).update(submitted_at=NOW.replace(hour=13))
    sweep()
    validations = Submission.objects.filter(role=Role.VALIDATOR)
    assert validations.get(worker=author).problem == "The validator wrote one of the annotations."
    assert validations.get(worker=later).state == SubmissionState.ACCEPTED
    accept_assignment(assignment=validations.get(worker=author).assignment, actor="a", now=NOW)
    assert sweep() == (0, 1)


# --- republication -----------------------------------------------------------------------------


def end_hit(case: Case, state: str) -> Hit:
    hit = case.task.hit
    hit.state, hit.external_id = state, f"HIT{hit.pk}"
    hit.save()
    return hit


def test_rejected_validation_is_republished_on_the_same_hit():
    case = make_validation_case()
    validate(case, *GOOD)
    validate(case, *GOOD[:2])
    sweep()
    hit = end_hit(case, HitState.FINISHED)
    assert (
        republish_cases(project=case.item.project, actor="a", now=NOW).raised == 0
    )  # not decided yet
    bad = Submission.objects.exclude(problem="").get()
    reject_submissions(assignment=bad.assignment, reason="Unfinished.", actor="a", now=NOW)
    assert republish_cases(project=case.item.project, actor="a", now=NOW).raised == 1
    hit.refresh_from_db()
    assert hit.increase_to == 3
    assert republish_cases(project=case.item.project, actor="a", now=NOW).raised == 0


def test_expired_validation_is_extended():
    case = make_validation_case()
    validate(case, *GOOD)
    sweep()
    hit = end_hit(case, HitState.EXPIRED)
    assert republish_cases(project=case.item.project, actor="a", now=NOW).raised == 1
    hit.refresh_from_db()
    assert (hit.state, hit.increase_to) == (HitState.LIVE, None)


def test_refused_hit_is_replaced_and_late_work_still_counts():
    case = make_validation_case()
    validate(case, *GOOD)
    sweep()
    old = case.task
    Hit.objects.filter(pk=old.hit_id).update(state=HitState.FAILED, error="no money")
    assert republish_cases(project=case.item.project, actor="a", now=NOW).new_hits == 1
    case.refresh_from_db()
    assert case.task != old
    assert case.task.hit.max_assignments == 1
    assert case.task.task_items.get().attempt == 1
    validate(case, *GOOD)
    assert sweep() == (1, 1)
    assert Gold.objects.get().judgments.count() == 2
