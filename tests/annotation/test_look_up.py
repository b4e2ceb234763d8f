"""Look-ups of workers' pages in the resources of the project."""

import json

import pytest
from django.urls import reverse

from annotation.domain.work.worker_page import PageToken
from projects.domain.create_project import create_project
from projects.domain.resources import change_resource
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW, make_item, make_task
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db


@pytest.fixture
def token(monkeypatch) -> str:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    pay = SCHEME.vocabulary.pay_presets["labels"]
    project = create_project(slug="labels", scheme=SCHEME.name, pay_scheme=pay, now=NOW)
    change_resource(
        project=project, name="labels", value=["calm", "angry", "bored"], actor="requester", now=NOW
    )
    return PageToken(
        str(make_task([make_item(project)]).public_id), "A1", "W1", is_confirmed=True
    ).token()


def look_up(client, **message: object):
    address = reverse("annotation:look-up")
    return client.post(address, json.dumps(message), content_type="text/plain")


def test_page_receives_the_results_without_an_origin(client, token):
    response = look_up(client, token=token, resource="labels", query="ed")
    assert response.status_code == 200
    assert response.json() == {"results": [{"name": "bored"}]}
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert client.options(reverse("annotation:look-up")).status_code == 204


def test_token_is_required(client, token):
    assert look_up(client, token="", resource="labels", query="a").status_code == 403
    foreign = PageToken(
        "b7a1a3a8-0000-4000-8000-000000000000", "A1", "W1", is_confirmed=True
    ).token()
    assert look_up(client, token=foreign, resource="labels", query="a").status_code == 403


@pytest.mark.parametrize(
    "message",
    [
        {"resource": "lexicon", "query": "a"},
        {"resource": "labels", "query": "a" * 201},
        {"resource": "labels", "query": 1},
        {"resource": "labels"},
        {"resource": "labels", "query": "a", "more": "b"},
    ],
)
def test_invalid_message_is_refused(client, token, message):
    response = look_up(client, token=token, **message)
    assert response.status_code == 400
    assert response.json() == {
        "error": "This request wasn't sent by the task page. Reload the page."
    }
