"""The data of a worker's page, its framing, and its endpoints."""

import gzip
import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Draft, Task
from crowd.models import Hit
from projects.domain.create_project import write_guidelines
from projects.enums import Role
from projects.models import Guidelines
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.annotation.page_data import page_data

pytestmark = pytest.mark.django_db

ORIGIN = "http://127.0.0.1:8000"
CHANGED = "This task was changed in another tab. Reload to continue."
WHO = {"question": "who carried something", "answers": [[0, 2]]}


@pytest.fixture
def task() -> Task:
    return make_task([make_item(make_project())])


DATA = re.compile(r'(?<=<script id="page" type="application/json">).*?(?=</script>)')


def page_of(response) -> dict[str, object]:
    return page_data(text_of(response))


def opened(client: Client, task: Task, **options: object) -> dict[str, object]:
    response = client.get(task_url(task, submit_to=ORIGIN, **options))
    assert response.status_code == 200
    return page_of(response)


def send(client: Client, name: str, **message: object):
    body = json.dumps({"revision": 0, **message})
    return client.post(reverse(f"annotation:{name}"), body, content_type="text/plain")


def content(task: Task, *questions: object, no_question: str = "") -> dict[str, object]:
    item = str(task.items.get().pk)
    return {item: {"questions": list(questions), "no_question": no_question}}


def test_page_has_everything_that_its_script_needs(client, task):
    page = opened(client, task)
    assert page["preview"] is False
    assert page["submitTo"] == f"{ORIGIN}/mturk/externalSubmit"
    assert page["pay"]["unit_cents"][:4] == [0, 0, 5, 6]
    assert set(page["shared"]) == {"automaton", "suggestions"}
    [item] = page["items"]
    assert item["tokens"][item["target"]["verb_idx"]] == "carried"
    assert set(item["data"]) == {"item", "ranking", "suggestions", "asksImplied"}
    assert item["content"] is None


def test_page_links_to_the_exercises_of_its_scheme(client, task):
    link = f'href="{reverse("annotation:practice-start", args=["qasrl"])}"'
    preview = client.get(task_url(task, assignment="ASSIGNMENT_ID_NOT_AVAILABLE", submit_to=""))
    assert text_of(client.get(task_url(task, submit_to=ORIGIN))).count(link) == 1
    assert text_of(preview).count(link) == 1


def test_page_does_not_link_to_messages_that_workers_cannot_send(client, task):
    page = text_of(client.get(task_url(task, submit_to=ORIGIN)))
    links = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL)
    targets = [(address, text) for address, text in links if not address.startswith("#")]
    assert [text.strip() for _, text in targets] == ["Practice with exercises"]
    assert "mailto:" not in page
    assert not re.search(r"(contact|write to) the requester", page, re.IGNORECASE)


def test_page_may_only_be_framed_by_the_configured_marketplaces(client, task):
    response = client.get(task_url(task, submit_to=ORIGIN))
    assert "X-Frame-Options" not in response.headers
    policy = dict(
        directive.strip().split(" ", 1)
        for directive in response.headers["Content-Security-Policy"].split(";")
    )
    assert policy["frame-ancestors"] == ORIGIN
    assert policy["form-action"] == ORIGIN
    assert policy["script-src"] == f"'self' {ORIGIN}"
    assert "unsafe-inline" not in response.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in response.headers


def test_page_is_compressed(client, task):
    address = task_url(task, submit_to=ORIGIN)
    response = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert b'id="page"' in gzip.decompress(response.content)


def test_preview_has_no_token(client, task):
    page = opened(client, task, assignment="ASSIGNMENT_ID_NOT_AVAILABLE")
    assert (page["preview"], page["token"], page["submitTo"]) == (True, "", "")
    assert send(client, "draft", token="", content={}).status_code == 403


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worker": "<script>"}, "has no assignment or worker"),
        ({"assignment": "a" * 65}, "has no assignment or worker"),
        ({"submit_to": "https://stranger.example"}, "unknown site"),
    ],
)
def test_invalid_address_is_refused_with_a_message(client, task, options, message):
    response = client.get(task_url(task, **{"submit_to": ORIGIN, **options}))
    assert response.status_code == 400
    assert message in response.content.decode()
    assert "<script>" not in response.content.decode()


def test_task_of_another_role_is_not_served_here(client, task):
    Task.objects.filter(pk=task.pk).update(role=Role.CONSOLIDATOR)
    assert client.get(task_url(task, submit_to=ORIGIN)).status_code == 404


def test_hostile_tokens_stay_inside_the_data(client):
    tokens = ["</script><script>alert(1)</script>", "carried", "<!--", "\u2028"]
    task = make_task([make_item(make_project(), tokens=tokens, verb=1)])
    response = client.get(task_url(task, submit_to=ORIGIN))
    assert "<script>alert" not in response.content.decode()
    assert page_of(response)["items"][0]["tokens"] == tokens


def test_draft_is_stored_and_returned_with_the_page(client, task):
    page = opened(client, task)
    written = {**content(task, {"question": "Who ca", "answers": []}), "comment": "hm"}
    comment = written.pop("comment")
    response = send(client, "draft", token=page["token"], content=written, comment=comment, moves=3)
    assert response.json() == {"revision": 1, "submitted": False, "moves": 3}
    reopened = opened(client, task)
    assert (reopened["revision"], reopened["comment"], reopened["moves"]) == (1, "hm", 3)
    assert reopened["items"][0]["content"]["questions"][0]["question"] == "Who ca"


def test_older_page_receives_the_newer_work(client, task):
    token = opened(client, task)["token"]
    first = content(task, WHO)
    send(client, "draft", token=token, content=first, comment="first")
    response = send(client, "draft", token=token, content=content(task))
    assert response.status_code == 409
    newest = {"revision": 1, "content": first, "comment": "first", "moves": 0, "submitted": False}
    assert response.json() == {"error": CHANGED, "newest": newest}
    assert Draft.objects.get().content == first


def test_older_page_cannot_submit_over_newer_work(client, task):
    token = opened(client, task)["token"]
    first, second = content(task, WHO), content(task, no_question="not a sentence")
    send(client, "draft", token=token, content=first)
    response = send(client, "submit", token=token, content=second)
    assert (response.status_code, response.json()["error"]) == (409, CHANGED)
    assert Draft.objects.get().content == first
    assert Draft.objects.get().submitted_at is None
    assert send(client, "submit", token=token, content=second, revision=1).status_code == 200


def test_older_page_cannot_submit_over_submitted_work(client, task):
    token = opened(client, task)["token"]
    send(client, "submit", token=token, content=content(task, WHO), save_id="a")
    stored = Draft.objects.get().content
    other = content(task, no_question="not a sentence")
    response = send(client, "submit", token=token, content=other, save_id="b")
    assert (response.status_code, response.json()["newest"]["submitted"]) == (409, True)
    assert Draft.objects.get().content == stored


def test_repeated_save_is_no_conflict(client, task):
    message = {
        "token": opened(client, task)["token"],
        "content": content(task, WHO),
        "save_id": "a",
    }
    for _ in range(2):
        assert send(client, "draft", **message).json()["revision"] == 1
    assert Draft.objects.get().content == message["content"]


@pytest.mark.parametrize("name", ["draft", "submit"])
def test_page_can_save_after_a_repeated_request(client, task, name):
    """The browser repeats a request after a broken connection, and the page sees one response."""
    token = opened(client, task)["token"]
    save = {"token": token, "content": content(task), "save_id": "a"}
    revision = send(client, "draft", **save).json()["revision"]
    send(client, "draft", **save)
    next_message = {"token": token, "content": content(task, WHO), "save_id": "b"}
    assert send(client, name, **next_message, revision=revision).status_code == 200


@pytest.mark.parametrize("name", ["draft", "submit"])
def test_same_work_of_an_older_page_is_no_conflict(client, task, name):
    token, work = opened(client, task)["token"], content(task, WHO)
    send(client, "draft", token=token, content=work, save_id="of the page before its reload")
    reloaded = {"token": token, "content": work, "save_id": "b", "revision": 0}
    assert send(client, name, **reloaded).status_code == 200
    other = {**reloaded, "comment": "new", "save_id": "c"}
    assert send(client, name, **other).status_code == 409


@pytest.mark.parametrize("name", ["draft", "submit"])
def test_page_can_submit_after_a_lost_response(client, task, name):
    token = opened(client, task)["token"]
    send(client, name, token=token, content=content(task, WHO), save_id="a")
    new = content(task, no_question="not a sentence")
    message = {"token": token, "content": new, "save_id": "b", "unanswered": ["x", "a"]}
    assert send(client, "submit", **message).status_code == 200
    [item] = Draft.objects.get().content.values()
    assert item["no_question"] == "not a sentence"


def test_late_message_does_not_replace_newer_work_of_its_page(client, task):
    token, late = opened(client, task)["token"], content(task)
    newer = content(task, WHO)
    message = {"token": token, "content": newer, "save_id": "b", "unanswered": ["a"]}
    send(client, "draft", **message)
    response = send(client, "draft", token=token, content=late, save_id="a")
    assert response.status_code == 409
    assert Draft.objects.get().content == newer


def test_page_whose_draft_was_deleted_can_save(client, task):
    token = opened(client, task)["token"]
    assert (
        send(client, "draft", token=token, content=content(task, WHO), revision=4).json()[
            "revision"
        ]
        == 1
    )


def test_another_worker_with_the_same_assignment_has_a_separate_draft(client, task):
    token = opened(client, task)["token"]
    send(client, "draft", token=token, content=content(task, WHO))
    page = opened(client, task, worker="W2")
    assert (page["revision"], page["items"][0]["content"]) == (0, None)


def test_submitting_returns_the_form_for_the_marketplace(client, task):
    token = opened(client, task)["token"]
    message = {"token": token, "content": content(task, WHO), "save_id": "a"}
    response = send(client, "submit", **message)
    assert response.status_code == 200
    [item] = json.loads(response.json()["fields"]["content"]).values()
    assert item["questions"][0]["question"] == "Who carried something?"
    assert send(client, "submit", **message).json() == response.json()
    assert opened(client, task)["submitted"] is True
    late = send(client, "draft", token=token, content=content(task), revision=2)
    assert late.json()["submitted"] is True
    assert Draft.objects.get().revision == 1


def test_invalid_work_is_refused_with_item_and_path(client, task):
    token = opened(client, task)["token"]
    unanswered = {"question": "Who carried something?", "answers": []}
    response = send(client, "submit", token=token, content=content(task, WHO, unanswered))
    assert response.status_code == 422
    [problem] = response.json()["problems"]
    assert problem["item"] == task.items.get().pk
    assert problem["path"] == "questions[1].answers"
    assert Draft.objects.filter(submitted_at__isnull=False).count() == 0


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"token": 1}', b"[" * 100_000])
def test_junk_is_refused_with_a_message(client, body):
    response = client.post(reverse("annotation:draft"), body, content_type="text/plain")
    assert response.status_code == 400
    assert response.json() == {
        "error": "This request wasn't sent by the task page. Reload the page."
    }


@pytest.mark.parametrize("name", ["draft", "submit"])
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_non_finite_numbers_are_refused(client, task, name, number):
    token = opened(client, task)["token"]
    body = f'{{"token": "{token}", "revision": 0, "content": {{"1": {{"odd": {number}}}}}}}'
    response = client.post(reverse(f"annotation:{name}"), body, content_type="text/plain")
    assert response.status_code == 400
    assert not Draft.objects.exists()


def test_draft_stores_repaired_text(client, task):
    token = opened(client, task)["token"]
    body = (
        f'{{"token": "{token}", "revision": 0, "content": {{"1": {{"odd": "a\\u0000\\ud83d"}}}}}}'
    )
    response = client.post(reverse("annotation:draft"), body, content_type="text/plain")
    assert response.status_code == 200
    assert Draft.objects.get().content == {"1": {"odd": "a\ufffd"}}


def test_endpoints_answer_a_page_without_an_origin(client, task):
    address = reverse("annotation:draft")
    preflight = client.options(address, headers={"Origin": "null"})
    assert preflight.status_code == 204
    for response in (preflight, client.get(address), send(client, "draft", token="x", content={})):
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in response.headers
    assert client.get(address).status_code == 405


def test_token_is_valid_for_one_task_only(client, task):
    token = opened(client, task)["token"]
    altered = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert send(client, "draft", token=altered, content={}).status_code == 403


def text_of(response) -> str:
    return response.content.decode()


def test_page_shows_the_newest_guidelines_until_work_starts(client, task):
    project = task.batch.project
    write_guidelines(project=project, role=Role.GENERATOR, text="Ask *little*.", now=timezone.now())
    assert "Ask <em>little</em>." in text_of(client.get(task_url(task, submit_to=ORIGIN)))
    token = opened(client, task)["token"]
    send(client, "draft", token=token, content=content(task, WHO))

    write_guidelines(project=project, role=Role.GENERATOR, text="Ask *much*.", now=timezone.now())
    begun = text_of(client.get(task_url(task, submit_to=ORIGIN)))
    other = text_of(client.get(task_url(task, submit_to=ORIGIN, assignment="A2", worker="W2")))
    assert ("Ask <em>little</em>." in begun, "Ask <em>much</em>." in begun) == (True, False)
    assert ("Ask <em>little</em>." in other, "Ask <em>much</em>." in other) == (False, True)


def test_page_shows_the_guidelines_in_the_workers_language(client, task):
    write_guidelines(
        project=task.batch.project,
        role=Role.GENERATOR,
        text="Ask *little*.",
        now=timezone.now(),
        translations={"de": "Fragen Sie *wenig*.", "ja": "*少し*"},
    )
    shown = {
        accepted: text_of(
            client.get(task_url(task, submit_to=ORIGIN), headers={"Accept-Language": accepted})
        )
        for accepted in ("de-CH", "fr,ja;q=0.5", "fr")
    }
    assert '<div lang="de" dir="auto"><p>Fragen Sie <em>wenig</em>.' in shown["de-CH"]
    assert '<html lang="de">' in shown["de-CH"]
    # The interface has no Japanese, but the guidelines do.
    assert '<div lang="ja" dir="auto"><p><em>少し</em>' in shown["fr,ja;q=0.5"]
    assert '<html lang="en">' in shown["fr,ja;q=0.5"]
    assert '<div lang="en" dir="auto"><p>Ask <em>little</em>.' in shown["fr"]


def test_page_shows_the_guidelines_version_of_its_batch(client, task):
    project, now = task.batch.project, timezone.now()
    old = write_guidelines(project=project, role=Role.GENERATOR, text="The *old*.", now=now)
    write_guidelines(project=project, role=Role.GENERATOR, text="The *new*.", now=now)
    task.batch.guidelines = old
    task.batch.save()
    text = text_of(client.get(task_url(task, submit_to=ORIGIN)))
    assert ("The <em>old</em>." in text, "The <em>new</em>." in text) == (True, False)


def test_page_without_guidelines_has_no_section_for_them(client, task):
    Guidelines.objects.all().delete()
    text = text_of(client.get(task_url(task, submit_to=ORIGIN)))
    assert "data-guidelines" not in text
    assert "data-work-form" in text


def test_pages_of_two_workers_differ_only_in_their_data(client, task):
    mine = text_of(client.get(task_url(task, submit_to=ORIGIN, assignment="A1", worker="W1")))
    other = text_of(client.get(task_url(task, submit_to=ORIGIN, assignment="A2", worker="W2")))
    assert page_data(mine)["assignment"] == "A1"
    assert page_data(other)["assignment"] == "A2"
    around = [DATA.split(text) for text in (mine, other)]
    assert around[0] == around[1]
    assert len(around[0]) == 2


def test_guidelines_that_look_like_the_data_are_text(client, task):
    fake = '<script id="page" type="application/json">{"pay":true}</script>'
    write_guidelines(project=task.batch.project, role=Role.GENERATOR, text=fake, now=timezone.now())
    text = text_of(client.get(task_url(task, submit_to=ORIGIN)))
    assert "&lt;script id=&quot;page&quot;" in text
    assert page_data(text)["items"]


def test_page_shows_earnings_only_for_paid_work(client, task):
    assert "data-pay" in text_of(client.get(task_url(task, submit_to=ORIGIN)))
    task.batch.terms = {}
    task.batch.save()
    project = task.batch.project
    project.pay_scheme = {**project.pay_scheme, Role.GENERATOR: {}}
    project.save()
    assert "data-pay" not in text_of(client.get(task_url(task, submit_to=ORIGIN)))


def test_number_of_queries_does_not_depend_on_the_items(client):
    project = make_project()
    counts = []
    for items in (1, 15):
        task = make_task([make_item(project) for _ in range(items)])
        with CaptureQueriesContext(connection) as queries:
            client.get(task_url(task, submit_to=ORIGIN))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_repeated_submission_is_claimed_once(client, task):
    """A page that lost the response submits again, still based on the unsaved state."""
    message = {"token": opened(client, task)["token"], "content": content(task, WHO)}
    for earlier, save_id in [([], "a"), (["a"], "b"), (["a", "b"], "c")]:
        message |= {"save_id": save_id, "unanswered": earlier}
        assert send(client, "submit", **message).status_code == 200
    assert Draft.objects.get().revision == 3
    assert Hit.objects.get(task=task).reported_submissions == 1


# PostgreSQL can't store the characters of these JSON escapes.
NUL, HALF = "\x00", "\ud83d"


@pytest.mark.parametrize("odd", [NUL, HALF])
@pytest.mark.parametrize("endpoint", ["draft", "submit"])
def test_unstorable_characters_are_removed_from_the_work(endpoint, odd, client, task):
    page = opened(client, task)
    who = {**WHO, "question": f"who carried some{NUL}thing"}
    answers = content(task, who)
    answers[f"{odd}spare"] = {}
    if endpoint == "submit":
        answers.popitem()
    message = {"token": page["token"], "content": answers, "comment": f"The {odd}radio"}
    response = send(client, endpoint, **message)
    assert response.status_code == 200, response.content
    draft = Draft.objects.get()
    assert draft.comment == "The radio" if odd == NUL else "The \ufffdradio"
    [first] = draft.content[str(task.items.get().pk)]["questions"]
    assert first["question"].rstrip("?").lower() == "who carried something"


def test_text_in_another_encoding_is_refused(client, task):
    page = opened(client, task)
    body = json.dumps({"revision": 0, "token": page["token"], "content": {}}).encode("utf-16")
    response = client.post(reverse("annotation:draft"), body, content_type="text/plain")
    assert response.status_code == 400


# --- seconds and moves per step ------------------------------------------------------------------


def test_steps_are_stored_and_never_lowered(client, task):
    token = opened(client, task)["token"]
    steps = {"read": {"seconds": 20, "moves": 0}, "mark": {"seconds": 4, "moves": 3}}
    sent = {"token": token, "content": content(task), "active_seconds": 24, "moves": 3}
    assert send(client, "draft", **sent, steps=steps).status_code == 200
    assert opened(client, task)["steps"] == steps
    later = {"mark": {"seconds": 2, "moves": 5}, "check": {"seconds": 1, "moves": 0}}
    assert send(client, "draft", **sent | {"revision": 1}, steps=later).status_code == 200
    draft = Draft.objects.get()
    assert (draft.active_seconds, draft.moves) == (24, 3)
    assert draft.steps == {
        "read": {"seconds": 20, "moves": 0},
        "mark": {"seconds": 4, "moves": 5},
        "check": {"seconds": 1, "moves": 0},
    }


def test_seconds_of_a_step_are_limited_by_the_time_since_opening(client, task):
    token = opened(client, task)["token"]
    steps = {"read": {"seconds": 5000, "moves": 0}}
    send(client, "draft", token=token, content=content(task), steps=steps)
    assert 60 <= Draft.objects.get().steps["read"]["seconds"] <= 90


def test_draft_has_at_most_twenty_steps(client, task):
    token = opened(client, task)["token"]
    effort = {"seconds": 1, "moves": 1}
    for revision, names in enumerate(("abcdefghijklmno", "nopqrstuvwxyz")):
        steps = dict.fromkeys(names, effort)
        send(client, "draft", token=token, content={}, steps=steps, revision=revision)
    assert set(Draft.objects.get().steps) == set("abcdefghijklmnopqrst")


@pytest.mark.parametrize(
    "steps",
    [
        {"": {"seconds": 1, "moves": 1}},
        {"x" * 41: {"seconds": 1, "moves": 1}},
        {"read": {"seconds": -1, "moves": 1}},
        {"read": {"seconds": 1, "moves": 1.5}},
        {"read": {"seconds": 1}},
        {"read": {"seconds": 1, "moves": 1, "more": 1}},
        {str(number): {"seconds": 1, "moves": 1} for number in range(21)},
    ],
)
def test_malformed_steps_are_refused(client, task, steps):
    token = opened(client, task)["token"]
    response = send(client, "draft", token=token, content=content(task), steps=steps)
    assert response.status_code == 400
    assert not Draft.objects.exists()


# --- the log of moves ----------------------------------------------------------------------------

LOG = [
    [1, "read", "understanding"],
    [4, "mark", "the answer “wine”"],
    [6, "mark", "the answer “it”"],
]


def test_log_grows_by_new_moves(client, task):
    sent = {"token": opened(client, task)["token"], "content": content(task)}
    answer = send(client, "draft", **sent, moves=2, log=LOG[:2]).json()
    assert answer == {"revision": 1, "submitted": False, "moves": 2}
    # The response was lost, so the page repeats the moves without a confirmation.
    send(client, "draft", **sent | {"revision": 1}, moves=3, log=LOG)
    assert Draft.objects.get().log == LOG
    send(client, "draft", **sent | {"revision": 2}, moves=3, log=LOG)
    assert Draft.objects.get().log == LOG


def test_submission_completes_the_log(client, task):
    nothing = content(task, no_question="not a sentence")
    sent = {"token": opened(client, task)["token"], "content": nothing}
    send(client, "draft", **sent, moves=2, log=LOG[:2])
    last = sent | {"revision": 1, "moves": 3, "log": LOG[2:], "save_id": "a"}
    for _ in range(2):
        assert send(client, "submit", **last).status_code == 200
    assert Draft.objects.get().log == LOG


def test_conflict_names_the_stored_moves(client, task):
    token = opened(client, task)["token"]
    send(client, "draft", token=token, content=content(task, WHO), moves=2, log=LOG[:2])
    response = send(client, "draft", token=token, content=content(task), moves=1, log=LOG[:1])
    assert (response.status_code, response.json()["newest"]["moves"]) == (409, 2)
    assert Draft.objects.get().log == LOG[:2]


def test_log_keeps_the_newest_moves(client, task):
    sent = {"token": opened(client, task)["token"], "content": content(task)}
    first, second = ([[at, "", f"{name} {at}"] for at in range(1500)] for name in "ab")
    send(client, "draft", **sent, moves=1500, log=first)
    send(client, "draft", **sent | {"revision": 1}, moves=3000, log=second)
    log = Draft.objects.get().log
    assert len(log) == 2000
    assert (log[0], log[-1]) == ([1000, "", "a 1000"], [1499, "", "b 1499"])


@pytest.mark.parametrize(
    "log",
    [
        [[1, "read"]],
        [[1, "read", "moving", "more"]],
        [["1", "read", "moving"]],
        [[-1, "read", "moving"]],
        [[1.5, "read", "moving"]],
        [[1, "x" * 41, "moving"]],
        [[1, "read", "x" * 201]],
        [[1, "read", None]],
        ["read"],
        {"read": 1},
        [[1, "read", "moving"]] * 2001,
    ],
)
def test_malformed_log_is_refused(client, task, log):
    token = opened(client, task)["token"]
    response = send(client, "draft", token=token, content=content(task), moves=1, log=log)
    assert response.status_code == 400
    assert not Draft.objects.exists()
