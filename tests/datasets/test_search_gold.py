import pytest
from django.core.management import call_command
from django.utils import timezone

from consolidation.domain.cases.second_consolidation import open_second_case
from consolidation.domain.experts.monitor import confirm_review, return_review
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.index_gold import index_missing_gold, padded, rebuild_index
from consolidation.models import Case, Gold, GoldEntry, Review
from consolidation.tasks import index_missing_gold as index_task
from datasets.domain.exports.search_gold import GoldFilter, GoldState, find_gold
from tests.consolidation.factories import correct
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_gold_project()


def search(project, **filters) -> list[int]:
    entries = find_gold(project=project, wanted=GoldFilter(**filters))
    return sorted(entries.values_list("gold", flat=True))


def gold_of(project) -> Gold:
    return Gold.objects.get(item__project=project)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, True),
        ({"content": "who identified"}, True),
        ({"content": "WHO  identified some"}, True),
        ({"content": "Who identified something?"}, True),
        ({"content": "dentified"}, False),
        ({"content": "something who"}, False),
        ({"content": "something what did"}, False),
        ({"content": "%"}, True),
        ({"content": "who_identified"}, False),
        ({"target": "identify"}, True),
        ({"target": "Identified"}, True),
        ({"target": "identif"}, False),
        ({"worker": "WNOBODY"}, False),
        ({"source": "consolidated"}, True),
        ({"source": "expert"}, False),
        ({"domain": "wikinews", "partition": "dev"}, True),
        ({"partition": "test"}, False),
        ({"state": "unreviewed"}, True),
        ({"state": "waiting"}, False),
    ],
)
def test_gold_is_found_by_its_fields(project, filters, expected):
    assert bool(search(project, **filters)) == expected


def test_gold_is_found_by_each_of_its_workers(project):
    gold = gold_of(project)
    workers = [
        gold.submission.worker,
        *(source.submission.worker for source in gold.case.sources.all()),
    ]
    assert len({worker.pk for worker in workers}) == 3
    for worker in workers:
        assert search(project, worker=worker.pseudonym.lower()) == [gold.pk]
        assert search(project, worker=worker.pseudonym[:-1]) == []


def test_new_version_replaces_its_predecessor(project):
    gold = gold_of(project)
    content = {"questions": gold.content["questions"][:1]}
    newer = add_gold(
        item=gold.item,
        source="consolidated",
        content=content,
        provenance=[],
        case=gold.case,
        now=NOW,
    )
    assert search(project) == [newer.pk]
    assert search(project, content="what did someone") == []
    expert = add_gold(item=gold.item, source="expert", content=gold.content, provenance=[], now=NOW)
    assert search(project) == [newer.pk, expert.pk]


def test_second_consolidation_is_never_found(project):
    gold = gold_of(project)
    open_second_case(item=gold.item, now=NOW)
    second = Case.objects.get(item=gold.item, attempt=1)
    add_gold(
        item=gold.item,
        source="consolidated",
        content={"questions": []},
        provenance=[],
        case=second,
        now=NOW,
    )
    assert search(project) == [gold.pk]
    assert rebuild_index(project=project) == 1
    assert search(project) == [gold.pk]


def test_state_follows_the_experts_review(project):
    gold, expert = gold_of(project), make_user("eva")
    review = Review.objects.create(gold=gold, drawn_at=NOW)

    def states() -> list[str]:
        return [state.value for state in GoldState if search(project, state=state.value)]

    assert states() == ["waiting"]
    confirm_review(review=review, expert=expert, now=NOW)
    assert states() == ["confirmed"]


def test_corrected_and_returned_gold_is_found_by_its_state(project):
    gold, expert = gold_of(project), make_user("eva")
    review = Review.objects.create(gold=gold, drawn_at=NOW)
    correct(
        review=review,
        expert=expert,
        content={"questions": gold.content["questions"][:2]},
        comment="",
        now=NOW,
    )
    newest = gold.item.gold.latest("version")
    assert search(project, state="corrected") == [newest.pk]
    second_review = Review.objects.create(gold=newest, drawn_at=NOW)
    return_review(review=second_review, expert=expert, comment="Not an argument.", now=NOW)
    assert search(project, state="returned") == [newest.pk]


def test_rebuilt_index_equals_the_maintained_index(project, capsys):
    def rows():
        names = (
            "gold",
            "item",
            "source",
            "project",
            "sentence",
            "content_text",
            "target_text",
            "workers",
        )
        return list(GoldEntry.objects.order_by("gold").values(*names))

    gold = gold_of(project)
    add_gold(
        item=gold.item,
        source="imported",
        content=gold.content,
        provenance=[{"worker_id": "A1"}],
        now=NOW,
    )
    maintained = rows()
    assert len(maintained) == 2
    GoldEntry.objects.all().delete()
    call_command("index_gold", project.slug)
    assert "2 gold annotations" in capsys.readouterr().out

    def sorted_words(row):
        return {**row, "workers": sorted(row["workers"].split())}

    assert [sorted_words(row) for row in rows()] == [sorted_words(row) for row in maintained]
    assert "A1" not in maintained[1]["workers"].split()


def test_unindexed_gold_is_indexed_by_the_sweep(project):
    names = (
        "gold",
        "item",
        "source",
        "project",
        "sentence",
        "content_text",
        "target_text",
        "workers",
    )
    other, gold = make_gold_project(), gold_of(project)
    add_gold(item=gold.item, source="imported", content=gold.content, provenance=[], now=NOW)
    newest = add_gold(
        item=gold.item, source="imported", content=gold.content, provenance=[], now=NOW
    )
    maintained = sorted(GoldEntry.objects.values_list(*names))
    # The entry of one source exists, and the other source is older than the index. The other project
    # has no entries.
    GoldEntry.objects.filter(source="imported").delete()
    GoldEntry.objects.filter(project=other).delete()
    index_task()
    assert sorted(GoldEntry.objects.values_list(*names)) == maintained
    assert search(project, source="imported") == [newest.pk]
    assert index_missing_gold(clock=timezone.now) == 0


def test_second_consolidation_is_not_indexed_by_the_sweep(project):
    gold = gold_of(project)
    open_second_case(item=gold.item, now=NOW)
    second = Case.objects.get(item=gold.item, attempt=1)
    content = {"questions": []}
    add_gold(
        item=gold.item, source="consolidated", content=content, provenance=[], case=second, now=NOW
    )
    GoldEntry.objects.all().delete()
    assert index_missing_gold(clock=timezone.now) == 1
    assert search(project) == [gold.pk]
    assert index_missing_gold(clock=timezone.now) == 0


def test_gold_of_another_project_is_not_found(project):
    other = make_gold_project()
    assert len(search(project)) == len(search(other)) == 1
    assert search(project) != search(other)


def test_padded_separates_texts_and_keeps_words_of_any_script():
    assert padded(["Who, naïvely, said 東京?", "Who?"]) == " who naïvely said 東京 | who "
    assert padded(["", "?"]) == ""
