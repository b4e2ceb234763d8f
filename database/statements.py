"""SQL that every annotation runs, written out.

Building such a query with the ORM takes longer than running it, and so does reading its rows by
`Manager.raw`. PostgreSQL is asked to keep the statement prepared, which saves it the planning.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

M = TypeVar("M", bound=models.Model)
Row = tuple[Any, ...]
Convert = Callable[[Any], Any]
Values = Sequence[object] | Mapping[str, object]

# A plan is kept from when its tables may have been empty, and a table that is empty, or has a page or
# two, is read from its beginning to its end: the plan would still do so with ten thousand rows in it.
_FOR_KEPT_PLANS = ("enable_seqscan = off",)


class Statement:
    """One statement, its values as `%s`, or as `%(name)s`.

    `lock` is added where the database can lock rows; `planned` names settings of PostgreSQL's planner
    ("enable_sort = off") for this statement, and for what follows it in its transaction. `prepared`
    only where one plan serves all values, finds its rows by indexes (a table is not walked through),
    and has every column named: a prepared `SELECT *` fails once the table has another column.
    """

    def __init__(
        self, sql: str, *, lock: str = "", planned: Sequence[str] = (), prepared: bool = True
    ) -> None:
        self._sql, self._lock, self._prepared = sql, lock, prepared
        settings = [*(_FOR_KEPT_PLANS if prepared else ()), *planned]
        self._planned = "".join(f"SET LOCAL {setting}; " for setting in settings)

    def run(self, values: Values) -> int:
        """The number of rows that it touched."""
        return int(self._asked(values, lambda cursor: cursor.rowcount))

    def one(self, values: Values) -> Row | None:
        row: Row | None = self._asked(values, lambda cursor: cursor.fetchone())
        return row

    def all(self, values: Values) -> list[Row]:
        return list(self._asked(values, lambda cursor: cursor.fetchall()))

    def _asked(self, values: Values, answer: Callable[[Any], Any]) -> Any:
        """What `answer` reads of the cursor that has run the statement.

        Django's cursor leads each question past whoever may be listening, which takes longer than to
        put it; where nobody is, the driver's own is asked.
        """
        database = _database()
        sql, adapted = self._text(database), _adapted(database, values)
        if database.queries_logged or database.execute_wrappers:
            with database.cursor() as watched:
                watched.execute(sql, adapted)
                return answer(watched)
        database.close_if_health_check_failed()
        if database.connection is None:
            database.ensure_connection()
        database.validate_no_broken_transaction()
        with database.wrap_database_errors, closing(database.create_cursor()) as cursor:
            cursor.execute(sql, adapted)
            return answer(cursor)

    def _text(self, database: BaseDatabaseWrapper) -> str:
        sql = self._sql
        if self._lock and database.features.has_select_for_update:
            sql = f"{sql} {self._lock}"
        prepare = getattr(database, "prepared", None)
        if prepare is None:
            return sql
        # Sent as one, the settings and the statement are one transaction.
        return f"{self._planned}{prepare(sql) if self._prepared else sql}"


def _adapted(database: BaseDatabaseWrapper, values: Values) -> Any:
    """The values as the driver takes them."""
    adapt = database.ops.adapt_datetimefield_value
    if isinstance(values, Mapping):
        return {
            name: adapt(value) if isinstance(value, datetime) else value
            for name, value in values.items()
        }
    return [adapt(value) if isinstance(value, datetime) else value for value in values]


def _database() -> BaseDatabaseWrapper:
    """This thread's connection. `django.db.connection` would look it up anew for each attribute."""
    return connections[DEFAULT_DB_ALIAS]


def _kind() -> str:
    """Which database this is. To ask the connection itself would look it up first."""
    return str(connections.settings[DEFAULT_DB_ALIAS]["ENGINE"])


class Columns(Generic[M]):
    """A model's columns among those of a statement about several tables: `sql` names them, for the
    table called `table`; `read` makes the instance of them. With `names` (attributes of the model) only
    these and the primary key; the others are deferred.
    """

    def __init__(self, model: type[M], table: str, names: Sequence[str] = ()) -> None:
        self._model = model
        self._fields = [
            field
            for field in model._meta.concrete_fields
            if not names or field.primary_key or field.attname in names
        ]
        self._names = [field.attname for field in self._fields]
        self._key = next(at for at, field in enumerate(self._fields) if field.primary_key)
        self._converters: dict[str, list[Sequence[Convert]]] = {}
        self.sql = ", ".join(f"{table}.{field.column}" for field in self._fields)
        self.width = len(self._fields)

    def read(self, row: Row, start: int = 0) -> M | None:
        """The instance whose columns begin at `start`; None where an outer join found no row."""
        if row[start + self._key] is None:
            return None
        converters = self._converters.get(_kind())
        if converters is None:
            converters = [_converters(field) for field in self._fields]
            self._converters[_kind()] = converters
        values = _converted(zip(row[start : start + self.width], converters, strict=True))
        return self._model.from_db(DEFAULT_DB_ALIAS, self._names, values)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the columns of a statement become an instance."""

    names: Sequence[str]  # the model's fields among the columns, in the order of the model's own
    fields: Sequence[tuple[int, Sequence[Convert]]]
    others: Sequence[tuple[int, str]]  # what the statement adds


class Select(Statement, Generic[M]):
    """A statement whose row is an instance of the model: its fields by their columns' names, what is
    not selected deferred, every other column an attribute, as it came. `{d}` stands for all columns of
    the model in the table called `d`."""

    def __init__(
        self,
        model: type[M],
        sql: str,
        *,
        lock: str = "",
        planned: Sequence[str] = (),
        prepared: bool = True,
    ) -> None:
        whole = re.sub(r"\{(\w+)\}", lambda named: _columns(model, named[1]), sql)
        super().__init__(whole, lock=lock, planned=planned, prepared=prepared)
        self._model = model
        self._reading: dict[str, _Reading] = {}

    def first(self, values: Values) -> M | None:
        kind = _kind()

        def read(cursor: Any) -> Row | None:
            if kind not in self._reading:
                self._reading[kind] = self._read([column[0] for column in cursor.description])
            row: Row | None = cursor.fetchone()
            return row

        row = self._asked(values, read)
        if row is None:
            return None
        reading = self._reading[kind]
        found = _converted((row[at], converters) for at, converters in reading.fields)
        instance = self._model.from_db(DEFAULT_DB_ALIAS, reading.names, found)
        for at, name in reading.others:
            setattr(instance, name, row[at])
        return instance

    def _read(self, columns: Sequence[str]) -> _Reading:
        at = {name: number for number, name in enumerate(columns)}
        own = [field for field in self._model._meta.concrete_fields if field.column in at]
        known = {field.column for field in own}
        return _Reading(
            names=[field.attname for field in own],
            fields=[(at[str(field.column)], _converters(field)) for field in own],
            others=[(number, name) for name, number in at.items() if name not in known],
        )


def _columns(model: type[models.Model], table: str) -> str:
    return ", ".join(f"{table}.{field.column}" for field in model._meta.concrete_fields)


def _converted(columns: Iterable[tuple[Any, Sequence[Convert]]]) -> list[Any]:
    found = []
    for column, converters in columns:
        value = column
        for convert in converters:
            value = convert(value)
        found.append(value)
    return found


def _converters(field: "models.Field[Any, Any]") -> list[Convert]:
    """From what the database returns to what the field holds, as the ORM does it."""
    column = field.get_col(field.model._meta.db_table)
    found = [*connection.ops.get_db_converters(column), *field.get_db_converters(connection)]

    def bound(converter: Callable[..., Any]) -> Convert:
        return lambda value: converter(value, column, connection)

    return [bound(one) for one in found]
