"""Figures of a finished round: automatic, corrected, and again after a reference was corrected."""

import pytest

from annotation.models import Submission
from consolidation.domain.expert_queues import take_next
from datasets.models import Decision
from qualification.domain.evaluate import (
    NothingToEvaluateError,
    evaluate_due,
    evaluate_enrolment,
    evaluate_now,
    refresh_references,
)
from qualification.domain.overrule import OverruleError, overrule, undo_decision
from qualification.domain.queries import overview_rows
from qualification.enums import EnrolmentState
from qualification.models import Evaluation
from schemes.base import RowDecision
from tests.consolidation.experts import hand_in as merge_in
from tests.consolidation.experts import make_expert, make_queue
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, source, span_of
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    WORKER,
    hand_in,
    make_evaluated,
    make_rounds,
    open_round,
    record,
    work_through,
    write_reference,
)

pytestmark = pytest.mark.django_db
NOTHING = {
    "questions": [],
    "no_question": "The sentence doesn't answer any question about this verb.",
}


def counts(figures, name):
    return tuple(figures[name][each] for each in ("tp", "fp", "fn"))


def item_of(enrolment, verb):
    return next(
        one.item for one in enrolment.round.round_items.all() if one.item.target["verb_idx"] == verb
    )


def test_figures_come_with_the_last_item():
    enrolment = make_evaluated()
    figures = enrolment.evaluations.get().figures
    # identified: "a basin" and the survey found, USGS and the time missed; contain: both found.
    assert counts(figures, "UA") == (4, 0, 2)
    assert counts(figures, "LA") == (3, 1, 3)
    assert (figures["items"], figures["answered"]) == (2, 2)
    assert (figures["units_per_item"], figures["seconds_per_item"]) == (2, 90)
    assert enrolment.state == EnrolmentState.FINISHED
    assert enrolment.evaluations.get().rule == "qasrl.ua-la.v1"


def test_remarks_are_offered_from_the_alignment():
    enrolment = make_evaluated()
    codes = {code for one in enrolment.evaluations.get().alignment for code, _ in one["remarks"]}
    assert codes == {"answer-not-split", "answer-too-long", "implicit-missed", "modal-missing"}


def test_sweep_evaluates_once():
    enrolment = make_evaluated()
    assert evaluate_due(clock=lambda: LATER) == 0
    assert enrolment.evaluations.count() == 1


def test_empty_work_finds_nothing_and_is_defined():
    enrolment = make_evaluated({IDENTIFIED: NOTHING, CONTAIN: NOTHING})
    figures = enrolment.evaluations.get().figures
    assert counts(figures, "UA") == (0, 0, 6)
    assert (figures["UA"]["f1"], figures["UA"]["precision"]) == (0, None)
    assert figures["units_per_item"] == 0


def test_content_that_the_scheme_refused_counts_as_not_answered():
    one, worker = make_rounds()[0], make_worker()
    cohort = open_round(one, [worker])
    first, second = cohort.batch.tasks.order_by("pk")
    hand_in(first, worker, EXPERT)
    broken = hand_in(second, worker, EXPERT)
    broken.answer = {"content": "{}"}
    broken.save()
    record()
    figures = one.enrolments.get().evaluations.get().figures
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


def test_taking_a_decision_back_restores_the_automatic_figures():
    enrolment, trainer = make_evaluated(), make_user("tina")
    decide_label(enrolment, trainer)
    evaluation = undo_decision(
        enrolment=enrolment, decision_id=Decision.objects.get().pk, by=trainer, now=LATER
    )
    assert evaluation.corrected_figures is None
    assert not Decision.objects.exists()


def test_opposite_decision_takes_the_place_of_the_first():
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


def test_reference_that_experts_merged_anew_evaluates_again():
    enrolment = make_evaluated()
    item = item_of(enrolment, IDENTIFIED)
    queue = make_queue(item.project, [item], sources=["reference", "generator"])
    expert = make_expert("mia")
    queued = take_next(queue=queue, expert=expert, now=LATER)
    basin = [{**one, "verdict": "invalid"} for one in judged_invalid(queued.merge)]
    only = next(one for one in basin if one["question"] == "What did someone identify?")
    only["verdict"] = "keep"
    merge_in(queued, expert, {"questions": basin}, LATER)
    assert refresh_references(clock=lambda: LATER) == 1
    first, second = enrolment.evaluations.order_by("pk")
    # Of six answers in the references three are left, and the survey's name is now one too many.
    assert counts(first.figures, "UA") == (4, 0, 2)
    assert counts(second.figures, "UA") == (3, 1, 0)


def judged_invalid(merge):
    return [
        {
            "question": one["question"],
            "answers": one["answers"],
            "source": {"submission": row.position, "question": at},
            "same_as": None,
        }
        for row in merge.sources.all()
        for at, one in enumerate(row.content["questions"])
    ]


def test_decision_about_a_span_that_is_not_there_is_refused():
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


def corrected_reference(enrolment):
    """The expert agrees with the worker: the sentence says nothing of the time."""
    return write_reference(
        item_of(enrolment, IDENTIFIED),
        source(
            SURVEY,
            ("Who identified something?", ["the U.S. Geological Survey ( USGS )"]),
            ("What did someone identify?", ["a basin"]),
        ),
    )


def test_corrected_reference_evaluates_everyone_again_once():
    enrolment = make_evaluated()
    old = enrolment.evaluations.get()
    corrected_reference(enrolment)
    assert refresh_references(clock=lambda: LATER) == 1
    assert refresh_references(clock=lambda: LATER) == 0
    first, second = enrolment.evaluations.order_by("pk")
    assert first.figures == old.figures
    assert counts(second.figures, "UA") == (4, 0, 0)
    assert second.cause == "reference"


def test_corrected_reference_tells_who_changed_sides():
    enrolment = make_evaluated()
    enrolment.round.thresholds = {"UA": 0.9}
    enrolment.round.save()
    corrected_reference(enrolment)
    refresh_references(clock=lambda: LATER)
    [row] = overview_rows(round=enrolment.round)
    assert row.changed_side is True


def test_reference_corrected_in_mid_round_holds_for_who_comes_later():
    one, early, late = make_rounds()[0], make_worker(), make_worker()
    cohort = open_round(one, [early, late])
    work_through(cohort, early)
    corrected_reference(one.enrolments.get(worker=early))
    refresh_references(clock=lambda: LATER)
    work_through(cohort, late, WORKER)
    newest = [each.evaluations.latest("pk").figures["UA"] for each in one.enrolments.all()]
    assert newest[0] == newest[1]
    assert one.enrolments.get(worker=late).evaluations.count() == 1


def test_decision_on_the_old_reference_no_longer_counts():
    enrolment = make_evaluated()
    decide_label(enrolment, make_user("tina"))
    write_reference(item_of(enrolment, CONTAIN), EXPERT[CONTAIN])
    refresh_references(clock=lambda: NOW)
    assert enrolment.evaluations.latest("pk").corrected_figures is None


# --- before the round is finished


def half_done():
    one, worker = make_rounds()[0], make_worker()
    cohort = open_round(one, [worker])
    first, second = cohort.batch.tasks.order_by("pk")
    hand_in(first, worker)
    record()
    return one.enrolments.get(), second


def test_half_finished_worker_is_evaluated_on_demand_and_stays_at_work():
    enrolment, second = half_done()
    evaluation = evaluate_now(enrolment=enrolment, actor="tina", now=LATER)
    enrolment.refresh_from_db()
    assert (evaluation.so_far, evaluation.cause) == (True, "asked")
    assert enrolment.state == EnrolmentState.WORKING
    # Over "identified" alone: nothing counts as missed that has not been handed in.
    assert counts(evaluation.figures, "UA") == (2, 0, 2)
    hand_in(second, enrolment.worker)
    record()
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.FINISHED
    last = enrolment.evaluations.latest("pk")
    assert (last.so_far, counts(last.figures, "UA")) == (False, (4, 0, 2))


def test_corrected_reference_does_not_finish_who_is_at_work():
    enrolment, _ = half_done()
    evaluate_now(enrolment=enrolment, actor="tina", now=LATER)
    corrected_reference(enrolment)
    refresh_references(clock=lambda: LATER)
    enrolment.refresh_from_db()
    assert enrolment.state == EnrolmentState.WORKING
    assert enrolment.evaluations.latest("pk").so_far


def test_nothing_is_evaluated_on_demand_where_nothing_is_or_all_is_done():
    one, worker = make_rounds()[0], make_worker()
    open_round(one, [worker])
    with pytest.raises(NothingToEvaluateError, match="nothing yet"):
        evaluate_now(enrolment=one.enrolments.get(), actor="tina", now=LATER)
    with pytest.raises(NothingToEvaluateError, match="not working on the round"):
        evaluate_now(enrolment=make_evaluated(), actor="tina", now=LATER)


def test_withdrawn_work_counts_as_not_answered():
    enrolment = make_evaluated()
    Submission.objects.filter(item=item_of(enrolment, CONTAIN)).update(state="withdrawn")
    figures = evaluate_enrolment(enrolment=enrolment, cause="reference", now=LATER).figures
    assert (figures["answered"], figures["items"]) == (1, 2)
    assert counts(figures, "UA") == (2, 0, 4)


# --- answers that the expert lacks


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


def test_extra_answer_can_be_found_right_all_the_same():
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


def test_answer_with_a_counterpart_is_not_accepted_by_itself():
    enrolment = make_evaluated()
    with pytest.raises(OverruleError, match="counterpart"):
        accept_extra(enrolment, key_of("that basin"))
    with pytest.raises(OverruleError, match="only an extra answer"):
        accept_extra(enrolment, key_of("that basin"), "pair-accepted")
    assert not Decision.objects.exists()
