import csv
import io

import pytest
from django.urls import reverse

from consolidation.domain.add_gold import add_gold
from consolidation.domain.index_gold import rebuild_index
from consolidation.models import Gold, Review
from projects.enums import MemberRole
from projects.models import Membership
from tests.consolidation.factories import correct
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project


@pytest.fixture
def indexed(campaign, project):
    rebuild_index(project=project)
    return campaign


@pytest.fixture
def url(project):
    return reverse("datasets:gold", args=[project.slug])


def asked(office, url, **query) -> str:
    return office.get(url, query).content.decode()


def test_gold_is_listed_by_sentence_with_its_questions(office, indexed, url):
    page = asked(office, url)
    assert page.count('class="panel gold-found"') == 3
    assert "Who rejected something?" in page
    assert "after a long debate" in page


def test_search_finds_and_says_so_where_it_finds_nothing(office, indexed, url):
    assert "No gold matches" not in asked(office, url, content="who rejected some")
    for query in ({"content": "who approved"}, {"target": "approve"}, {"worker": "WNOBODY"}):
        assert "No gold matches" in asked(office, url, **query)


@pytest.mark.parametrize(
    "query",
    [
        {"state": "x"},
        {"content": "'; --"},
        {"content": "w" * 500},
        {"page": "after~x"},
        {"page": f"after~{10**30}"},
        {"worker": "%"},
        {"domain": "<script>"},
    ],
)
def test_bad_input_breaks_nothing(office, indexed, url, query):
    response = office.get(url, query)
    assert response.status_code == 200
    assert b"<script>alert" not in response.content


def test_pages_follow_one_another(office, project, url, monkeypatch):
    monkeypatch.setattr("datasets.views.gold.SIZE", 2)
    Campaign(project, 24)
    rebuild_index(project=project)
    seen, query = [], ""
    while True:
        page = office.get(url + query)
        seen += [row["sentence"].pk for row in page.context["sentences"]]
        query = page.context["listing"].next_url.removeprefix(url)
        if not query:
            break
    expected = Gold.objects.order_by("item__sentence").values_list("item__sentence", flat=True)
    assert seen == list(expected)
    assert len(seen) == 6


def test_download_has_a_row_for_each_matching_sentence(office, indexed, url):
    total = office.get(url).context["listing"].total
    response = office.get(url, {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert len(rows) == total
    sentences = set(Gold.objects.values_list("item__sentence__external_id", flat=True))
    assert {row["Sentence"] for row in rows} == sentences
    assert all(row["Items"] and int(row["Annotations"]) for row in rows)


def test_gold_from_before_the_index_is_not_denied(office, campaign, url):
    assert "python manage.py index_gold demo" in asked(office, url)


def test_page_without_gold_says_what_has_to_come_first(office, project, url):
    assert "No gold yet" in asked(office, url)


@pytest.fixture
def finished(requester):
    """The gold of a small project that went all the way, and its requester's."""
    made = make_gold_project()
    Membership.objects.create(project=made, user=requester, role=MemberRole.REQUESTER)
    return Gold.objects.get(item__project=made)


def sentence_url(gold: Gold) -> str:
    slug = gold.item.project.slug
    return reverse("datasets:gold_sentence", args=[slug, gold.item.sentence_id])


def test_sentence_shows_gold_its_annotations_and_what_became_of_them(office, finished):
    response = office.get(sentence_url(finished))
    page, [one] = response.content.decode(), response.context["items"]
    workers = [side["annotation"].submission.worker for side in one["annotations"]]
    for worker in [*workers, finished.submission.worker]:
        assert worker.pseudonym in page
        assert worker.external_id not in page
    outcomes = {outcome.state for side in one["annotations"] for _, outcome in side["rows"]}
    assert outcomes == {"kept", "edited", "redundant", "invalid"}
    [shown] = one["standing"]
    assert {origin.letter for _, origin in shown["rows"]} == {"A", "B"}
    numbers = [n for token in shown["tokens"] for n in token.opens]
    assert sorted(numbers) == [1, 1, 2, 3]
    assert f'id="item-{finished.item_id}"' in page
    assert f'id="gold-{finished.pk}-1"' in page


def test_versions_stand_below_with_what_the_expert_said(office, requester, finished):
    correct(
        review=Review.objects.create(gold=finished, drawn_at=NOW),
        expert=requester,
        content={"questions": finished.content["questions"][:2]},
        comment="No time was asked for.",
        now=NOW,
    )
    add_gold(item=finished.item, source="expert", content=finished.content, provenance=[], now=NOW)
    response = office.get(sentence_url(finished))
    [one] = response.context["items"]
    assert [(s["gold"].source, s["gold"].version) for s in one["standing"]] == [
        ("consolidated", 2),
        ("expert", 1),
    ]
    assert [s["gold"].version for s in one["earlier"]] == [1]
    assert "No time was asked for." in response.content.decode()


def test_sentence_of_another_project_is_not_found(office, campaign, project):
    other = Campaign(make_project("other"), 4)
    url = reverse("datasets:gold_sentence", args=[project.slug, other.items[3].sentence_id])
    assert office.get(url).status_code == 404


def test_sentence_without_gold_says_so(office, campaign, project):
    url = reverse("datasets:gold_sentence", args=[project.slug, campaign.items[0].sentence_id])
    assert b"No gold for this sentence yet" in office.get(url).content
