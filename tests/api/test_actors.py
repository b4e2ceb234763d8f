"""Every action by token is logged with the token, and by session with the user."""

import json
from copy import deepcopy

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Submission
from audit.models import StateChange
from crowd.domain.workers.block_worker import block_worker
from crowd.models import Assignment, Hit, Payment, Worker
from jobs.models import Job
from projects.domain.invite import invite
from projects.enums import MemberRole
from projects.models import ApiToken, Project
from projects.permissions import Access
from qualification.models import Enrolment
from tests.annotation.factories import make_held_bonus
from tests.api.conftest import OF_WEBHOOK, calling
from tests.api.routes import API_RULES, operation_of
from tests.api.training import OF_ROUND, add_evaluations, add_open_round, add_pool
from tests.benchmarks.rows import make_entry
from tests.browser.custom import NAMES, make_custom_project
from tests.crowd.factories import make_empty_session, make_rejected_payment, make_unknown_settlement
from tests.dashboard.campaign import add_items, make_project, make_user
from tests.dashboard.test_permissions import signed_in
from tests.jobs.factories import (
    make_failure,
    make_gold_import,
    make_import,
    make_resource_import,
    queued_evaluation,
    queued_export,
    queued_release,
)
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release
from tests.schemes.frames.projects import SAMPLE, make_frames_project
from web.request_examples import EXAMPLES

pytestmark = pytest.mark.django_db
# Their rows name the author. tests/api/test_worker_care.py and test_sessions.py check it.
WITH_AUTHOR = {("worker_notes", "POST"), ("compensations", "POST"), ("pay_session", "POST")}
WRITES = {
    (name, method) for name, rules in API_RULES.items() for method in set(rules) - {"GET"}
} - WITH_AUTHOR
# What follows from an action
AUTOMATIC = {"automatic acceptance", "automatic check"}
OF_BATCH = (
    "batch", "pause_batch", "expire_batch", "extend_batch", "enlarge_batch", "republish_batch",
)  # fmt: skip
UPLOADS = ("imports", "gold_imports", "resource_imports", "system_evaluations", "entries")
OF_TRAINEES = ("decide_trainees", "send_feedback")
OF_WORKERS = {
    "admit_workers": lambda workers: {"workers": [workers[1].pseudonym]},
    "withdraw_workers": lambda workers: {"workers": [workers[0].pseudonym], "reason": "No."},
    "invite_workers": lambda workers: {"workers": [workers[0].pseudonym]},
    "message_workers": lambda workers: {"workers": [workers[0].pseudonym]},
    "groups": lambda workers: {"workers": {workers[0].pseudonym: 1}},
}


def file_of(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"One sentence.\n")


def body_of(name: str, method: str) -> dict:
    """Return the example of the operation, with what the test's projects have."""
    example = EXAMPLES.get(operation_of(name, method), {})
    return deepcopy(example) | own_fields(name)


def own_fields(name: str) -> dict:
    """Return files, and fields that name rows."""
    system = json.dumps({"item": "wiki:3/2", "content": {"questions": []}}).encode()
    header = b"qasrl_id,verb_idx,question,answer_range\n"
    return {
        "imports": {"files": file_of("a.txt")},
        "gold_imports": {"files": file_of("a.csv")},
        "resource_imports": {"file": SimpleUploadedFile("lexicon.json", SAMPLE.read_bytes())},
        "round_items": {"items": ["wiki:12/2"]},
        "decide_submissions": {"accept": [], "reject": [{"id": 0, "reason": "Empty."}]},
        "round": {"items_per_worker": 1},
        "divide_pool": {"count": 1},
        "delete_project": {"slug": "quiet"},
        "entries": {"file": SimpleUploadedFile("a.csv", header)},
        "system_evaluations": {"systems": SimpleUploadedFile("a.jsonl", system)},
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
    budget, worker = campaign.project.budget, campaign.workers[0]
    session = make_empty_session(budget, worker)
    return {
        "other_submission": [other.pk],
        "resource_imports": [make_frames_project().slug],
        "cancel_resource_import": ["demo", make_resource_import(campaign.project, "").pk],
        "confirm_import": ["demo", make_import(campaign.project, "").pk],
        "publish_study_now": ["demo", session.study_id],
        **{name: ["demo", session.pk] for name in ("pay_session", "reject_session")},
        "decide_session_payment": ["demo", make_unknown_settlement(budget, worker).pk],
        "close_payment": ["demo", make_rejected_payment(submission.assignment).pk],
        **{name: [worker.pseudonym] for name in ("block_worker", "unblock_worker")},
        **{name: [make_failure().pk] for name in ("retry_failure", "set_aside_failure")},
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
    body, headers = body_of(name, method), {"Idempotency-Key": "actors"}
    if name in OF_TRAINEES:
        trainee = {"id": Enrolment.objects.order_by("pk").first().pk}
        decision, feedback = {**trainee, "verdict": "pass"}, {**trainee, "text": "Good."}
        body |= {"decide_trainees": {"decisions": [decision]}}.get(name, {"feedback": [feedback]})
    if name in OF_WORKERS:
        body |= OF_WORKERS[name](Worker.objects.order_by("pk"))
    if name == "erase_worker":
        body |= {"pseudonym": arguments[name][1]}
    if name == "accept_bonus":
        body["units"] = {str(arguments["other_submission"][0]): 3}
    if name == "decide_submissions":
        body["reject"][0]["id"] = arguments["reject_submission"][1]
    if name in UPLOADS:
        return client.post(url, body, headers=headers)
    data = json.dumps(body)
    return client.generic(method, url, data, content_type="application/json", headers=headers)


def set_states(name: str, arguments: dict) -> None:
    """Give the row of the action the state from which it is possible."""
    if name == "resume_batch":
        Batch.objects.update(state="paused")
    if name == "confirm_import":
        Job.objects.filter(pk=arguments[name][1]).update(state="uploaded")
    if name == "unarchive_project":
        Project.objects.filter(slug="quiet").update(archived_at=timezone.now())
    if name == "copies_of_submission":
        Submission.objects.filter(pk=arguments[name][1]).update(other_version={"questions": []})
    if name == "unblock_worker":
        worker = Worker.objects.get(pseudonym=arguments[name][0])
        block_worker(worker=worker, reason="No.", actor="x", now=timezone.now())


@pytest.mark.parametrize(("name", "method"), sorted(WRITES))
@pytest.mark.parametrize("by_token", [True, False])
def test_every_action_is_logged_with_its_token(name, method, by_token, arguments, campaign):
    user = make_user("ada", campaign.project, MemberRole.ADMIN)
    for other in Project.objects.exclude(pk=campaign.project.pk):
        other.memberships.create(user=user, role=MemberRole.ADMIN)
    user.user_permissions.add(user.user_permissions.model.objects.get(codename="add_project"))
    client = calling(user) if by_token else signed_in(user)
    if name == "republish_batch":
        lose_a_submission()
    if name == "cancel_release_job":  # a release that is in progress prevents another one
        arguments[name] = ["demo", queued_release(campaign.project).pk]
    if name == "entries":
        make_release(campaign.project, source="consolidated")
        make_entry(campaign.project, "1.0", user)
    if API_RULES[name][method].rule is Access.SUPERUSERS:
        user.is_superuser = True
        user.save()
    if name == "restore_items":
        campaign.project.items.update(withdrawn_at=timezone.now(), in_production=False)
    if name == "overturn_submission":
        submission = Submission.objects.filter(pk=arguments[name][1])
        submission.update(state="rejected")
        Assignment.objects.filter(submissions__in=submission).update(
            state="rejected", submitted_at=timezone.now(), decided_at=timezone.now()
        )
    if name == "erase_worker":
        Assignment.objects.update(state="approved", decided_at=timezone.now())
        unpaid = Payment.objects.filter(state="review").values("assignment__worker")
        settled = Worker.objects.exclude(pk__in=unpaid).filter(grants=None)
        arguments[name] = ["demo", settled.order_by("pk")[0].pseudonym]
    set_states(name, arguments)
    newest = StateChange.objects.order_by("pk").last()
    response = send(client, name, method, arguments)
    assert response.status_code in (200, 201, 202), response.content
    token = ApiToken.objects.first()
    actor = f"ada by token {token.beginning}" if token else "ada"
    logged = StateChange.objects.filter(pk__gt=newest.pk if newest else 0)
    jobs = Job.objects.exclude(requested_by="")
    actors = {change.actor for change in logged} | {job.requested_by for job in jobs}
    assert actors - AUTOMATIC == {actor}
