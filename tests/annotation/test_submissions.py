from html import unescape

import pytest
from django.urls import reverse

from annotation.domain.publishing.queries import count_submissions, waiting_for_a_person
from annotation.models import Submission
from audit.models import StateChange
from crowd.models import Payment
from projects.models import Project
from tests.view_names import VIEW_NAMES


@pytest.fixture
def pending(campaign) -> Submission:
    return campaign.items[1].submissions.get(state="submitted")


def address(name, submission):
    return reverse(VIEW_NAMES[name], args=["demo", submission.pk])


def test_pending_submissions_are_listed_oldest_first(office, campaign):
    response = office.get(reverse("consolidation:submissions", args=["demo"]))
    items = [row.item for row in response.context["listing"].page_rows]
    assert items == [campaign.items[1], campaign.items[5], campaign.items[9]]
    assert response.content.count(b"The marketplace's copy") == 3


def test_accepting_pays_and_logs_the_actor(office, pending):
    response = office.post(address("accept", pending), follow=True)
    pending.refresh_from_db()
    assert (pending.state, pending.assignment.state) == ("accepted", "approved")
    payments = Payment.objects.filter(assignment=pending.assignment).values_list("kind", "state")
    assert set(payments) == {("reward", "pending"), ("bonus", "pending")}
    log = StateChange.objects.get(
        aggregate="annotation.Submission", object_id=pending.pk, new="accepted"
    )
    assert (log.old, log.actor) == ("submitted", "rita")
    assert f"Accepted. {pending.worker.pseudonym} will be paid".encode() in response.content


def test_accepting_twice_pays_once(office, pending):
    office.post(address("accept", pending))
    office.post(address("accept", pending))
    assert Payment.objects.filter(assignment=pending.assignment).count() == 2


def test_rejecting_stores_the_reason_for_the_worker(office, pending):
    office.post(address("reject", pending), {"reason": "No answer is in the sentence."})
    pending.refresh_from_db()
    assert (pending.state, pending.assignment.state) == ("rejected", "rejecting")
    assert pending.assignment.decision_reason == "No answer is in the sentence."
    assert not Payment.objects.filter(assignment=pending.assignment).exists()


@pytest.mark.parametrize("reason", ["", "   "])
def test_rejecting_without_a_reason_is_refused(office, pending, reason):
    response = office.post(address("reject", pending), {"reason": reason})
    pending.refresh_from_db()
    assert (response.status_code, pending.state) == (422, "submitted")
    assert b"This field is required" in response.content


def test_rejecting_accepted_work_is_refused_with_a_message(office, pending):
    office.post(address("accept", pending))
    response = office.post(address("reject", pending), {"reason": "no"}, follow=True)
    pending.refresh_from_db()
    assert pending.state == "accepted"
    assert b"Not rejected" in response.content


def test_empty_list_has_a_message(office, project):
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content
    assert b"No submissions to review" in page


@pytest.mark.parametrize("content", [{}, {"refused": {"questions": 7}}])
def test_invalid_content_cannot_be_accepted(office, pending, content):
    Submission.objects.filter(pk=pending.pk).update(content=content)
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("accept", pending) not in page
    response = office.post(address("accept", pending), follow=True)
    pending.refresh_from_db()
    assert (response.status_code, pending.state) == (200, "submitted")
    assert b"Nothing was accepted" in response.content


def test_setting_aside_unreadable_work_pays_the_reward_only(office, pending):
    Submission.objects.filter(pk=pending.pk).update(content={})
    office.post(address("pay_without_using", pending))
    office.post(address("pay_without_using", pending))
    pending.refresh_from_db()
    assert (pending.state, pending.assignment.state) == ("withdrawn", "approved")
    [payment] = Payment.objects.filter(assignment=pending.assignment)
    assert (payment.kind, payment.amount_cents) == ("reward", 5)
    assert pending not in waiting_for_a_person(project=pending.item.project)


def test_setting_aside_readable_work_pays_reward_and_bonus(office, pending):
    office.post(address("pay_without_using", pending))
    pending.refresh_from_db()
    kinds = Payment.objects.filter(assignment=pending.assignment).values_list("kind", flat=True)
    assert (pending.state, set(kinds)) == ("withdrawn", {"reward", "bonus"})


def test_repeated_work_on_an_item_awaits_payment_or_rejection(office, pending, project):
    Submission.objects.filter(pk=pending.pk).update(state="withdrawn")
    assert pending in waiting_for_a_person(project=project)
    assert count_submissions(project=project)["generator", "review"] == 3
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("accept", pending) not in page
    assert address("reject", pending) not in page
    office.post(address("pay_without_using", pending))
    assert pending not in waiting_for_a_person(project=project)
    assert Payment.objects.filter(assignment=pending.assignment).count() == 2


def test_accepted_work_cannot_be_set_aside(office, pending):
    office.post(address("accept", pending))
    response = office.post(address("pay_without_using", pending), follow=True)
    pending.refresh_from_db()
    assert pending.state == "accepted"
    assert b"Nothing was changed" in response.content


# --- two copies ----------------------------------------------------------------------------------


def test_two_copies_are_shown_side_by_side_with_their_differences(office, pending):
    listed = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("copies", pending) in listed
    page = office.get(address("copies", pending)).content.decode()
    assert "“What did someone reject?” is in ours only, answered “the proposal”." in unescape(page)
    assert "Touchstone's copy" in page


@pytest.mark.parametrize(
    "typed",
    [{}, {"copy": "ours"}, {"copy": "ours", "reason": "  "}, {"copy": "both", "reason": "x"}],
)
def test_choice_without_copy_or_reason_is_refused(office, pending, typed):
    response = office.post(address("copies", pending), typed)
    pending.refresh_from_db()
    assert (response.status_code, pending.state) == (422, "submitted")
    assert b"errorlist" in response.content


def test_invalid_copy_cannot_be_chosen(office, pending):
    Submission.objects.filter(pk=pending.pk).update(other_version={"questions": "none"})
    page = office.get(address("copies", pending)).content.decode()
    assert "Can't be used" in unescape(page)
    response = office.post(address("copies", pending), {"copy": "theirs", "reason": "later"})
    pending.refresh_from_db()
    assert (response.status_code, pending.state) == (422, "submitted")
    assert "That copy can't be used" in unescape(response.content.decode())


def test_chosen_copy_is_accepted_with_the_reason_in_the_log(office, pending):
    Project.objects.update(bonus_timing="at-once")
    chosen = {"copy": "theirs", "reason": "Ours was cut short."}
    response = office.post(address("copies", pending), chosen, follow=True)
    pending.refresh_from_db()
    assert (pending.state, len(pending.content["questions"])) == ("accepted", 1)
    assert "The copy was selected and accepted." in response.content.decode()
    log = StateChange.objects.filter(object_id=pending.pk, actor="rita").first()
    assert log.reason.endswith("Decided for theirs: Ours was cut short.")
    again = office.post(address("copies", pending), chosen, follow=True)
    assert "no conflict to resolve" in again.content.decode()
