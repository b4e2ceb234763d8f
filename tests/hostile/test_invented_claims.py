"""Claims that no marketplace confirmed, on every page and endpoint that needs no sign-in.

Anyone can write an assignment and a worker into the address of a task. Such a claim reads nothing that
other people did, and nothing about the worker. It may store a draft, and read it back.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.domain.work.onboarding.steps import SALT
from annotation.domain.work.worker_page import PageToken
from annotation.models import BlockAssignment, Draft, FinishedTutorial, Task
from consolidation.models import Case
from crowd.enums import HitState
from crowd.models import Hit
from projects.enums import MemberRole, Role
from projects.permissions import Access
from qualification.domain.rounds.publish_round import publish_round
from qualification.enums import RoundEntry
from schemes.registry import SCHEMES
from tests.annotation.factories import make_task
from tests.annotation.page_data import page_data
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, source
from tests.consolidation.validation import WHERE, make_validation_case
from tests.consolidation.verification import generate, make_verification_project, verify
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user
from tests.environment import ROOT
from tests.qualification.test_blocks import make_block_round
from tests.schemes.frames.projects import (
    import_sample,
    make_frames_project,
    make_record,
    settle,
    submit,
)
from tests.schemes.labels.scheme import SCHEME
from tests.signed import signed

pytestmark = pytest.mark.django_db

STATIC = ROOT / "tests/schemes/labels/static"
# Endpoints that read a token of a page or of an onboarding.
TOKEN_ENDPOINTS = (
    "annotation:draft",
    "annotation:submit",
    "annotation:look-up",
    "annotation:tutorial",
    "annotation:onboarding",
    "consolidation:submit",
)
# Pages of tasks, by role.
TASK_PAGES = {
    "annotation:generate": Role.GENERATOR,
    "consolidation:consolidate": Role.CONSOLIDATOR,
    "consolidation:validate": Role.VALIDATOR,
    "consolidation:revise": Role.REVISER,
}
# Pages without a claim. A new one needs a reason why it shows nobody's work to strangers.
WITHOUT_CLAIM = {
    "annotation:compensation": "states the reason for a payment",
    "annotation:image": "has a signed address that expires",
    "annotation:resource-index": "has a signed address, and shows a lexicon",
    "annotation:practice-start": "shows exercises",
    "annotation:practice": "shows exercises",
    "annotation:practice-check": "shows exercises",
    "annotation:bonus_appeal": "has a signed address",
    "sessions:arrive": "asks the provider about the session",
    "sessions:session": "has a signed address",
    "sessions:next": "has a signed address",
    "sessions:submit": "has a signed address",
    "sessions:finish": "has a signed address",
    "sessions:consent": "has a signed address",
    "sessions:decline": "has a signed address",
    "qualification:feedback": "has a signed address",
    "crowd:notifications": "has a secret address",
    "crowd:events": "is signed by the provider",
}
# Parts of the site that know no claim, by the start of the address.
OTHER_PARTS = {
    "/hits/": "the marketplace's pages have sessions of their own",
    "/mturk/": "finished work has the marketplace's token or session",
    "/^mturk": "requests to the Requester API are signed",
    "/projects/<code:group_code>/tasks": "leads to the marketplace",
    "/api/": "the API declares rules",
    "/^api/": "answers that there is nothing",
    "/admin/": "the administration has its own sign-in",
    "/account/": "accounts of the staff",
    "/^account/": "accounts of the staff",
    "/login/": "accounts of the staff",
    "/logout/": "accounts of the staff",
    "/first-account/": "has a signed address",
    "/invitations/": "has a secret address",
    "/unsubscribe/": "has a signed address",
    "/help/": "the documentation",
    "/datasets/": "releases that their projects made public",
    "/benchmarks/": "benchmarks that their projects opened",
    "/sign-up/": "accounts of participants",
    "/health/": "the state of the site",
    "/metrics": "has a token of its own",
    "/.well-known/": "where to report vulnerabilities",
}


@dataclass
class Subject:
    """A task, and texts that a stranger must not read."""

    name: str
    task: Task
    secrets: list[str] = field(default_factory=list)
    worker: str = ""

    def address(self, *, worker: str = "", assignment: str = "INVENTED") -> str:
        page = next(name for name, role in TASK_PAGES.items() if role == self.task.role)
        path = reverse(page, args=[self.task.public_id])
        query = {
            "assignmentId": assignment,
            "hitId": "H1",
            "workerId": worker or self.worker,
            "turkSubmitTo": settings.MTURK_WORKER_ORIGINS[0],
        }
        return f"{path}?{urlencode(query)}"

    def claim(self) -> PageToken:
        return PageToken(str(self.task.public_id), "INVENTED", self.worker)


def generation() -> Subject:
    """Return a task of a record, beside a consolidated record of the same verb."""
    project = make_frames_project()
    import_sample(project)
    task = make_task([make_record(project)])
    item = make_record(project)
    work = submit(item)
    settle(item)
    FinishedTutorial.objects.create(
        worker_ref=work.worker.external_id, scheme="frames", role=Role.GENERATOR, finished_at=NOW
    )
    return Subject("generator", task, ['"count"'], work.worker.external_id)


def block() -> Subject:
    training = publish_round(
        round=make_block_round(entry=RoundEntry.OPEN), actor="tests", now=NOW, places=6
    )
    return Subject("block", training.batch.tasks.filter(block=2)[0], [], "AVICTIM")


def merge() -> Subject:
    case = make_case(SURVEY, CONTAIN, *[source(SURVEY, (WHERE, ["In 1996"]))] * 2)
    return _of_case("consolidator", case, [WHERE])


def judgment() -> Subject:
    return _of_case("validator", make_validation_case(), [WHERE])


def _of_case(name: str, case: Case, secrets: list[str]) -> Subject:
    author = case.sources.first().submission.worker.external_id
    assert case.task
    return Subject(name, case.task, secrets, author)


def labels_case(*, is_disputed: bool) -> Subject:
    project = make_verification_project()
    author = make_worker()
    generate(project.items.get(), worker=author)
    case = Case.objects.get()
    if is_disputed:
        case = verify(case, False, False)
    case.refresh_from_db()
    name = "reviser" if is_disputed else "verifier"
    secrets = ['"against"'] if is_disputed else ['"asked"']
    return Subject(name, case.task, secrets, author.external_id)


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "generator": generation,
    "block": block,
    "consolidator": merge,
    "validator": judgment,
    "verifier": lambda: labels_case(is_disputed=False),
    "reviser": lambda: labels_case(is_disputed=True),
}
HIDDEN = {"block", "consolidator", "validator", "verifier", "reviser"}


@pytest.fixture(params=SUBJECTS)
def subject(request, monkeypatch, settings) -> Subject:
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, STATIC]
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    return SUBJECTS[request.param]()


# --- every address -------------------------------------------------------------------------------


def patterns(
    resolver: URLResolver | None = None, prefix: str = "/", spaces: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, URLPattern]]:
    """Yield the path, the name and the pattern of every address of the site."""
    for pattern in (resolver or get_resolver()).url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = (*spaces, pattern.namespace) if pattern.namespace else spaces
            yield from patterns(pattern, path, inner)
        else:
            yield path, ":".join((*spaces, pattern.name or "")), pattern


def test_every_address_without_sign_in_is_classified():
    """A new page or endpoint fails this test until it is in one of the lists above."""
    unclassified = {
        name
        for path, name, pattern in patterns()
        if getattr(pattern.callback, "rule", Access.PUBLIC) is Access.PUBLIC
        and not path.startswith(tuple(OTHER_PARTS))
    }
    assert unclassified == {*TOKEN_ENDPOINTS, *TASK_PAGES, *WITHOUT_CLAIM}


# --- pages ---------------------------------------------------------------------------------------


def expect_nothing_read(subject: Subject, response) -> str:
    text = response.content.decode()
    for secret in (*subject.secrets, "You already did", "You wrote", "working on part"):
        assert secret not in text
    return text


def other_signature(subject: Subject) -> str:
    """Return the address with the marketplace's signature for another page."""
    path, query = subject.address().split("?")
    other = signed(f"/generate/{Task(pk=None).public_id}/?{query}")
    return f"{path}?{other.split('?')[1]}"


# How a page's address can pretend to have the marketplace's signature
ADDRESSES: dict[str, Callable[[Subject], str]] = {
    "unsigned": Subject.address,
    "invalid": lambda subject: f"{subject.address()}&frameSignature=x",
    "other site": lambda subject: signed(subject.address(), secret="the secret of another site"),
    "other worker": lambda subject: signed(subject.address(worker="W9")).replace(
        "workerId=W9", f"workerId={subject.worker}"
    ),
    "other assignment": lambda subject: signed(subject.address(assignment="A9")).replace(
        "A9", "INVENTED"
    ),
    "other page": other_signature,
}


def test_page_of_an_invented_claim_shows_no_work_of_others(subject):
    for name, address in ADDRESSES.items():
        response = Client().get(address(subject))
        text = expect_nothing_read(subject, response)
        if subject.name in HIDDEN:
            assert response.status_code == 403, name
            assert "Accept this task in the marketplace first" in text
        else:
            data = page_data(text)
            assert (data["preview"], data["tutorial"], data["revision"]) == (False, "", 0), name
        assert not BlockAssignment.objects.exists(), name


def test_page_of_a_signed_claim_shows_the_work(client, subject):
    response = client.get(signed(subject.address(worker="WHONEST")))
    if subject.name == "reviser":  # only the author may revise
        response = client.get(signed(subject.address()))
    assert response.status_code == 200
    text = response.content.decode()
    if subject.name not in ("generator", "block"):
        assert all(secret in text for secret in subject.secrets)


def preview_of(subject: Subject) -> str:
    return subject.address(assignment="ASSIGNMENT_ID_NOT_AVAILABLE", worker="")


def test_preview_shows_no_work_of_others(client, subject):
    for address in (preview_of(subject), preview_of(subject).split("?")[0]):
        response = client.get(address)
        assert response.status_code == 200
        text = expect_nothing_read(subject, response)
        if subject.name in ("consolidator", "validator"):
            assert "This is an example." in text
            [item] = page_data(text)["items"]
            assert item["id"] == 0
        elif subject.name == "verifier":  # a scheme without tutorials
            assert "appear when you accept it" in text


def test_members_preview_the_work(subject):
    client = Client()
    project = subject.task.batch.project
    client.force_login(make_user("kim", project, MemberRole.REQUESTER))
    text = client.get(preview_of(subject).split("?")[0]).content.decode()
    if subject.name not in ("generator", "block"):
        assert all(secret in text for secret in subject.secrets)
    stranger = Client()
    stranger.force_login(get_user_model().objects.create_user("sam"))
    expect_nothing_read(subject, stranger.get(preview_of(subject)))


@pytest.mark.parametrize("state", [HitState.FINISHED, HitState.EXPIRED])
def test_finished_task_is_gone(client, subject, state):
    Hit.objects.filter(pk=subject.task.hit_id).update(
        state=state, external_id=f"GONE{subject.task.hit_id}"
    )
    responses = [client.get(preview_of(subject)), client.get(subject.address())]
    if state == HitState.FINISHED:  # somebody else submitted it
        responses.append(client.get(signed(subject.address())))
    assert [response.status_code for response in responses] == [410] * len(responses)
    assert all("This task is over" in response.content.decode() for response in responses)


def test_own_finished_work_stays_readable(client, subject):
    worker = make_worker()
    if subject.name == "reviser":
        return
    assignment = make_assignment(subject.task.hit, worker)
    Hit.objects.filter(pk=subject.task.hit_id).update(
        state=HitState.FINISHED, external_id=f"GONE{subject.task.hit_id}"
    )
    own = subject.address(worker=worker.external_id, assignment=assignment.external_id)
    assert client.get(own).status_code == 200


# --- tokens --------------------------------------------------------------------------------------


def post(client: Client, name: str, token: str, subject: Subject):
    item = subject.task.items.get().pk
    messages = {
        "annotation:look-up": {"token": token, "resource": "precedents", "query": "sell"},
        "annotation:tutorial": {"token": token},
    }
    message = messages.get(name) or {
        "token": token,
        "revision": 0,
        "content": {str(item): {}},
        "moves": 1,
        "log": [[1, "step", "click"]],
    }
    if name == "annotation:onboarding":
        form = {"token": token, "next": subject.address(), "version": "1", "accepts": "on"}
        return client.post(reverse(name), form)
    return client.post(reverse(name), json.dumps(message), content_type="text/plain")


KINDS = {
    "page": lambda subject: subject.claim().token(),
    "onboarding": lambda subject: subject.claim().token(SALT),
    "none": lambda subject: "",
    "forged": lambda subject: subject.claim().token("another purpose"),
}
PAGE_STATUSES = {
    "annotation:draft": (200,),
    "annotation:submit": (200, 422),
    "annotation:look-up": (403,),
    "annotation:tutorial": (403,),
    "annotation:onboarding": (400,),
    "consolidation:submit": (403,),
}


def statuses(kind: str, endpoint: str) -> tuple[int, ...]:
    """Return the statuses of an endpoint's response to a token of this kind."""
    if kind == "page":
        return PAGE_STATUSES[endpoint]
    if endpoint == "annotation:onboarding":  # a page, which leads back to the task
        return (302,) if kind == "onboarding" else (400,)
    return (403,)


@contextmanager
def undone() -> Iterator[None]:
    """Undo the changes of the block in the database."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("kind", KINDS)
def test_token_of_an_invented_claim_reads_nothing(subject, kind):
    for endpoint in TOKEN_ENDPOINTS:
        with undone():
            response = post(Client(), endpoint, KINDS[kind](subject), subject)
            assert response.status_code in statuses(kind, endpoint), endpoint
            expect_nothing_read(subject, response)
            assert not BlockAssignment.objects.exists(), endpoint
            assert not FinishedTutorial.objects.filter(worker_ref="AVICTIM").exists(), endpoint
            assert list(Draft.objects.exclude(log=[])) == [], endpoint


def test_mark_of_a_tutorial_needs_a_confirmed_claim(client):
    subject = merge()
    message = {"token": subject.claim().token(), "done": True}
    address = reverse("annotation:tutorial")
    refused = client.post(address, json.dumps(message), content_type="text/plain")
    assert refused.status_code == 403
    assert not FinishedTutorial.objects.exists()
    confirmed = PageToken(str(subject.task.public_id), "A1", "W1", is_confirmed=True)
    message["token"] = confirmed.token()
    assert client.post(address, json.dumps(message), content_type="text/plain").status_code == 200
    assert FinishedTutorial.objects.get().worker_ref == "W1"


def test_invented_claim_reads_its_own_draft_and_no_signed_one(client):
    subject = generation()
    assert post(client, "annotation:draft", subject.claim().token(), subject).status_code == 200
    assert page_data(client.get(subject.address()).content.decode())["revision"] == 1
    other = subject.claim()
    honest = PageToken(other.public_id, "A2", "W2", is_confirmed=True)
    assert post(client, "annotation:draft", honest.token(), subject).status_code == 200
    copied = PageToken(other.public_id, "A2", "W2")
    assert post(client, "annotation:draft", copied.token(), subject).status_code == 403
    assert client.get(subject.address(worker="W2", assignment="A2")).status_code == 403
    assert client.get(signed(subject.address(worker="W2", assignment="A2"))).status_code == 200
