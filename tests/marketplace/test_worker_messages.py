"""Messages between workers and requesters, and what workers read about both sides."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from marketplace.domain.notifications import worker_messages
from marketplace.models import Message, OperatorProfile

from .conftest import log_in, make_requester, make_worker, mturk_client

pytestmark = pytest.mark.django_db


def thread(requester) -> str:
    return f"/hits/requesters/{requester[0].code}/messages/"


def test_worker_asks_about_a_task_and_reads_the_answer(mturk, do_hit, browser, worker, requester):
    hit, assignment = do_hit()
    page = browser.get("/hits/history/").content.decode()
    assert f"/hits/history/{assignment}/ask/" in page
    form = browser.get(f"/hits/history/{assignment}/ask/").url
    assert "About the task “Ask questions about a verb”" in browser.get(form).content.decode()
    sent = browser.post(form, {"text": " Is “might” a verb? "}, follow=True)
    assert "Your message was sent." in sent.content.decode()
    (row,) = mturk.list_worker_messages()["WorkerMessages"]
    assert (row["WorkerId"], row["HITId"]) == (worker.code, hit["HITId"])
    assert row["Subject"] == "About “Ask questions about a verb”"
    assert row["MessageText"] == "Is “might” a verb?"
    # The work is not decided, but the worker wrote.
    answer = {"Subject": f"Re: {row['Subject']}", "MessageText": "Only as a noun."}
    failures = mturk.notify_workers(**answer, WorkerIds=[worker.code])
    assert failures["NotifyWorkersFailureStatuses"] == []
    assert "Messages (1 new)" in browser.get("/hits/").content.decode()
    inbox = browser.get("/hits/messages/").content.decode()
    assert f'<a href="{thread(requester)}">lab</a>' in inbox
    assert "Is “might” a verb?" not in inbox
    both = browser.get(thread(requester)).content.decode()
    assert both.index("Only as a noun.") < both.index("Is “might” a verb?")
    assert "(1 new)" not in browser.get("/hits/").content.decode()


def test_answer_to_a_message_names_it(mturk, do_hit, browser, worker, requester):
    _, assignment = do_hit()
    mturk.approve_assignment(AssignmentId=assignment)
    mturk.notify_workers(Subject="Guidelines", MessageText="New.", WorkerIds=[worker.code])
    assert b">New</span>" in browser.get(thread(requester)).content
    for _ in range(2):
        browser.post(thread(requester), {"text": "Where?"})
    rows = mturk.list_worker_messages(WorkerId=worker.code)["WorkerMessages"]
    assert [row["Subject"] for row in rows] == ["Re: Guidelines"] * 2


def test_messages_of_a_worker_are_limited(browser, worker, requester):
    too_long = browser.post(thread(requester), {"text": "x" * 2001})
    assert "at most 2000 characters" in too_long.content.decode()
    for _ in range(worker_messages.MAX_MESSAGES):
        assert browser.post(thread(requester), {"text": "Hello"}).status_code == 302
    refused = browser.post(thread(requester), {"text": "Again"})
    assert "You can write up to 20 messages a day." in refused.content.decode()
    Message.objects.update(sent_at=timezone.now() - timedelta(days=2))
    assert browser.post(thread(requester), {"text": "Again"}).status_code == 302


def test_messages_are_between_one_worker_and_one_requester(site, mturk, browser, requester):
    other = make_requester("other")
    browser.post(thread(other), {"text": "For the other"})
    assert mturk.list_worker_messages()["WorkerMessages"] == []
    client = mturk_client(site, *other[1:])
    assert len(client.list_worker_messages()["WorkerMessages"]) == 1
    stranger = log_in(make_worker("bob"))
    assert "For the other" not in stranger.get(thread(other)).content.decode()
    assert Client().get(thread(other)).url.startswith("/hits/login/")


def test_list_has_pages_newest_first(mturk, browser, requester):
    for text in ("first", "second", "third"):
        browser.post(thread(requester), {"text": text})
    page = mturk.list_worker_messages(MaxResults=2)
    assert [row["MessageText"] for row in page["WorkerMessages"]] == ["third", "second"]
    rest = mturk.list_worker_messages(NextToken=page["NextToken"])
    assert [row["MessageText"] for row in rest["WorkerMessages"]] == ["first"]


def test_requesters_page_says_who_they_are_and_how_workers_are_paid(
    operator, browser, publish, requester
):
    publish()
    lab = requester[0]
    assert (
        f'<a href="/hits/requesters/{lab.code}/">lab</a>' in browser.get("/hits/").content.decode()
    )
    page = browser.get(f"/hits/requesters/{lab.code}/").content.decode()
    assert "pays you once a month" in page
    about = {"name": "Verb lab", "about": "We study verbs.", "email": "lab@example.org"}
    operator.post(f"/hits/operator/requesters/{lab.code}/profile/", about)
    payouts = {"contact": "pay@example.org", "payouts": "By bank transfer on the 1st."}
    operator.post("/hits/operator/contact/", payouts)
    page = browser.get(f"/hits/requesters/{lab.code}/").content.decode()
    assert "Verb lab" in page
    assert "We study verbs." in page
    assert "By bank transfer on the 1st." in page
    assert "mailto:pay@example.org" in page
    assert "lab@example.org" not in page
    assert OperatorProfile.objects.count() == 1


def test_requester_writes_their_text_and_a_taken_name_is_refused(operator, requester, client):
    credentials = {"access_key_id": requester[1], "secret": requester[2]}
    client.post("/hits/requester/login/", credentials)
    client.post("/hits/requester/profile/", {"about": "We study nouns."})
    requester[0].refresh_from_db()
    assert requester[0].about == "We study nouns."
    make_requester("other")
    url = f"/hits/operator/requesters/{requester[0].code}/profile/"
    assert (
        "Another requester has this name." in operator.post(url, {"name": "other"}).content.decode()
    )
    requester[0].refresh_from_db()
    assert requester[0].name == "lab"


def test_empty_list_offers_a_message_about_new_tasks(browser, worker):
    page = browser.get("/hits/").content.decode()
    assert "Tell me about new tasks" in page
    browser.post("/hits/filters/", {"name": "All tasks", "notifies": "on"})
    assert worker.searches.get().notifies
    page = browser.get("/hits/").content.decode()
    assert "Tell me about new tasks" not in page
    assert "All tasks" in page
