import csv
import io

import pytest
from django.urls import reverse

from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.index_gold import rebuild_index
from consolidation.models import Gold, Review
from projects.enums import MemberRole
from projects.models import Membership
from tests.consolidation.factories import correct
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project


@pytest.fixture
def indexed_gold(campaign, project):
    rebuild_index(project=project)
    return campaign


@pytest.fixture
def url(project):
    return reverse("datasets:gold", args=[project.slug])


def get_page(office, url, **query) -> str:
    return office.get(url, query).content.decode()


def test_gold_is_listed_by_sentence_with_its_questions(office, indexed_gold, url):
    page = get_page(office, url)
    assert page.count('class="panel gold-found"') == 3
    assert "Who rejected something?" in page
    assert "after a long debate" in page


def test_search_without_matches_shows_a_notice(office, indexed_gold, url):
    assert "No gold matches" not in get_page(office, url, content="who rejected some")
    for query in ({"content": "who approved"}, {"target": "approve"}, {"worker": "WNOBODY"}):
        assert "No gold matches" in get_page(office, url, **query)


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
def test_bad_input_is_ignored(office, indexed_gold, url, query):
    response = office.get(url, query)
    assert response.status_code == 200
    assert b"<script>alert" not in response.content


def test_pages_cover_every_sentence_once(office, project, url, monkeypatch):
    monkeypatch.setattr("datasets.views.gold.SIZE", 2)
    Campaign(project, 24)
    rebuild_index(project=project)
    sentences, query = [], ""
    while True:
        page = office.get(url + query)
        sentences += [row["sentence"].pk for row in page.context["sentences"]]
        query = page.context["listing"].next_url.removeprefix(url)
        if not query:
            break
    expected = Gold.objects.order_by("item__sentence").values_list("item__sentence", flat=True)
    assert sentences == list(expected)
    assert len(sentences) == 6


def test_download_has_a_row_for_each_matching_sentence(office, indexed_gold, url):
    total = office.get(url).context["listing"].total
    response = office.get(url, {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert len(rows) == total
    sentences = set(Gold.objects.values_list("item__sentence__external_id", flat=True))
    assert {row["Sentence"] for row in rows} == sentences
    assert all(row["Items"] and int(row["Annotations"]) for row in rows)


def test_page_without_an_index_explains_how_to_build_it(office, campaign, url):
    assert "python manage.py index_gold demo" in get_page(office, url)


def test_page_without_gold_explains_what_is_missing(office, project, url):
    assert "No gold yet" in get_page(office, url)


@pytest.fixture
def gold(requester):
    """Return the gold of a small finished project of the requester."""
    project = make_gold_project()
    Membership.objects.create(project=project, user=requester, role=MemberRole.REQUESTER)
    return Gold.objects.get(item__project=project)


def sentence_url(gold: Gold) -> str:
    slug = gold.item.project.slug
    return reverse("datasets:gold_sentence", args=[slug, gold.item.sentence_id])


def test_sentence_shows_gold_with_its_annotations_and_their_outcomes(office, gold):
    response = office.get(sentence_url(gold))
    page, [item] = response.content.decode(), response.context["items"]
    workers = [side["annotation"].submission.worker for side in item["annotations"]]
    for worker in [*workers, gold.submission.worker]:
        assert worker.pseudonym in page
        assert worker.external_id not in page
    outcomes = {outcome.state for side in item["annotations"] for _, outcome in side["rows"]}
    assert outcomes == {"kept", "edited", "redundant", "invalid"}
    [version] = item["standing"]
    assert {origin.letter for _, origin in version["rows"]} == {"A", "B"}
    numbers = [number for token in version["tokens"] for number in token.opens]
    assert sorted(numbers) == [1, 1, 2, 3]
    assert f'id="item-{gold.item_id}"' in page
    assert f'id="gold-{gold.pk}-1"' in page


def test_sentence_shows_earlier_versions_and_the_experts_comment(office, requester, gold):
    correct(
        review=Review.objects.create(gold=gold, drawn_at=NOW),
        expert=requester,
        content={"questions": gold.content["questions"][:2]},
        comment="No time was asked for.",
        now=NOW,
    )
    add_gold(item=gold.item, source="expert", content=gold.content, provenance=[], now=NOW)
    response = office.get(sentence_url(gold))
    [item] = response.context["items"]
    assert [(version["gold"].source, version["gold"].version) for version in item["standing"]] == [
        ("consolidated", 2),
        ("expert", 1),
    ]
    assert [version["gold"].version for version in item["earlier"]] == [1]
    assert "No time was asked for." in response.content.decode()


def test_experts_own_gold_does_not_name_annotations_of_workers(office, gold):
    kept = [{"source": 0, "state": "kept"} for _ in gold.content["questions"]]
    add_gold(item=gold.item, source="expert", content=gold.content, provenance=kept, now=NOW)
    [item] = office.get(sentence_url(gold)).context["items"]
    consolidated, expert = item["standing"]
    assert {origin.letter for _, origin in consolidated["rows"]} == {"A", "B"}
    assert {(origin.letter, origin.state) for _, origin in expert["rows"]} == {("", "")}


def test_sentence_of_another_project_is_not_found(office, campaign, project):
    other = Campaign(make_project("other"), 4)
    url = reverse("datasets:gold_sentence", args=[project.slug, other.items[3].sentence_id])
    assert office.get(url).status_code == 404


def test_sentence_without_gold_shows_a_notice(office, campaign, project):
    url = reverse("datasets:gold_sentence", args=[project.slug, campaign.items[0].sentence_id])
    assert b"No gold for this sentence yet" in office.get(url).content
