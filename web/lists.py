"""Lists of rows: columns, sorting, page numbers and CSV downloads, the same on every page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import ceil
from typing import Any, cast
from urllib.parse import urlencode

from django.db.models import Expression, F, OrderBy, QuerySet
from django.http import FileResponse, HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from web.downloads import csv_download
from web.money import dollars
from web.templatetags.web import when

SIZE = 50
CHUNK = 2000
# Pages shown on each side of the current page.
NEIGHBOURS = 2
CONTROLS = ("page", "sort", "format")

Order = str | F | Expression | Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list.

    `value` returns a row's plain value, and `cell` returns what the page shows instead. `order` is a
    field or expression to sort by, or a function that returns the sort key of a row's id. An
    expression sorts rows without a value last, and ties in the order of the list. `about` defines the
    heading.
    """

    heading: str
    value: Callable[[Any], object]
    cell: Callable[[Any], object] | None = None
    order: Order = ""
    about: str = ""
    is_number: bool = False

    @property
    def key(self) -> str:
        return slugify(self.heading)


def number_column(
    heading: str,
    value: Callable[[Any], float | None],
    *,
    order: Order = "",
    about: str = "",
) -> Column:
    """Return a column of counts."""
    return Column(heading, value, lambda row: _count(value(row)), order, about, is_number=True)


def money_column(
    heading: str,
    cents: Callable[[Any], float | None],
    *,
    order: Order = "",
    about: str = "",
    none: str = "–",
) -> Column:
    """Return a column of amounts. The CSV file has dollars without a currency sign."""

    def plain(row: Any) -> str:
        amount = cents(row)
        return "" if amount is None else f"{amount / 100:.2f}"

    return Column(
        heading, plain, lambda row: dollars(cents(row)) or none, order, about, is_number=True
    )


def time_column(
    heading: str,
    at: Callable[[Any], datetime | None],
    *,
    order: Order = "",
    about: str = "",
) -> Column:
    """Return a column of relative times, with the exact time on hover and in the CSV file."""

    def plain(row: Any) -> str:
        moment = at(row)
        return moment.isoformat() if moment else ""

    return Column(heading, plain, lambda row: when(at(row)) or "–", order, about)


def link(url: str, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', url, text)


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading, with the URL that sorts by it and the value of `aria-sort`."""

    column: Column
    url: str = ""
    direction: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The id that bulk actions send for a row, and the row's cells, each with its column."""

    bulk_id: int | str
    name: object
    cells: list[tuple[Column, object]]


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to a page, or a gap if `number` is 0."""

    number: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class Empty:
    """The text of a list without rows, with a title and a link to the page that adds rows.

    Without a title, the text is a plain paragraph.
    """

    title: str
    text: str
    url: str = ""
    action: str = ""


@dataclass(kw_only=True)
class Listing:
    """A list of rows, as a request selects it.

    `rows` are a query, or a sequence, whose rows have their positions as ids. `count` formats a number
    of rows, such as "1,264 items". `order` sorts the list until a heading is selected: fields, or a
    function of a row's id. `load` adds what the cells need to the rows of a page, with a fixed number
    of queries. Cached figures are those of `counted_at`. `size` rows make a page. The list loads itself
    every `refresh` seconds. `bulk` is a template of actions on selected rows. Their ids, or what
    `bulk_id` returns for them, are sent as `bulk_name` to the form with the id "bulk". With
    `selects_all`, an action without selected rows applies to all rows that match the filter.
    `download` is the URL of a file with more columns, which replaces the CSV file.
    `known_total` replaces a slow count. With `reads_once`, all ids are read in a single query,
    which suits slow filters with few matches. `unfiltered` is then `rows` without the slow filter,
    from which the rows of a page are read by their ids. `path` is the list's own address, for pages
    that show it at another, such as after an invalid form. `ids` are the ids of all rows in their
    order, if a faster query than `rows` finds them. Functions sort such a list, and so does the
    page that finds the ids. With `is_swapped`, headings replace the rows on the page, which needs
    htmx.
    """

    request: HttpRequest
    name: str
    rows: QuerySet[Any] | Sequence[Any]
    columns: Sequence[Column]
    count: Callable[[int], str]
    empty: Empty
    order: Sequence[str | OrderBy] | Callable[[int], Any] = ("-pk",)
    load: Callable[[list[Any]], Iterable[Any]] = iter
    size: int = SIZE
    is_filtered: bool = False
    note: str = ""
    counted_at: datetime | None = None
    refresh: int = 0
    bulk: str = ""
    bulk_name: str = "row"
    selects_all: bool = False
    download: str = ""
    known_total: int | None = None
    reads_once: bool = False
    unfiltered: QuerySet[Any] | None = None
    bulk_id: Callable[[Any], int | str] | None = None
    path: str = ""
    ids: Sequence[int] | None = None
    is_swapped: bool = True

    def __post_init__(self) -> None:
        self.path = self.path or self.request.path
        if not isinstance(self.rows, QuerySet):
            self.ids = range(len(self.rows))

    @property
    def sort(self) -> str:
        """The selected sort, such as "-spent", or an empty string."""
        return self._sort[0]

    @cached_property
    def _sort(self) -> tuple[str, Column | None]:
        wanted = self.request.GET.get("sort", "")
        for column in self.columns:
            if column.order and wanted.removeprefix("-") == column.key:
                return wanted, column
        return "", None

    @cached_property
    def total(self) -> int:
        if self.known_total is not None:
            return self.known_total
        if self.reads_once or self.ids is not None:
            return len(self._all_ids)
        return self._query.order_by().count()

    @property
    def total_text(self) -> str:
        return self.count(self.total)

    @cached_property
    def pages(self) -> int:
        return max(1, ceil(self.total / self.size))

    @cached_property
    def page(self) -> int:
        """The number of the page, from 1. Numbers out of range mean the nearest page."""
        raw = self.request.GET.get("page", "")
        number = int(raw) if raw.isascii() and raw.isdecimal() and len(raw) < 10 else 1
        return min(max(number, 1), self.pages)

    @property
    def first(self) -> int:
        return (self.page - 1) * self.size + 1

    @property
    def last(self) -> int:
        return min(self.page * self.size, self.total)

    @property
    def filters(self) -> list[tuple[str, str]]:
        """The names and values of the filters in the URL."""
        pairs = [(name, value) for name in self.request.GET for value in self._values(name)]
        return [(name, value) for name, value in pairs if name not in CONTROLS and value]

    def _values(self, name: str) -> list[str]:
        return [str(value) for value in self.request.GET.getlist(name)]

    def url(self, **controls: object) -> str:
        """Return the URL of the list with its filters and sort, and other `controls`."""
        chosen = {"sort": self.sort, **controls}
        query = [*self.filters, *((name, value) for name, value in chosen.items() if value)]
        return f"{self.path}?{urlencode(query)}" if query else self.path

    @property
    def wants_csv(self) -> bool:
        return self.request.GET.get("format") == "csv"

    @property
    def csv_url(self) -> str:
        if self.download:
            return f"{self.download}?{self.query}" if self.query else self.download
        return self.url(format="csv")

    @property
    def query(self) -> str:
        """The filters and the sort, as the list's URL has them."""
        return self.url().partition("?")[2]

    @property
    def headings(self) -> list[Heading]:
        return [self._heading(column) for column in self.columns]

    def _heading(self, column: Column) -> Heading:
        if not column.order:
            return Heading(column)
        if self.sort == column.key:
            return Heading(column, self.url(sort=f"-{column.key}"), "ascending")
        direction = "descending" if self.sort == f"-{column.key}" else "none"
        return Heading(column, self.url(sort=column.key), direction)

    @property
    def is_sortable(self) -> bool:
        return any(column.order for column in self.columns)

    @property
    def definitions(self) -> list[Column]:
        """The columns whose headings need a definition."""
        return [column for column in self.columns if column.about]

    @property
    def links(self) -> list[PageLink]:
        """The pages to link to: the first, the last, and those around the current page."""
        near = range(self.page - NEIGHBOURS, self.page + NEIGHBOURS + 1)
        shown = sorted({1, self.pages, *(page for page in near if 1 <= page <= self.pages)})
        links: list[PageLink] = []
        for number in shown:
            if links and number > links[-1].number + 1:
                links.append(PageLink(0))
            links.append(PageLink(number, self.url(page=number)))
        return links

    @property
    def previous_url(self) -> str:
        return self.url(page=self.page - 1) if self.page > 1 else ""

    @property
    def next_url(self) -> str:
        return self.url(page=self.page + 1) if self.page < self.pages else ""

    @property
    def page_rows(self) -> list[Any]:
        """The rows of the page, for pages that are no table."""
        return [row for _, row in self._loaded(self._page_ids())]

    @cached_property
    def shown(self) -> list[Row]:
        """The rows of the page."""
        return [
            Row(
                self.bulk_id(row) if self.bulk_id else pk,
                self.columns[0].value(row),
                [(c, (c.cell or c.value)(row)) for c in self.columns],
            )
            for pk, row in self._loaded(self._page_ids())
        ]

    def csv(self, filename: str) -> FileResponse:
        """Respond with all rows, not only those of the page."""
        headings = [column.heading for column in self.columns]
        rows = ([column.value(row) for column in self.columns] for row in self.all_rows())
        return csv_download(filename, headings, rows, for_spreadsheets=True)

    def all_rows(self) -> Iterator[Any]:
        """Return the rows of all pages in the selected order."""
        ids = self._all_ids
        for start in range(0, len(ids), CHUNK):
            yield from (row for _, row in self._loaded(ids[start : start + CHUNK]))

    def _loaded(self, ids: Sequence[int]) -> Iterator[tuple[int, Any]]:
        if not isinstance(self.rows, QuerySet):
            return zip(ids, self.load([self.rows[position] for position in ids]), strict=True)
        # Only these rows get the query's annotations. An offset would compute those of skipped rows.
        rows = self.rows if self.unfiltered is None else self.unfiltered
        by_id = {row.pk: row for row in rows.filter(pk__in=ids)}
        found = [pk for pk in ids if pk in by_id]
        return zip(found, self.load([by_id[pk] for pk in found]), strict=True)

    def _page_ids(self) -> Sequence[int]:
        start = self.first - 1
        stop = start + self.size
        if callable(self._order) or self.reads_once or self.ids is not None:
            return self._all_ids[start:stop]
        if 2 * start <= self.total:
            return list(self._ordered(self._order)[start:stop])
        # From the end, because a database reads all skipped rows.
        backwards = self._ordered(self._order).reverse()
        from_end = list(backwards[self.total - self.last : self.total - start])
        return from_end[::-1]

    @cached_property
    def _all_ids(self) -> Sequence[int]:
        if callable(self._order):
            return self._ranked(self._order)
        if self.ids is not None:
            return self.ids
        return list(self._ordered(self._order))

    @property
    def _order(self) -> Sequence[str | OrderBy] | Callable[[int], Any]:
        sort, column = self._sort
        if column is None:
            return self.order if callable(self.order) else [*self.order, self._last_key]
        if callable(column.order):
            return column.order
        sign = "-" if sort.startswith("-") else ""
        if isinstance(column.order, str):
            return [f"{sign}{column.order}", f"{sign}pk"]
        selected = OrderBy(column.order, descending=bool(sign), nulls_last=True)
        return [selected] if callable(self.order) else [selected, *self.order, self._last_key]

    @property
    def _last_key(self) -> str:
        first = cast("Sequence[str | OrderBy]", self.order)[0]
        is_descending = first.startswith("-") if isinstance(first, str) else first.descending
        return "-pk" if is_descending else "pk"

    @property
    def _query(self) -> QuerySet[Any]:
        return cast("QuerySet[Any]", self.rows)

    def _ordered(self, order: Sequence[str | OrderBy]) -> QuerySet[Any, int]:
        return self._query.order_by(*dict.fromkeys(order)).values_list("pk", flat=True)

    def _ranked(self, rank: Callable[[int], Any]) -> list[int]:
        """Return all ids in the order of `rank`. Rows without a value come last."""
        ids = (
            self._query.order_by("pk").values_list("pk", flat=True)
            if self.ids is None
            else self.ids
        )
        ranks = [(pk, rank(pk)) for pk in ids]
        known = [(value, pk) for pk, value in ranks if value is not None]
        known.sort(reverse=self.sort.startswith("-"))
        return [pk for _, pk in known] + [pk for pk, value in ranks if value is None]
