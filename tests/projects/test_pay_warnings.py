"""Warnings of pay terms that pay any bonus without a review."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from crowd.domain.money.pay_scheme import has_bonus
from projects.domain.create_project import create_project
from projects.domain.pay_warnings import pay_warnings
from projects.enums import MemberRole, Role
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW, make_item
from tests.api.conftest import calling
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

PRESETS = [(scheme, name) for scheme in SCHEMES.values() for name in scheme.vocabulary.pay_presets]
OPEN = {"max_units": 0, "hold_above_units": 0}
NO_MAXIMUM = "Generators can submit any number of questions per verb."
NO_REVIEW = "Bonuses of generators are paid without a review, for any number of questions per verb."


def make_project(**changes: int) -> Project:
    """Return a QA-SRL project with changed terms of generators."""
    project = create_project(slug="news", scheme="qasrl", now=NOW)
    project.pay_scheme[Role.GENERATOR] |= changes
    project.save()
    return project


@pytest.mark.parametrize(("scheme", "preset"), PRESETS)
def test_presets_limit_and_review_the_bonus_of_every_role(scheme, preset):
    for role, terms in scheme.vocabulary.pay_presets[preset].items():
        if has_bonus(terms):
            assert 0 < terms["hold_above_units"] < terms["max_units"], role
    project = create_project(slug="news", scheme=scheme.name, pay_scheme=preset, now=NOW)
    assert set(project.pay_scheme) <= set(Role)
    for protocol in ("consolidation", "validation", "verification"):
        project.protocol = protocol
        assert pay_warnings(project=project) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"max_units": 0}, [NO_MAXIMUM]),
        ({"hold_above_units": 0}, [NO_REVIEW]),
        (OPEN, [NO_MAXIMUM, NO_REVIEW]),
        # Without a bonus, there is nothing to protect.
        ({**OPEN, "bonus_first_cents": 0, "bonus_step_cents": 0}, []),
        ({**OPEN, "bonus_first_cents": 0}, [NO_MAXIMUM, NO_REVIEW]),
    ],
)
def test_terms_without_protection_are_warned_about(changes, expected):
    assert pay_warnings(project=make_project(**changes)) == expected


def test_only_roles_of_the_protocol_count():
    project = make_project()
    project.pay_scheme["validator"] |= OPEN
    assert pay_warnings(project=project) == []
    project.protocol = "validation"
    assert pay_warnings(project=project) == [
        "Validators can be paid for any number of questions per verb.",
        "Bonuses of validators are paid without a review, for any number of questions per verb.",
    ]


def test_terms_without_optional_fields_are_warned_about():
    """Terms of an API client may lack them."""
    project = make_project()
    for name in OPEN:
        del project.pay_scheme["generator"][name]
    assert pay_warnings(project=project) == [NO_MAXIMUM, NO_REVIEW]


def test_pages_warn(client):
    project = make_project(max_units=0)
    make_item(project)
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    for name in ("annotation:pay", "annotation:publish"):
        assert NO_MAXIMUM in client.get(reverse(name, args=["news"])).content.decode()
    Project.objects.update(pay_scheme=project.pay_scheme | {"generator": _capped(project)})
    for name in ("annotation:pay", "annotation:publish"):
        assert "any number of" not in client.get(reverse(name, args=["news"])).content.decode()


def _capped(project: Project) -> dict:
    return {**project.pay_scheme["generator"], "max_units": 12}


def test_page_warns_of_terms_before_they_are_saved(client):
    project = make_project()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    form = {
        f"{role}-{name}": value / 100 if name.endswith("_cents") else value
        for role, terms in project.pay_scheme.items()
        for name, value in terms.items()
    }
    address = reverse("annotation:pay", args=["news"])
    page = client.post(address, {**form, "generator-hold_above_units": 0, "forecast": 1})
    assert NO_REVIEW in page.content.decode()
    # A preset replaces the terms.
    Project.objects.update(pay_scheme={"generator": {**project.pay_scheme["generator"], **OPEN}})
    assert NO_REVIEW not in client.get(address, {"preset": "qasrl-2020"}).content.decode()


def test_api_warns(admin_user):
    client = calling(admin_user)
    terms = SCHEMES["grounding"].vocabulary.pay_presets["grounding"]["generator"]
    body = {"slug": "boxes", "scheme": "grounding", "pay_scheme": {"generator": {**terms, **OPEN}}}
    body["pay_scheme"]["consolidator"] = terms
    response = client.post("/api/v1/projects/", json.dumps(body), content_type="application/json")
    expected = [
        "Generators can submit any number of boxes per caption.",
        "Bonuses of generators are paid without a review, for any number of boxes per caption.",
    ]
    assert response.status_code == 201
    assert response.json()["pay_warnings"] == expected
    assert client.get("/api/v1/projects/boxes/").json()["pay_warnings"] == expected


def test_commands_warn(capsys):
    project = make_project(max_units=0)
    make_item(project)
    call_command("forecast", "news", "--json")
    printed = capsys.readouterr()
    assert json.loads(printed.out)["pay_warnings"] == [NO_MAXIMUM]
    assert NO_MAXIMUM in printed.err
    call_command("publish", "news")
    assert f"{NO_MAXIMUM} Set limits on the page Pay." in capsys.readouterr().err
