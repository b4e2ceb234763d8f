"""Work that is accepted once the gold has it: money, records, people's decisions and ways to end."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.decisions.bonus_timing import MAX_WAIT, RECORD_ITEMS
from annotation.domain.decisions.decide_submission import (
    accept_assignment,
    overturn_rejection,
    reject_submissions,
)
from annotation.domain.publishing.queries import (
    count_submissions,
    waiting_for_a_person,
    waiting_pay,
)
from annotation.domain.publishing.republish import republish_due_items
from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import HeldBonus, Item, Submission
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from consolidation.domain.cases.open_cases import open_due_cases
from consolidation.domain.cases.reopen_item import ReopenError, annotate_again
from consolidation.domain.reviews.decide_waiting import decide_waiting_work
from consolidation.models import Case, Gold
from crowd.domain.money.decide_assignment import apply_provider_decision
from crowd.enums import AssignmentState
from crowd.models import Assignment, Budget, Payment, Worker
from dashboard.archive import work_left
from projects.enums import MemberRole
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.factories import make_item
from tests.api.conftest import calling
from tests.consolidation.verification import generate as generate_label
from tests.consolidation.verification import make_verification_project, verify
from tests.consolidation.waiting import (
    NOTHING,
    approve_at_marketplace,
    asked,
    clock,
    consolidate,
    generate,
    make_waiting_project,
    publish,
    settle,
    waiting_work,
)
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db
REASON = "1 of 4 questions in the worker's newest 1 verb were kept. Of this work: 1 of 4."


def state_of(assignment: Assignment) -> tuple[str, str]:
    """Return the states of the work and of its assignment."""
    assignment.refresh_from_db()
    return assignment.submissions.get().state, assignment.state


def paid(assignment: Assignment) -> dict[str, tuple[int, str]]:
    rows = assignment.payments.values_list("kind", "amount_cents", "state")
    return {kind: (cents, state) for kind, cents, state in rows}


# --- until there is gold


def test_work_waits_without_payment_and_its_case_opens():
    assignment = waiting_work()
    item = Item.objects.get()
    generate(item.tasks.get(), NOTHING)
    assert state_of(assignment) == ("waiting", "submitted")
    assert not Payment.objects.exists()
    assert open_due_cases(clock=clock) == 1
    assert Case.objects.get().sources.count() == 2
    assert settle() == 0
    assert state_of(assignment) == ("waiting", "submitted")


def test_one_generation_opens_no_case():
    waiting_work()
    assert open_due_cases(clock=clock) == 0


def test_work_of_terms_without_a_bonus_waits_too():
    project = make_waiting_project()
    project.pay_scheme["generator"] |= {"bonus_first_cents": 0, "bonus_step_cents": 0}
    project.save()
    generate(publish(make_item(project)), asked(0))
    assert Submission.objects.get().state == "waiting"


def test_work_that_the_marketplace_approved_before_it_was_recorded_is_accepted():
    item = make_item(make_waiting_project())
    assignment = make_assignment(publish(item).hit)
    assignment.answer = {"content": json.dumps({str(item.pk): asked(0, 1, 2)})}
    assignment.save()
    approved = AssignmentState.APPROVED
    apply_provider_decision(assignment=assignment, provider_state=approved, now=NOW)
    record_new_generations(clock=clock)
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (5, "review")}


# --- once there is gold


@pytest.mark.parametrize(("kept", "bonus"), [(4, (11, "pending")), (3, (5, "pending"))])
def test_kept_work_is_accepted_and_paid_once(kept, bonus):
    assignment = waiting_work(keeps=kept)
    expected = {"reward": (5, "pending"), "bonus": bonus}
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == expected
    assert decide_waiting_work(clock=clock) == 0
    assert settle() == 0
    assert paid(assignment) == expected


def test_units_that_are_not_kept_earn_the_reward_only():
    assignment = waiting_work(keeps=2)
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "declined")}


@pytest.mark.parametrize("kept", [0, 1])
def test_work_of_which_too_little_is_kept_waits_for_a_person(kept):
    assignment = waiting_work(keeps=kept)
    assert state_of(assignment) == ("submitted", "submitted")
    assert paid(assignment) == {}
    project = Project.objects.get()
    problems = waiting_for_a_person(project=project).values_list("worker", "problem")
    assert dict(problems)[assignment.worker_id] == REASON.replace("1 of 4", f"{kept} of 4")
    change = StateChange.objects.filter(
        aggregate="annotation.Submission", object_id=assignment.submissions.get().pk
    ).latest("pk")
    assert (change.old, change.new) == ("waiting", "submitted")


def test_empty_work_on_a_filled_item_counts_as_a_unit_that_is_not_kept():
    item = make_item(make_waiting_project())
    task, lazy = publish(item), make_worker()
    generate(task, NOTHING, worker=lazy)
    generate(task, asked(0, 1))
    consolidate(item, keeps=2)
    work = Submission.objects.get(worker=lazy)
    assert (work.state, work.kept_units, work.judged_units) == ("submitted", 0, 1)


def test_empty_work_on_an_empty_item_is_accepted():
    item = make_item(make_waiting_project())
    task = publish(item)
    generate(task, NOTHING)
    generate(task, NOTHING)
    consolidate(item, keeps=0)
    work = Submission.objects.values_list("state", "kept_units", "judged_units")
    assert set(work.filter(role="generator")) == {("accepted", 0, 0)}


def give_record(project: Project, worker: Worker, *, kept: int, units: int) -> None:
    """Let the worker have done another item, of which the gold kept that number of units."""
    item = make_item(project)
    generate(publish(item), asked(0), worker=worker)
    done = Submission.objects.filter(item=item)
    done.update(state="accepted", kept_units=kept, judged_units=units)


@pytest.mark.parametrize(
    ("record", "keeps", "state"), [((8, 8), 0, "accepted"), ((0, 8), 4, "submitted")]
)
def test_record_decides_and_not_a_single_item(record, keeps, state):
    """A lucky item of junk is not paid, and a difficult one of honest work is."""
    project, worker = make_waiting_project(), make_worker()
    give_record(project, worker, kept=record[0], units=record[1])
    item = make_item(project)
    task = publish(item)
    generate(task, asked(0, 1, 2, 3), worker=worker)
    generate(task, NOTHING)
    consolidate(item, keeps=keeps)
    assert Submission.objects.get(item=item, worker=worker, role="generator").state == state


def test_rejected_work_counts_in_the_record():
    """Otherwise the rejection of junk would restore the record of its worker."""
    assignment = waiting_work(keeps=0)
    reject_submissions(assignment=assignment, reason="Junk.", actor="rita", now=NOW)
    project, worker = Project.objects.get(), assignment.worker
    item = make_item(project)
    task = publish(item)
    generate(task, asked(0, 1), worker=worker)
    generate(task, NOTHING)
    consolidate(item, keeps=2)
    assert Submission.objects.get(item=item, worker=worker).state == "submitted"


def test_worker_with_a_good_record_no_longer_waits():
    project, worker = make_waiting_project(), make_worker()
    for _ in range(RECORD_ITEMS):
        give_record(project, worker, kept=1, units=2)
    generate(publish(make_item(project)), asked(0, 1, 2), worker=worker)
    newest = Submission.objects.latest("pk")
    assert newest.state == "accepted"
    assert set(newest.assignment.payments.values_list("state", flat=True)) == {"pending"}


def test_held_bonus_of_kept_work_still_waits_for_a_person():
    """Seven questions are more than the terms pay without a review."""
    project = make_waiting_project()
    project.pay_scheme["generator"]["hold_above_units"] = 3
    project.save()
    item = make_item(project)
    task, worker = publish(item), make_worker()
    generate(task, asked(0, 1, 2, 3), worker=worker)
    generate(task, NOTHING)
    consolidate(item, keeps=4)
    assert state_of(worker.assignments.get()) == ("accepted", "approved")
    assert HeldBonus.objects.get().state == "held"


@pytest.mark.parametrize(("seconds", "state"), [(7, "submitted"), (8, "accepted")])
def test_kept_work_that_was_faster_than_plausible_waits_for_a_person(seconds, state):
    """Otherwise the first items of junk, before its worker has a record, would pay by luck."""
    item = make_item(make_waiting_project())
    task, worker = publish(item), make_worker()
    generate(task, asked(0, 1), worker=worker)
    generate(task, NOTHING)
    assignment = worker.assignments.get()
    assignment.submitted_at = assignment.accepted_at + timedelta(seconds=seconds)
    assignment.save()
    consolidate(item, keeps=2)
    assert state_of(assignment)[0] == state


# --- decisions of people


def test_person_who_accepts_work_for_review_pays_it_in_full():
    assignment = waiting_work(keeps=1)
    accept_assignment(assignment=assignment, actor="rita", now=NOW)
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "pending")}
    assert settle() == 0


def test_rejected_work_leaves_the_gold_and_is_not_replaced():
    assignment = waiting_work(keeps=0)
    before = Gold.objects.get()
    reject_submissions(assignment=assignment, reason="Random words.", actor="rita", now=NOW)
    Assignment.objects.filter(pk=assignment.pk).update(
        state=AssignmentState.REJECTED, decided_at=NOW
    )
    assert Gold.objects.get() == before
    assert republish_due_items(clock=clock) == 0
    assert settle() == 0
    assert paid(assignment) == {}
    overturn_rejection(assignment=assignment, use=True, reason="It is fine.", actor="ada", now=NOW)
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "pending")}


def test_nobody_rejects_work_before_its_gold():
    """A case may already use it."""
    assignment = waiting_work()
    with pytest.raises(TransitionNotAllowedError):
        reject_submissions(assignment=assignment, reason="Junk.", actor="rita", now=NOW)
    assert state_of(assignment) == ("waiting", "submitted")


def test_item_is_annotated_again_after_its_work_is_decided():
    assignment = waiting_work(keeps=0)
    item = Item.objects.get()
    with pytest.raises(ReopenError, match="undecided"):
        annotate_again(item=item, reason="Bad.", actor="rita", now=NOW)
    for undecided in Assignment.objects.filter(state="submitted", hit__task__role="generator"):
        reject_submissions(assignment=undecided, reason="Junk.", actor="rita", now=NOW)
    Assignment.objects.filter(state=AssignmentState.REJECTING).update(
        state=AssignmentState.REJECTED, decided_at=NOW
    )
    annotate_again(item=item, reason="Bad.", actor="rita", now=NOW)
    states = Submission.objects.filter(role="generator").values_list("state", flat=True)
    assert set(states) == {"withdrawn"}
    assert state_of(assignment) == ("withdrawn", "rejected")
    hits = [task.hit for task in item.tasks.filter(role="generator")]
    places = sum((hit.increase_to or hit.max_assignments) for hit in hits)
    assert places - sum(hit.assignments.count() for hit in hits) == 2


# --- ways to end without gold


def test_work_that_the_marketplace_approves_first_is_accepted_and_its_bonus_waits():
    assignment = waiting_work()
    approve_at_marketplace()
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "review")}
    assert HeldBonus.objects.get().state == "waiting"
    assert decide_waiting_work(clock=clock) == 0


def test_work_for_review_that_the_marketplace_approves_is_paid_for_what_was_kept():
    """Nobody decided in time, which must not cost an honest worker the bonus."""
    assignment = waiting_work(keeps=1)
    approve_at_marketplace()
    settle()
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "declined")}
    assert not waiting_for_a_person(project=Project.objects.get()).exists()


def test_work_that_the_marketplace_rejects_is_rejected():
    assignment = waiting_work()
    approve_at_marketplace(AssignmentState.REJECTED)
    assert state_of(assignment) == ("rejected", "rejected")
    assert decide_waiting_work(clock=clock) == 0


def test_work_never_waits_longer_than_the_limit():
    assignment = waiting_work()
    settle(MAX_WAIT)
    assert state_of(assignment) == ("waiting", "submitted")
    settle(MAX_WAIT + timedelta(minutes=3))  # the work took as long
    assert state_of(assignment) == ("accepted", "approved")


def test_work_on_a_withdrawn_item_is_accepted():
    assignment = waiting_work()
    items = Project.objects.get().items.all()
    withdraw_items(items=items, reason="It is a title.", actor="rita", now=NOW)
    settle()
    assert state_of(assignment) == ("accepted", "approved")
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "pending")}


def test_work_of_several_items_waits_for_all_of_them():
    project = make_waiting_project()
    items = [make_item(project), make_item(project)]
    task, worker = publish(*items), make_worker()
    generate(task, asked(0, 1, 2, 3), asked(0, 1, 2), worker=worker)
    generate(task, NOTHING, NOTHING)
    assignment = worker.assignments.get()
    consolidate(items[0], keeps=4)
    assert set(assignment.submissions.values_list("state", flat=True)) == {"waiting"}
    consolidate(items[1], keeps=2)
    assert set(assignment.submissions.values_list("state", flat=True)) == {"accepted"}
    assert paid(assignment) == {"reward": (5, "pending"), "bonus": (11, "pending")}


@pytest.mark.parametrize(("verdict", "state"), [(True, "accepted"), (False, "submitted")])
def test_verified_work_is_accepted(monkeypatch, verdict, state):
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    project = make_verification_project(
        revisions=0, after_disputes="leave", bonus_timing="by-trust"
    )
    case = verify(generate_label(project.items.get()), verdict, verdict)
    settle()
    assert case.sources.get().submission.state == state


# --- what the requester sees


@pytest.fixture
def office() -> Client:
    waiting_work()
    client = Client()
    client.force_login(make_user("rita", Project.objects.get(), MemberRole.REQUESTER))
    return client


def test_page_lists_waiting_work_and_pays_it(office):
    project = Project.objects.get()
    (row,) = waiting_pay(project=project)
    assert (row.work, row.reward_cents, row.bonuses) == (1, 5, 0)
    assert count_submissions(project=project) == {("generator", "waiting"): 1}
    page = office.get(reverse("annotation:held_bonuses", args=["news"])).content.decode()
    assert row.worker.pseudonym in page
    assert "Pay $0.05 and bonuses in full" in page
    left = " ".join(work_left(project))
    assert "1 submission is in review until consolidation. Pay the work on Held bonuses." in left
    assert "undecided" not in left

    page = office.post(reverse("annotation:pay_waiting_bonuses", args=["news"]), follow=True)
    assert "1 submission will be paid in full." in page.content.decode()
    assert paid(Assignment.objects.get()) == {"reward": (5, "pending"), "bonus": (11, "pending")}
    assert not waiting_pay(project=project)


def test_api_lists_and_accepts_waiting_work(office):
    client = calling(Project.objects.get().memberships.get().user)
    address = "/api/v1/projects/news/submissions/"
    (row,) = client.get(f"{address}?state=waiting").json()["results"]
    response = client.post(
        f"{address}{row['id']}/accept/",
        "{}",
        content_type="application/json",
        headers={"Idempotency-Key": "accept"},
    )
    assert response.json()["state"] == "accepted"
    rejection = client.post(
        f"{address}{row['id']}/reject/",
        '{"reason": "Junk."}',
        content_type="application/json",
        headers={"Idempotency-Key": "reject"},
    )
    assert rejection.status_code == 409


def test_batch_says_what_it_waits_for(office):
    batch = Project.objects.get().batches.get()
    page = office.get(reverse("consolidation:batch", args=["news", batch.pk]))
    assert "Waiting for consolidation" in page.content.decode()


def test_waiting_money_stays_reserved():
    waiting_work()
    reserved = Budget.objects.get(key="project:news").reserved_cents
    generate(Item.objects.get().tasks.get(), NOTHING)
    assert Budget.objects.get(key="project:news").reserved_cents == reserved
