from html import unescape

import pytest
from django.urls import reverse

from annotation.domain.queries import count_submissions, waiting_for_a_person
from annotation.models import Submission
from audit.models import StateChange
from crowd.models import Payment
from tests.view_names import VIEW_NAMES


@pytest.fixture
def waiting(campaign) -> Submission:
    return campaign.items[1].submissions.get(state="submitted")


def address(name, submission):
    return reverse(VIEW_NAMES[name], args=["demo", submission.pk])


def test_list_holds_what_waits_oldest_first(office, campaign):
    response = office.get(reverse("consolidation:submissions", args=["demo"]))
    found = [row.item for row in response.context["listing"].page_rows]
    assert found == [campaign.items[1], campaign.items[5], campaign.items[9]]
    assert response.content.count(b"The marketplace's copy") == 3


def test_accepting_pays_and_logs_who_did_it(office, waiting):
    response = office.post(address("accept", waiting), follow=True)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.assignment.state) == ("accepted", "approved")
    payments = Payment.objects.filter(assignment=waiting.assignment).values_list("kind", "state")
    assert set(payments) == {("reward", "pending"), ("bonus", "pending")}
    log = StateChange.objects.get(
        aggregate="annotation.Submission", object_id=waiting.pk, new="accepted"
    )
    assert (log.old, log.actor) == ("submitted", "rita")
    assert f"Accepted. {waiting.worker.pseudonym} will be paid".encode() in response.content


def test_accepting_twice_pays_once(office, waiting):
    office.post(address("accept", waiting))
    office.post(address("accept", waiting))
    assert Payment.objects.filter(assignment=waiting.assignment).count() == 2


def test_rejecting_keeps_the_reason_for_the_worker(office, waiting):
    office.post(address("reject", waiting), {"reason": "No answer is in the sentence."})
    waiting.refresh_from_db()
    assert (waiting.state, waiting.assignment.state) == ("rejected", "rejecting")
    assert waiting.assignment.decision_reason == "No answer is in the sentence."
    assert not Payment.objects.filter(assignment=waiting.assignment).exists()


@pytest.mark.parametrize("reason", ["", "   "])
def test_rejecting_without_a_reason_asks_for_it_and_changes_nothing(office, waiting, reason):
    response = office.post(address("reject", waiting), {"reason": reason})
    waiting.refresh_from_db()
    assert (response.status_code, waiting.state) == (422, "submitted")
    assert b"This field is required" in response.content


def test_rejecting_what_was_accepted_is_refused_and_told(office, waiting):
    office.post(address("accept", waiting))
    response = office.post(address("reject", waiting), {"reason": "no"}, follow=True)
    waiting.refresh_from_db()
    assert waiting.state == "accepted"
    assert b"Not rejected" in response.content


def test_empty_list_says_so(office, project):
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content
    assert b"No submissions to review" in page


@pytest.mark.parametrize("content", [{}, {"refused": {"questions": 7}}])
def test_content_that_is_no_annotation_can_not_be_accepted(office, waiting, content):
    Submission.objects.filter(pk=waiting.pk).update(content=content)
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("accept", waiting) not in page
    response = office.post(address("accept", waiting), follow=True)
    waiting.refresh_from_db()
    assert (response.status_code, waiting.state) == (200, "submitted")
    assert b"Nothing was accepted" in response.content


def test_setting_aside_unreadable_work_pays_the_reward_alone(office, waiting):
    Submission.objects.filter(pk=waiting.pk).update(content={})
    office.post(address("pay_without_using", waiting))
    office.post(address("pay_without_using", waiting))
    waiting.refresh_from_db()
    assert (waiting.state, waiting.assignment.state) == ("withdrawn", "approved")
    [payment] = Payment.objects.filter(assignment=waiting.assignment)
    assert (payment.kind, payment.amount_cents) == ("reward", 5)
    assert waiting not in waiting_for_a_person(project=waiting.item.project)


def test_setting_aside_readable_work_pays_all_that_it_earned(office, waiting):
    office.post(address("pay_without_using", waiting))
    waiting.refresh_from_db()
    kinds = Payment.objects.filter(assignment=waiting.assignment).values_list("kind", flat=True)
    assert (waiting.state, set(kinds)) == ("withdrawn", {"reward", "bonus"})


def test_work_on_an_item_done_before_waits_to_be_paid_or_refused(office, waiting, project):
    Submission.objects.filter(pk=waiting.pk).update(state="withdrawn")
    assert waiting in waiting_for_a_person(project=project)
    assert count_submissions(project=project)["generator", "waiting"] == 3
    page = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("accept", waiting) not in page
    assert address("reject", waiting) not in page
    office.post(address("pay_without_using", waiting))
    assert waiting not in waiting_for_a_person(project=project)
    assert Payment.objects.filter(assignment=waiting.assignment).count() == 2


def test_accepted_work_can_not_be_set_aside(office, waiting):
    office.post(address("accept", waiting))
    response = office.post(address("pay_without_using", waiting), follow=True)
    waiting.refresh_from_db()
    assert waiting.state == "accepted"
    assert b"Nothing was changed" in response.content


# --- two copies ----------------------------------------------------------------------------------


def test_two_copies_stand_side_by_side_with_their_differences_in_words(office, waiting):
    listed = office.get(reverse("consolidation:submissions", args=["demo"])).content.decode()
    assert address("copies", waiting) in listed
    page = office.get(address("copies", waiting)).content.decode()
    assert "“What did someone reject?” is in ours only, answered “the proposal”." in unescape(page)
    assert "Touchstone's copy" in page


@pytest.mark.parametrize(
    "typed",
    [{}, {"copy": "ours"}, {"copy": "ours", "reason": "  "}, {"copy": "both", "reason": "x"}],
)
def test_choice_without_copy_or_reason_is_asked_for_again(office, waiting, typed):
    response = office.post(address("copies", waiting), typed)
    waiting.refresh_from_db()
    assert (response.status_code, waiting.state) == (422, "submitted")
    assert b"errorlist" in response.content


def test_copy_that_the_scheme_refuses_can_not_be_chosen(office, waiting):
    Submission.objects.filter(pk=waiting.pk).update(other_version={"questions": "none"})
    page = office.get(address("copies", waiting)).content.decode()
    assert "Can't be used" in unescape(page)
    response = office.post(address("copies", waiting), {"copy": "theirs", "reason": "later"})
    waiting.refresh_from_db()
    assert (response.status_code, waiting.state) == (422, "submitted")
    assert "That copy can't be used" in unescape(response.content.decode())


def test_chosen_copy_is_accepted_with_the_reason_in_the_log(office, waiting):
    chosen = {"copy": "theirs", "reason": "Ours was cut short."}
    response = office.post(address("copies", waiting), chosen, follow=True)
    waiting.refresh_from_db()
    assert (waiting.state, len(waiting.content["questions"])) == ("accepted", 1)
    assert "The copy was selected and accepted." in response.content.decode()
    log = StateChange.objects.filter(object_id=waiting.pk, actor="rita").first()
    assert log.reason.endswith("Decided for theirs: Ours was cut short.")
    again = office.post(address("copies", waiting), chosen, follow=True)
    assert "no conflict to resolve" in again.content.decode()
