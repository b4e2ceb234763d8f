"""Tests of gold that is recorded from accepted consolidations."""

import json

import pytest
from django.db import DatabaseError, transaction

from annotation.domain.decisions.decide_submission import accept_assignment
from annotation.models import Submission
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.enums import CaseState
from consolidation.models import Case, Gold
from consolidation.protocols.consolidation import CONSOLIDATION
from crowd.models import Payment, Worker
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, make_case, source, span_of
from tests.crowd.factories import NOW, make_assignment

pytestmark = pytest.mark.django_db

WHO = "Who identified something?"
A = source(SURVEY, (WHO, ["the U.S. Geological Survey ( USGS )"]))
B = source(SURVEY, (WHO, ["the U.S. Geological Survey"]))


def clock():
    return NOW


def judged(question, answers, verdict="keep", *, of=None, same_as=None):
    return {
        "question": question,
        "answers": [span_of(SURVEY, words) for words in answers],
        "source": None if of is None else {"submission": of[0], "question": of[1]},
        "verdict": verdict,
        "same_as": same_as,
    }


def submit_consolidation(case: Case, *questions, worker: Worker | None = None):
    assignment = make_assignment(case.task.hit, worker)
    content = {str(case.item_id): {"questions": list(questions)}}
    assignment.answer = {"content": json.dumps(content)}
    assignment.save()
    return assignment


def sweep() -> int:
    recorded = record_new_case_work(clock=clock)
    CONSOLIDATION.write_due_gold(clock=clock)
    return recorded


def test_papers_first_example_becomes_gold_with_its_provenance():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    submit_consolidation(
        case,
        judged(WHO, ["the U.S. Geological Survey", "USGS"], of=(0, 0)),
        judged(WHO, [], "redundant", of=(1, 0), same_as=0),
    )
    assert sweep() == 1
    gold = Gold.objects.get()
    (question,) = gold.content["questions"]
    assert question["question"] == WHO
    assert question["answers"] == [[3, 7], [8, 9]]
    assert [(origin["source"], origin["state"]) for origin in gold.provenance] == [(0, "edited")]
    case.refresh_from_db()
    assert case.state == CaseState.CONSOLIDATED
    # 5 cents, and 3 cents for each of the two judged questions.
    assert sorted(Payment.objects.values_list("kind", "amount_cents")) == [
        ("bonus", 6),
        ("reward", 5),
    ]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_unstorable_answer_awaits_review_and_does_not_block_others(number):
    unstorable, valid = make_case(SURVEY, IDENTIFIED, A, B), make_case(SURVEY, IDENTIFIED, A, B)
    assignment = make_assignment(unstorable.task.hit)
    assignment.answer = {"content": f'{{"{unstorable.item_id}": {{"questions": [{number}]}}}}'}
    assignment.save()
    merged = judged(WHO, ["the U.S. Geological Survey"], of=(0, 0))
    submit_consolidation(valid, merged, judged(WHO, [], "redundant", of=(1, 0), same_as=0))
    assert sweep() == 2
    assert Gold.objects.get().case == valid
    waiting = Submission.objects.get(assignment=assignment)
    assert waiting.state == "submitted"
    assert "can't be read" in waiting.problem


def test_papers_second_example_keeps_the_modal():
    might, plain = "What might contain something?", "What contains something?"
    case = make_case(
        SURVEY,
        CONTAIN,
        source(SURVEY, (might, ["that basin"])),
        source(SURVEY, (plain, ["that basin"])),
    )
    submit_consolidation(
        case,
        judged(might, ["that basin"], of=(0, 0)),
        judged(plain, [], "redundant", of=(1, 0), same_as=0),
    )
    sweep()
    assert [question["question"] for question in Gold.objects.get().content["questions"]] == [might]


@pytest.mark.parametrize(
    "questions",
    [
        [judged(WHO, ["USGS"], of=(0, 0))],  # the other question is not judged
        [
            judged(WHO, ["USGS"], of=(0, 0)),
            judged("What did someone identify?", ["USGS"], of=(1, 0)),
        ],  # a token belongs to two answers
        [
            judged(WHO, [], of=(0, 0)),
            judged(WHO, [], "invalid", of=(1, 0)),
        ],  # kept without an answer
    ],
    ids=["unjudged", "overlap", "no answer"],
)
def test_invalid_consolidation_awaits_review_and_writes_no_gold(questions):
    case = make_case(SURVEY, IDENTIFIED, A, B)
    submit_consolidation(case, *questions)
    assert sweep() == 1
    assert not Gold.objects.exists()
    assert not Payment.objects.exists()
    assert Submission.objects.get(role="consolidator").problem


def test_consolidation_by_a_generator_awaits_review_and_can_be_accepted():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    insider = case.sources.first().submission.worker
    assignment = submit_consolidation(
        case,
        judged(WHO, ["USGS"], of=(0, 0)),
        judged(WHO, [], "redundant", of=(1, 0), same_as=0),
        worker=insider,
    )
    sweep()
    assert "wrote one of the annotations" in Submission.objects.get(role="consolidator").problem
    assert not Gold.objects.exists()
    accept_assignment(assignment=assignment, actor="ada", now=NOW)
    sweep()
    assert Gold.objects.count() == 1


def test_second_sweep_writes_no_gold():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    submit_consolidation(
        case, judged(WHO, ["USGS"], of=(0, 0)), judged(WHO, [], "invalid", of=(1, 0))
    )
    sweep()
    sweep()
    assert Gold.objects.count() == 1


def test_gold_can_not_be_changed():
    case = make_case(SURVEY, IDENTIFIED, A, B)
    submit_consolidation(
        case, judged(WHO, ["USGS"], of=(0, 0)), judged(WHO, [], "invalid", of=(1, 0))
    )
    sweep()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Gold.objects.update(content={})
