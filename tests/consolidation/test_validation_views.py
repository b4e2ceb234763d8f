"""Tests of the validators' page and its endpoint, without a browser."""

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
from tests.annotation.page_data import page_data
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, source
from tests.consolidation.validation import (
    GOOD,
    INVALID,
    MIGHT,
    WHAT,
    WHERE,
    make_validation_case,
    verdict,
)
from tests.signed import signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_validation_case()


def address(case: Case, *, worker: str = "W1", page: str = "validate") -> str:
    assert case.task
    query = {
        "assignmentId": "A1",
        "hitId": "H1",
        "workerId": worker,
        "turkSubmitTo": settings.MTURK_WORKER_ORIGINS[0],
    }
    path = reverse(f"consolidation:{page}", args=[case.task.public_id])
    return signed(f"{path}?{urlencode(query)}")


def page_of(client: Client, case: Case) -> Json:
    return page_data(client.get(address(case)).content.decode())


def send(client: Client, case: Case, *questions: Json):
    assert case.task
    message: dict[str, Any] = {
        "token": PageToken(str(case.task.public_id), "A1", "W1", is_confirmed=True).token(),
        "revision": 0,
        "content": {str(case.item_id): {"questions": list(questions)}},
    }
    path = reverse("consolidation:submit")
    return client.post(path, json.dumps(message), content_type="text/plain")


def test_page_has_the_questions_without_answers_or_author(client, case):
    page = page_of(client, case)
    [item] = page["items"]
    assert item["asked"] == {"questions": [MIGHT, WHAT, WHERE]}
    assert set(item) == {"id", "tokens", "target", "freeForm", "data", "content", "asked"}
    assert (item["data"], page["shared"]) == ({}, {})
    text = json.dumps(page)
    assert "[16, 18]" not in text
    source_ = case.sources.get().submission
    assert source_.worker.external_id not in text
    assert source_.assignment.external_id not in text
    assert page["pay"]["reward_cents"] == 8
    assert page["urls"]["submit"] == reverse("consolidation:submit")


def test_page_has_no_inline_code_and_shows_the_validator_guidelines(client, case):
    response = client.get(address(case))
    assert "unsafe-inline" not in response.headers["Content-Security-Policy"]
    html = response.content.decode()
    scripts = re.findall(r"<script\b[^>]*>", html)
    assert [tag for tag in scripts if "src=" not in tag and "application/json" not in tag] == []
    assert "Judging and answering questions" in html


def test_page_is_refused_to_authors_of_the_sentence(client, case):
    author = case.sources.get().submission.worker.external_id
    response = client.get(address(case, worker=author))
    assert response.status_code == 400
    assert "You wrote one of the annotations that are judged here" in response.content.decode()


def test_pages_accept_only_their_kind_of_case(client, case):
    merged = make_case(SURVEY, CONTAIN, *[source(SURVEY, (MIGHT, ["that basin"]))] * 2)
    assert client.get(address(merged)).status_code == 404
    assert client.get(address(case, page="consolidate")).status_code == 404


def test_page_queries_do_not_depend_on_the_number_of_questions(client):
    adverbs = ("When", "Where", "Why", "How")
    starts = [f"{adverb} {aux}" for adverb in adverbs for aux in ("does", "did", "might")]
    counts = []
    for number in (1, 12):
        questions = [
            {"question": f"{start} something contain something?", "answers": [[at, at + 1]]}
            for at, start in enumerate(starts[:number])
        ]
        case = make_validation_case({"questions": questions, "no_question": ""})
        with CaptureQueriesContext(connection) as queries:
            client.get(address(case))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_submit_accepts_judged_questions(client, case):
    response = send(client, case, *GOOD)
    assert response.status_code == 200
    content = json.loads(response.json()["fields"]["content"])[str(case.item_id)]
    assert [question["verdict"] for question in content["questions"]] == [
        "valid",
        "valid",
        "invalid",
    ]
    assert content["questions"][0]["question"] == MIGHT
    assert Draft.objects.get().submitted_at is not None


def test_judge_is_not_refused_for_the_number_of_questions_that_others_asked(client, case):
    """The maximum of the terms limits a judge's pay, and not the work."""
    batch = case.task.batch
    batch.terms = {**batch.project.pay_scheme["validator"], "max_units": 2}
    batch.save()
    assert send(client, case, *GOOD).status_code == 200


@pytest.mark.parametrize(
    ("questions", "path"),
    [
        (GOOD[:2], "questions"),
        ((*GOOD[:2], {**INVALID, "verdict": None}), "questions[2].verdict"),
        ((verdict("that basin"), verdict("that basin"), INVALID), "questions[1].answers"),
        ((verdict("that basin"), verdict(), INVALID), "questions[1].answers"),
        ((INVALID, verdict(same_as=0), INVALID), "questions[1].same_as"),
    ],
    ids=["too-few", "open", "overlap", "no-answer", "repeats-invalid"],
)
def test_submit_refuses_invalid_content_and_changes_nothing(client, case, questions, path):
    response = send(client, case, *questions)
    assert response.status_code == 422
    assert response.json()["problems"][0]["path"] == path
    assert not Draft.objects.exists()
