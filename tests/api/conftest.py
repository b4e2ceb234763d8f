"""A project with work in every state, and API clients that authenticate with tokens."""

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.domain.workers.block_worker import block_worker
from crowd.models import Payment
from datasets.domain.exports.export_gold import MANIFEST
from projects.domain.api_tokens import issue_token
from projects.domain.invite import invite
from projects.enums import MemberRole, TokenScope
from projects.models import Project
from projects.permissions import Access
from schemes.contract.scheme import DEFINITION
from tests.annotation.factories import make_held_bonus
from tests.api.routes import API_RULES
from tests.api.training import OF_ROUND, add_evaluations, add_pool
from tests.benchmarks.rows import make_entry
from tests.crowd.factories import make_empty_session, make_unknown_settlement
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.jobs.factories import (
    make_export,
    make_failure,
    make_gold_import,
    make_import,
    make_resource_import,
    make_system_evaluation,
    queued_release,
)
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release
from tests.schemes.frames.projects import import_sample, make_frames_project

OF_WORKER = ("worker", "worker_notes", "compensations", "erase_worker")
# The routes of resources, in a project whose scheme has a lexicon
OF_LEXICON = ("resource_versions", "resource_version", "lost_parts")
OF_WEBHOOK = ("webhook", "remove_webhook", "test_webhook", "deliveries")


@pytest.fixture(autouse=True)
def _fresh_throttles(job_files):
    """Clear the throttles, and store files with the test."""
    cache.clear()


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


@pytest.fixture
def requester(project):
    return make_user("rita", project, MemberRole.REQUESTER)


def token_of(user, *, scopes=tuple(TokenScope), projects=None, expires_at=None, now=None) -> str:
    _, secret = issue_token(
        user=user,
        name="script",
        scopes=scopes,
        projects=projects,
        expires_at=expires_at,
        now=now or timezone.now(),
    )
    return secret


def calling(user, **token_options) -> Client:
    """Return a client that authenticates with a token of the user."""
    return Client(headers={"Authorization": f"Bearer {token_of(user, **token_options)}"})


@pytest.fixture
def api(requester) -> Client:
    """Return a client of the project's requester with every scope."""
    return calling(requester)


@pytest.fixture
def root(db):
    return get_user_model().objects.create_superuser("root", password="a long enough password")


def add_definition(project: Project, version: int = 1) -> None:
    """Add a version to a project, as a project with a custom scheme has it."""
    project.resources.create(name=DEFINITION, version=version, value={}, created_at=timezone.now())


def lexicon_slug(members_of: Project) -> str:
    """Return the slug of a project with a lexicon and the members of another one."""
    project = Project.objects.filter(slug="frames").first()
    if project is None:
        project = make_frames_project()
        import_sample(project)
    known = set(project.memberships.values_list("user", "role"))
    for user, role in set(members_of.memberships.values_list("user", "role")) - known:
        project.memberships.create(user_id=user, role=role)
    return project.slug


@pytest.fixture
def address(campaign):
    """Return a function that returns a route's address with arguments that exist in the project."""
    batch = next(iter(campaign.batches.values())).pk
    submission = campaign.items[1].submissions.get(state="submitted")
    submission_id, bonus_id = submission.pk, make_held_bonus(submission.assignment).pk
    scored = make_system_evaluation(campaign.project)
    export, corpus = make_export(campaign.project), make_import(campaign.project)
    gold = make_gold_import(campaign.project)
    evaluation = add_evaluations(campaign.project, campaign.workers)[0]
    project, member = campaign.project, make_user("mia", campaign.project, MemberRole.TRAINER)
    invitation = invite(
        project=project, email="a@example.org", role="expert", actor="ada", now=timezone.now()
    )
    webhook = make_webhook(campaign.project)
    pool = add_pool(campaign.project, campaign.workers[:1])
    add_definition(campaign.project)
    for version in ("1.0", "1.1"):
        make_release(campaign.project, version, source="consolidated")
    releasing = queued_release(campaign.project)
    worker = campaign.workers[0]
    resource = make_resource_import(campaign.project)
    payment = Payment.objects.filter(assignment__hit__budget=campaign.project.budget).first()
    session = make_empty_session(campaign.project.budget, worker)
    settlement = make_unknown_settlement(campaign.project.budget, worker)
    block_worker(worker=campaign.workers[1], reason="Copies.", actor="ada", now=timezone.now())
    arguments = {
        "item": [campaign.items[0].pk],
        "scheme": ["qasrl"],
        "definition": [1],
        "guidelines_version": [campaign.project.guidelines.first().pk],
        "resource_versions": ["lexicon"],
        "resource_version": ["lexicon", 1],
        "lost_parts": ["lexicon"],
        **{name: [resource.pk] for name in ("resource_import", "cancel_resource_import")},
        "publish_study_now": [session.study_id],
        **{name: [session.pk] for name in ("session", "pay_session", "reject_session")},
        "decide_session_payment": [settlement.pk],
        "close_payment": [payment.pk],
        **{name: [campaign.workers[1].pseudonym] for name in ("block_worker", "unblock_worker")},
        **{name: [make_failure().pk] for name in ("retry_failure", "set_aside_failure")},
        **{name: [corpus.pk] for name in ("import", "bad_rows", "cancel_import", "confirm_import")},
        **{name: [gold.pk] for name in ("gold_import", "gold_bad_rows", "cancel_gold_import")},
        **{name: [batch] for name in API_RULES if name.endswith(("batch", "batch_progress"))},
        **{name: [bonus_id] for name in ("held_bonus", "accept_bonus", "decline_bonus")},
        **{name: [submission_id] for name in API_RULES if name.endswith("submission")},
        "evaluation": [evaluation.pk],
        "pool_workers": [pool.pk],
        **{name: [member.pk] for name in ("member", "remove_member")},
        **{name: [invitation.pk] for name in ("invitation", "withdraw_invitation")},
        **{name: [webhook.pk] for name in OF_WEBHOOK},
        "replay_delivery": [webhook.pk, webhook.deliveries.get().pk],
        **{name: [evaluation.enrolment.round_id] for name in OF_ROUND},
        **{name: [campaign.workers[0].pseudonym] for name in OF_WORKER},
        "system_evaluation": [scored.pk],
        "cancel_system_evaluation": [scored.pk],
        "cancel_export": [export.pk],
        "system_evaluation_file": [scored.pk, "figures.csv"],
        "export": [export.pk],
        "export_file": [export.pk, MANIFEST],
        **{name: [releasing.pk] for name in ("release_job", "cancel_release_job")},
        **{name: ["1.1"] for name in ("release", "release_archive", "release_differences")},
        **{name: ["demo", "1.1"] for name in ("benchmark", "entries")},
        "entry": ["demo", "1.1", make_entry(campaign.project, "1.1").pk],
    }

    def url_of(name: str) -> str:
        rules = API_RULES[name].values()
        slug = [] if all(isinstance(rule.rule, Access) for rule in rules) else ["demo"]
        if name in OF_LEXICON:
            slug = [lexicon_slug(campaign.project)]
        return reverse(f"api:{name}", args=[*slug, *arguments.get(name, [])])

    return url_of
