"""Tests of experts who return to their submitted work, of their progress, and of "Your turn"."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.work.drafts import PageState
from annotation.models import Submission
from consolidation.domain.experts.expert_queues import open_to, take_next
from consolidation.domain.experts.expert_work import ExpertWorkError, open_again, submit_queued
from consolidation.domain.gold.add_gold import add_gold
from consolidation.models import ExpertDraft, Gold, Review
from dashboard.your_turn import tasks_of
from projects.enums import MemberRole
from projects.models import Membership
from tests.annotation.page_data import page_data
from tests.consolidation.experts import make_expert, make_queue, submit_result
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
)
from tests.consolidation.gold import FIRST, SECOND
from tests.consolidation.test_reviews import text_of
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db
ALONE = {"kind": "annotate", "sources": (), "makes_gold": True}


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def items(project):
    return [make_item(SURVEY, verb, project) for verb in [IDENTIFIED] * 3]


@pytest.fixture
def expert(project):
    expert = make_expert("eva")
    Membership.objects.create(project=project, user=expert, role=MemberRole.EXPERT)
    return expert


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def annotate(queue, expert, content=FIRST):
    """Take the queue's next item and submit it."""
    queued = take_next(queue=queue, expert=expert, now=NOW)
    submit_result(queued, expert, content)
    return queued


def submit_again(queued, expert, content):
    draft = ExpertDraft.objects.get(queued=queued, author=expert)
    assert draft.submitted_at is None
    state = PageState(revision=draft.revision, content={str(queued.item_id): content})
    submit_queued(queued=queued, expert=expert, state=state, now=NOW)


def test_corrected_annotation_is_a_new_submission_and_a_new_version_of_gold(items, expert, project):
    queued = annotate(make_queue(project, items, **ALONE), expert)
    assert open_again(queued=queued, expert=expert, now=NOW) is None
    # Until it is submitted again, the first annotation counts.
    assert Submission.objects.get().state == "accepted"
    submit_again(queued, expert, SECOND)
    earlier, later = Submission.objects.order_by("pk")
    assert (earlier.state, later.state, later.author) == ("withdrawn", "accepted", expert)
    assert [gold.version for gold in Gold.objects.order_by("pk")] == [1, 2]
    assert Gold.objects.get(version=2).submission == later


def test_unchanged_correction_adds_nothing(items, expert, project):
    queued = annotate(make_queue(project, items, **ALONE), expert)
    open_again(queued=queued, expert=expert, now=NOW)
    submit_again(queued, expert, FIRST)
    assert (Submission.objects.count(), Gold.objects.count()) == (1, 1)
    assert open_again(queued=queued, expert=expert, now=NOW) is None


def test_annotation_that_is_not_gold_stays_so(items, expert, project):
    queued = annotate(make_queue(project, items, **{**ALONE, "makes_gold": False}), expert)
    open_again(queued=queued, expert=expert, now=NOW)
    submit_again(queued, expert, SECOND)
    assert Submission.objects.accepted().count() == 1
    assert not Gold.objects.exists()


def test_newer_gold_is_not_overwritten(items, expert, project):
    queued = annotate(make_queue(project, items, **ALONE), expert)
    open_again(queued=queued, expert=expert, now=NOW)
    add_gold(item=queued.item, source="expert", content=FIRST, provenance=[], now=NOW)
    with pytest.raises(ExpertWorkError, match="newer gold"):
        submit_again(queued, expert, SECOND)
    assert Gold.objects.count() == 2


def test_only_submitted_work_can_be_opened_again(items, expert, project):
    queue = make_queue(project, items, **ALONE)
    queued = take_next(queue=queue, expert=expert, now=NOW)
    with pytest.raises(ExpertWorkError, match="haven't submitted"):
        open_again(queued=queued, expert=expert, now=NOW)


def test_merge_is_corrected_in_a_review_of_its_gold(items, expert, project):
    for content in (FIRST, SECOND):
        make_generation(items[0], content)
    queue = make_queue(project, items[:1])
    queued = take_next(queue=queue, expert=expert, now=NOW)
    client = client_of(expert)
    address = reverse("consolidation:expert_item", args=[project.slug, queued.pk])
    [item] = page_data(text_of(client.get(address)))["items"]
    questions = [
        {
            **question,
            "source": {"submission": at, "question": number},
            "verdict": "keep" if at == 0 else "invalid",
            "same_as": None,
        }
        for at, source in enumerate(item["sources"])
        for number, question in enumerate(source["questions"])
    ]
    message = {"token": "", "revision": 0, "content": {item["id"]: {"questions": questions}}}
    submit = reverse("consolidation:expert_submit", args=[project.slug, queued.pk])
    done = client.post(submit, json.dumps(message), content_type="text/plain")
    assert done.status_code == 200
    page = text_of(client.get(address))
    assert "Correct my annotation" in page
    correct = reverse("consolidation:expert_correct", args=[project.slug, queued.pk])
    opened = client.post(correct)
    review = Review.objects.get()
    assert opened.url == reverse("consolidation:correction", args=[project.slug, review.pk])
    assert (review.gold, review.origin) == (Gold.objects.get(), "requested")


def test_page_shows_the_progress_and_the_neighbours(items, expert, project):
    queue = make_queue(project, items, **ALONE)
    client = client_of(expert)
    first = annotate(queue, expert)
    second = take_next(queue=queue, expert=expert, now=NOW)
    address = {
        queued: reverse("consolidation:expert_item", args=[project.slug, queued.pk])
        for queued in (first, second)
    }
    page = text_of(client.get(address[second]))
    assert '<span class="figure">2 of 3</span>' in page
    assert f'href="{address[first]}" rel="prev"' in page
    assert "Correct my annotation" not in page
    submitted = text_of(client.get(address[first]))
    assert '<span class="figure">1 of 3</span>' in submitted
    assert f'href="{address[second]}" rel="next"' in submitted
    assert "Correct my annotation" in submitted
    correct = reverse("consolidation:expert_correct", args=[project.slug, first.pk])
    editable = text_of(client.post(correct, follow=True))
    assert page_data(editable)["submitted"] is False
    refused = client.post(correct, follow=True).content.decode()
    assert "You haven&#x27;t submitted this item" in refused


def turns(user) -> dict[str, int]:
    return {row.tasks.route: row.tasks.count for row in tasks_of(user)}


def test_your_turn_counts_what_the_expert_can_do(items, expert, project):
    queue = make_queue(project, items, **{**ALONE, "experts_per_item": 2, "makes_gold": False})
    assert turns(expert) == {"consolidation:experts": 3}
    for _ in items:
        annotate(queue, expert)
    # Three annotations are missing, but not this expert's.
    assert not open_to(expert=expert, now=NOW).exists()
    assert turns(expert) == {}
    other = make_expert("emma")
    Membership.objects.create(project=project, user=other, role=MemberRole.EXPERT)
    assert turns(other) == {"consolidation:experts": 3}
