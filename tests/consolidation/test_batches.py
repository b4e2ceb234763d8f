"""Tests of the batch pages, rejected assignments and compensations.

The pages show figures, act on all or some HITs, and change the terms of a batch.
"""

import csv
import io
import re
from datetime import timedelta
from html import unescape

import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Batch, Compensation, Task
from audit.models import StateChange
from consolidation.enums import CaseState
from consolidation.models import Case
from crowd.enums import HitState
from crowd.models import Assignment, Budget, Hit, Payment
from qualification.models import Cohort, Round
from tests.dashboard.campaign import add_items
from tests.view_names import VIEW_NAMES

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(project) -> Batch:
    """Create six HITs: two pending, two live and two expired."""
    add_items(project, 6)
    batch = publish_batch(project=project, now=timezone.now())
    hits = list(Hit.objects.order_by("pk"))
    for hit in hits[2:]:
        hit.state, hit.external_id, hit.created_at = HitState.LIVE, f"3HIT{hit.pk}", timezone.now()
        hit.attempted_at = hit.created_at
        hit.save()
    Hit.objects.filter(pk__in=[hit.pk for hit in hits[4:]]).update(state=HitState.EXPIRED)
    return batch


@pytest.fixture
def url(batch):
    return reverse("consolidation:manage_batch", args=["demo", batch.pk])


def text(response) -> str:
    return " ".join(unescape(response.content.decode()).split())


def confirm_action(office, url, **order):
    """Return the confirmation page and the response to its confirmed form."""
    confirmation = office.post(url, order)
    assert confirmation.status_code == 200, confirmation.headers
    count = confirmation.context["count"]
    return confirmation, office.post(url, {**order, "seen": count, "confirmed": "yes"}, follow=True)


def rows_of(response) -> list[dict[str, object]]:
    """Return the cells of the table rows, keyed by column heading."""
    rows = response.context["listing"].shown
    return [{column.heading: str(cell) for column, cell in row.cells} for row in rows]


def hits_in(state: str) -> list[int]:
    return list(Hit.objects.filter(state=state).order_by("pk").values_list("pk", flat=True))


# --- state ---------------------------------------------------------------------------------------


def test_list_shows_the_state_of_each_batch(office, campaign):
    response = office.get(reverse("consolidation:batches", args=["demo"]))
    rows = rows_of(response)
    assert [row["Step"] for row in rows] == ["consolidation", "generation"]
    assert [rows[1][name] for name in ("HITs", "Open", "Pending review", "Accepted")] == [
        "9", "9", "3", "15",
    ]  # fmt: skip
    page = text(response)
    assert "Remaining cost" in page
    assert response.context["forecast"][0] <= response.context["forecast"][2]


def test_costs_of_a_batch_match_the_ledger_and_its_caps(office, campaign, batch, project):
    url = reverse("consolidation:batch", args=["demo", batch.pk])
    assert office.get(url).context["figures"].reserved_cents > 0
    before = office.get(url).context["figures"]
    office.post(url, {"republish_limit": 3, "cap": "500.00"})
    after = office.get(url).context["figures"]
    assert (before.reserved_cents, before.spent_cents) == (after.reserved_cents, after.spent_cents)
    rows = rows_of(office.get("/projects/demo/batches/"))
    project.budget.refresh_from_db()
    for heading, cents in (
        ("Reserved", project.budget.reserved_cents),
        ("Spent", project.budget.spent_cents),
    ):
        assert sum(round(100 * float(row[heading][1:])) for row in rows) == cents


@pytest.mark.parametrize(
    ("query", "count"), [("", 2), ("role=consolidator", 1), ("state=closed", 0), ("state=x", 2)]
)
def test_filter_lists_matching_batches(office, campaign, query, count):
    response = office.get(reverse("consolidation:batches", args=["demo"]) + f"?{query}")
    assert len(rows_of(response)) == count
    assert ("No matches" in text(response)) == (count == 0)


def test_empty_project_explains_the_list(office, project):
    assert "No batches yet" in text(office.get(reverse("consolidation:batches", args=["demo"])))


def test_problem_is_shown_in_the_list_and_on_the_page(office, batch):
    Batch.objects.update(republish_problem="The budget has 0.10 dollars left.")
    for name, *more in (("batches",), ("batch", batch.pk)):
        page = text(office.get(reverse(VIEW_NAMES[name], args=["demo", *more])))
        assert "The budget has 0.10 dollars left." in page


@pytest.mark.parametrize(
    ("state", "count"),
    [("", 6), ("pending", 2), ("live", 2), ("expired", 2), ("paused", 0), ("short", 2), ("x", 6)],
)
def test_hits_are_filtered_by_state(office, batch, state, count):
    url = reverse("consolidation:batch", args=["demo", batch.pk]) + f"?state={state}"
    response = office.get(url)
    assert (len(rows_of(response)), response.context["matching"]) == (count, count)
    fragment = office.get(url, headers={"HX-Request": "true"})
    assert b"<html" not in fragment.content
    assert b'id="rows"' in fragment.content


def test_refresh_returns_only_the_state(office, batch):
    url = reverse("consolidation:batch", args=["demo", batch.pk]) + "?part=standing"
    fragment = office.get(url, headers={"HX-Request": "true"}).content
    assert b'id="standing"' in fragment
    assert b'id="rows"' not in fragment
    assert b"Updating 2 HITs" in fragment


def test_finished_batch_offers_neither_pause_nor_end_nor_extend(office, campaign):
    batch = campaign.batches["consolidator"]
    url = reverse("consolidation:batch", args=["demo", batch.pk])
    page = office.get(url).content.decode()
    assert all(f'value="{action}"' in page.split("Terms</h2>")[0] for action in ("pause", "expire"))
    assert "Extend …" in page
    Hit.objects.filter(task__batch=batch).update(state="expired")
    Case.objects.update(state=CaseState.CONSOLIDATED)
    page = office.get(url).content.decode()
    panel = page.split('id="whole"')[1].split("Terms</h2>")[0]
    assert "All work of this batch is finished." in panel
    assert not any(text in panel for text in ("Pause …", "End …", "Extend …"))


# --- actions -------------------------------------------------------------------------------------


def test_action_without_confirmation_changes_nothing(office, batch, url):
    for action in ("pause", "extend", "add", "expire", "republish"):
        response = office.post(
            url, {"action": action, "scope": "hits", "all": "1", "state": "expired"}
        )
        assert response.status_code in (200, 302)
    batch.refresh_from_db()
    assert batch.state == "open"
    assert not Hit.objects.exclude(expiration_wanted=None).exists()
    assert not Hit.objects.exclude(increase_to=None).exists()


def test_whole_batch_is_paused_and_resumed(office, batch, url):
    confirmation, done = confirm_action(office, url, action="pause", scope="batch")
    assert "Pause the whole batch: 4 HITs?" in text(confirmation)
    assert "Paused: 4 HITs." in text(done)
    batch.refresh_from_db()
    assert (batch.state, Hit.objects.exclude(paused_at=None).count()) == ("paused", 4)
    assert StateChange.objects.get(aggregate="annotation.Batch", new="paused").actor == "rita"
    confirmation, done = confirm_action(office, url, action="resume", scope="batch")
    assert "Resumed: 4 HITs." in text(done)


def test_second_click_asks_for_confirmation_again(office, batch, url):
    order = {"action": "add", "scope": "batch", "assignments": 1, "confirmed": "yes"}
    Hit.objects.filter(state="pending").update(state="failed")
    assert office.post(url, {**order, "seen": 4}).status_code == 302
    increases = list(Hit.objects.values_list("increase_to", flat=True))
    again = office.post(url, {"action": "pause", "scope": "batch", "seen": 9, "confirmed": "yes"})
    assert again.status_code == 200
    assert list(Hit.objects.values_list("increase_to", flat=True)) == increases
    batch.refresh_from_db()
    assert batch.state == "open"


def test_action_changes_only_the_selected_hits(office, batch, url):
    live = hits_in("live")
    confirmation, _ = confirm_action(office, url, action="pause", scope="hits", hit=live[:1])
    assert "Pause 1 of the 1 selected HIT?" in text(confirmation)
    assert list(Hit.objects.exclude(paused_at=None).values_list("pk", flat=True)) == live[:1]
    batch.refresh_from_db()
    assert batch.state == "open"
    assert StateChange.objects.filter(new="paused 1 HITs", actor="rita").count() == 1


def test_checkboxes_send_the_ids_of_hits(office, batch, project):
    unrelated = Hit.objects.first()
    unrelated.pk, unrelated.token, unrelated.external_id = None, "unrelated", None
    unrelated.save(force_insert=True)  # so that the next tasks and HITs have different ids
    add_items(project, 2)
    latest = publish_batch(project=project, now=timezone.now())
    hits = list(Hit.objects.filter(task__batch=latest).values_list("pk", flat=True))
    assert set(hits) != set(latest.tasks.values_list("pk", flat=True))
    page = office.get(reverse("consolidation:batch", args=["demo", latest.pk])).content.decode()
    boxes = re.findall(r'name="hit"\s+value="(\d+)"', page)
    assert sorted(map(int, boxes)) == sorted(hits)


def test_action_without_selection_changes_all_filtered_hits(office, batch, url):
    expired = hits_in("expired")
    confirmation, done = confirm_action(
        office, url, action="extend", scope="hits", all="1", state="expired", days=3
    )
    assert "Extend all 2 affected HITs (expired)?" in text(confirmation)
    cents = confirmation.context["cents"]
    assert f"Up to ${cents / 100:.2f} more is reserved" in text(confirmation)
    assert "Extended: 2 HITs." in text(done)
    assert set(hits_in("live")) >= set(expired)


def test_confirmed_cost_equals_the_reserved_cost(office, batch, url, project):
    for order in (
        {"action": "extend", "state": "expired"},
        {"action": "add", "state": "live", "assignments": 2},
    ):
        before = Budget.objects.get(pk=project.budget_id).reserved_cents
        confirmation, _ = confirm_action(office, url, scope="hits", all="1", **order)
        after = Budget.objects.get(pk=project.budget_id).reserved_cents
        assert after - before == confirmation.context["cents"] > 0


def test_hits_ended_separately_stay_ended_and_can_be_republished(office, batch, url):
    pending = hits_in("pending")
    _, done = confirm_action(office, url, action="expire", scope="hits", hit=pending)
    assert "Ended: 2 HITs." in text(done)
    assert set(hits_in("withdrawn")) == set(pending)
    assert Task.objects.exclude(ended_at=None).count() == 2
    _, done = confirm_action(office, url, action="republish", scope="hits", hit=pending)
    assert "Republished: 2 HITs." in text(done)
    assert len(hits_in("pending")) == 2


def test_ended_batch_reopens_for_republished_hits(office, batch, url):
    confirm_action(office, url, action="expire", scope="batch")
    batch.refresh_from_db()
    assert batch.state == "closed"
    pending = hits_in("withdrawn")
    confirmation, _ = confirm_action(office, url, action="republish", scope="hits", hit=pending[:1])
    assert "The batch has ended and is reopened." in text(confirmation)
    batch.refresh_from_db()
    assert (batch.state, len(hits_in("pending"))) == ("open", 1)
    # Only the selected HITs return. The others stay ended.
    assert Task.objects.filter(ended_at=None).count() == 2


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"action": "resume", "scope": "hits", "all": "1"}, "No paused HITs"),
        (
            {"action": "republish", "scope": "hits", "all": "1", "state": "live"},
            "No HITs to republish",
        ),
        ({"action": "extend", "scope": "batch", "days": 0}, "1 to 365 days"),
        ({"action": "add", "scope": "batch", "assignments": 10}, "1 to 9 assignments"),
        ({"action": "destroy", "scope": "batch"}, "Select a valid choice"),
        ({"action": "pause", "scope": "hits", "hit": ["999999"]}, "No open HITs"),
        ({"action": "pause", "scope": "hits", "hit": ["x"]}, "Select a valid choice"),
        ({"action": "pause", "scope": "hits"}, "Select rows, or all of them."),
        ({}, "required"),
    ],
)
def test_invalid_action_is_refused_with_a_message(office, batch, url, order, message):
    response = office.post(url, order, follow=True)
    assert "Nothing was changed" in text(response)
    assert message in text(response)
    batch.refresh_from_db()
    assert batch.state == "open"


def test_refusals_of_the_domain_are_shown(office, batch, url, project):
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=F("reserved_cents"))
    order = {"action": "extend", "scope": "hits", "all": "1", "state": "expired"}
    _, done = confirm_action(office, url, **order)
    assert "Raise the budget limit or publish less" in text(done)
    assert len(hits_in("expired")) == 2
    confirm_action(office, url, action="pause", scope="batch")
    _, done = confirm_action(office, url, action="extend", scope="hits", all="1", state="paused")
    assert "The batch is paused. Resume it first." in text(done)
    _, done = confirm_action(office, url, action="add", scope="hits", all="1", state="paused")
    assert "The batch is paused. Resume it first." in text(done)


# --- terms -----------------------------------------------------------------------------------------


def test_terms_are_changed_and_logged(office, batch):
    url = reverse("consolidation:batch", args=["demo", batch.pk])
    page = office.post(url, {"keep_open": 7, "republish_limit": 0, "cap": "12.50"}, follow=True)
    batch = Batch.objects.get()
    assert (batch.keep_open, batch.republish_limit, batch.budget.cap_cents) == (7, 0, 1250)
    assert "The batch's terms were changed." in text(page)
    changes = StateChange.objects.filter(aggregate="annotation.Batch", actor="rita")
    logged = {"republication limit: 0", "keep open: 7", "limit: $12.50"}
    assert {change.new for change in changes} == logged
    office.post(url, {"keep_open": "", "republish_limit": 3, "cap": ""})
    batch = Batch.objects.get()
    assert (batch.keep_open, batch.budget.cap_cents) == (None, None)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"republish_limit": 21}, "less than or equal to 20"),
        ({"republish_limit": ""}, "required"),
        ({"republish_limit": 3, "keep_open": 0}, "greater than or equal to 1"),
        ({"republish_limit": 3, "cap": "-1"}, "greater than or equal to 0"),
        ({"republish_limit": 5, "cap": "0.01"}, "Enter a limit of at least that amount"),
    ],
)
def test_invalid_terms_are_refused_beside_the_field(office, batch, typed, message):
    url = reverse("consolidation:batch", args=["demo", batch.pk])
    response = office.post(url, typed)
    assert response.status_code == 422
    assert message in text(response)
    batch = Batch.objects.get()
    assert (batch.republish_limit, batch.budget) == (3, None)


def test_batch_of_a_qualification_round_has_no_top_up(office, campaign, batch):
    Batch.objects.filter(pk=batch.pk).update(for_training=True)
    training_round = Round.objects.create(
        project=campaign.project, ordinal=1, kind="screening", title="Screening", entry="open"
    )
    Cohort.objects.create(
        round=training_round, number=1, batch=batch, places=3, published_at=timezone.now()
    )
    page = office.get(reverse("consolidation:batch", args=["demo", batch.pk]))
    assert "Items to keep open" not in text(page)
    assert training_round.title in text(page)


@pytest.mark.django_db(transaction=True)
def test_auto_approval_and_policy_are_stored_and_sent_with_the_hit_type(office, project):
    add_items(project, 2)
    url = reverse("annotation:publish", args=["demo"])
    form = {"count": 2, "unpublished": 2, "auto_approval_hours": 12, "republish_limit": 5}
    confirmation = text(office.post(url, form))
    assert "approved automatically after 12 hours" in confirmation
    assert "at most 5 times" in confirmation
    office.post(url, {**form, "confirmed": "yes"})
    batch = Batch.objects.get()
    assert (batch.auto_approval_seconds, batch.republish_limit) == (12 * 3600, 5)
    assert {hit.hit_type.auto_approval_seconds for hit in Hit.objects.all()} == {12 * 3600}


@pytest.mark.parametrize("hours", ["0", "721", "soon"])
def test_approval_delay_out_of_range_is_refused(office, project, hours):
    add_items(project, 1)
    url = reverse("annotation:publish", args=["demo"])
    response = office.post(url, {"count": 1, "auto_approval_hours": hours})
    assert response.status_code == 422
    assert b"errorlist" in response.content


# --- rejected work ---------------------------------------------------------------------------------


@pytest.fixture
def rejected(office, campaign) -> Assignment:
    submission = campaign.items[1].submissions.get(state="submitted")
    address = reverse("consolidation:reject", args=["demo", submission.pk])
    office.post(address, {"reason": "Another verb."})
    rows = Assignment.objects.filter(pk=submission.assignment_id)
    rows.update(submitted_at=timezone.now() - timedelta(days=2))
    return rows.get()


def overturn(office, assignment, **typed):
    url = reverse("annotation:overturn", args=["demo", assignment.pk])
    return office.post(url, typed, follow=True)


def test_rejected_work_is_listed_with_reason_and_remaining_days(office, rejected):
    page = text(office.get(reverse("annotation:rejections", args=["demo"])))
    assert "Another verb." in page
    assert "Overturn … (27 days left)" in page
    assert rejected.worker.pseudonym in page


def test_rejected_work_is_downloaded(office, rejected):
    response = office.get(reverse("annotation:rejections", args=["demo"]), {"format": "csv"})
    [row] = csv.DictReader(io.StringIO(response.getvalue().decode()))
    assert row["Assignment"] == rejected.external_id
    assert row["Worker"] == rejected.worker.pseudonym
    assert row["Reason"] == "Another verb."


@pytest.mark.parametrize(("use", "state"), [("yes", "accepted"), ("no", "rejected")])
def test_overturned_rejection_is_paid(office, rejected, use, state):
    page = overturn(office, rejected, use=use, reason="The worker is right.")
    assert "will be paid shortly" in text(page)
    assert rejected.submissions.get().state == state
    assert Payment.objects.filter(assignment=rejected, kind="reward").count() == 1


def test_overturning_requires_a_reason(office, rejected):
    page = overturn(office, rejected, use="yes", reason=" ")
    assert (page.status_code, "This field is required" in text(page)) == (422, True)
    assert not Payment.objects.filter(assignment=rejected).exists()


def test_late_overturn_leads_to_compensation(office, rejected):
    Assignment.objects.filter(pk=rejected.pk).update(
        submitted_at=timezone.now() - timedelta(days=31)
    )
    page = text(office.get(reverse("annotation:rejections", args=["demo"])))
    assert "Compensate the worker" in page
    assert f"?key={rejected.external_id}" in page
    assert "30 days ago" in text(overturn(office, rejected, use="yes", reason="Late."))


def test_project_without_rejections_shows_an_empty_state(office, project):
    page = text(office.get(reverse("annotation:rejections", args=["demo"])))
    assert "No rejected work" in page


# --- compensation ----------------------------------------------------------------------------------


@pytest.fixture
def compensate(campaign):
    return reverse("qualification:compensate", args=["demo", campaign.workers[0].pseudonym])


OFFER = {"amount": "1.50", "key": "assignment 7", "reason": "It ran out under you."}


def test_compensation_shows_its_cost_with_fee_before_confirmation(office, compensate, project):
    confirmation = text(office.post(compensate, OFFER))
    assert "Pay $1.50 ($1.80 with fee)" in confirmation
    assert not Compensation.objects.exists()
    before = Budget.objects.get(pk=project.budget_id).reserved_cents
    page = office.post(compensate, {**OFFER, "confirmed": "yes"}, follow=True)
    assert "is being created. It pays $1.50" in text(page)
    assert Budget.objects.get(pk=project.budget_id).reserved_cents - before == 180
    office.post(compensate, {**OFFER, "confirmed": "yes"})
    assert Compensation.objects.get().offered_by == "rita"


@pytest.mark.parametrize(
    "typed",
    [{"amount": "0"}, {"amount": "1000.01"}, {"amount": "0.005"}, {"key": ""}, {"reason": " "}],
)
def test_invalid_compensation_is_refused(office, compensate, typed):
    response = office.post(compensate, {**OFFER, **typed, "confirmed": "yes"})
    assert (response.status_code, b"errorlist" in response.content) == (422, True)
    assert not Compensation.objects.exists()


def test_compensation_without_budget_is_refused(office, compensate, project):
    budget = Budget.objects.get(pk=project.budget_id)
    Budget.objects.filter(pk=budget.pk).update(
        cap_cents=budget.reserved_cents + budget.spent_cents + 10
    )
    response = office.post(compensate, {**OFFER, "confirmed": "yes"})
    assert response.status_code == 422
    assert "Raise the budget limit" in text(response)
