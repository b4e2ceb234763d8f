"""Tests of the inbox of a project and of the threads with its workers."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from crowd.models import MailAddress, Message, ReceivedMessage
from projects.enums import MemberRole
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from tests.crowd.factories import NOW, make_budget, make_worker
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


def receive(project, worker, text="May I skip items?", *, minutes=0, **fields) -> ReceivedMessage:
    return ReceivedMessage.objects.create(
        worker=worker,
        budget=project.budget,
        subject="About “Verbs”",
        text=text,
        sent_at=NOW + timedelta(minutes=minutes),
        **fields,
    )


def inbox(client, project, query="") -> str:
    return client.get(reverse("qualification:inbox", args=[project.slug]) + query).content.decode()


def thread(project, worker) -> str:
    return reverse("qualification:thread", args=[project.slug, worker.pseudonym])


def test_message_is_read_and_answered(office, campaign, project, settings):
    settings.MAIL_IS_ON = True
    worker = campaign.workers[0]
    MailAddress.objects.create(worker=worker, address="w@example.org", given_at=NOW)
    receive(project, worker)
    page = inbox(office, project)
    assert worker.pseudonym in page
    assert "May I skip items?" in page
    assert "Messages (1 new)" in page
    page = office.get(thread(project, worker)).content.decode()
    assert 'value="Re: About “Verbs”"' in page
    assert "Messages (1 new)" not in inbox(office, project)
    assert "No matches" in inbox(office, project, "?unread=1")
    answer = {"subject": "Re: About “Verbs”", "text": "Yes, with a reason."}
    page = office.post(thread(project, worker), answer, follow=True).content.decode()
    assert page.index("Yes, with a reason.") < page.index("May I skip items?")
    message = Message.objects.get(text="Yes, with a reason.")
    assert (message.worker, message.budget) == (worker, project.budget)
    assert message.mail.address == "w@example.org"
    assert "answered" in inbox(office, project)
    page = office.get(reverse("qualification:worker", args=[project.slug, worker.pseudonym]))
    assert "May I skip items?" in page.content.decode()


def test_answer_needs_subject_and_text(office, campaign, project):
    response = office.post(thread(project, campaign.workers[0]), {"subject": "", "text": ""})
    assert response.status_code == 422
    assert not Message.objects.filter(worker=campaign.workers[0]).exists()


def test_messages_to_other_projects_are_hidden(office, campaign, project):
    worker = make_worker()
    ReceivedMessage.objects.create(
        worker=worker, budget=make_budget(), subject="s", text="secret", sent_at=NOW
    )
    assert "secret" not in inbox(office, project)
    assert office.get(thread(project, worker)).status_code == 404
    receive(project, worker, "mine")
    page = office.get(thread(project, worker)).content.decode()
    assert "mine" in page
    assert "secret" not in page


def test_worker_who_only_asked_has_a_thread(office, campaign, project):
    stranger = make_worker()
    receive(project, stranger)
    assert stranger.pseudonym in inbox(office, project)
    assert office.get(thread(project, stranger)).status_code == 200


def test_newest_message_is_first(office, campaign, project):
    first, second = campaign.workers[:2]
    receive(project, first, "first text")
    receive(project, second, "second text", minutes=5)
    page = inbox(office, project)
    assert page.index("second text") < page.index("first text")
    receive(project, first, "third text", minutes=9)
    page = inbox(office, project)
    assert page.index("third text") < page.index("second text")
    assert "2 new" in page


def test_reply_to_feedback_can_be_answered(client, desk, trainer, enrolment):
    project, worker = enrolment.round.project, enrolment.worker
    feedback = send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Good."), now=NOW)
    client.post(link_of(feedback), {"reply": "Why is “might” needed?"})
    assert "Why is “might” needed?" in inbox(desk, project)
    address = [project.slug, enrolment.round_id]
    for name, arguments in (("round", address), ("trainee", [*address, worker.pseudonym])):
        page = desk.get(reverse(f"qualification:{name}", args=arguments)).content.decode()
        assert f'href="{thread(project, worker)}"' in page
    desk.post(thread(project, worker), {"subject": "Re: feedback", "text": "It is a modal."})
    assert Message.objects.get(text="It is a modal.").worker == worker


def test_experts_see_no_messages(campaign, project):
    expert = Client()
    expert.force_login(make_user("eva", project, MemberRole.EXPERT))
    assert expert.get(reverse("qualification:inbox", args=[project.slug])).status_code == 403
    assert expert.get(thread(project, campaign.workers[0])).status_code == 403


def test_page_says_where_workers_write_elsewhere(office, campaign, project, settings):
    assert "your requester account" not in inbox(office, project)
    settings.MTURK_IS_OURS = False
    assert "the emails that Amazon sends to your requester account" in inbox(office, project)
