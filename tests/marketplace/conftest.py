"""Fixtures for a marketplace over real HTTP, with boto3 as the requester and browsers as the workers."""

import html
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import boto3
import botocore.session
import pytest
from botocore.config import Config
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from marketplace.domain import access_keys
from marketplace.domain.accounts import accounts
from marketplace.models import Requester, WorkerAccount

from .wire import watch

PASSWORD = "a long enough phrase"


@pytest.fixture(autouse=True)
def _plain_settings(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.MARKETPLACE_ALLOW_HTTP = True
    settings.MARKETPLACE_FAULTS = ""
    settings.MARKETPLACE_REQUESTS_PER_SECOND = 0
    settings.MARKETPLACE_BUILTIN_KEY = None


@pytest.fixture
def site(live_server, settings) -> str:
    """Return the address of a running marketplace."""
    settings.MARKETPLACE_URL = live_server.url
    return live_server.url


@pytest.fixture
def content(site, settings) -> str:
    """Return the origin of task pages, which is the same server under another host name."""
    settings.MARKETPLACE_CONTENT_URL = f"http://127.0.0.1:{urlsplit(site).port}"
    settings.ALLOWED_HOSTS = ["*"]
    return settings.MARKETPLACE_CONTENT_URL


def read(url: str, client: Client | None = None) -> Any:
    parts = urlsplit(url)
    return (client or Client()).get(
        f"{parts.path}?{parts.query}", headers={"Host": parts.netloc}, follow=False
    )


def make_requester(name: str = "lab", dollars: int = 1000) -> tuple[Requester, str, str]:
    now = timezone.now()
    requester = access_keys.open_account(name=name, balance_cents=dollars * 100, now=now)
    key, secret = access_keys.issue_key(requester=requester, now=now)
    return requester, key.access_key_id, secret


def mturk_client(site: str, key_id: str, secret: str, path: str = "/mturk/", **config: Any) -> Any:
    client = _session().client(
        "mturk",
        endpoint_url=f"{site}{path}",
        region_name="us-east-1",
        aws_access_key_id=key_id,
        aws_secret_access_key=secret,
        config=Config(**{"retries": {"max_attempts": 0}} | config),
    )
    watch(client)
    return client


@cache
def _session() -> boto3.Session:
    """Return the session of this process, which has read the descriptions of the API."""
    session = botocore.session.get_session()
    session.get_component("data_loader").search_paths.append(str(settings.MTURK_API_EXTRAS))
    return boto3.Session(botocore_session=session)


@pytest.fixture
def requester(db) -> tuple[Requester, str, str]:
    return make_requester()


@pytest.fixture
def mturk(site, requester) -> Iterator[Any]:
    client = mturk_client(site, *requester[1:])
    yield client
    client.close()


@pytest.fixture
def own_site(site, requester, settings) -> str:
    """Return the address of a site that is the requester, so that the marketplace signs its frames."""
    settings.SITE_URL = settings.MARKETPLACE_URL = site
    settings.MTURK_IS_OURS = True
    settings.MTURK_WORKER_ORIGINS = [site]
    settings.MARKETPLACE_BUILTIN_KEY = requester[1:]
    settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY = requester[1:]
    return site


def make_worker(name: str = "ann", **values: Any) -> WorkerAccount:
    now = timezone.now()
    (invitation,) = accounts.invite(count=1, now=now)
    fields = {"email": f"{name}@example.org", "password": PASSWORD, "country": "US"} | values
    return accounts.sign_up(invitation_code=invitation.code, username=name, **fields, now=now)


def log_in(worker: WorkerAccount) -> Client:
    client = Client()
    client.cookies[accounts.COOKIE] = accounts.start_session(worker=worker, now=timezone.now())
    return client


@pytest.fixture
def worker(db) -> WorkerAccount:
    return make_worker()


@pytest.fixture
def browser(worker) -> Client:
    """Return a test client that is signed in as the worker."""
    return log_in(worker)


def question(url: str = "https://lab.example/task?item=1&role=generator") -> str:
    return (
        '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
        'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


HIT_TYPE = {
    "Title": "Ask questions about a verb",
    "Description": "Write questions and answers about one verb of a sentence.",
    "Reward": "0.05",
    "AssignmentDurationInSeconds": 600,
    "AutoApprovalDelayInSeconds": 86_400,
}


@pytest.fixture
def publish(mturk) -> Callable[..., dict[str, Any]]:
    """Return a function that publishes a HIT.

    It passes keyword arguments to the HIT type if they belong there.
    """

    def publish_hit(**values: Any) -> dict[str, Any]:
        of_type = {name: values.pop(name) for name in list(values) if name in TYPE_FIELDS}
        hit_type = mturk.create_hit_type(**HIT_TYPE | of_type)["HITTypeId"]
        fields = {"MaxAssignments": 1, "LifetimeInSeconds": 3600, "Question": question()} | values
        return mturk.create_hit_with_hit_type(HITTypeId=hit_type, **fields)["HIT"]

    return publish_hit


TYPE_FIELDS = {*HIT_TYPE, "Keywords", "QualificationRequirements"}


def accept(browser: Client, hit: dict[str, Any]) -> str:
    """Accept a HIT of the group, and return the assignment's id."""
    response = browser.post(f"/hits/groups/{hit['HITTypeId']}/accept/")
    assert response.status_code == 302
    assert response.url.startswith("/hits/work/"), response.url
    return response.url.removeprefix("/hits/work/").strip("/")


def framed(response: Any) -> str:
    """Return the address of the page in the frame."""
    [address] = re.findall(r'<iframe[^>]* src="([^"]*)"', response.content.decode())
    return html.unescape(address)


def frame_query(browser: Client, assignment: str) -> dict[str, str]:
    """Return the query parameters of the task page in the frame."""
    from urllib.parse import parse_qsl, urlsplit

    return dict(parse_qsl(urlsplit(framed(browser.get(f"/hits/work/{assignment}/"))).query))


def submit(browser: Client, assignment: str, **fields: str) -> Any:
    """Submit the form to turkSubmitTo without cookies, as the page in the frame does."""
    from urllib.parse import urlsplit

    path = urlsplit(frame_query(browser, assignment)["turkSubmitTo"]).path
    form = {"assignmentId": assignment} | (fields or {"answer": "yes"})
    return Client().post(f"{path}/mturk/externalSubmit", form)


@pytest.fixture
def do_hit(publish, browser, mturk) -> Callable[..., tuple[dict[str, Any], str]]:
    """Return a function that publishes a HIT, submits it as the worker, and returns both ids."""

    def publish_and_submit(**values: Any) -> tuple[dict[str, Any], str]:
        hit = publish(**values)
        assignment = accept(browser, hit)
        assert submit(browser, assignment).status_code == 200
        return hit, assignment

    return publish_and_submit


@pytest.fixture
def page(chromium):
    """Open a page in Chromium. Fail on script errors and blocked content."""
    context = chromium.new_context(viewport={"width": 1200, "height": 800})
    context.set_default_timeout(10_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    yield page
    context.close()
    assert problems == []


def log_in_as(page, site, worker) -> None:
    token = accounts.start_session(worker=worker, now=timezone.now())
    page.context.add_cookies([{"name": accounts.COOKIE, "value": token, "url": site}])


def overflow(page) -> int:
    page.wait_for_load_state()
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.fixture
def operator() -> Client:
    user = get_user_model().objects.create_user("olga", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="operate_marketplace"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def rejected(mturk, do_hit) -> str:
    _, assignment = do_hit()
    mturk.reject_assignment(AssignmentId=assignment, RequesterFeedback="Too few questions")
    return assignment


@pytest.fixture
def earned(mturk, do_hit, worker) -> WorkerAccount:
    _, assignment = do_hit()
    mturk.approve_assignment(AssignmentId=assignment)
    bonus = {"WorkerId": worker.code, "AssignmentId": assignment, "Reason": "r"}
    mturk.send_bonus(**bonus, BonusAmount="0.11")
    mturk.send_bonus(**bonus, BonusAmount="1.00")
    return worker
