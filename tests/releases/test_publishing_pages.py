"""Pages that publish a release: its token, a check, a confirmation, and the job."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from projects.enums import MemberRole
from projects.models import Project
from releases.domain.public import open_to_public
from releases.domain.publishing.tokens import store_token
from releases.enums import Service
from releases.models import Publication, Release, ServiceToken
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.fakes.stand_in import StandIn
from tests.releases.test_publishing import HF_TOKEN, ZENODO_TOKEN, hub, project, release, zenodo

__all__ = ["hub", "project", "release", "zenodo"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
TOKENS = {"huggingface": HF_TOKEN, "zenodo": ZENODO_TOKEN}


@pytest.fixture
def fakes(hub, zenodo) -> dict[str, StandIn]:
    return {"huggingface": hub, "zenodo": zenodo}


@pytest.fixture
def client(project) -> Client:
    return client_of(project, "ada", MemberRole.ADMIN)


def client_of(project: Project, name: str, role: MemberRole) -> Client:
    client = Client()
    client.force_login(make_user(name, project, role))
    return client


def address(name: str, release: Release, service: str = "zenodo") -> str:
    return reverse(f"releases:{name}", args=[release.project.slug, release.version, service])


def text_of(response) -> str:
    return " ".join(html.unescape(response.content.decode()).split())


def enter_token(project: Project, service: str) -> None:
    store_token(
        project=project, service=Service(service), token=TOKENS[service], actor="ada", now=NOW
    )


def hidden_fields(page: str) -> dict[str, str]:
    form = page[page.rindex("Upload ") - 3000 :]
    return {
        name: value
        for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
        if name not in ("csrfmiddlewaretoken", "check")
    }


def test_admin_enters_a_token_that_no_page_shows(client, release):
    page = text_of(client.get(address("publish_release", release)))
    assert "The project has no token for Zenodo." in page
    assert "An admin can enter one." not in page
    response = client.post(
        address("store_service_token", release), {"token": ZENODO_TOKEN}, follow=True
    )
    page = text_of(response)
    assert "The token for Zenodo is stored." in page
    assert "ada entered a token" in page
    assert ZENODO_TOKEN not in page
    log = text_of(client.get(reverse("dashboard:log", args=[release.project.slug])))
    assert "entered the token for Zenodo" in log
    client.post(address("forget_service_token", release))
    assert ServiceToken.objects.get().sealed == ""


@pytest.mark.parametrize("token", ["", "two words", "naïve"])
def test_impossible_token_is_refused(client, release, token):
    client.post(address("store_service_token", release), {"token": token})
    assert not ServiceToken.objects.exists()


def test_requester_publishes_but_enters_no_token(zenodo, project, release):
    client = client_of(project, "rita", MemberRole.REQUESTER)
    assert "An admin can enter one." in text_of(client.get(address("publish_release", release)))
    for name in ("store_service_token", "forget_service_token"):
        assert client.post(address(name, release), {"token": "x"}).status_code == 403
    enter_token(project, "zenodo")
    page = text_of(client.get(address("publish_release", release), {"check": "1"}))
    assert "A new public record." in page
    assert "Replace the token" not in page


@pytest.mark.parametrize(
    ("service", "confirmation"), [("huggingface", "lab/news"), ("zenodo", "wikinews 1.0")]
)
def test_upload_follows_a_check_and_a_confirmation(fakes, client, release, service, confirmation):
    project, fake = release.project, fakes[service]
    shown = {"huggingface": "/datasets/lab/news/tree/v1.0", "zenodo": "10.5281/zenodo.1001"}
    enter_token(project, service)
    here = address("publish_release", release, service)
    assert fake.requests == []
    response = client.get(here, {"check": "1", "repository": "news", "private": "on"})
    page = response.content.decode()
    assert f"Enter “{confirmation}” to confirm" in text_of(response)
    assert fake.writes == []
    fields = hidden_fields(page)
    assert "digest" in fields
    wrong = client.post(here, {**fields, "confirmation": "other"})
    assert wrong.status_code == 422
    unchecked = client.post(here, {**fields, "digest": "0" * 32, "confirmation": confirmation})
    assert unchecked.status_code == 422
    assert "Something has changed since you checked" in text_of(unchecked)
    assert not Job.objects.exists()
    assert fake.writes == []

    response = client.post(here, {**fields, "confirmation": confirmation}, follow=True)
    assert "The upload has started." in text_of(response)
    assert "A job is uploading the files." in text_of(client.get(here))
    jobs = text_of(client.get(reverse("releases:releases", args=[project.slug])))
    assert f"Upload of release 1.0</a> to {Service(service).label}" in jobs
    assert run_next_job(clock=lambda: NOW)
    page = text_of(client.get(reverse("releases:release_details", args=[project.slug, "1.0"])))
    assert shown[service] in page
    assert "Check" not in text_of(client.get(here)).partition("<h1>")[2].partition("Token")[0]
    if service == "huggingface":
        assert fake.datasets["lab/news"].private
    log = text_of(client.get(reverse("dashboard:log", args=[project.slug])))
    assert f"publication of version 1.0 on {Service(service).label}" in log


def test_problems_leave_no_way_to_upload(hub, client, project, release):
    enter_token(project, "huggingface")
    here = address("publish_release", release, "huggingface")
    response = client.get(here, {"check": "1", "repository": "elsewhere/news"})
    assert "The token is not for elsewhere." in text_of(response)
    assert "to confirm" not in text_of(response)
    response = client.get(here, {"check": "1", "repository": "a b"})
    assert response.status_code == 422
    assert "is no name of a dataset" in text_of(response)
    hub.tokens = {"another"}
    response = client.get(here, {"check": "1", "repository": "news"})
    assert "The Hub refuses the token." in text_of(response)
    assert HF_TOKEN not in text_of(response)


def test_failed_and_interrupted_uploads_can_be_repeated(zenodo, client, project, release):
    enter_token(project, "zenodo")
    Publication.objects.create(
        release=release, service="zenodo", started_by="ada", started_at=NOW, problem="It broke."
    )
    page = text_of(client.get(address("publish_release", release), {"check": "1"}))
    assert "The upload was interrupted." in page
    assert "It broke." in page
    assert "to confirm" in page


def test_public_page_shows_where_else_the_release_is(client, project, release):
    open_to_public(release=release, actor="ada", now=NOW)
    here = reverse("releases:public_release", args=[project.slug, "1.0"])
    before = Client().get(here)
    for service, more in (
        ("zenodo", {"doi": "10.5281/zenodo.7", "url": "https://zenodo.org/records/7"}),
        ("huggingface", {"private": True, "url": "https://huggingface.co/x", "repository": "a/b"}),
    ):
        Publication.objects.create(
            release=release, service=service, state="published", published_at=NOW,
            started_by="ada", started_at=NOW, **more,
        )  # fmt: skip
    after = Client().get(here, headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "https://doi.org/10.5281/zenodo.7" in text_of(after)
    assert "huggingface.co" not in text_of(after)


def test_unknown_services_and_releases_do_not_exist(client, release):
    assert client.get(address("publish_release", release, "elsewhere")).status_code == 404
    Release.objects.filter(pk=release.pk).update(archive={}, manifest={})
    assert client.get(address("publish_release", release)).status_code == 404
