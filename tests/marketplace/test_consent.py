"""The operator's consent text, which workers accept before they accept HITs."""

import pytest
from django.test import Client
from django.utils import timezone

from marketplace.domain.accounts import accounts
from marketplace.domain.work.consent import publish_consent_text, versions_with_counts
from marketplace.models import Assignment, ConsentText, WorkerAccount

from .conftest import PASSWORD, log_in, make_worker

pytestmark = pytest.mark.django_db
JOIN = {
    "username": "carla",
    "email": "carla@example.org",
    "password": "nine green horses",
    "country": "US",
}
CONSENT = "/hits/consent/"


def publish_text(text: str = "We store little.") -> ConsentText:
    published = publish_consent_text(text=text, now=timezone.now())
    assert published
    return published


def counts() -> list[tuple[int, int]]:
    return [(row.version, row.accepted) for row in versions_with_counts()]


@pytest.fixture
def join_address() -> str:
    code = accounts.invite(count=1, now=timezone.now())[0].code
    return f"/hits/join/{code}/"


def test_worker_accepts_the_text_at_sign_up(client, join_address):
    publish_text()
    assert "<p>We store little.</p>" in client.get(join_address).content.decode()
    refused = client.post(join_address, JOIN | {"version": 1})
    assert "only if you agree" in refused.content.decode()
    assert not WorkerAccount.objects.exists()
    response = client.post(join_address, JOIN | {"version": 1, "accepts": "on"})
    assert response.url == "/hits/"
    assert counts() == [(1, 1)]
    assert "You accepted this text" in client.get(CONSENT).content.decode()


def test_text_that_changed_meanwhile_is_not_accepted(client, join_address, worker):
    publish_text()
    publish_text("We store more.")
    response = client.post(join_address, JOIN | {"version": 1, "accepts": "on"})
    page = response.content.decode()
    assert "The text has changed." in page
    assert "We store more." in page
    assert not WorkerAccount.objects.filter(username="carla").exists()
    stale = log_in(worker).post(CONSENT, {"version": 1, "accepts": "on"})
    assert stale.status_code == 422
    assert 'name="version" value="2"' in stale.content.decode()
    assert " checked" not in stale.content.decode()
    assert counts() == [(2, 0), (1, 0)]


def test_existing_worker_accepts_it_at_the_next_sign_in(worker):
    publish_text()
    client = Client()
    login = {"username": worker.username, "password": PASSWORD}
    asked = client.post("/hits/login/?next=/hits/history/", login)
    assert asked.url == "/hits/consent/?next=%2Fhits%2Fhistory%2F"
    accepted = client.post(asked.url, {"version": 1, "accepts": "on"})
    assert accepted.url == "/hits/history/"
    assert Client().post("/hits/login/", login).url == "/hits/"
    publish_text("Another text.")
    assert Client().post("/hits/login/", login).url.startswith(CONSENT)
    publish_text("")
    assert Client().post("/hits/login/", login).url == "/hits/"


def test_no_hit_is_accepted_without_consent(publish, browser, worker):
    hit = publish()
    publish_text()
    for address in (f"/hits/{hit['HITId']}/accept/", f"/hits/groups/{hit['HITTypeId']}/accept/"):
        assert browser.post(address).url == CONSENT
    assert not Assignment.objects.exists()
    browser.post(CONSENT, {"version": 1, "accepts": "on"})
    assert browser.post(f"/hits/{hit['HITId']}/accept/").url.startswith("/hits/work/")
    other = log_in(make_worker("ben"))
    assert other.post(f"/hits/{hit['HITId']}/accept/").url == CONSENT


def test_operator_publishes_versions_and_sees_who_accepted(operator, browser):
    address = "/hits/operator/consent/"
    preview = operator.post(address, {"text": "We store little.", "preview": "1"})
    assert "<p>We store little.</p>" in preview.content.decode()
    assert not ConsentText.objects.exists()
    for _ in range(2):
        assert operator.post(address, {"text": "We store little.\r\n"}).url == address
    browser.post(CONSENT, {"version": 1, "accepts": "on"})
    assert "accepted by 1 worker" in " ".join(operator.get(address).content.decode().split())
    operator.post(address, {"text": ""})
    assert list(ConsentText.objects.values_list("version", "text")) == [
        (1, "We store little."),
        (2, ""),
    ]
    assert "<p>We store little.</p>" in operator.get(f"{address}?version=1").content.decode()


def test_next_address_of_another_site_is_not_followed(browser):
    publish_text()
    form = {"version": 1, "accepts": "on"}
    assert browser.post(f"{CONSENT}?next=https://evil.example/", form).url == "/hits/"
