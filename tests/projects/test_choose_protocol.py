"""Tests of the protocol choice on the form, by the API and on the command line."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.publish import publish_batch
from projects.forms import ProjectForm
from projects.models import Project
from tests.api.conftest import calling
from tests.dashboard.campaign import START, add_items

pytestmark = pytest.mark.django_db
FORM = {"title": "News", "slug": "news", "scheme": "frames"}


@pytest.fixture
def root(db):
    return get_user_model().objects.create_superuser("root", password="a long enough password")


def terms_of(project: Project) -> tuple[object, ...]:
    names = ("protocol", "validators_per_item", "validators_to_agree", "revision_limit")
    return tuple(getattr(project, name) for name in (*names, "after_disputes"))


def test_protocol_is_chosen_on_the_form(root):
    client = Client()
    client.force_login(root)
    terms = {"protocol": "verification", "validators": "3", "agree": "2"}
    assert client.post(reverse("projects:project_new"), FORM | terms).status_code == 302
    project = Project.objects.get()
    assert terms_of(project) == ("verification", 3, 2, 1, "experts")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scheme": "qasrl"}, "does not support verification"),
        ({"validators": "2", "agree": "3"}, "can&#x27;t agree"),
    ],
)
def test_impossible_protocol_is_refused_on_the_form(root, wrong, message):
    client = Client()
    client.force_login(root)
    form = FORM | {"protocol": "verification"} | wrong
    response = client.post(reverse("projects:project_new"), form)
    assert response.status_code == 422
    assert message in response.content.decode()
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    ("title", "problems"),
    [
        ("", {"title"}),
        ("x" * 300, {"title"}),
        ("日本語", {"slug"}),
        ("New", {"slug"}),
    ],
)
def test_each_problem_of_a_title_is_named_once(title, problems):
    form = ProjectForm({"title": title, "scheme": "frames"})
    assert form.errors.keys() == problems


def test_protocol_is_chosen_by_the_api(root):
    api = calling(root)
    body = {
        "slug": "news",
        "scheme": "frames",
        "protocol": "verification",
        "validators_per_item": 3,
        "revision_limit": 0,
        "after_disputes": "leave",
    }
    response = api.post(reverse("api:projects"), json.dumps(body), content_type="application/json")
    assert response.status_code == 201
    assert terms_of(Project.objects.get()) == ("verification", 3, 2, 0, "leave")
    assert response.json()["revision_limit"] == 0
    body |= {"slug": "other", "scheme": "qasrl"}
    response = api.post(reverse("api:projects"), json.dumps(body), content_type="application/json")
    assert response.status_code == 400
    assert "does not support verification" in response.content.decode()
    assert Project.objects.count() == 1


def test_protocol_is_chosen_on_the_command_line():
    terms = ("--protocol", "verification", "--validators", "3", "--agree", "2")
    more = ("--revisions", "2", "--after-disputes", "leave")
    call_command("create_project", "news", "--scheme", "frames", *terms, *more)
    assert terms_of(Project.objects.get()) == ("verification", 3, 2, 2, "leave")


def test_protocol_is_changed_in_the_settings_until_an_item_is_published(root):
    client = Client()
    client.force_login(root)
    client.post(reverse("projects:project_new"), FORM)
    project = Project.objects.get()
    target = reverse("projects:protocol", args=[project.slug])
    form = {"protocol": "verification", "validators": "3", "agree": "2"}
    form = {f"protocol-{name}": value for name, value in form.items()}
    assert "The protocol is saved." in client.post(target, form, follow=True).content.decode()
    project.refresh_from_db()
    assert terms_of(project) == ("verification", 3, 2, 1, "experts")
    refused = client.post(target, form | {"protocol-agree": "4"}, follow=True).content.decode()
    assert "can&#x27;t agree" in refused
    add_items(project, 1)
    publish_batch(project=project, now=START, actor="rita")
    settings = reverse("projects:settings", args=[project.slug])
    assert "so the protocol can't change" in client.get(settings).content.decode()
    changed = {**form, "protocol-protocol": "consolidation"}
    assert "has published items" in client.post(target, changed, follow=True).content.decode()
    project.refresh_from_db()
    assert project.protocol == "verification"
