"""Every action by token is logged with the token, and by session with the user."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Submission
from audit.models import StateChange
from crowd.models import Assignment, Hit, Payment, Worker
from jobs.models import Job
from projects.domain.invite import invite
from projects.enums import MemberRole
from projects.models import ApiToken, Project
from qualification.models import Enrolment
from tests.annotation.factories import make_held_bonus
from tests.api.conftest import OF_WEBHOOK, calling
from tests.api.routes import API_RULES
from tests.api.test_definitions import YAML
from tests.api.training import OF_ROUND, add_evaluations, add_open_round, add_pool
from tests.benchmarks.rows import make_entry
from tests.browser.custom import NAMES, make_custom_project
from tests.dashboard.campaign import add_items, make_project, make_user
from tests.dashboard.test_permissions import signed_in
from tests.jobs.factories import (
    make_gold_import,
    make_import,
    queued_evaluation,
    queued_export,
    queued_release,
)
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release

pytestmark = pytest.mark.django_db
# Their rows name the author, and tests/api/test_worker_care.py checks it.
WITH_AUTHOR = {("worker_notes", "POST"), ("compensations", "POST")}
WRITES = {
    (name, method) for name, rules in API_RULES.items() for method in set(rules) - {"GET"}
} - WITH_AUTHOR
# What follows from an action
AUTOMATIC = {"automatic acceptance", "automatic check"}
OF_BATCH = (
    "batch", "pause_batch", "expire_batch", "extend_batch", "enlarge_batch", "republish_batch",
)  # fmt: skip
OF_TRAINEES = ("decide_trainees", "send_feedback")
OF_WORKERS = {
    "admit_workers": lambda workers: {"workers": [workers[1].pseudonym]},
    "withdraw_workers": lambda workers: {"workers": [workers[0].pseudonym], "reason": "No."},
    "invite_workers": lambda workers: {"workers": [workers[0].pseudonym]},
    "message_workers": lambda workers: {
        "workers": [workers[0].pseudonym],
        "subject": "Hello",
        "text": "Thanks.",
    },
    "groups": lambda workers: {"count": 1, "workers": {workers[0].pseudonym: 1}},
}


def file_of(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"One sentence.\n")


def body_of(name: str) -> dict:
    """Return a valid body."""
    questions = {"questions": []}
    system = json.dumps({"item": "wiki:3/2", "content": questions}).encode()
    return {
        "definitions": {"definition": YAML},
        "projects": {"slug": "fresh", "scheme": "qasrl", "protocol": "validation"},
        "project": {"title": "Renamed"},
        "imports": {"files": file_of("a.txt"), "format": "text"},
        "gold_imports": {"files": file_of("a.csv"), "source": "expert"},
        "batches": {"limit": 1},
        "batch": {"keep_open": 2, "cap_cents": 4_000_000},
        "enlarge_batch": {"assignments": 1},
        "member": {"roles": ["requester"]},
        "invitations": {"email": "new@example.org", "role": "expert"},
        "webhooks": {"url": "https://hooks.example/new", "events": ["gold.created"]},
        "webhook": {"events": ["job.failed"]},
        "rounds": {"sample": {"count": 1, "only_gold": False}},
        "round": {"title": "Renamed"},
        "round_items": {"sample": {"count": 1, "only_gold": False}},
        "publish_round": {"slots": 1},
        "divide_pool": {"count": 1},
        "reject_submission": {"reason": "Empty."},
        "overturn_submission": {"use": False, "reason": "The reason was wrong."},
        "copies_of_submission": {"copy": "ours", "reason": "It is complete."},
        "decline_bonus": {"reason": "Repeated."},
        "decide_submissions": {"reject": [{"id": 0, "reason": "Empty."}]},
        "delete_project": {"slug": "quiet"},
        "withdraw_items": {"items": ["wiki:0/2"], "reason": "Garbled."},
        "restore_items": {"items": ["wiki:0/2"]},
        "exports": {"format": "jsonl"},
        "releases": {
            "version": "1.0",
            "licence": "CC0-1.0",
            "authors": [{"family": "Doe"}],
            "source": "consolidated",
        },
        "entries": {
            "phase": "development",
            "system": "Parser",
            "file": SimpleUploadedFile("a.csv", b"qasrl_id,verb_idx,question,answer_range\n"),
        },
        "system_evaluations": {
            "systems": SimpleUploadedFile("a.jsonl", system),
            "source": "consolidated",
        },
    }.get(name, {})


def lose_a_submission() -> None:
    """Leave an item whose HIT has ended without one of its submissions."""
    lost = Submission.objects.filter(state="submitted").order_by("pk").last()
    Submission.objects.filter(pk=lost.pk).update(state="withdrawn")
    Hit.objects.filter(task__items=lost.item_id).update(state="expired")


@pytest.fixture
def arguments(campaign, settings):
    settings.WEBHOOK_HOSTS = ["hooks.example"]
    add_items(campaign.project, 2)
    Submission.objects.update(other_version=None)  # nothing but a decision is missing
    submission, other = Submission.objects.filter(state="submitted").order_by("pk")[:2]
    held = make_held_bonus(other.assignment)
    batch = campaign.batches["generator"].pk
    [evaluation, *_] = add_evaluations(campaign.project, campaign.workers)
    add_pool(campaign.project, campaign.workers[:1])
    planned = add_open_round(campaign.project)
    member = make_user("mia", campaign.project, MemberRole.TRAINER)
    invitation = invite(
        project=campaign.project, email="a@b.org", role="expert", actor="x", now=timezone.now()
    )
    webhook = make_webhook(campaign.project)
    quiet = make_project("quiet").slug  # nothing prevents its end
    return {
        **{name: [quiet] for name in ("archive_project", "unarchive_project", "delete_project")},
        **{name: ["demo", planned.pk] for name in OF_ROUND},
        **{name: ["demo", evaluation.enrolment.round_id] for name in OF_TRAINEES},
        **{name: ["demo", member.pk] for name in ("member", "remove_member")},
        "withdraw_invitation": ["demo", invitation.pk],
        **{name: ["demo", webhook.pk] for name in OF_WEBHOOK},
        "replay_delivery": ["demo", webhook.pk, webhook.deliveries.get().pk],
        "projects": [],
        "entries": ["demo", "1.0"],
        "definitions": [make_custom_project(NAMES).slug],
        "cancel_import": ["demo", make_import(campaign.project, "").pk],
        "cancel_gold_import": ["demo", make_gold_import(campaign.project, "").pk],
        "cancel_export": ["demo", queued_export(campaign.project).pk],
        "cancel_system_evaluation": ["demo", queued_evaluation(campaign.project).pk],
        **{name: ["demo", batch] for name in OF_BATCH},
        "resume_batch": ["demo", campaign.batches["consolidator"].pk],
        **{name: ["demo", submission.pk] for name in API_RULES if name.endswith("_submission")},
        **{name: ["demo", held.pk] for name in ("accept_bonus", "decline_bonus")},
    }


def send(client: Client, name: str, method: str, arguments: dict):
    url = reverse(f"api:{name}", args=arguments.get(name, ["demo"]))
    body, headers = body_of(name), {"Idempotency-Key": "actors"}
    if name in OF_TRAINEES:
        trainee = {"id": Enrolment.objects.order_by("pk").first().pk}
        decision, feedback = {**trainee, "verdict": "pass"}, {**trainee, "text": "Good."}
        body |= {"decide_trainees": {"decisions": [decision]}}.get(name, {"feedback": [feedback]})
    if name in OF_WORKERS:
        body |= OF_WORKERS[name](Worker.objects.order_by("pk"))
    if name == "erase_worker":
        body |= {"pseudonym": arguments[name][1], "how": "pseudonymise", "reason": "Requested."}
    if name == "decide_submissions":
        body["reject"][0]["id"] = arguments["reject_submission"][1]
    if name in ("imports", "gold_imports", "system_evaluations", "entries"):
        return client.post(url, body, headers=headers)
    data = json.dumps(body)
    return client.generic(method, url, data, content_type="application/json", headers=headers)


@pytest.mark.parametrize(("name", "method"), sorted(WRITES))
@pytest.mark.parametrize("by_token", [True, False])
def test_every_action_is_logged_with_its_token(name, method, by_token, arguments, campaign):
    user = make_user("ada", campaign.project, MemberRole.ADMIN)
    for other in Project.objects.exclude(pk=campaign.project.pk):
        other.memberships.create(user=user, role=MemberRole.ADMIN)
    user.user_permissions.add(user.user_permissions.model.objects.get(codename="add_project"))
    client = calling(user) if by_token else signed_in(user)
    if name == "resume_batch":
        Batch.objects.update(state="paused")
    if name == "republish_batch":
        lose_a_submission()
    if name == "cancel_release_job":  # a release that is in progress prevents another one
        arguments[name] = ["demo", queued_release(campaign.project).pk]
    if name == "entries":
        make_release(campaign.project, source="consolidated")
        make_entry(campaign.project, "1.0", user)
    if name == "unarchive_project":
        Project.objects.filter(slug="quiet").update(archived_at=timezone.now())
    if name == "restore_items":
        campaign.project.items.update(withdrawn_at=timezone.now(), in_production=False)
    if name == "overturn_submission":
        submission = Submission.objects.filter(pk=arguments[name][1])
        submission.update(state="rejected")
        Assignment.objects.filter(submissions__in=submission).update(
            state="rejected", submitted_at=timezone.now(), decided_at=timezone.now()
        )
    if name == "copies_of_submission":
        Submission.objects.filter(pk=arguments[name][1]).update(other_version={"questions": []})
    if name == "erase_worker":
        Assignment.objects.update(state="approved", decided_at=timezone.now())
        unpaid = Payment.objects.filter(state="review").values("assignment__worker")
        settled = Worker.objects.exclude(pk__in=unpaid).filter(grants=None)
        arguments[name] = ["demo", settled.order_by("pk")[0].pseudonym]
    newest = StateChange.objects.order_by("pk").last()
    response = send(client, name, method, arguments)
    assert response.status_code in (200, 201, 202), response.content
    token = ApiToken.objects.first()
    actor = f"ada by token {token.beginning}" if token else "ada"
    logged = StateChange.objects.filter(pk__gt=newest.pk if newest else 0)
    jobs = Job.objects.exclude(requested_by="")
    actors = {change.actor for change in logged} | {job.requested_by for job in jobs}
    assert actors - AUTOMATIC == {actor}
