"""Tests of rounds set up on the web, with sampled, searched and picked items."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.import_corpus import shuffled_position
from annotation.models import Item
from consolidation.domain.gold.add_gold import add_gold
from projects.enums import MemberRole
from qualification.domain.rounds.choose_items import (
    free_items,
    richest_items,
    sample_items,
    search_items,
)
from qualification.domain.rounds.publish_round import (
    RoundPublishError,
    invite_workers,
    publish_round,
)
from qualification.models import Enrolment, Round, RoundItem
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import CONTENT, START, add_items, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = make_project("news")
    for item in add_items(project, 12):
        item.position = shuffled_position(project.seed, item.key)
        item.save()
    return project


@pytest.fixture
def items(project) -> list[Item]:
    return list(project.items.order_by("pk"))


@pytest.fixture
def office(project) -> Client:
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def url(name: str, *arguments: object) -> str:
    return reverse(f"qualification:{name}", args=["news", *arguments])


def annotate(items: list[Item], content=CONTENT) -> None:
    for item in items:
        add_gold(item=item, source="expert", content=content, provenance=[], now=START)


CHOICE = {"method": "random", "count": "5", "seed": "7", "text": ""}


def test_sample_depends_on_the_seed_and_wraps_around(project, items):
    free = free_items(project=project)
    samples = [sample_items(free, count=5, seed=seed) for seed in range(30)]
    assert {len(set(sample)) for sample in samples} == {5}
    assert samples[3] == sample_items(free, count=5, seed=3)
    assert len({tuple(item.pk for item in sample) for sample in samples}) > 3
    assert {item for sample in samples for item in sample} == set(items)
    assert set(sample_items(free, count=50, seed=1)) == set(items)


def test_most_instructive_items_have_the_most_units(project, items):
    free = free_items(project=project)
    assert richest_items(free, count=3, seed=1) == []
    annotate(items[:4], {"questions": []})
    annotate([items[6]])
    assert richest_items(free, count=1, seed=1) == [items[6]]
    assert set(richest_items(free, count=9, seed=1)) == {*items[:4], items[6]}


def test_search_finds_text_and_ids(project, items):
    free = free_items(project=project)
    item = items[5]
    sentence = item.sentence
    sentence.tokens = ["Zürich", "rejected", "it", "."]
    sentence.save()

    def search(text: str) -> list[Item]:
        return search_items(free, project=project, text=text)

    assert search("Zürich rejected") == search("zürich  rejected ") == [item]
    assert search("rejected Zürich") == []
    assert search(item.key) == search(sentence.external_id) == [item]


def test_sampled_round_is_set_up_in_two_steps(office, project, items):
    annotate(items[:6])
    page = office.get(url("new_round"))
    assert [len(page.context[name]) for name in ("chosen", "found")] == [6, 0]
    assert "6 items are chosen, and 6 of them have expert gold" in page.content.decode().replace(
        "\n", " "
    ).replace("  ", " ")
    page = office.post(url("new_round"), {**CHOICE, "only_gold": "on", "show": "1"})
    chosen = [item for item, _ in page.context["chosen"]]
    assert len(chosen) == 5
    form = {**CHOICE, "title": "Training 1", "item": [item.pk for item in chosen]}
    assert office.post(url("new_round"), form).status_code == 302
    training_round = Round.objects.get()
    assert (
        training_round.title,
        training_round.entry,
        training_round.pool_roles,
        training_round.ordinal,
    ) == (
        "Training 1",
        "invited",
        ["generator", "consolidator", "validator"],
        1,
    )
    assert training_round.thresholds
    assert [row.item for row in training_round.round_items.all()] == chosen
    assert project.items.filter(in_production=True).count() == 7


def test_second_round_follows_the_first_and_opens_production(office, project, items):
    for number in (1, 2):
        page = office.get(url("new_round"))
        initial = page.context["form"].initial
        own = items[number * 2 : number * 2 + 2]
        form = {**CHOICE, "title": initial["title"], "item": [item.pk for item in own]}
        assert page.context["form"]["after_passing"].value() == "production"
        response = office.post(
            url("new_round"), form | {"after_passing": "production"}, follow=True
        )
    assert "Workers who pass Training 1 enter Training 2" in response.content.decode()
    first, second = Round.objects.order_by("ordinal")
    assert (first.title, second.title, second.entry) == ("Training 1", "Training 2", "passed")
    assert first.pool_roles == []
    assert second.pool_roles == ["generator", "consolidator", "validator"]


def test_first_of_two_planned_rounds_leads_to_the_next_and_is_edited_later(office, items):
    form = {**CHOICE, "title": "One", "item": [items[0].pk], "after_passing": "next-round"}
    office.post(url("new_round"), form)
    training_round = Round.objects.get()
    assert training_round.pool_roles == []
    page = office.get(url("edit", training_round.pk))
    assert page.context["form"]["after_passing"].value() == "next-round"
    fields = {"title": "One", "entry": "invited", "after_passing": "production"}
    assert office.post(url("edit", training_round.pk), fields).status_code == 302
    training_round.refresh_from_db()
    assert training_round.pool_roles == ["generator", "consolidator", "validator"]


def test_screening_is_open(office, items):
    form = {**CHOICE, "title": "Screening", "is_screening": "on", "item": [items[0].pk]}
    office.post(url("new_round"), form)
    screening = Round.objects.get()
    assert (screening.kind, screening.entry, screening.pool_roles) == ("screening", "open", [])
    assert screening.requirements


def test_search_keeps_the_picked_items(office, items):
    items[3].sentence.tokens = ["Larkhaven", "rejected", "it", "."]
    items[3].sentence.save()
    search = {**CHOICE, "method": "search", "text": "Larkhaven", "show": "1"}
    page = office.post(url("new_round"), {**search, "item": [items[0].pk]})
    assert [item for item, _ in page.context["chosen"]] == [items[0]]
    assert [item for item, _ in page.context["found"]] == [items[3]]


@pytest.mark.parametrize("picked", [[], ["x"], ["99999999"]])
def test_round_without_items_is_refused(office, picked):
    response = office.post(url("new_round"), {**CHOICE, "title": "Empty", "item": picked})
    assert response.status_code == 422
    assert "has no items" in response.content.decode()
    assert not Round.objects.exists()


def test_item_of_another_round_or_project_is_refused(office, items):
    other = make_project("other")
    add_items(other, 1)
    office.post(url("new_round"), {**CHOICE, "title": "One", "item": [items[0].pk]})
    response = office.post(url("new_round"), {**CHOICE, "title": "Two", "item": [items[0].pk]})
    assert "is already in the round" in response.content.decode()
    response = office.post(
        url("new_round"), {**CHOICE, "title": "Two", "item": [other.items.get().pk]}
    )
    assert response.status_code == 422
    assert Round.objects.count() == 1


def test_round_without_gold_is_published_once_it_has_gold(office, items):
    office.post(url("new_round"), {**CHOICE, "title": "One", "item": [i.pk for i in items[:2]]})
    training_round = Round.objects.get()
    invite_workers(round=training_round, workers=[make_worker()], actor="rita", now=START)
    page = office.get(url("publish", training_round.pk)).content.decode()
    assert "2 of its items need expert gold" in page
    with pytest.raises(RoundPublishError, match="2 of its items have no expert gold"):
        publish_round(round=training_round, actor="rita", now=START)
    annotate(items[:2])
    publish_round(round=training_round, actor="rita", now=START)
    assert not RoundItem.objects.filter(reference=None).exists()
    changed = {**CHOICE, "item": [items[4].pk]}
    response = office.post(url("round_items", training_round.pk), changed, follow=True)
    assert "has been published, so its items can’t change" in response.content.decode()
    assert office.get(url("round_items", training_round.pk)).status_code == 302
    office.post(url("remove_round", training_round.pk))
    assert Round.objects.exists()


def test_items_of_an_unpublished_round_can_be_changed(office, project, items):
    office.post(url("new_round"), {**CHOICE, "title": "One", "item": [i.pk for i in items[:2]]})
    training_round = Round.objects.get()
    page = office.get(url("round_items", training_round.pk))
    assert [item for item, _ in page.context["chosen"]] == items[:2]
    office.post(
        url("round_items", training_round.pk), {**CHOICE, "item": [items[1].pk, items[5].pk]}
    )
    assert list(training_round.items.order_by("pk")) == [items[1], items[5]]
    assert set(project.items.filter(in_production=False)) == {items[1], items[5]}


def test_removed_round_returns_its_items_and_deletes_invitations(office, project, items):
    office.post(url("new_round"), {**CHOICE, "title": "One", "item": [items[0].pk]})
    training_round = Round.objects.get()
    invite_workers(round=training_round, workers=[make_worker()], actor="rita", now=START)
    office.post(url("remove_round", training_round.pk))
    assert not Round.objects.exists()
    assert not Enrolment.objects.exists()
    assert not project.items.filter(in_production=False).exists()
