"""Django's PostgreSQL, set up for many small statements: a dead connection is noticed without a
question to the server, statements are kept prepared, and none is compiled to machine code."""

import re
import select
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

PLACEHOLDER = re.compile(r"%(\(\w+\))?s")


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prepared: dict[str, str] = {}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._prepared = {}  # they live as long as the connection
        return super().get_new_connection(conn_params)

    def init_connection_state(self) -> None:
        super().init_connection_state()
        # The server compiles what it takes for costly. It takes the search for a worker's next HIT for
        # that, because it does not know that the first row will do: 10 ms for a search of 0.2 ms.
        # And what is prepared here is what one plan serves.
        with self.connection.cursor() as cursor:
            cursor.execute("SET jit = off; SET plan_cache_mode = force_generic_plan")
        if not self.get_autocommit():
            self.connection.commit()

    def prepared(self, sql: str) -> str:
        """What runs the statement by its plan, with the same values in the same order."""
        if not settings.DATABASE_PREPARES:
            return sql
        if self.connection is None:
            self.ensure_connection()
        call = self._prepared.get(sql)
        if call is None:
            call = self._prepared[sql] = self._prepare(sql, f"written_{len(self._prepared)}")
        return call

    def _prepare(self, sql: str, name: str) -> str:
        """A value that the statement names, `%(name)s`, is passed once, however often it stands there."""
        numbers: dict[str, int] = {}

        def number(found: re.Match[str]) -> str:
            value = found[0] if found[1] else f"{len(numbers)}"
            return f"${numbers.setdefault(value, len(numbers) + 1)}"

        numbered = PLACEHOLDER.sub(number, sql)
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute(f"PREPARE {name} AS {numbered}")
        passed = ", ".join(value if value.startswith("%") else "%s" for value in numbers)
        return f"EXECUTE {name}({passed})" if passed else f"EXECUTE {name}"

    def is_usable(self) -> bool:
        """With CONN_HEALTH_CHECKS Django asks this once a request, by a query. On an idle connection
        nothing arrives, unless the server has closed it (or has news, then it is asked all the same)."""
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or bool(super().is_usable())
