"""Adaptive redundancy: how items begin, what is decided about them, and what becomes gold and pay."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F

from annotation.domain.decisions.bonus_timing import kept_record
from annotation.domain.publishing.arms import ArmPlan, ArmsError, check_arms, count_generators
from annotation.domain.publishing.batch_actions import pause_batch
from annotation.domain.publishing.cost_model import role_costs
from annotation.domain.publishing.publish import publish_batch, publish_generations
from annotation.domain.publishing.redundancy import (
    LEARNED_FROM,
    end_adaptive,
    is_adaptive,
    spent_cents,
)
from annotation.domain.publishing.republish import republish_due_items, short_attempts
from annotation.enums import RedundancyDecision, SubmissionState
from annotation.models import Batch, Item, Redundancy, Submission, TaskItem
from audit.models import StateChange
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import parse_for_case
from consolidation.domain.cases.reopen_item import annotate_again, reopen_item
from consolidation.domain.gold.accept_certain import RULE
from consolidation.domain.gold.accept_identical import RULE as IDENTICAL
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.kept_work import count_kept_work
from consolidation.enums import CaseState
from consolidation.models import Case, Gold, SystemAnnotation
from consolidation.protocols.consolidation import write_gold_of
from crowd.enums import HitState
from crowd.models import Budget, Hit
from datasets.domain.quality.adaptive import PAUSE, decide_due_items, decide_items
from datasets.domain.quality.certainty import fit_certainty
from datasets.models import CertaintyFit
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from projects.enums import Protocol, Role
from schemes.registry import get_scheme
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project, source
from tests.crowd.factories import NOW, make_assignment, make_worker

pytestmark = pytest.mark.django_db
WHO = ("Who identified something?", ["the U.S. Geological Survey"])
WHAT = ("What did someone identify?", ["a basin"])
WHEN = ("When did someone identify something?", ["1996"])
WHY = ("Why did someone identify something?", ["natural gas"])
ALL = (WHO, WHAT, WHEN)


def clock():
    return NOW


@pytest.fixture
def crowd():
    """Return workers: two who find everything, one who finds a part, and a consolidator."""
    return {name: make_worker() for name in ("anna", "ben", "lazy", "judge")}


def make_adaptive(percent=85, cents=100_000, **options):
    project = make_project(**options)
    project.adaptive_percent, project.adaptive_cents = percent, cents
    project.save()
    return project


def publish(project, items: int):
    for _ in range(items):
        make_item(SURVEY, IDENTIFIED, project)
    batch = publish_batch(project=project, now=NOW)
    for hit in Hit.objects.filter(state=HitState.PENDING):
        hit.state, hit.external_id = HitState.LIVE, f"HIT{hit.pk}"
        hit.save()
    return batch


def annotate(item, worker, *questions):
    """Store a worker's accepted annotation of the item's last HIT, which ends if it is the last one."""
    hit = TaskItem.objects.filter(item=item, role=Role.GENERATOR).latest("pk").task.hit
    submission = Submission.objects.create(
        item=item,
        role=Role.GENERATOR,
        worker=worker,
        assignment=make_assignment(hit=hit, worker=worker),
        content=source(SURVEY, *questions),
        schema_version=get_scheme("qasrl").content.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )
    submission.assignment.recorded_at = NOW
    submission.assignment.save()
    if hit.assignments.count() >= hit.max_assignments:
        Hit.objects.filter(pk=hit.pk).update(state=HitState.FINISHED)
    return submission


def consolidate_all(item, judge, *questions):
    """Consolidate the item's case: keep these questions of the first annotator, reject all others."""
    case = Case.objects.select_related("item__project", "task__hit").get(item=item)
    merged, wanted = [], {text for text, _ in questions}
    sources = [row.submission.content for row in case.sources.order_by("position")]
    for at, content in enumerate(sources):
        for position, question in enumerate(content["questions"]):
            text = question["question"]
            is_kept = text in wanted
            wanted.discard(text)
            same = next(
                (i for i, row in enumerate(merged) if row["question"] == text and not is_kept), None
            )
            verdict = "keep" if is_kept else "invalid" if same is None else "redundant"
            merged.append(
                {
                    **question,
                    "answers": question["answers"] if is_kept else [],
                    "source": {"submission": at, "question": position},
                    "verdict": verdict,
                    "same_as": same,
                }
            )
    submission = Submission.objects.create(
        item=item,
        role=Role.CONSOLIDATOR,
        worker=judge,
        assignment=make_assignment(hit=case.task.hit, worker=judge),
        content=parse_for_case(case, case.task)(case.item, {"questions": merged}),
        schema_version=get_scheme("qasrl").content.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )
    return write_gold_of(submission=submission, now=NOW)


def offer():
    while open_due_cases(clock=clock) + publish_open_cases(clock=clock):
        pass


def finish_audited(project, crowd, but=()):
    """Let the audited items be annotated and consolidated. The lazy worker invents a reason."""
    rows = Redundancy.objects.filter(item__project=project, is_audited=True).order_by("pk")
    rows = rows.exclude(item__in=but)
    items = [row.item for row in rows.select_related("item")]
    with connection.cursor() as cursor:  # without statistics of these rows, plans can be very slow
        cursor.execute("ANALYZE")
    for at, item in enumerate(items):
        annotate(item, crowd["anna"], *ALL)
        if at % 2:
            annotate(item, crowd["ben"], *ALL)
        else:
            annotate(item, crowd["lazy"], *((WHY, WHO) if at % 4 else (WHY, WHAT)))
    offer()
    for item in items:
        consolidate_all(item, crowd["judge"], *ALL)


def learned(crowd, others=3, **options):
    """Return an adaptive project that has learned, and its items with one annotator."""
    project = make_adaptive(**options)
    publish(project, LEARNED_FROM)
    finish_audited(project, crowd)
    publish(project, others)
    CertaintyFit.objects.filter(project=project).delete()
    fit_certainty(project=project, now=NOW)
    rows = Redundancy.objects.filter(item__project=project, is_audited=False)
    return project, [row.item for row in rows.select_related("item").order_by("pk")]


def plan_of(item) -> Redundancy:
    return Redundancy.objects.get(item=item)


def test_first_items_are_audited_and_later_ones_begin_with_one_annotator():
    project = make_adaptive()
    publish(project, LEARNED_FROM)
    assert set(Redundancy.objects.values_list("people", "decision")) == {(2, "consolidate")}
    publish(project, 40)
    audited = Redundancy.objects.filter(is_audited=True).count()
    assert audited == LEARNED_FROM  # more than 15 % of 70
    publish(project, 150)
    assert Redundancy.objects.filter(is_audited=True).count() == 33  # 15 % of 220
    single = Redundancy.objects.filter(is_audited=False)
    assert set(single.values_list("people", "decision")) == {(1, "")}
    hits = Hit.objects.filter(task__task_items__item__in=single.values("item"))
    assert set(hits.values_list("max_assignments", flat=True)) == {1}


def test_without_the_setting_items_have_no_plan():
    publish(make_project(), 2)
    assert not Redundancy.objects.exists()
    assert set(Hit.objects.values_list("max_assignments", flat=True)) == {2}


@pytest.mark.parametrize(
    "changes",
    [
        {"protocol": Protocol.VALIDATION, "generators_per_item": 1},
        {"generators_per_item": 1},
        {"asks_implied": True},
    ],
)
def test_protocols_without_a_choice_are_not_adaptive(changes):
    project = make_adaptive()
    assert is_adaptive(project)
    for name, value in changes.items():
        setattr(project, name, value)
    assert not is_adaptive(project)


def test_an_annotation_that_is_certain_becomes_gold_without_more_people(crowd):
    project, (item, *_) = learned(crowd)
    own = annotate(item, crowd["anna"], *ALL)
    assert open_due_cases(clock=clock) == 0  # undecided
    assert decide_due_items(clock=clock) == 1
    row = plan_of(item)
    assert (row.decision, row.accepted, row.people) == (RedundancyDecision.ACCEPT, own, 1)
    assert min(row.coverage, row.precision) >= 0.85
    offer()
    gold = Gold.objects.get(item=item)
    assert gold.rule == RULE
    assert [question["question"] for question in gold.content["questions"]] == [
        text for text, _ in ALL
    ]
    assert Case.objects.get(item=item).state == CaseState.CONSOLIDATED
    assert not TaskItem.objects.filter(item=item, role=Role.CONSOLIDATOR).exists()
    assert spent_cents(project) == 0
    log = StateChange.objects.filter(object_id=str(item.pk), new="accept")
    assert "Expected coverage" in log.get().reason


def test_an_uncertain_annotation_gets_another_annotator_and_then_a_consolidator(crowd):
    project, (item, *_) = learned(crowd)
    annotate(item, crowd["lazy"], WHY, WHO)
    assert decide_items(project=project, now=NOW) == 1
    row = plan_of(item)
    assert (row.decision, row.people) == ("", 2)
    assert row.cents > 0
    task = TaskItem.objects.filter(item=item).latest("pk").task
    assert (task.hit.increase_to or task.hit.max_assignments) == 2 or task.hit.max_assignments == 1
    # Nothing is decided before the second annotation is there.
    assert decide_items(project=project, now=NOW) == 0
    annotate(item, make_worker(), WHY)
    assert decide_items(project=project, now=NOW) == 1
    assert plan_of(item).decision == RedundancyDecision.CONSOLIDATE
    assert plan_of(item).cents > row.cents
    offer()
    case = Case.objects.get(item=item)
    assert case.state == CaseState.OFFERED
    assert case.sources.count() == 2


def test_second_annotation_that_is_certain_is_accepted(crowd):
    project, (item, *_) = learned(crowd)
    annotate(item, crowd["lazy"], WHY, WHO)
    decide_items(project=project, now=NOW)
    good = annotate(item, crowd["anna"], *ALL)
    decide_items(project=project, now=NOW)
    row = plan_of(item)
    if row.decision == RedundancyDecision.ACCEPT:
        assert row.accepted == good
    offer()
    assert Case.objects.filter(item=item).exists()


def test_work_that_nobody_judged_is_paid_in_full_and_is_no_evidence(crowd):
    project, (item, *_) = learned(crowd)
    kept_before = kept_record(project=project, worker=crowd["anna"])
    add_gold(item=item, source="imported", content=source(SURVEY, WHY), provenance=[{}], now=NOW)
    own = annotate(item, crowd["anna"], *ALL)
    decide_items(project=project, now=NOW)
    offer()
    while count_kept_work(clock=clock):
        pass
    own.refresh_from_db()
    assert (own.kept_units, own.judged_units) == (3, 0)
    record = kept_record(project=project, worker=crowd["anna"])
    assert record.items == LEARNED_FROM
    assert record.kept == record.units == 3 * LEARNED_FROM
    assert kept_before.items == 0


def test_items_wait_for_money_and_the_hardest_are_first(crowd):
    project, items = learned(crowd, cents=0)
    for item in items:
        annotate(item, crowd["lazy"], WHY, WHO)
    annotate_free = publish(project, 1)
    last = TaskItem.objects.filter(task__batch=annotate_free).latest("pk").item
    annotate(last, crowd["anna"], *ALL)
    # What costs nothing is decided. The rest waits, and is looked at again after a pause.
    assert decide_items(project=project, now=NOW) == 1
    assert plan_of(last).decision == RedundancyDecision.ACCEPT
    assert {plan_of(item).people for item in items} == {1}
    costs = {cost.role: round(cost.total_cents) for cost in role_costs(project=project)}
    project.adaptive_cents = costs[Role.GENERATOR] + 1
    project.save()
    assert decide_items(project=project, now=NOW) == 0
    assert decide_items(project=project, now=NOW + PAUSE + timedelta(seconds=1)) == 1
    assert sorted(plan_of(item).people for item in items) == [1, 1, 2]
    assert spent_cents(project) == costs[Role.GENERATOR]


def test_reached_budget_limit_delays_no_decision_that_costs_nothing(crowd):
    project, (first, second, _) = learned(crowd)
    annotate(first, crowd["lazy"], WHY, WHO)
    annotate(second, crowd["anna"], *ALL)
    reached = F("reserved_cents") + F("spent_cents")
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=reached)
    assert decide_items(project=project, now=NOW) == 1
    assert (plan_of(first).people, plan_of(first).cents) == (1, 0)
    assert plan_of(second).decision == RedundancyDecision.ACCEPT


def parse_into(item):
    SystemAnnotation.objects.create(
        item=item,
        system="parser",
        content=source(SURVEY, WHO),
        schema_version=get_scheme("qasrl").content.schema_version,
        imported_at=NOW,
    )


@pytest.mark.parametrize("content", [{"refused": "text"}, {"questions": [5]}])
def test_unreadable_annotation_delays_no_other_item(crowd, content):
    project, (first, second, _) = learned(crowd)
    own = annotate(first, crowd["anna"], *ALL)
    Submission.objects.filter(pk=own.pk).update(content=content)
    annotate(second, crowd["anna"], *ALL)
    assert decide_items(project=project, now=NOW, limit=1) == 0
    assert decide_items(project=project, now=NOW, limit=1) == 1
    assert [plan_of(item).decision for item in (first, second)] == ["", RedundancyDecision.ACCEPT]


def test_items_of_a_model_in_an_older_batch_keep_the_people_of_the_protocol():
    project = make_project()
    item = make_item(SURVEY, IDENTIFIED, project)
    parse_into(item)
    batch = publish_batch(
        project=project, arms=[ArmPlan(100, system="parser", use="annotator")], now=NOW
    )
    project.adaptive_percent, project.adaptive_cents = 90, 1000
    project.save()
    later = [make_item(SURVEY, IDENTIFIED, project) for _ in range(2)]
    parse_into(later[0])
    batch = Batch.objects.get(pk=batch.pk)
    publish_generations(batch=batch, items=later, now=NOW)
    assert list(Redundancy.objects.values_list("item", flat=True)) == [later[1].pk]
    places = {
        row.item_id: (row.task.hit.max_assignments, count_generators(row.item))
        for row in TaskItem.objects.select_related("task__hit", "item")
    }
    assert places == {item.pk: (1, 1), later[0].pk: (1, 1), later[1].pk: (2, 2)}


def test_paused_batch_leaves_the_item_undecided(crowd):
    project, (item, *_) = learned(crowd)
    annotate(item, crowd["lazy"], WHY)
    batch = TaskItem.objects.filter(item=item).latest("pk").task.batch
    pause_batch(batch=batch, actor="admin", now=NOW)
    assert decide_items(project=project, now=NOW) == 0
    assert (plan_of(item).people, plan_of(item).cents) == (1, 0)


def test_estimates_are_fitted_when_the_audited_items_are_done(crowd):
    project = make_adaptive()
    publish(project, LEARNED_FROM + 2)
    single = Redundancy.objects.filter(is_audited=False).first().item
    annotate(single, crowd["anna"], *ALL)
    assert decide_items(project=project, now=NOW) == 0
    assert not Job.objects.filter(kind="certainty").exists()
    finish_audited(project, crowd)
    assert decide_items(project=project, now=NOW) == 0
    assert Job.objects.get(kind="certainty").requested_by == "adaptive redundancy"
    assert run_next_job(clock=clock)
    assert decide_items(project=project, now=NOW) == 1
    assert plan_of(single).decision == RedundancyDecision.ACCEPT


def test_estimates_do_not_wait_for_audited_items_that_are_withdrawn_or_identical(crowd):
    project = make_adaptive()
    project.accepts_identical = True
    project.save()
    publish(project, LEARNED_FROM + 2)
    audited = Redundancy.objects.filter(is_audited=True).order_by("pk")
    same, withdrawn = [row.item for row in audited.select_related("item")[:2]]
    for worker in ("anna", "ben"):
        annotate(same, crowd[worker], *ALL)
    offer()
    assert Gold.objects.get(item=same).rule == IDENTICAL
    Item.objects.filter(pk=withdrawn.pk).update(withdrawn_at=NOW, in_production=False)
    annotate(Redundancy.objects.filter(is_audited=False).first().item, crowd["anna"], *ALL)
    project.accepts_identical = False
    project.save()
    finish_audited(project, crowd, but=[same.pk, withdrawn.pk])
    decide_items(project=project, now=NOW)
    assert Job.objects.filter(kind="certainty").exists()


def test_gold_that_was_made_again_is_no_reason_for_new_estimates(crowd):
    project, (item, *_) = learned(crowd)
    annotate(item, crowd["anna"], *ALL)
    for gold in list(Gold.objects.filter(item__project=project)[:10]):
        again = Submission.objects.get(pk=gold.submission_id)
        again.pk, again.worker = None, make_worker()
        again.assignment = make_assignment(hit=again.assignment.hit, worker=again.worker)
        again.save(force_insert=True)
        gold.pk, gold.version, gold.submission = None, gold.version + 1, again
        gold.save(force_insert=True)
    decide_items(project=project, now=NOW)
    assert not Job.objects.filter(kind="certainty").exists()


def test_rejected_annotation_is_replaced_and_not_accepted(crowd):
    project, (item, *_) = learned(crowd)
    own = annotate(item, crowd["anna"], *ALL)
    decide_items(project=project, now=NOW)
    Submission.objects.filter(pk=own.pk).update(state=SubmissionState.REJECTED)
    own.assignment.state, own.assignment.decided_at = "rejected", NOW
    own.assignment.save()
    assert open_due_cases(clock=clock) == 0
    assert short_attempts(now=NOW).filter(item=item).exists()
    assert republish_due_items(clock=clock) == 1
    other = annotate(item, crowd["ben"], *ALL)
    offer()
    # The decision was about another annotation, so that a consolidator judges this one.
    case = Case.objects.get(item=item)
    assert case.state == CaseState.OFFERED
    assert [row.submission for row in case.sources.all()] == [other]


def test_accepted_item_can_be_consolidated_or_annotated_again(crowd):
    project, (first, second, _) = learned(crowd)
    for item in (first, second):
        annotate(item, crowd["anna"], *ALL)
    decide_items(project=project, now=NOW)
    offer()
    reopen_item(item=first, reason="odd", actor="admin", now=NOW)
    assert Case.objects.get(item=first).state == CaseState.OFFERED
    annotate_again(item=second, reason="odd", actor="admin", now=NOW)
    row = plan_of(second)
    assert (row.people, row.decision, row.accepted) == (2, RedundancyDecision.CONSOLIDATE, None)


def test_turning_it_off_gives_undecided_items_everybody(crowd):
    project, items = learned(crowd)
    for item in items:
        annotate(item, crowd["anna"], *ALL)
    project.adaptive_percent = project.adaptive_cents = None
    project.save()
    assert end_adaptive(project) == 3
    assert decide_items(project=project, now=NOW) == 0
    assert republish_due_items(clock=clock) == 3
    assert open_due_cases(clock=clock) == 0
    annotate(items[0], crowd["ben"], *ALL)
    assert open_due_cases(clock=clock) == 1


def test_model_can_not_be_one_of_adaptive_annotators():
    with pytest.raises(ArmsError, match="With adaptive redundancy"):
        check_arms(make_adaptive(), [ArmPlan(100, system="parser", use="annotator")])


def test_fit_stores_the_curve(crowd):
    project, _ = learned(crowd)
    points = CertaintyFit.objects.get(project=project).redundancy
    assert [point["target"] for point in points] == sorted(point["target"] for point in points)
    people = [point["annotators"] + point["consolidations"] for point in points]
    assert people == sorted(people)
    for point in points:
        assert 1 < point["annotators"] <= 2
        assert 0.15 <= point["consolidations"] <= 1
        assert 0 < point["coverage"] <= 1
    assert points[-1]["coverage"] >= points[0]["coverage"]
