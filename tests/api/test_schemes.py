"""The endpoints of schemes."""

import pytest
from django.urls import reverse
from jsonschema import Draft202012Validator

from annotation.models import Submission
from consolidation.models import Gold
from schemes.registry import SCHEMES
from tests.dashboard.campaign import Campaign

pytestmark = pytest.mark.django_db


def scheme_of(api, name: str) -> dict:
    response = api.get(reverse("api:scheme", args=[name]))
    assert response.status_code == 200
    return response.json()


def test_schemes_are_listed(api):
    results = api.get(reverse("api:schemes")).json()["results"]
    assert [row["name"] for row in results] == list(SCHEMES)
    assert all(row["title"] and row["summary"] for row in results)


@pytest.mark.parametrize("name", SCHEMES)
def test_scheme_has_what_projects_can_choose(api, name):
    scheme, data = SCHEMES[name], scheme_of(api, name)
    assert data["sentence_formats"] == list(scheme.corpus.formats)
    assert data["gold_formats"] == list(scheme.corpus.gold_formats)
    assert "jsonl" in data["export_formats"]
    assert list(data["pay_presets"]) == list(scheme.vocabulary.pay_presets)
    roles = {role for pay in data["pay_presets"].values() for role in pay}
    used = {role for protocol in data["protocols"] for role in protocol["roles"]}
    assert used <= roles
    assert list(data["searches"]) == list(scheme.corpus.searches)


@pytest.mark.parametrize("name", SCHEMES)
def test_content_of_a_scheme_has_json_schemas(api, name):
    content = scheme_of(api, name)["content"]
    assert {"generation", "gold", "consolidation"} <= set(content)
    for schema in content.values():
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False


def test_stored_content_is_valid(api, project):
    Campaign(project, 8)
    content = scheme_of(api, "qasrl")["content"]
    generation = Draft202012Validator(content["generation"])
    for submission in Submission.objects.filter(role="generator"):
        assert list(generation.iter_errors(submission.content)) == []
    for gold in Gold.objects.all():
        assert list(Draft202012Validator(content["gold"]).iter_errors(gold.content)) == []
    assert list(generation.iter_errors({"questions": [{"question": 7}]})) != []


def test_unknown_scheme_is_not_found(api):
    assert api.get(reverse("api:scheme", args=["nothing"])).status_code == 404
