import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Item
from tests.dashboard.campaign import add_items, make_project
from web.paging import page_of

ASCENDING, DESCENDING = ("position", "pk"), ("-pk",)


@pytest.fixture
def items(db):
    add_items(make_project(), 23)
    Item.objects.filter(pk__in=Item.objects.values("pk")[5:14]).update(position=5000)
    return Item.objects.all()


@pytest.mark.parametrize("by", [ASCENDING, DESCENDING])
@pytest.mark.parametrize("size", [1, 4, 22, 23, 24])
def test_pages_forwards_and_back_show_every_row_once(items, by, size):
    expected = list(items.order_by(*by))
    forwards, cursor, pages = [], "", 0
    while True:
        page = page_of(items, cursor=cursor, by=by, size=size)
        forwards += page.rows
        pages += 1
        if not page.following:
            break
        cursor = page.following
    assert forwards == expected
    assert pages == -(-23 // size)
    backwards = page.rows
    while page.previous:
        page = page_of(items, cursor=page.previous, by=by, size=size)
        backwards = page.rows + backwards
    assert backwards == expected


def test_first_page_has_no_previous_and_last_no_next(items):
    first = page_of(items, cursor="", by=DESCENDING, size=20)
    assert (first.previous, bool(first.following)) == ("", True)
    last = page_of(items, cursor=first.following, by=DESCENDING, size=20)
    assert (bool(last.previous), last.following) == (True, "")


@given(cursor=st.text() | st.from_regex(r"(after|before)~-?\d{1,25}(~-?\d{1,25})?", fullmatch=True))
def test_invalid_cursor_is_ignored(cursor):
    from web.paging import _Order, _read

    backwards, values = _read(cursor, 2)
    assert not values or len(values) == 2
    assert isinstance(backwards, bool)
    if values:
        _Order(("position", "pk"), "gt").beyond(values)


def test_cursor_past_the_end_is_an_empty_page(items):
    page = page_of(items, cursor=f"after~{2**62}~1", by=ASCENDING)
    assert (page.rows, page.previous, page.following) == ([], "", "")


def test_cursor_too_large_for_the_database_shows_the_first_page(items):
    page = page_of(items, cursor=f"after~{2**70}~1", by=ASCENDING, size=5)
    assert page.rows == list(items.order_by(*ASCENDING)[:5])


@pytest.mark.parametrize("share", [1, 3, 50])
def test_rows_that_are_left_out_leave_no_gap(items, share, monkeypatch):
    monkeypatch.setattr("web.paging.MOST_READ", 7)

    def keep(rows):
        return [one for one in rows if one.pk % share == 0]

    expected = keep(list(items.order_by(*DESCENDING)))
    forwards, cursor, more = [], "", True
    while more:
        page = page_of(items, cursor=cursor, by=DESCENDING, size=2, keep=keep)
        forwards += page.rows
        last, cursor = page, page.following
        more = bool(cursor)
    assert forwards == expected
    backwards = list(last.rows)
    while last.previous:
        last = page_of(items, cursor=last.previous, by=DESCENDING, size=2, keep=keep)
        backwards = last.rows + backwards
    assert backwards == expected
