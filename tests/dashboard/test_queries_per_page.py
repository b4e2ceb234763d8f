"""Tests that the number of queries per page is the same for 3 and 300 rows."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Consent, ConsentText, QuestionnaireAnswer, TaskItem
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.index_gold import rebuild_index
from consolidation.models import Experiment, ExpertDraft, Gold
from crowd.models import Assignment, Hit, Payment, ReceivedMessage, Worker
from datasets.domain.quality.certainty import fit_certainty
from projects.enums import MemberRole, ShownContext
from projects.models import Membership
from tests.annotation.onboarding import publish_text
from tests.consolidation.experts import make_queue
from tests.crowd.factories import NOW
from tests.dashboard.campaign import CONTENT, START, Campaign
from tests.model_annotators.factories import make_model
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release_rows
from tests.view_names import VIEW_NAMES

PAGES = [
    "project",
    "items",
    "item",
    "gold",
    "gold_sentence",
    "submissions",
    "workers",
    "consent_and_questionnaire",
    "questionnaire_answers",
    "worker",
    "inbox",
    "thread",
    "costs",
    "cost_per_item",
    "cost_over_time",
    "quality_over_time",
    "certainty",
    "adaptive",
    "progress_over_time",
    "ledger",
    "ledger_csv",
    "exports",
    "releases",
    "systems",
    "jobs",
    "reviews",
    "quality",
    "quality_item",
    "agreement",
    "protocols",
    "experiment",
    "publish",
    "batches",
    "batch",
    "rejections",
    "copies",
    "compensate",
    "experts",
    "expert_queue",
    "expert_item",
    "expert_report",
    "flags",
    "models",
    "model",
    "webhook",
]


def count_queries(client, url) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = client.get(url)
        response.getvalue()
    assert response.status_code == 200
    return len(queries)


def count_queries_per_page(client, campaign) -> dict[str, int]:
    worker = campaign.workers[0].pseudonym
    more = {
        "item": [campaign.items[3].pk],
        "gold_sentence": [campaign.items[3].sentence_id],
        "quality_item": [campaign.items[3].pk],
        "model": [campaign.project.model_annotators.earliest("pk").pk],
        "experiment": [campaign.project.experiments.get().pk],
        "webhook": [campaign.project.webhooks.get().pk],
        "worker": [worker],
        "thread": [worker],
        "compensate": [worker],
        "batch": [campaign.batches["generator"].pk],
        "copies": [campaign.items[1].submissions.get(state="submitted").pk],
    }
    queue = make_queue(campaign.project, campaign.items)
    queued = queue.queued.last()
    more |= {
        "expert_queue": [queue.pk],
        "expert_item": [queued.pk],
        "expert_report": [queue.pk],
    }
    start_all(queue, client.session["_auth_user_id"])
    urls = {
        name: reverse(VIEW_NAMES[name], args=[campaign.project.slug, *more.get(name, [])])
        for name in PAGES
    }
    return {"projects": count_queries(client, "/")} | {
        name: count_queries(client, url) for name, url in urls.items()
    }


def make_references(project) -> None:
    """Add expert gold to every item that has consolidated gold."""
    for gold in Gold.objects.filter(item__project=project, source="consolidated"):
        if not gold.item.gold.filter(source="expert").exists():
            add_gold(item=gold.item, source="expert", content=CONTENT, provenance=[], now=START)


def start_all(queue, user: str) -> None:
    ExpertDraft.objects.bulk_create(
        ExpertDraft(queued=queued, author_id=int(user), opened_at=NOW, saved_at=NOW)
        for queued in queue.queued.all()
    )


def make_answers(text: ConsentText) -> None:
    """Let every worker consent, and answer a field."""
    for worker in Worker.objects.filter(consents=None):
        Consent.objects.create(text=text, worker=worker, accepted_at=NOW)
        answer = {"project": text.project, "key": "f1", "label": "Year of birth", "value": "1990"}
        QuestionnaireAnswer.objects.create(**answer, worker=worker, answered_at=NOW)


def make_failures() -> None:
    Hit.objects.update(error="Unavailable.")
    Payment.objects.filter(state="confirmed").update(error="Slow.")
    Assignment.objects.filter(hit__task__role="consolidator").update(state="rejected")


def make_messages(campaign) -> None:
    ReceivedMessage.objects.bulk_create(
        ReceivedMessage(
            worker=worker, budget=campaign.project.budget, subject="Pay", text="?", sent_at=NOW
        )
        for worker in campaign.workers
    )


@pytest.mark.django_db
def test_queries_do_not_grow_with_the_rows(office, project, requester):
    project.shown_context = ShownContext.TWO
    project.save()
    for role in (MemberRole.ADMIN, MemberRole.EXPERT):
        Membership.objects.create(project=project, user=requester, role=role)
    text = publish_text(project)
    make_model(project)
    small = Campaign(project, 4, workers=3)
    Experiment.objects.create(
        project=project,
        batch=small.batches["generator"],
        generators=2,
        consolidates=True,
        started_by="rita",
        started_at=START,
    )
    TaskItem.objects.filter(task__batch=small.batches["generator"]).update(attempt=1)
    make_failures()
    make_messages(small)
    make_references(project)
    project.sentences.update(group="a document")
    rebuild_index(project=project)
    make_answers(text)
    fit_certainty(project=project, now=START)
    make_release_rows(project, 1)
    make_webhook(project, 3)
    few = count_queries_per_page(office, small)
    small.add(300, workers=60)
    for number in range(300):
        make_model(project, name=f"Model {number}")
    make_answers(text)
    make_release_rows(project, 30)
    project.webhooks.get().delete()
    make_webhook(project, 300)
    TaskItem.objects.filter(task__batch=small.batches["generator"]).update(attempt=1)
    make_failures()
    make_messages(small)
    make_references(project)
    project.sentences.update(group="a document")
    rebuild_index(project=project)
    with connection.cursor() as cursor:  # without statistics of these rows, plans can be very slow
        cursor.execute("ANALYZE")
    fit_certainty(project=project, now=START)
    many = count_queries_per_page(office, small)
    assert few == many
    assert max(few.values()) <= 50
