"""Tests of every route with every role, a stranger and an anonymous visitor."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.corpus.queue_import import queue_import
from annotation.domain.decisions.appeal_links import appeal_url
from benchmarks.models import Benchmark, Phase
from consolidation.domain.experts.flag_item import flag_item
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.queue_gold import queue_gold
from consolidation.models import Experiment, Review
from crowd.models import Payment, Study
from datasets.domain.exports.export_gold import MANIFEST
from datasets.domain.quality.certainty import fit_certainty
from datasets.domain.quality.error_samples import draw_sample
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.notification_settings import unsubscribe_token
from projects.enums import MemberRole
from projects.models import Invitation
from projects.permissions import Access, page_rules
from rehearsal.models import Rehearsal
from releases.domain.comments import add_comment
from releases.domain.public import open_to_public
from tests.annotation.factories import make_appeal, make_held_bonus
from tests.benchmarks.rows import make_entry
from tests.benchmarks.samples import make_account, make_team
from tests.consolidation.experts import make_queue
from tests.crowd.factories import make_empty_session, make_unknown_settlement
from tests.dashboard.campaign import CONTENT, START, Campaign, add_items, make_project, make_user
from tests.jobs.factories import make_export, make_import, make_system_evaluation
from tests.model_annotators.factories import make_model
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release
from tests.view_names import APPS, VIEW_NAMES

SCRIPTED = {
    "expert_draft",
    "expert_submit",
    "expert_look_up",
    "correction_draft",
    "correction_submit",
}
POSTED = {
    *SCRIPTED,
    *("expert_set_up", "expert_next", "expert_state", "expert_gold"),
    "accept",
    *("decide_submissions", "manage_batches"),
    *("save_filter", "delete_filter"),
    "reject",
    "pay_without_using",
    "accept_bonus",
    "decline_bonus",
    "decide_bonuses",
    "pay_waiting_bonuses",
    "answer_appeal",
    "export",
    *("build_release", "open_release", "close_release"),
    *("remove_own_comment", "remove_release_comment"),
    *("store_service_token", "forget_service_token"),
    "evaluate_systems",
    "fit_certainty",
    "learn_equivalence",
    "judge",
    "revoke_token",
    *("test_webhook", "remove_webhook", "replay_delivery"),
    "retire_model",
    *("mark_read", "mark_all_read"),
    *("worker_note", "worker_label"),
    "erase_worker_page",
    "decide_match",
    "begin_experiment",
    "member",
    "invite",
    "invitation",
    "manage_batch",
    "overturn",
    "cancel_job",
    "settle_step",
    "check_provider",
    "protocol",
    "decide_session_payment",
    "publish_study_now",
    *("import_resource", "save_resource", "preview_resource", "decide_proposals"),
    "draw_error_sample",
    "judge_part",
    "withdraw_item",
    "restore_item",
    *("reopen_item", "request_review", "draw_reviews"),
    *("expert_correct", "choose_queue_items"),
    "corpus_sample",
    "questionnaire",
    *("enter", "withdraw_own_entry", "withdraw_own_team"),
    *("close_benchmark", "add_baseline", "remove_team", "remove_entry"),
    *("archive", "unarchive", "delete_project", "delete_dry_run"),
}
RULES = {route: page_rules()[name] for route, name in VIEW_NAMES.items()}
ROUTES = list(RULES)
PROJECT_ROUTES = [name for name in ROUTES if not isinstance(RULES[name], Access)]


@pytest.fixture
def address(campaign, project, job_files):
    """Return a function from a route's name to its address with valid arguments."""
    export = make_export(project)
    scored = make_system_evaluation(project)
    pending = campaign.items[1].submissions.get(state="submitted")
    gold = campaign.items[3].gold.get()
    review = Review.objects.create(gold=gold, drawn_at=gold.created_at)
    add_gold(item=gold.item, source="expert", content=CONTENT, provenance=[], now=START)
    fit_certainty(project=project, now=START)
    bonus = make_held_bonus(pending.assignment)
    now = timezone.now()
    invited = Invitation.objects.create(
        project=campaign.project,
        email="tom@touchstone.example",
        role="trainer",
        invited_by="ada",
        created_at=now,
        expires_at=now + timedelta(days=1),
    )
    webhook = make_webhook(campaign.project)
    member = make_user("ben", campaign.project, MemberRole.TRAINER)
    queue = make_queue(campaign.project, campaign.items[:4])
    queued = queue.queued.last()
    flagged = flag_item(item=queue.items.first(), expert=member, reason="Unreadable.", now=START)
    experiment = Experiment.objects.create(
        project=project,
        batch=campaign.batches["generator"],
        generators=2,
        consolidates=True,
        started_by="rita",
        started_at=START,
    )
    sample = draw_sample(
        project=project,
        source=gold.source,
        against="expert",
        population="all",
        size=1,
        seed=1,
        by="eva",
        now=START,
    )
    annotator = make_model(project)
    for version in ("1.0", "1.1"):
        release = make_release(project, version, source=gold.source)
    open_to_public(release=release, actor="rita", now=START, has_comments=True)
    comment = add_comment(item=release.items.first(), author=member, text="Hello", now=START)
    public = [project.slug, release.version]
    entry = make_entry(project, release.version)
    # Comparisons and charts are open after the end.
    Phase.objects.update(ends_at=now)
    of_benchmark = (
        "public_benchmark",
        "leaderboard",
        "benchmark_team",
        "withdraw_own_team",
        "enter",
    )
    of_phase = ("benchmark_inputs", "benchmark_chart", "item_comparison")
    for_admins = (
        "benchmark",
        "open_benchmark",
        "edit_benchmark",
        "close_benchmark",
        "add_baseline",
    )
    more = {
        **{name: ["1.1"] for name in ("release_details", "build_release", "release_archive")},
        **{name: ["1.1"] for name in ("release_differences", "release_differences_csv")},
        **{name: ["1.1"] for name in ("open_release", "close_release")},
        **{
            name: ["1.1", "zenodo"]
            for name in ("publish_release", "store_service_token", "forget_service_token")
        },
        **dict.fromkeys(("public_release", "public_items", "public_archive"), public),
        "public_statistics": public,
        **{name: [*public, comment.item.position] for name in ("public_item", "comment")},
        "remove_own_comment": [*public, comment.item.position, comment.pk],
        "release_comments": ["1.1"],
        "remove_release_comment": ["1.1", comment.pk],
        **dict.fromkeys(of_benchmark, public),
        **{name: [*public, "development"] for name in of_phase},
        "join_team": [*public, entry.team.code],
        **{name: [*public, entry.pk] for name in ("benchmark_entry", "withdraw_own_entry")},
        **{name: ["1.1"] for name in (*for_admins, "codabench_bundle")},
        "remove_team": ["1.1", entry.team_id],
        "remove_entry": ["1.1", entry.pk],
        **{name: [annotator.pk] for name in ("model", "retire_model")},
        **{name: [sample.pk] for name in ("error_sample", "error_sample_csv")},
        **{name: [sample.pk, 1] for name in ("sampled_part", "judge_part")},
        "experiment": [experiment.pk],
        "quality_file": ["csv"],
        "quality_item": [gold.item_id],
        "decide_match": [gold.item_id],
        "gold_sentence": [gold.item.sentence_id],
        "member": [member.pk],
        "invitation": [invited.pk],
        **{name: [webhook.pk] for name in ("webhook", "test_webhook", "remove_webhook")},
        "replay_delivery": [webhook.pk, webhook.deliveries.get().pk],
        **{name: [queue.pk] for name in ("expert_queue", "expert_next", "expert_state")},
        "expert_gold": [queue.pk],
        **{name: [queue.pk] for name in ("expert_report", "expert_report_csv")},
        **{name: [queued.pk] for name in ("expert_item", "expert_draft", "expert_submit")},
        **{name: [review.pk] for name in ("correction", "correction_draft", "correction_submit")},
        "expert_set_up": ["merge"],
        "delete_filter": [1],
        "review": [review.pk],
        "judge": [review.pk],
        **{name: [campaign.items[3].pk] for name in ("item", "withdraw_item", "restore_item")},
        "reopen_item": [campaign.items[3].pk],
        "request_review": [gold.pk],
        **{name: [queued.pk] for name in ("flag_item", "expert_correct")},
        "decide_flag": [flagged.pk],
        "worker": [campaign.workers[0].pseudonym],
        "thread": [campaign.workers[0].pseudonym],
        "worker_label": [campaign.workers[0].pseudonym],
        "worker_note": [campaign.workers[0].pseudonym],
        "erase_worker_page": [campaign.workers[0].pseudonym],
        "accept": [pending.pk],
        "reject": [pending.pk],
        "pay_without_using": [pending.pk],
        "export_details": [export.pk],
        "system_evaluation": [scored.pk],
        "system_evaluation_file": [scored.pk, "figures.csv"],
        "certainty_chart": ["parts"],
        "cancel_job": [make_import(project).pk],
        "close_payment": [
            Payment.objects.filter(assignment__hit__budget=project.budget).first().pk
        ],
        "settle_step": ["rehearsal"],
        "copies": [pending.pk],
        **{name: [bonus.pk] for name in ("accept_bonus", "decline_bonus")},
        "answer_appeal": [make_appeal(bonus).pk],
        "bonus_appeal": [appeal_url(bonus).rstrip("/").rpartition("/")[2]],
        "overturn": [pending.assignment_id],
        "batch": [campaign.batches["generator"].pk],
        "manage_batch": [campaign.batches["generator"].pk],
        "compensate": [campaign.workers[0].pseudonym],
        "export_file": [export.pk, MANIFEST],
        **{name: [0] for name in ("revoke_token", "open_notification", "mark_read")},
        "unsubscribe": [unsubscribe_token(member)],
        **{name: ["any"] for name in ("resource", "import_resource")},
        **{name: ["any"] for name in ("save_resource", "preview_resource")},
        **{name: ["any"] for name in ("proposals", "decide_proposals")},
        "resource_version": ["any", 1],
        "resource_entry": ["any", "thing"],
        "help_page": ["index.md"],
        "help_image": ["overview.png"],
        "corpus_preview": [uploaded(campaign.project).pk],
        "bad_rows": [uploaded(campaign.project).pk],
        "decide_session_payment": [make_unknown_settlement(project.budget, campaign.workers[0]).pk],
        "decide_session": [make_empty_session(project.budget, campaign.workers[0]).pk],
        "publish_study_now": [Study.objects.filter(budget=project.budget).latest("pk").pk],
        "delete_dry_run": [rehearsed(campaign.project).job.pk],
        "gold_preview": [uploaded_gold(campaign.project).pk],
        "gold_bad_rows": [uploaded_gold(campaign.project).pk],
    }

    def of(name: str) -> str:
        slug = [] if isinstance(RULES[name], Access) else [campaign.project.slug]
        return reverse(VIEW_NAMES[name], args=[*slug, *more.get(name, [])])

    return of


def uploaded(project) -> Job:
    """Create a corpus upload that awaits its preview."""
    return queue_import(
        project=project,
        fmt="text",
        files=[SimpleUploadedFile("corpus.txt", b"The committee rejected the proposal .")],
        items_files=[],
        domain="",
        partition="",
        strict=False,
        actor="rita",
        now=START,
        state=JobState.UPLOADED,
    )


def rehearsed(project) -> Rehearsal:
    """Create a finished rehearsal."""
    copy = make_project(f"{project.slug}-rehearsal")
    parameters = {"copy": copy.slug, "title": copy.title}
    job = queue_job(
        kind="rehearsal", scope=project.slug, parameters=parameters, actor="rita", now=START
    )
    Job.objects.filter(pk=job.pk).update(state=JobState.FINISHED)
    return Rehearsal.objects.create(original=project, copy=copy, job=job)


def uploaded_gold(project) -> Job:
    """Create a gold upload that awaits its preview."""
    return queue_gold(
        project=project,
        fmt="qasrl-csv",
        source="expert",
        files=[SimpleUploadedFile("gold.csv", b"qasrl_id,verb_idx,question,answer_range\n")],
        actor="rita",
        now=START,
    )


def ask(client: Client, name: str, url: str):
    data = {"source": "consolidated", "against": "expert"} if name == "decide_match" else {}
    return client.post(url, data) if name in POSTED else client.get(url)


def status_of(client: Client, name: str, url: str) -> int:
    response = ask(client, name, url)
    if response.streaming:
        response.getvalue()  # closes the file behind the response
    return response.status_code


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


# Pages framed by a marketplace are open to everyone, because tokens authorise their requests.
FRAMED = {
    "annotation": {
        "generate",
        "compensation",
        "onboarding",
        "draft",
        "submit",
        "look-up",
        "tutorial",
        "image",
        "resource-index",
        "practice-start",
        "practice",
        "practice-check",
    },
    "consolidation": {"consolidate", "validate", "revise", "submit"},
}


def test_every_page_has_a_rule():
    for app in sorted(APPS | {"qualification"}):
        patterns = import_module(f"{app}.urls").urlpatterns
        without = {pattern.name for pattern in patterns if not hasattr(pattern.callback, "rule")}
        assert without == FRAMED.get(app, set()), app


def test_anonymous_visitor_is_redirected_to_sign_in(address):
    for name in ROUTES:
        response = ask(Client(), name, address(name))
        if RULES[name] is Access.PUBLIC:
            assert response.status_code in (200, 302), name
        elif name in SCRIPTED:  # a script can not follow a redirect to a form
            assert response.status_code == 403, name
            assert "Sign in again" in response.json()["error"]
        else:
            assert response.status_code == 302, name
            assert response.url.startswith(reverse("account_login")), name


def test_project_is_not_found_for_a_stranger(address):
    client = signed_in(make_user("sam", make_project("other"), *MemberRole))
    assert {status_of(client, name, address(name)) for name in PROJECT_ROUTES} == {404}


def test_project_is_not_found_for_a_participant(address, project):
    """A member of a team in the project's benchmark is a stranger to the project."""
    addresses = {name: address(name) for name in PROJECT_ROUTES}
    ann = make_account("ann")
    Benchmark.objects.update(closed_at=None)
    make_team(Benchmark.objects.get(release__project=project), "Participants", ann)
    client = signed_in(ann)
    answers = {name: status_of(client, name, url) for name, url in addresses.items()}
    assert set(answers.values()) == {404}


@pytest.mark.parametrize("role", MemberRole)
def test_member_opens_only_pages_that_the_rules_allow(role, address, project):
    client = signed_in(make_user("kim", project, role))
    for name in PROJECT_ROUTES:
        status = status_of(client, name, address(name))
        allowed = role in RULES[name]
        # No page of the site sends an empty message.
        answers = (400,) if name in SCRIPTED else (200, 302, 422)
        assert status in (answers if allowed else (403,)), name


def test_superuser_opens_everything(address):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = signed_in(root)
    for name in PROJECT_ROUTES:
        assert status_of(client, name, address(name)) in (200, 302, 400, 422), name


def test_expert_pages_hide_the_authors(project, campaign):
    client = signed_in(make_user("eva", project, MemberRole.EXPERT))
    gold = campaign.items[3].gold.get()
    review = Review.objects.create(gold=gold, drawn_at=gold.created_at)
    for name, *more in (("project",), ("items",), ("reviews",), ("review", review.pk)):
        url = reverse(VIEW_NAMES[name], args=[project.slug, *more])
        page = client.get(url).content.decode()
        assert not [worker for worker in campaign.workers if worker.pseudonym in page]


def test_marketplace_ids_of_workers_are_on_no_page(office, address):
    for name in PROJECT_ROUTES:
        response = ask(office, name, address(name))
        if name != "agreement_chart" and response.status_code == 200:
            assert b"ASECRET" not in response.getvalue(), name


def test_item_of_another_project_is_not_found(office, project):
    [foreign] = add_items(make_project("other"), 1)
    assert (
        office.get(reverse("consolidation:item", args=[project.slug, foreign.pk])).status_code
        == 404
    )


def test_submission_of_another_project_can_not_be_decided(office, project):
    foreign = Campaign(make_project("other"), 4).items[1].submissions.get(state="submitted")
    for name in ("accept", "reject", "pay_without_using", "copies"):
        url = reverse(VIEW_NAMES[name], args=[project.slug, foreign.pk])
        assert office.post(url, {"reason": "no"}).status_code == 404
    foreign.refresh_from_db()
    assert foreign.state == "submitted"


def test_batch_and_rejection_of_another_project_are_not_found(office, project):
    foreign = Campaign(make_project("other"), 4)
    batch = foreign.batches["generator"]
    rejected = foreign.items[1].submissions.get(state="submitted").assignment
    for name, pk in (("batch", batch.pk), ("manage_batch", batch.pk), ("overturn", rejected.pk)):
        url = reverse(VIEW_NAMES[name], args=[project.slug, pk])
        order = {"action": "expire", "scope": "batch", "reason": "no", "use": "yes"}
        assert office.post(url, order).status_code == 404
    batch.refresh_from_db()
    assert batch.state == "open"


def test_fragment_request_after_signing_out_redirects_the_whole_page(project):
    url = reverse("dashboard:project", args=[project.slug])
    response = Client().get(url, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == reverse("account_login")


def test_get_changes_nothing(office, address):
    for name in POSTED:
        assert office.get(address(name)).status_code == 405
