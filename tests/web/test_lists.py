from contextlib import closing
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group
from django.db.models import F
from django.db.models.functions import NullIf
from django.template.loader import render_to_string

from web.lists import Column, Empty, Listing, money_column, number_column, time_column

pytestmark = pytest.mark.django_db

COLUMNS = [
    Column("Name", lambda group: group.name, order="name", about="What people call it."),
    number_column("Length", lambda group: len(group.name), order=lambda pk: pk % 3 or None),
]


@pytest.fixture
def groups():
    for number in range(1, 121):
        Group.objects.create(name=f"group {number:03}")


def listing(rf, query: str = "", **options) -> Listing:
    facts = {
        "name": "groups",
        "rows": Group.objects.all(),
        "columns": COLUMNS,
        "count": "{:,} groups".format,
        "order": ("pk",),
        "size": 10,
        "empty": Empty("No groups yet", "Create a group.", "/new/", "New group"),
    }
    return Listing(request=rf.get(f"/groups/?{query}"), **{**facts, **options})


def names(shown: Listing) -> list[int]:
    return [int(str(row.name)[-3:]) for row in shown.shown]


def html(shown: Listing) -> str:
    return render_to_string("web/list.html", {"listing": shown, "request": shown.request})


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("", 1, 10),
        ("page=3", 21, 30),
        ("page=11", 101, 110),
        ("page=12", 111, 120),
        ("page=99", 111, 120),
        ("page=0", 1, 10),
        ("page=-1", 1, 10),
        ("page=x", 1, 10),
        ("page=²", 1, 10),
        ("page=99999999999999999999", 1, 10),
        ("page=after~10", 1, 10),
        ("sort=-name", 120, 111),
        ("sort=-name&page=12", 10, 1),
        ("sort=nothing", 1, 10),
    ],
)
def test_page_has_its_rows_in_order(rf, groups, query, first, last):
    step = 1 if last > first else -1
    assert names(listing(rf, query)) == list(range(first, last + step, step))


def test_last_page_may_be_shorter(rf, groups):
    assert names(listing(rf, "page=2", size=70)) == list(range(71, 121))
    assert (listing(rf, "page=2", size=70).first, listing(rf, "page=2", size=70).last) == (71, 120)


@pytest.mark.parametrize("sort", ["length", "-length"])
def test_rows_without_a_sort_key_come_last(rf, groups, sort):
    rows = [row.bulk_id for row in listing(rf, f"sort={sort}", size=200).shown]
    keys = [pk % 3 or None for pk in rows]
    assert keys == sorted((key for key in keys if key), reverse=sort == "-length") + [None] * 40
    assert len(set(rows)) == 120


@pytest.mark.parametrize(("sort", "first"), [("rest", [3, 6, 9]), ("-rest", [2, 5, 8])])
def test_expression_sorts_empty_values_last_and_ties_by_the_order_of_the_list(
    rf, groups, sort, first
):
    start = Group.objects.get(name="group 001").pk - 1
    rest = NullIf((F("pk") - start) % 3, 1)
    columns = [Column("Rest", lambda group: group.name, order=rest)]
    assert names(listing(rf, f"sort={sort}", columns=columns))[:3] == first
    last_page = listing(rf, f"sort={sort}&page=12", columns=columns)
    assert names(last_page) == [91, 94, 97, 100, 103, 106, 109, 112, 115, 118]


def test_headings_of_pages_without_htmx_are_plain_links(rf, groups):
    assert "hx-get" in html(listing(rf))
    page = html(listing(rf, is_swapped=False))
    assert "hx-" not in page
    assert 'href="/groups/?sort=name"' in page


def test_empty_list_without_a_title_is_a_paragraph(rf):
    assert "<p>No groups yet.</p>" in html(listing(rf, empty=Empty("", "No groups yet.")))


def test_rows_of_all_pages_have_the_selected_order(rf):
    rows = [{"name": name} for name in ("b", "c", "a")]
    columns = [
        Column("Name", lambda row: row["name"], order=lambda position: rows[position]["name"])
    ]
    shown = listing(rf, "sort=-name", rows=rows, columns=columns, size=2)
    assert [row["name"] for row in shown.all_rows()] == ["c", "b", "a"]


def test_known_ids_are_paged_in_their_order(rf, groups):
    ids = list(Group.objects.order_by("-name").values_list("pk", flat=True))[:25]
    assert names(listing(rf, "page=3", ids=ids)) == [100, 99, 98, 97, 96]
    assert listing(rf, ids=ids).total_text == "25 groups"


def test_total_counts_all_rows(rf, groups):
    assert listing(rf, "page=2").total_text == "120 groups"


def test_links_keep_filters_and_sort(rf, groups):
    shown = listing(rf, "state=open&tag=a&tag=b&empty=&sort=-name&page=2&format=csv")
    assert shown.next_url == "/groups/?state=open&tag=a&tag=b&sort=-name&page=3"
    assert shown.csv_url == "/groups/?state=open&tag=a&tag=b&sort=-name&format=csv"
    assert [heading.url for heading in shown.headings] == [
        "/groups/?state=open&tag=a&tag=b&sort=name",
        "/groups/?state=open&tag=a&tag=b&sort=length",
    ]


def test_links_lead_to_the_ends_and_the_neighbours(rf, groups):
    numbers = [link.number for link in listing(rf, "page=6").links]
    assert numbers == [1, 0, 4, 5, 6, 7, 8, 0, 12]
    assert [link.number for link in listing(rf, size=40).links] == [1, 2, 3]


def test_page_names_the_order(rf, groups):
    page = html(listing(rf, "sort=name"))
    assert 'aria-sort="ascending"' in page
    assert 'aria-sort="none"' in page
    assert "What people call it." in page
    assert 'data-label="Length"' in page


def test_definitions_are_listed_for_cards(rf, groups):
    assert html(listing(rf)).count("What people call it.") == 2
    assert "Definitions" not in html(listing(rf, columns=COLUMNS[1:]))


def test_empty_list_shows_the_next_step(rf):
    page = html(listing(rf))
    assert "Create a group." in page
    assert 'href="/new/"' in page
    assert "No matches" in html(listing(rf, "state=open", is_filtered=True))


def test_text_of_rows_is_escaped(rf):
    Group.objects.create(name="<b>")
    assert "&lt;b&gt;" in html(listing(rf))


def test_csv_file_has_plain_values_and_no_formulas(rf):
    Group.objects.create(name="=1+1")
    at = datetime(2026, 11, 3, 12, tzinfo=UTC)
    columns = [
        Column("Name", lambda group: group.name),
        number_column("Count", lambda group: 1204),
        money_column("Spent", lambda group: -1234),
        money_column("Unknown", lambda group: None),
        time_column("Created", lambda group: at),
    ]
    with closing(listing(rf, columns=columns).csv("groups.csv")) as response:
        text = response.getvalue().decode()
    assert text.splitlines() == [
        "Name,Count,Spent,Unknown,Created",
        "'=1+1,1204,-12.34,,2026-11-03T12:00:00+00:00",
    ]


@pytest.mark.parametrize("query", ["", "page=12", "sort=length", "format=csv"])
def test_number_of_queries_does_not_depend_on_the_rows(
    rf, groups, query, django_assert_max_num_queries
):
    with django_assert_max_num_queries(3):
        html(listing(rf, query))


def test_sequence_is_paged_sorted_and_downloaded(rf):
    words = [f"word {number:02}" for number in (3, 1, 2, *range(4, 31))]
    columns = [Column("Word", lambda word: word, order=lambda position: words[position])]

    def shown(query: str) -> list[object]:
        return [row.name for row in listing(rf, query, rows=words, columns=columns).shown]

    assert shown("") == words[:10]
    assert shown("page=3") == words[20:]
    assert shown("sort=word") == sorted(words)[:10]
    assert shown("sort=-word&page=3") == sorted(words, reverse=True)[20:]
    assert listing(rf, rows=words, columns=columns).total_text == "30 groups"
    with closing(listing(rf, "sort=word", rows=words, columns=columns).csv("words.csv")) as file:
        assert file.getvalue().decode().split("\r\n")[:-1] == ["Word", *sorted(words)]


def test_known_ids_are_sorted_by_functions(rf, groups):
    ids = list(Group.objects.order_by("-name").values_list("pk", flat=True))[:3]
    columns = [Column("Name", lambda group: group.name, order=lambda pk: pk)]
    assert names(listing(rf, "sort=name", ids=ids, columns=columns)) == [118, 119, 120]


def test_page_of_a_slow_filter_reads_its_rows_without_the_filter(rf, groups):
    even = Group.objects.filter(name__regex="[02468]$")
    shown = listing(
        rf, "page=2&sort=-name", rows=even, reads_once=True, unfiltered=Group.objects.all()
    )
    assert names(shown) == list(range(100, 80, -2))
    assert shown.total == 60
    with_csv = listing(rf, rows=even, reads_once=True, unfiltered=Group.objects.all())
    with closing(with_csv.csv("groups")) as response:
        assert len(b"".join(response.streaming_content).splitlines()) == 61
