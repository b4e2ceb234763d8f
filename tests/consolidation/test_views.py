"""Tests of the consolidators' page and its endpoint, without a browser."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.domain.work.worker_page import PageToken
from annotation.models import Draft
from consolidation.models import Case
from schemes.contract.values import Json
from tests.annotation.factories import make_item as make_generation_item
from tests.annotation.factories import make_project as make_generation_project
from tests.annotation.factories import make_task
from tests.annotation.page_data import page_data
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, source
from tests.signed import signed

pytestmark = pytest.mark.django_db

BASIN, GAS = ["that basin"], ["natural gas"]
MIGHT, PLAIN, WHAT = (
    "What might contain something?",
    "What contains something?",
    "What might something contain?",
)


@pytest.fixture
def case() -> Case:
    return make_case(
        SURVEY, CONTAIN, source(SURVEY, (MIGHT, BASIN), (WHAT, GAS)), source(SURVEY, (PLAIN, BASIN))
    )


def address(case: Case, *, assignment: str = "A1", worker: str = "W1") -> str:
    assert case.task
    query = {
        "assignmentId": assignment,
        "hitId": "H1",
        "workerId": worker,
        "turkSubmitTo": settings.MTURK_WORKER_ORIGINS[0],
    }
    path = reverse("consolidation:consolidate", args=[case.task.public_id])
    return signed(f"{path}?{urlencode(query)}")


def page_of(client: Client, case: Case, **options: str) -> Json:
    """Return the data that the page's script reads."""
    return page_data(client.get(address(case, **options)).content.decode())


def judged(
    question: str, answers: list[list[int]], place: tuple[int, int] | None, verdict: str = "keep"
) -> Json:
    origin = {"submission": place[0], "question": place[1]} if place else None
    return {
        "question": question,
        "answers": answers,
        "source": origin,
        "verdict": verdict,
        "same_as": 0 if verdict == "redundant" else None,
    }


def settled_questions() -> list[Json]:
    return [
        judged(MIGHT, [[16, 18]], (0, 0)),
        judged(WHAT, [[20, 22]], (0, 1)),
        judged(PLAIN, [[16, 18]], (1, 0), "redundant"),
    ]


def send(client: Client, case: Case, questions: list[Json], *, to: str = "consolidation:submit"):
    assert case.task
    message: dict[str, Any] = {
        "token": PageToken(str(case.task.public_id), "A1", "W1", is_confirmed=True).token(),
        "revision": 0,
        "content": {str(case.item_id): {"questions": questions}},
    }
    return client.post(reverse(to), json.dumps(message), content_type="text/plain")


# --- the page ----------------------------------------------------------------------------------


def test_page_has_the_sources_in_the_order_of_the_case(client, case):
    page = page_of(client, case)
    [item] = page["items"]
    questions = [
        [question["question"] for question in shown_source["questions"]]
        for shown_source in item["sources"]
    ]
    assert questions == [[MIGHT, WHAT], [PLAIN]]
    assert item["tokens"] == SURVEY
    assert item["target"]["verb_idx"] == CONTAIN
    rows = [
        [(row["submission"], row["position"]) for row in group["rows"]]
        for group in item["layout"]["groups"]
    ]
    assert rows == [[(0, 0), (1, 0)], [(0, 1)]]
    endpoints = {
        "draft": reverse("annotation:draft"),
        "lookUp": reverse("annotation:look-up"),
        "submit": reverse("consolidation:submit"),
    }
    assert page["urls"] == endpoints
    assert page["pay"]["unit_cents"][0] == 3


def test_page_hides_the_authors_of_the_sources(client, case):
    html = client.get(address(case)).content.decode()
    for link in case.sources.select_related("submission__worker", "submission__assignment"):
        assert link.submission.worker.external_id not in html
        assert link.submission.assignment.external_id not in html


def test_page_is_framed_only_by_marketplaces_and_has_no_inline_code(client, case):
    response = client.get(address(case))
    assert "X-Frame-Options" not in response.headers
    policy = response.headers["Content-Security-Policy"]
    assert f"frame-ancestors {settings.MTURK_WORKER_ORIGINS[0]}" in policy
    assert "unsafe-inline" not in policy
    html = response.content.decode()
    scripts = re.findall(r"<script\b[^>]*>", html)
    assert scripts
    assert [tag for tag in scripts if "src=" not in tag and "application/json" not in tag] == []
    assert "<style" not in html
    assert re.search(r"\sstyle=", html) is None
    assert re.search(r"\son\w+=", html) is None


def test_page_is_compressed(client, case):
    plain = client.get(address(case))
    compressed = client.get(address(case), headers={"Accept-Encoding": "gzip"})
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert len(compressed.content) < len(plain.content) / 2


def test_page_is_refused_to_authors_of_a_source(client, case):
    author = case.sources.first().submission.worker.external_id
    response = client.get(address(case, worker=author))
    assert response.status_code == 400
    assert "You wrote one of the annotations that are merged here" in response.content.decode()


def test_preview_has_no_token(client, case):
    page = page_of(client, case, assignment="ASSIGNMENT_ID_NOT_AVAILABLE", worker="")
    assert (page["preview"], page["token"], page["submitTo"]) == (True, "", "")


def test_page_without_a_case_is_not_found(client, case):
    task = make_task([make_generation_item(make_generation_project())])
    path = reverse("consolidation:consolidate", args=[task.public_id])
    assert client.get(path).status_code == 404


def test_page_queries_do_not_depend_on_the_number_of_sources(client):
    counts = []
    for number in (2, 5):
        case = make_case(SURVEY, CONTAIN, *[source(SURVEY, (MIGHT, BASIN))] * number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(address(case))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_page_of_sources_without_questions_has_their_reasons(client):
    sources = [
        source(SURVEY, no_question="no verb"),
        source(SURVEY, no_question="no sense"),
    ]
    [item] = page_of(client, make_case(SURVEY, CONTAIN, *sources))["items"]
    assert item["layout"] == {"groups": []}
    assert [entry["no_question"] for entry in item["sources"]] == ["no verb", "no sense"]


def test_partial_draft_is_stored_and_restored(client, case):
    partial = [{**question, "verdict": None, "same_as": None} for question in settled_questions()]
    assert send(client, case, partial, to="annotation:draft").json() == {
        "revision": 1,
        "submitted": False,
        "moves": 0,
    }
    page = page_of(client, case)
    assert page["revision"] == 1
    assert page["items"][0]["content"] == {"questions": partial}


# --- submission --------------------------------------------------------------------------------


def test_submit_accepts_a_settled_case(client, case):
    response = send(client, case, settled_questions())
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    content = json.loads(response.json()["fields"]["content"])
    draft = Draft.objects.get()
    assert draft.submitted_at is not None
    assert draft.content == content
    verdicts = [question["verdict"] for question in content[str(case.item_id)]["questions"]]
    assert verdicts == ["keep", "keep", "redundant"]


def test_submit_accepts_the_empty_result_of_sources_without_questions(client):
    case = make_case(SURVEY, CONTAIN, source(SURVEY, no_question="no verb"))
    response = send(client, case, [])
    assert json.loads(response.json()["fields"]["content"]) == {
        str(case.item_id): {"questions": []}
    }


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda questions: questions.pop(), "questions"),
        (lambda questions: questions[0].update(verdict=None), "questions[0].verdict"),
        (lambda questions: questions[0].update(answers=[]), "questions[0].answers"),
        (lambda questions: questions[0].update(answers=[[16, 21]]), "questions[1].answers"),
        (lambda questions: questions[1].update(question=MIGHT), "questions[1].question"),
        (lambda questions: questions.append(settled_questions()[2]), "questions[3].source"),
    ],
    ids=["unjudged", "no-verdict", "no-answer", "overlap", "same", "judged-twice"],
)
def test_submit_refuses_an_unsettled_case_and_changes_nothing(client, case, change, path):
    questions = settled_questions()
    change(questions)
    response = send(client, case, questions)
    assert response.status_code == 422
    [problem] = response.json()["problems"]
    assert (problem["item"], problem["path"]) == (case.item_id, path)
    assert not Draft.objects.exists()


def test_submit_of_another_kind_of_task_is_refused(client, case):
    task = make_task([make_generation_item(make_generation_project())])
    message = {
        "token": PageToken(str(task.public_id), "A1", "W1", is_confirmed=True).token(),
        "revision": 0,
        "content": {},
    }
    response = client.post(
        reverse("consolidation:submit"), json.dumps(message), content_type="text/plain"
    )
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("{}", 400),
        ("[]", 400),
        ('{"token": "x", "revision": 0, "content": {"1": NaN}}', 400),
        ('{"token": "x", "revision": 0, "content": {}}', 403),
    ],
)
def test_submit_refuses_malformed_messages(client, body, status):
    response = client.post(reverse("consolidation:submit"), body, content_type="text/plain")
    assert response.status_code == status
    assert response.json()["error"]


def test_submit_answers_a_preflight(client):
    response = client.options(reverse("consolidation:submit"))
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Methods"] == "POST"
