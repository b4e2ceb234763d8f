"""Tests of reviews that people request, and of items that they add to the sample."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from consolidation.domain.experts.monitor import (
    ReviewError,
    confirm_review,
    draw_due_reviews,
    draw_more,
    error_rate,
    request_review,
)
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.models import Gold, Review
from projects.enums import MemberRole
from tests.annotation.page_data import page_data
from tests.consolidation.experts import make_expert, set_review_rate
from tests.consolidation.factories import correct
from tests.consolidation.gold import make_gold_item
from tests.consolidation.test_reviews import send, text_of
from tests.consolidation.validation import make_validated_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project, make_user

pytestmark = pytest.mark.django_db


def clock():
    return NOW


def signed_in(name: str, project, *roles: MemberRole) -> Client:
    client = Client()
    client.force_login(make_user(name, project, *roles))
    return client


def without_last_question(gold: Gold) -> dict:
    return {"questions": gold.content["questions"][:-1]}


@pytest.mark.parametrize("source", ["consolidated", "validated", "expert", "imported"])
def test_gold_of_every_source_can_be_corrected(source):
    is_validated = source == "validated"
    gold = make_validated_project().items.get().gold.get() if is_validated else make_gold_item()
    if source in ("expert", "imported"):
        # Imported gold has no origins of its units.
        gold = add_gold(item=gold.item, source=source, content=gold.content, provenance=[], now=NOW)
    review = request_review(gold=gold, actor="rita", now=NOW)
    assert request_review(gold=gold, actor="rob", now=NOW) == review
    content = without_last_question(gold)
    correct(review=review, expert=make_expert("eva"), content=content, comment="Wrong.", now=NOW)
    corrected = current_gold(gold.item.project, source).get()
    review.refresh_from_db()
    assert (corrected.version, len(corrected.content["questions"])) == (
        2,
        len(content["questions"]),
    )
    assert (review.correction, review.comment) == (corrected, "Wrong.")
    with pytest.raises(ReviewError, match="current gold"):
        request_review(gold=gold, actor="rita", now=NOW)
    assert request_review(gold=corrected, actor="rita", now=NOW).gold == corrected


def test_requested_reviews_do_not_count_unless_the_lot_draws_them():
    gold = make_gold_item()
    project = gold.item.project
    set_review_rate(project=project, per_thousand=0)
    review = request_review(gold=gold, actor="rita", now=NOW)
    content = without_last_question(gold)
    correct(review=review, expert=make_expert("eva"), content=content, comment="", now=NOW)
    assert error_rate(project=project).judged == 0
    # The lot is independent of the request, so the reviewed version belongs to the sample.
    set_review_rate(project=project, per_thousand=1000)
    assert draw_due_reviews(clock=clock) == 1
    assert (error_rate(project=project).judged, error_rate(project=project).rate) == (1, 1.0)
    assert (draw_due_reviews(clock=clock), Review.objects.count()) == (0, 1)


def test_confirmed_gold_can_be_reviewed_again():
    gold = make_gold_item()
    first = request_review(gold=gold, actor="rita", now=NOW)
    confirm_review(review=first, expert=make_expert("eva"), now=NOW)
    second = request_review(gold=gold, actor="rita", now=NOW)
    assert (second != first, second.state) == (True, "drawn")


def test_more_items_are_those_that_a_higher_rate_would_add():
    campaign = Campaign(make_project(), 40)
    for at, item in enumerate(campaign.items):
        item.position = 7_000_003 * at + 11
        item.save(update_fields=["position"])
    done = sorted(campaign.items[3::4], key=lambda item: item.position % 1000)
    for _ in range(2):
        assert draw_more(project=campaign.project, count=3, actor="rita", now=NOW) == 3
    drawn = set(Review.objects.values_list("gold__item", flat=True))
    assert drawn == {item.pk for item in done[:6]}
    assert draw_more(project=campaign.project, count=50, actor="rita", now=NOW) == 4
    assert draw_more(project=campaign.project, count=50, actor="rita", now=NOW) == 0


def test_button_opens_the_editor_for_an_expert_and_saves_a_new_version():
    gold = make_gold_item()
    project, item = gold.item.project, gold.item
    client = signed_in("ada", project, MemberRole.ADMIN)
    item_url = reverse("consolidation:item", args=[project.slug, item.pk])
    sentence_url = reverse("datasets:gold_sentence", args=[project.slug, item.sentence_id])
    address = reverse("consolidation:request_review", args=[project.slug, gold.pk])
    for url in (item_url, sentence_url):
        page = client.get(url).content.decode()
        assert "Review this item" in page
        assert f'action="{address}"' in page
    opened = client.post(address, follow=True)
    review = Review.objects.get()
    content = page_data(text_of(opened))["items"][0]["content"]
    content["questions"].pop()
    content["questions"].append({**content["questions"][0], "source": None, "same_as": None})
    content["questions"][-1] |= {"question": "Where did someone identify something?"}
    bad = send(client, "correction_submit", review, content, comment="No such time.")
    assert bad.status_code == 422
    [page_item] = page_data(text_of(client.get(opened.request["PATH_INFO"])))["items"]
    questions = page_item["content"]["questions"]
    questions[0]["answers"] = questions[0]["answers"][:1]
    done = send(
        client, "correction_submit", review, page_item["content"], comment="One name is enough."
    )
    assert done.status_code == 200
    for url in (item_url, sentence_url):
        page = client.get(url).content.decode()
        assert "One name is enough." in page
        assert "version 2" in page
    assert page.count("Review this item") == 1


def test_requesters_ask_the_experts():
    gold = make_gold_item()
    project = gold.item.project
    office = signed_in("rita", project, MemberRole.REQUESTER)
    item_url = reverse("consolidation:item", args=[project.slug, gold.item_id])
    assert "Ask an expert to review" in office.get(item_url).content.decode()
    address = reverse("consolidation:request_review", args=[project.slug, gold.pk])
    answer = office.post(address, follow=True).content.decode()
    assert "The experts will see this item" in answer
    expert = signed_in("eva", project, MemberRole.EXPERT)
    listed = expert.get(reverse("consolidation:reviews", args=[project.slug])).content.decode()
    assert "requested" in listed
    old = gold
    gold = add_gold(
        item=gold.item,
        source=gold.source,
        content=gold.content,
        provenance=[],
        case=gold.case,
        now=NOW,
    )
    stale = reverse("consolidation:request_review", args=[project.slug, old.pk])
    assert "current gold can be reviewed" in office.post(stale, follow=True).content.decode()


def test_reviews_page_samples_more_and_settings_change_the_share():
    gold = make_gold_item()
    project = gold.item.project
    client = signed_in("ada", project, MemberRole.ADMIN)
    reviews = reverse("consolidation:reviews", args=[project.slug])
    assert "1 % of finished items are sampled automatically" in client.get(reviews).content.decode()
    draw = reverse("consolidation:draw_reviews", args=[project.slug])
    assert "1 review added." in client.post(draw, {"count": "5"}, follow=True).content.decode()
    assert "No items to add" in client.post(draw, {"count": "5"}, follow=True).content.decode()
    refused = client.post(draw, {"count": "0"}, follow=True).content.decode()
    assert "Enter a number of items" in refused
    settings = reverse("projects:settings", args=[project.slug])
    form = json.loads(json.dumps({"title": project.title or "T", "provider": project.provider}))
    form |= {"generators_per_item": 2, "exclusion_scope": "item", "cap": "", "monitoring": "12.5"}
    page = client.post(settings, {**form, "suggestions": "off"}, follow=True).content.decode()
    assert "reviewed share of finished items: 1 % -&gt; 12.5 %" in page
    project.refresh_from_db()
    assert project.monitoring_per_thousand == 125
