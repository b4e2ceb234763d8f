"""The operator's lists: sorting, page numbers and CSV files, with the look of the other lists."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Expression, F, OrderBy, QuerySet
from django.http import FileResponse, HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from marketplace.domain.spreadsheets import no_formula
from marketplace.templatetags.marketplace_tags import amount, page_numbers

PER_PAGE = 50
CHUNK = 2000
CONTROLS = ("page", "sort", "format")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list.

    `value` returns a row's plain value, and `cell` returns what the page shows instead. `order` is a
    field or an expression to sort by.
    """

    heading: str
    value: Callable[[Any], object]
    cell: Callable[[Any], object] | None = None
    order: str | Expression = ""
    is_number: bool = False

    @property
    def key(self) -> str:
        return slugify(self.heading)


def money_column(
    heading: str, cents: Callable[[Any], int], *, order: str | Expression = ""
) -> Column:
    """Return a column of amounts in dollars."""
    return Column(
        heading,
        lambda row: amount(cents(row)).replace(",", ""),
        lambda row: amount(cents(row)),
        order,
        is_number=True,
    )


def time_column(heading: str, at: Callable[[Any], datetime | None], *, order: str = "") -> Column:
    """Return a column of times in UTC, which the CSV file has to the second."""

    def plain(row: Any) -> str:
        moment = at(row)
        return moment.isoformat(timespec="seconds") if moment else ""

    return Column(heading, plain, lambda row: exact_time(at(row)), order)


def exact_time(at: datetime | None) -> str | SafeString:
    if at is None:
        return ""
    shown = f"{at:%Y-%m-%d %H:%M}"
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), shown)


def code(text: str) -> SafeString:
    """Render an identifier."""
    return format_html("<code>{}</code>", text)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading, with the URL that sorts by it and the value of `aria-sort`."""

    column: Column
    url: str = ""
    direction: str = ""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to a page, or a gap if `number` is 0."""

    number: int
    url: str = ""


@dataclass(kw_only=True)
class Table:
    """A list of the database's rows, as a request selects it.

    `noun` is the singular and plural of a row. `order` sorts the list until a heading is selected.
    `empty` is the text of a list without rows. `path` is the list's own address, for pages that show
    it at another, such as after an invalid form.
    """

    request: HttpRequest
    rows: QuerySet[Any, Any]
    columns: Sequence[Column]
    noun: tuple[str, str]
    order: Sequence[str | OrderBy]
    empty: str
    is_filtered: bool = False
    path: str = ""

    def __post_init__(self) -> None:
        self.path = self.path or self.request.path

    @property
    def name(self) -> str:
        return self.noun[1]

    @property
    def sort(self) -> str:
        """The selected sort, such as "-approved", or an empty string."""
        return self._sort[0]

    @cached_property
    def _sort(self) -> tuple[str, Column | None]:
        wanted = self.request.GET.get("sort", "")
        for column in self.columns:
            if column.order and wanted.removeprefix("-") == column.key:
                return wanted, column
        return "", None

    @cached_property
    def ordered(self) -> QuerySet[Any, Any]:
        """All rows in the selected order."""
        sort, column = self._sort
        if column is None:
            return self.rows.order_by(*self.order)
        by = F(column.order) if isinstance(column.order, str) else column.order
        selected = OrderBy(by, descending=sort.startswith("-"), nulls_last=True)
        return self.rows.order_by(selected, *self.order)

    @cached_property
    def _page(self) -> Page[Any]:
        return Paginator(self.ordered, PER_PAGE).get_page(self.request.GET.get("page"))

    @property
    def page(self) -> int:
        return self._page.number

    @property
    def pages(self) -> int:
        return self._page.paginator.num_pages

    @property
    def first(self) -> int:
        return self._page.start_index()

    @property
    def last(self) -> int:
        return self._page.end_index()

    @property
    def total(self) -> int:
        return self._page.paginator.count

    @property
    def total_text(self) -> str:
        return f"{self.total:,} {self.noun[self.total != 1]}"

    @property
    def filters(self) -> list[tuple[str, str]]:
        """The names and values of the filters in the URL."""
        pairs = [(name, str(value)) for name, value in self.request.GET.items()]
        return [(name, value) for name, value in pairs if name not in CONTROLS and value]

    def url(self, **controls: object) -> str:
        """Return the URL of the list with its filters and sort, and other `controls`."""
        chosen = {"sort": self.sort, **controls}
        query = [*self.filters, *((name, value) for name, value in chosen.items() if value)]
        return f"{self.path}?{urlencode(query)}" if query else self.path

    @property
    def csv_url(self) -> str:
        return self.url(format="csv")

    @property
    def wants_csv(self) -> bool:
        return self.request.GET.get("format") == "csv"

    @property
    def is_sortable(self) -> bool:
        return any(column.order for column in self.columns)

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
    def links(self) -> list[PageLink]:
        numbers = page_numbers(self._page)
        return [PageLink(number, self.url(page=number)) for number in numbers]

    @property
    def previous_url(self) -> str:
        return self.url(page=self.page - 1) if self._page.has_previous() else ""

    @property
    def next_url(self) -> str:
        return self.url(page=self.page + 1) if self._page.has_next() else ""

    @property
    def shown(self) -> list[list[tuple[Column, object]]]:
        """The cells of the page's rows, each with its column."""
        return [[(c, (c.cell or c.value)(row)) for c in self.columns] for row in self._page]

    def csv(self, name: str) -> FileResponse:
        """Respond with all rows, not only those of the page.

        The file is written before the response starts, so that errors leave no partial file.
        """
        file = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(column.heading for column in self.columns)
        writer.writerows(self._csv_rows())
        text.detach()
        file.seek(0)
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"{name}-{timezone.now():%Y-%m-%d}.csv",
            content_type="text/csv; charset=utf-8",
        )

    def _csv_rows(self) -> Iterator[list[object]]:
        for row in self.ordered.iterator(chunk_size=CHUNK):
            yield [no_formula(column.value(row)) for column in self.columns]
