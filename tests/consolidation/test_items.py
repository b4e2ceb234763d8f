import pytest
from django.urls import reverse

from annotation.models import Item
from tests.dashboard.campaign import add_items


@pytest.fixture
def url(project):
    return reverse("consolidation:items", args=[project.slug])


def keys(response) -> list[str]:
    column = response.context["listing"].columns[1]
    return [
        cell for row in response.context["listing"].shown for at, cell in row.cells if at == column
    ]


def test_list_is_in_publishing_order(office, campaign, url):
    expected = Item.objects.order_by("position").values_list("key", flat=True)
    assert keys(office.get(url)) == list(expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=not-published", {0, 4, 8}),
        ("state=generating", {1, 5, 9}),
        ("state=case-open", {2, 6, 10}),
        ("state=consolidated", {3, 7, 11}),
        ("domain=wikipedia&partition=test&state=consolidated", {3, 7, 11}),
        ("domain=wikinews", {0, 2, 4, 6, 8, 10}),
        ("partition=dev&state=consolidated", set()),
        ("text=number7", {7}),
        ("text=long+debate+number1", {1, 10, 11}),
        ("text=LONG+DEBATE+number1", {1, 10, 11}),
        ("text=wiki:5/", {5}),
        ("text=debate+long", set()),
        ("text=%22%2C+%22", set()),
        ("state=nonsense&partition=moon", set(range(12))),
    ],
)
def test_filters_list_matching_items(office, campaign, url, query, expected):
    assert {int(key[5:-2]) for key in keys(office.get(f"{url}?{query}"))} == expected


def test_search_finds_text_outside_ascii(office, project, url):
    [item] = add_items(project, 1)
    item.sentence.tokens = ["Él", "rechazó", "la", "propuesta", "“así”", "."]
    item.sentence.save()
    assert keys(office.get(url, {"text": "rechazó la prop"})) == [item.key]
    assert keys(office.get(url, {"text": "“así"})) == [item.key]


def test_rows_show_state_and_count(office, campaign, url):
    page = office.get(url).content.decode()
    for label in ("not published", "generating", "case open", "consolidated"):
        assert page.count(f">{label}</span>") == 3
    assert (page.count("1 of 2"), page.count("2 of 2")) == (3, 6)


def test_links_to_other_pages_keep_the_filter(office, project, url):
    add_items(project, 120)
    response = office.get(url, {"state": "not-published", "domain": "wikinews"})
    assert len(keys(response)) == 50
    more = office.get(response.context["listing"].next_url)
    assert len(keys(more)) == 10
    assert not set(keys(response)) & set(keys(more))


def test_empty_list_distinguishes_a_filter_from_an_empty_project(office, project, url):
    assert b"No items yet" in office.get(url).content
    add_items(project, 1)
    assert b"No matches" in office.get(url, {"state": "generating"}).content


def test_list_is_sorted_by_key(office, campaign, url):
    expected = sorted(Item.objects.values_list("key", flat=True))
    assert keys(office.get(url, {"sort": "key"})) == expected
    assert keys(office.get(url, {"sort": "-key"})) == expected[::-1]


def test_csv_file_has_all_matching_items(office, project, url):
    add_items(project, 120)
    response = office.get(url, {"domain": "wikinews", "sort": "key", "format": "csv"})
    lines = response.getvalue().decode().splitlines()
    assert lines[0] == "Item,Key,State,Accepted,Domain,Partition"
    assert len(lines) == 61
    assert all(",not published,0,wikinews," in line for line in lines[1:])


def test_item_page_shows_submissions_gold_cost_and_history(office, campaign, project):
    item = campaign.items[3]
    page = office.get(reverse("consolidation:item", args=[project.slug, item.pk])).content.decode()
    for submission in item.submissions.all():
        assert submission.worker.pseudonym in page
        assert f"work by {submission.worker.pseudonym} on" in page
    assert page.count("Who rejected something?") == 4  # three submissions and the gold
    assert "Consolidated, version 1" in page
    assert "The committee <mark>rejected</mark> the proposal" in page


def test_item_page_shows_steps_and_state_changes_of_submissions(office, campaign, project):
    item = campaign.items[3]
    item.submissions.update(
        moves=2,
        active_seconds=75,
        steps={"mark": {"seconds": 70, "moves": 2}},
        log=[[61, "mark", "the answer “<b>it</b>”"], [62, "mark", "Undone: the answer"]],
    )
    page = office.get(reverse("consolidation:item", args=[project.slug, item.pk])).content.decode()
    assert page.count("2 moves in 1 min 15 s") == item.submissions.count()
    assert "the answer “&lt;b&gt;it&lt;/b&gt;”" in page
    assert 'aria-label="Moves of submission 3"' in page


def test_cost_of_an_item_is_the_sum_of_its_payments(office, campaign, project):
    item = campaign.items[3]
    response = office.get(reverse("consolidation:item", args=[project.slug, item.pk]))
    payments = [
        payment
        for submission in item.submissions.all()
        for payment in submission.assignment.payments.all()
    ]
    assert len(payments) == 6
    assert response.context["cost"].amount_cents == sum(entry.amount_cents for entry in payments)
    assert response.context["cost"].fee_cents == sum(entry.fee_cents for entry in payments)
    # Two reservations and six payments.
    assert len(response.context["entries"]) == 8


def test_unpublished_item_shows_empty_states(office, campaign, project):
    url = reverse("consolidation:item", args=[project.slug, campaign.items[0].pk])
    page = office.get(url).content
    for text in (
        b"No gold yet",
        b"No submissions for this item yet",
        b"No payments yet",
        b"No history y",
    ):
        assert text in page


@pytest.mark.parametrize(
    "content",
    [
        {"refused": "<script>alert(1)</script>"},
        {"questions": [{"question": "Who?", "answers": [[0, 99]]}]},
        {"questions": [{"question": "Who?", "answers": [["0", "1"]]}]},
        {"questions": ["Who?"]},
        {"questions": [{"question": "<b>Who</b>?", "answers": [[0, 2]]}]},
        {"anything": [7]},
    ],
)
def test_content_of_any_shape_is_shown_and_escaped(office, campaign, project, content):
    item = campaign.items[1]
    item.submissions.filter(state="submitted").update(content=content, other_version=content)
    for url in (
        reverse("consolidation:item", args=[project.slug, item.pk]),
        reverse("consolidation:submissions", args=[project.slug]),
    ):
        response = office.get(url)
        assert response.status_code == 200
        assert b"<script>alert" not in response.content
        assert b"<b>Who" not in response.content
