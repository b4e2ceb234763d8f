"""Every route against every role, a stranger and an anonymous visitor."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Invitation
from annotation.domain.queue_import import queue_import
from annotation.enums import ImportState, MemberRole
from annotation.models import CorpusImport
from annotation.permissions import RULES, Access
from consolidation.domain.record_gold import add_gold
from consolidation.models import Experiment, Review
from dashboard import urls
from dashboard.exports import MANIFEST
from tests.consolidation.experts import make_queue
from tests.dashboard.campaign import CONTENT, START, Campaign, add_items, make_project, make_user

SCRIPTED = {"expert_draft", "expert_submit", "correction_draft", "correction_submit"}
POSTED = {
    *SCRIPTED,
    *("expert_set_up", "expert_next", "expert_state"),
    "accept",
    "reject",
    "set_aside",
    "export",
    "judge",
    "logout",
    "revoke_token",
    "worker_note",
    "worker_forget",
    "decide_match",
    "begin_experiment",
    "member",
    "invite",
    "invitation",
    "steer",
    "overturn",
}
ROUTES = [one.name for one in urls.urlpatterns]
PROJECT_ROUTES = [name for name in ROUTES if not isinstance(RULES[name], Access)]


@pytest.fixture
def address(campaign, project, tmp_path, settings):
    """The address of a route, with arguments that lead somewhere in the project."""
    settings.EXPORT_DIR = tmp_path
    settings.UPLOAD_DIR = tmp_path / "uploads"
    folder = tmp_path / "demo" / "first"
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(
        '{"format": "qasrl-csv", "source": "consolidated", "counts": {"items": 1}, "files": {}}'
    )
    waiting = campaign.items[1].submissions.get(state="submitted")
    gold = campaign.items[3].gold.get()
    review = Review.objects.create(gold=gold, drawn_at=gold.created_at)
    add_gold(item=gold.item, source="expert", content=CONTENT, provenance=[], now=START)
    now = timezone.now()
    invited = Invitation.objects.create(
        project=campaign.project,
        email="tom@touchstone.example",
        role="trainer",
        invited_by="ada",
        created_at=now,
        expires_at=now + timedelta(days=1),
    )
    member = make_user("ben", campaign.project, MemberRole.TRAINER)
    queue = make_queue(campaign.project, campaign.items[:4])
    queued = queue.queued.last()
    experiment = Experiment.objects.create(
        project=project,
        batch=campaign.batches["generator"],
        generators=2,
        consolidates=True,
        started_by="rita",
        started_at=START,
    )
    more = {
        "experiment": [experiment.pk],
        "quality_file": ["csv"],
        "quality_item": [gold.item_id],
        "decide_match": [gold.item_id],
        "gold_sentence": [gold.item.sentence_id],
        "member": [member.pk],
        "invitation": [invited.pk],
        **{name: [queue.pk] for name in ("expert_queue", "expert_next", "expert_state")},
        **{name: [queue.pk] for name in ("expert_report", "expert_report_csv")},
        **{name: [queued.pk] for name in ("expert_item", "expert_draft", "expert_submit")},
        **{name: [review.pk] for name in ("correction", "correction_draft", "correction_submit")},
        "expert_set_up": ["merge"],
        "review": [review.pk],
        "judge": [review.pk],
        "item": [campaign.items[3].pk],
        "worker": [campaign.workers[0].pseudonym],
        "worker_note": [campaign.workers[0].pseudonym],
        "worker_forget": [campaign.workers[0].pseudonym],
        "accept": [waiting.pk],
        "reject": [waiting.pk],
        "set_aside": [waiting.pk],
        "export_details": ["first"],
        "copies": [waiting.pk],
        "overturn": [waiting.assignment_id],
        "batch": [campaign.batches["generator"].pk],
        "steer": [campaign.batches["generator"].pk],
        "compensate": [campaign.workers[0].pseudonym],
        "export_file": ["first", MANIFEST],
        "revoke_token": [0],
        "corpus_preview": [uploaded(campaign.project).pk],
    }

    def of(name: str) -> str:
        slug = [] if isinstance(RULES[name], Access) else [campaign.project.slug]
        return reverse(f"dashboard:{name}", args=[*slug, *more.get(name, [])])

    return of


def uploaded(project) -> CorpusImport:
    """A corpus that was uploaded and waits to be looked at."""
    return queue_import(
        project=project,
        fmt="text",
        files=[SimpleUploadedFile("corpus.txt", b"The committee rejected the proposal .")],
        items_file=None,
        domain="",
        partition="",
        strict=False,
        actor="rita",
        now=START,
        state=ImportState.UPLOADED,
    )


def ask(client: Client, name: str, url: str):
    data = {"source": "consolidated", "against": "expert"} if name == "decide_match" else {}
    return client.post(url, data) if name in POSTED else client.get(url)


def status_of(client: Client, name: str, url: str) -> int:
    response = ask(client, name, url)
    if response.streaming:
        response.getvalue()  # which closes the file behind it
    return response.status_code


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_every_route_has_a_rule_and_every_rule_a_route():
    own = [name for name in RULES if ":" not in name]
    assert sorted(own) == sorted({*ROUTES, "style"})


def test_anonymous_visitor_is_sent_to_the_login(address):
    for name in ROUTES:
        response = ask(Client(), name, address(name))
        if RULES[name] is Access.PUBLIC:
            assert response.status_code in (200, 302), name
        elif name in SCRIPTED:  # a script can follow no redirect to a form
            assert response.status_code == 403, name
            assert "Sign in again" in response.json()["error"]
        else:
            assert response.status_code == 302, name
            assert response.url.startswith(reverse("dashboard:login")), name


def test_stranger_does_not_learn_that_the_project_exists(address):
    client = signed_in(make_user("sam", make_project("other"), *MemberRole))
    assert {status_of(client, name, address(name)) for name in PROJECT_ROUTES} == {404}


@pytest.mark.parametrize("role", MemberRole)
def test_member_opens_what_the_rules_allow_and_nothing_else(role, address, project):
    client = signed_in(make_user("kim", project, role))
    for name in PROJECT_ROUTES:
        status = status_of(client, name, address(name))
        allowed = role in RULES[name]
        # An empty message is not one that a page of ours sends.
        answers = (400,) if name in SCRIPTED else (200, 302, 422)
        assert status in (answers if allowed else (403,)), name


def test_superuser_opens_everything(address):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = signed_in(root)
    for name in PROJECT_ROUTES:
        assert status_of(client, name, address(name)) in (200, 302, 400, 422), name


def test_expert_never_reads_whose_work_it_is(project, campaign):
    client = signed_in(make_user("eva", project, MemberRole.EXPERT))
    gold = campaign.items[3].gold.get()
    review = Review.objects.create(gold=gold, drawn_at=gold.created_at)
    for name, *more in (("project",), ("items",), ("reviews",), ("review", review.pk)):
        url = reverse(f"dashboard:{name}", args=[project.slug, *more])
        page = client.get(url).content.decode()
        assert not [one for one in campaign.workers if one.pseudonym in page]


def test_marketplace_ids_of_workers_are_on_no_page(office, address):
    for name in PROJECT_ROUTES:
        response = ask(office, name, address(name))
        if name not in ("cost_chart", "agreement_chart") and response.status_code == 200:
            assert b"ASECRET" not in response.getvalue(), name


def test_item_of_another_project_is_not_found(office, project):
    [foreign] = add_items(make_project("other"), 1)
    assert office.get(reverse("dashboard:item", args=[project.slug, foreign.pk])).status_code == 404


def test_submission_of_another_project_can_not_be_decided(office, project):
    foreign = Campaign(make_project("other"), 4).items[1].submissions.get(state="submitted")
    for name in ("accept", "reject", "set_aside", "copies"):
        url = reverse(f"dashboard:{name}", args=[project.slug, foreign.pk])
        assert office.post(url, {"reason": "no"}).status_code == 404
    foreign.refresh_from_db()
    assert foreign.state == "submitted"


def test_batch_and_rejection_of_another_project_are_not_found(office, project):
    foreign = Campaign(make_project("other"), 4)
    batch = foreign.batches["generator"]
    rejected = foreign.items[1].submissions.get(state="submitted").assignment
    for name, pk in (("batch", batch.pk), ("steer", batch.pk), ("overturn", rejected.pk)):
        url = reverse(f"dashboard:{name}", args=[project.slug, pk])
        order = {"action": "expire", "scope": "batch", "reason": "no", "use": "yes"}
        assert office.post(url, order).status_code == 404
    batch.refresh_from_db()
    assert batch.state == "open"


def test_fragment_asked_for_after_signing_out_sends_the_whole_page_to_the_login(project):
    url = reverse("dashboard:project", args=[project.slug])
    response = Client().get(url, headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == reverse("dashboard:login")


def test_get_changes_nothing(office, address):
    for name in POSTED - {"logout"}:
        assert office.get(address(name)).status_code == 405
