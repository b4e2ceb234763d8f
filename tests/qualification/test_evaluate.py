"""Tests of the figures of a round: automatic, corrected and after a changed reference."""

import pytest

from annotation.models import Submission
from consolidation.domain.experts.expert_queues import take_next
from datasets.models import Decision
from qualification.domain.rounds.queries import overview_rows
from qualification.domain.training.evaluate import (
    NothingToEvaluateError,
    evaluate_due,
    evaluate_enrolment,
    evaluate_now,
    refresh_references,
)
from qualification.domain.training.overrule import OverruleError, overrule, undo_decision
from qualification.enums import EnrolmentState
from qualification.models import Evaluation
from schemes.contract.comparison import RowDecision
from tests.consolidation.experts import make_expert, make_queue
from tests.consolidation.experts import submit_result as merge_in
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, source, span_of
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    WORKER,
    make_evaluated,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
    write_reference,
)

pytestmark = pytest.mark.django_db
NOTHING = {
    "questions": [],
    "no_question": "The sentence doesn't answer any question about this verb.",
}


def counts(figures, name):
    return tuple(figures[name][count] for count in ("tp", "fp", "fn"))


def item_of(enrolment, verb):
    return next(
        row.item for row in enrolment.round.round_items.all() if row.item.target["verb_idx"] == verb
    )


def test_figures_appear_with_the_last_item():
    enrolment = make_evaluated()
    figures = enrolment.evaluations.get().figures
    # "identified": "a basin" and the survey are right, USGS and the time are missed.
    # "contain": both answers are right.
    assert counts(figures, "UA") == (4, 0, 2)
    assert counts(figures, "LA") == (3, 1, 3)
    assert (figures["items"], figures["answered"]) == (2, 2)
    assert (figures["units_per_item"], figures["seconds_per_item"]) == (2, 90)
    assert enrolment.state == EnrolmentState.FINISHED
    assert enrolment.evaluations.get().rule == "qasrl.ua-la.v1"


def test_remarks_come_from_the_alignment():
    enrolment = make_evaluated()
    codes = {
        code for entry in enrolment.evaluations.get().alignment for code, _ in entry["remarks"]
    }
    assert codes == {"answer-not-split", "answer-too-long", "implicit-missed", "modal-missing"}


def test_sweep_evaluates_once():
    enrolment = make_evaluated()
    assert evaluate_due(clock=lambda: LATER) == 0
    assert enrolment.evaluations.count() == 1


def test_figures_of_empty_work_are_zero():
    enrolment = make_evaluated({IDENTIFIED: NOTHING, CONTAIN: NOTHING})
    figures = enrolment.evaluations.get().figures
    assert counts(figures, "UA") == (0, 0, 6)
    assert (figures["UA"]["f1"], figures["UA"]["precision"]) == (0, None)
    assert figures["units_per_item"] == 0


def test_content_refused_by_the_scheme_counts_as_unanswered():
    training_round, worker = make_rounds()[0], make_worker()
    cohort = open_round(training_round, [worker])
    first, second = cohort.batch.tasks.order_by("pk")
    submit_work(first, worker, EXPERT)
    broken = submit_work(second, worker, EXPERT)
    broken.answer = {"content": "{}"}
    broken.save()
    record()
    figures = training_round.enrolments.get().evaluations.get().figures
    assert (figures["answered"], figures["items"]) == (1, 2)


def key_of(words):
    start, end = span_of(SURVEY, words)
    return f"{start}-{end}"


def decide_label(enrolment, trainer, kind="label-accepted"):
    basin = key_of("that basin")
    return overrule(
        enrolment=enrolment,
        item_id=item_of(enrolment, CONTAIN).pk,
        decision=RowDecision(kind, basin, basin),
        by=trainer,
        now=LATER,
    )


def test_overruling_changes_exactly_the_corrected_figures():
    enrolment = make_evaluated()
    before = enrolment.evaluations.get().figures
    evaluation = decide_label(enrolment, make_user("tina"))
    assert evaluation.figures == before == Evaluation.objects.get().figures
    assert counts(evaluation.corrected_figures, "UA") == (4, 0, 2)
    assert counts(evaluation.corrected_figures, "LA") == (4, 0, 2)


def test_reverted_decision_restores_the_automatic_figures():
    enrolment, trainer = make_evaluated(), make_user("tina")
    decide_label(enrolment, trainer)
    evaluation = undo_decision(
        enrolment=enrolment, decision_id=Decision.objects.get().pk, by=trainer, now=LATER
    )
    assert evaluation.corrected_figures is None
    assert not Decision.objects.exists()


def test_opposite_decision_replaces_the_first():
    enrolment, trainer = make_evaluated(), make_user("tina")
    decide_label(enrolment, trainer)
    decide_label(enrolment, trainer, "label-refused")
    assert Decision.objects.get().kind == "label-refused"


def test_pair_can_be_refused():
    enrolment = make_evaluated()
    basin = key_of("a basin")
    evaluation = overrule(
        enrolment=enrolment,
        item_id=item_of(enrolment, IDENTIFIED).pk,
        decision=RowDecision("pair-refused", basin, basin),
        by=make_user("tina"),
        now=LATER,
    )
    assert counts(evaluation.corrected_figures, "UA") == (3, 1, 3)


def test_reference_merged_again_reevaluates_workers():
    enrolment = make_evaluated()
    item = item_of(enrolment, IDENTIFIED)
    queue = make_queue(item.project, [item], sources=["reference", "generator"])
    expert = make_expert("mia")
    queued = take_next(queue=queue, expert=expert, now=LATER)
    questions = [{**question, "verdict": "invalid"} for question in judged_invalid(queued.merge)]
    correct_question = next(
        question for question in questions if question["question"] == "What did someone identify?"
    )
    correct_question["verdict"] = "keep"
    merge_in(queued, expert, {"questions": questions}, LATER)
    assert refresh_references(clock=lambda: LATER) == 1
    first, second = enrolment.evaluations.order_by("pk")
    # Three of the references' six answers remain, so the survey's name is a false positive.
    assert counts(first.figures, "UA") == (4, 0, 2)
    assert counts(second.figures, "UA") == (3, 1, 0)


def judged_invalid(merge):
    return [
        {
            "question": question["question"],
            "answers": question["answers"],
            "source": {"submission": row.position, "question": position},
            "same_as": None,
        }
        for row in merge.sources.all()
        for position, question in enumerate(row.content["questions"])
    ]


def test_decision_about_a_missing_span_is_refused():
    enrolment = make_evaluated()
    with pytest.raises(OverruleError, match="not there"):
        overrule(
            enrolment=enrolment,
            item_id=item_of(enrolment, CONTAIN).pk,
            decision=RowDecision("pair-accepted", "0-1", "0-1"),
            by=make_user("tina"),
            now=LATER,
        )
    assert not Decision.objects.exists()


def correct_reference(enrolment):
    """Correct the reference to the worker's annotation, which has no question about the time."""
    return write_reference(
        item_of(enrolment, IDENTIFIED),
        source(
            SURVEY,
            ("Who identified something?", ["the U.S. Geological Survey ( USGS )"]),
            ("What did someone identify?", ["a basin"]),
        ),
    )


def test_corrected_reference_reevaluates_every_worker_once():
    enrolment = make_evaluated()
    old = enrolment.evaluations.get()
    correct_reference(enrolment)
    assert refresh_references(clock=lambda: LATER) == 1
    assert refresh_references(clock=lambda: LATER) == 0
    first, second = enrolment.evaluations.order_by("pk")
    assert first.figures == old.figures
    assert counts(second.figures, "UA") == (4, 0, 0)
    assert second.cause == "reference"


def test_corrected_reference_shows_changed_verdicts():
    enrolment = make_evaluated()
    enrolment.round.thresholds = {"UA": 0.9}
    enrolment.round.save()
    correct_reference(enrolment)
    refresh_references(clock=lambda: LATER)
    [row] = overview_rows(round=enrolment.round)
    assert row.changed_side is True


def test_reference_corrected_during_a_round_applies_to_later_workers():
    training_round, early, late = make_rounds()[0], make_worker(), make_worker()
    cohort = open_round(training_round, [early, late])
    work_through(cohort, early)
    correct_reference(training_round.enrolments.get(worker=early))
    refresh_references(clock=lambda: LATER)
    work_through(cohort, late, WORKER)
    newest = [
        enrolment.evaluations.latest("pk").figures["UA"]
        for enrolment in training_round.enrolments.all()
    ]
    assert newest[0] == newest[1]
    assert training_round.enrolments.get(worker=late).evaluations.count() == 1


def test_decision_on_the_old_reference_no_longer_counts():
    enrolment = make_evaluated()
    decide_label(enrolment, make_user("tina"))
    write_reference(item_of(enrolment, CONTAIN), EXPERT[CONTAIN])
    refresh_references(clock=lambda: NOW)
    assert enrolment.evaluations.latest("pk").corrected_figures is None


# --- unfinished rounds


def make_unfinished():
    training_round, worker = make_rounds()[0], make_worker()
    cohort = open_round(training_round, [worker])
    first, second = cohort.batch.tasks.order_by("pk")
    submit_work(first, worker)
    record()
    return training_round.enrolments.get(), second


def test_unfinished_worker_is_evaluated_on_demand_and_stays_enrolled():
    enrolment, second = make_unfinished()
    evaluation = evaluate_now(enrolment=enrolment, actor="tina", now=LATER)
    enrolment.refresh_from_db()
    assert (evaluation.so_far, evaluation.cause) == (True, "asked")
    assert enrolment.state == EnrolmentState.WORKING
    # Only "identified" is evaluated, because items without a submission do not count as missed.
    assert counts(evaluation.figures, "UA") == (2, 0, 2)
    submit_work(second, enrolment.worker)
    record()
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.FINISHED
    last = enrolment.evaluations.latest("pk")
    assert (last.so_far, counts(last.figures, "UA")) == (False, (4, 0, 2))


def test_corrected_reference_does_not_finish_an_active_worker():
    enrolment, _ = make_unfinished()
    evaluate_now(enrolment=enrolment, actor="tina", now=LATER)
    correct_reference(enrolment)
    refresh_references(clock=lambda: LATER)
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.WORKING
    assert enrolment.evaluations.latest("pk").so_far


def test_evaluation_on_demand_needs_a_partly_finished_round():
    training_round, worker = make_rounds()[0], make_worker()
    open_round(training_round, [worker])
    with pytest.raises(NothingToEvaluateError, match="nothing yet"):
        evaluate_now(enrolment=training_round.enrolments.get(), actor="tina", now=LATER)
    with pytest.raises(NothingToEvaluateError, match="not working on the round"):
        evaluate_now(enrolment=make_evaluated(), actor="tina", now=LATER)


def test_withdrawn_work_counts_as_unanswered():
    enrolment = make_evaluated()
    Submission.objects.filter(item=item_of(enrolment, CONTAIN)).update(state="withdrawn")
    figures = evaluate_enrolment(enrolment=enrolment, cause="reference", now=LATER).figures
    assert (figures["answered"], figures["items"]) == (1, 2)
    assert counts(figures, "UA") == (2, 0, 4)


# --- answers beyond the reference


def accept_extra(enrolment, key, kind="answer-accepted", reference=None):
    return overrule(
        enrolment=enrolment,
        item_id=item_of(enrolment, CONTAIN).pk,
        decision=RowDecision(kind, reference, key),
        by=make_user(f"tina-{Decision.objects.count()}-{len(key)}-{kind}"),
        now=LATER,
    )


EXTRA = source(
    SURVEY,
    ("What might contain something?", ["that basin"]),
    ("What might something contain?", ["natural gas"]),
    ("Who might contain something?", ["the U.S. Geological Survey"]),
)


def test_extra_answer_can_be_accepted():
    enrolment = make_evaluated({IDENTIFIED: EXPERT[IDENTIFIED], CONTAIN: EXTRA})
    before = enrolment.evaluations.get().figures
    assert counts(before, "UA") == (6, 1, 0)
    key = key_of("the U.S. Geological Survey")
    evaluation = accept_extra(enrolment, key)
    assert evaluation.figures == before
    assert counts(evaluation.corrected_figures, "UA") == (7, 0, 0)
    assert counts(evaluation.corrected_figures, "LA") == (7, 0, 0)
    decision = Decision.objects.get()
    assert (decision.reference_key, decision.predicted_key) == ("", key)
    accept_extra(enrolment, key)
    assert Decision.objects.count() == 1
    back = undo_decision(
        enrolment=enrolment, decision_id=decision.pk, by=make_user("tim"), now=LATER
    )
    assert back.corrected_figures is None


def test_answer_with_a_counterpart_can_not_be_accepted_separately():
    enrolment = make_evaluated()
    with pytest.raises(OverruleError, match="counterpart"):
        accept_extra(enrolment, key_of("that basin"))
    with pytest.raises(OverruleError, match="only an extra answer"):
        accept_extra(enrolment, key_of("that basin"), "pair-accepted")
    assert not Decision.objects.exists()
