"""Figures of a finished round: automatic, corrected, and again after a reference was corrected."""

import pytest

from consolidation.enums import DecisionKind
from consolidation.models import Decision
from qualification.domain.evaluate import evaluate_due, refresh_references, refresh_round
from qualification.domain.overrule import OverruleRefused, overrule, take_back
from qualification.enums import EnrolmentState
from qualification.models import Evaluation
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
NOTHING = {"questions": [], "no_question": "The sentence answers no question about this verb."}


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
    assert (figures["questions_per_item"], figures["seconds_per_item"]) == (2, 90)
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
    assert figures["questions_per_item"] == 0


def test_content_that_the_scheme_refused_counts_as_not_answered():
    one, worker = make_rounds()[0], make_worker()
    intake = open_round(one, [worker])
    first, second = intake.batch.tasks.order_by("pk")
    hand_in(first, worker, EXPERT)
    broken = hand_in(second, worker, EXPERT)
    broken.answer = {"content": "{}"}
    broken.save()
    record()
    figures = one.enrolments.get().evaluations.get().figures
    assert (figures["answered"], figures["items"]) == (1, 2)


def decide_label(enrolment, trainer, kind=DecisionKind.LABEL_ACCEPTED):
    basin = span_of(SURVEY, "that basin")
    return overrule(
        enrolment=enrolment,
        item_id=item_of(enrolment, CONTAIN).pk,
        kind=kind,
        reference_span=basin,
        predicted_span=basin,
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
    evaluation = take_back(
        enrolment=enrolment, decision_id=Decision.objects.get().pk, by=trainer, now=LATER
    )
    assert evaluation.corrected_figures is None
    assert not Decision.objects.exists()


def test_opposite_decision_takes_the_place_of_the_first():
    enrolment, trainer = make_evaluated(), make_user("tina")
    decide_label(enrolment, trainer)
    decide_label(enrolment, trainer, DecisionKind.LABEL_REFUSED)
    assert Decision.objects.get().kind == DecisionKind.LABEL_REFUSED


def test_pair_can_be_refused():
    enrolment = make_evaluated()
    basin = span_of(SURVEY, "a basin")
    evaluation = overrule(
        enrolment=enrolment,
        item_id=item_of(enrolment, IDENTIFIED).pk,
        kind=DecisionKind.PAIR_REFUSED,
        reference_span=basin,
        predicted_span=basin,
        by=make_user("tina"),
        now=LATER,
    )
    assert counts(evaluation.corrected_figures, "UA") == (3, 1, 3)


def test_decision_about_a_span_that_is_not_there_is_refused():
    enrolment = make_evaluated()
    with pytest.raises(OverruleRefused, match="not there"):
        overrule(
            enrolment=enrolment,
            item_id=item_of(enrolment, CONTAIN).pk,
            kind=DecisionKind.PAIR_ACCEPTED,
            reference_span=[0, 1],
            predicted_span=[0, 1],
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
    enrolment.round.thresholds = {"UA.f1": 0.9}
    enrolment.round.save()
    corrected_reference(enrolment)
    [change] = refresh_round(round_id=enrolment.round_id, now=LATER)
    assert (change.enrolment_id, change.reached) == (enrolment.pk, True)


def test_reference_corrected_in_mid_round_holds_for_who_comes_later():
    one, early, late = make_rounds()[0], make_worker(), make_worker()
    intake = open_round(one, [early, late])
    work_through(intake, early)
    corrected_reference(one.enrolments.get(worker=early))
    refresh_references(clock=lambda: LATER)
    work_through(intake, late, WORKER)
    newest = [each.evaluations.latest("pk").figures["UA"] for each in one.enrolments.all()]
    assert newest[0] == newest[1]
    assert one.enrolments.get(worker=late).evaluations.count() == 1


def test_decision_on_the_old_reference_no_longer_counts():
    enrolment = make_evaluated()
    decide_label(enrolment, make_user("tina"))
    write_reference(item_of(enrolment, CONTAIN), EXPERT[CONTAIN])
    refresh_references(clock=lambda: NOW)
    assert enrolment.evaluations.latest("pk").corrected_figures is None
