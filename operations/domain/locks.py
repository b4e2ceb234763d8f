"""Database sessions that keep others from reading or writing."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

# Locks of updates and small migrations last shorter than this.
LEAST_SECONDS = 10
# Sessions that lock a table against reads, and sessions that others wait for.
_BLOCKERS = """
    SELECT pid, application_name, extract(epoch FROM now() - xact_start)::int,
           COALESCE((
               SELECT string_agg(DISTINCT relation::regclass::text, ', ')
               FROM pg_locks
               WHERE pg_locks.pid = activity.pid AND mode = 'AccessExclusiveLock' AND granted
                   AND locktype = 'relation'
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
           ), '') AS tables,
           (
               SELECT count(*) FROM pg_stat_activity waiting
               WHERE waiting.wait_event_type = 'Lock' AND waiting.datname = current_database()
                   AND activity.pid = ANY (pg_blocking_pids(waiting.pid))
           ) AS waiting
    FROM pg_stat_activity activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND xact_start < now() - %s * interval '1 second'
    ORDER BY xact_start
"""


@dataclass(frozen=True, slots=True)
class Blocker:
    """A session whose transaction is old and has locked tables or is waited for."""

    pid: int
    program: str
    seconds: int
    tables: str
    waiting: int

    def __str__(self) -> str:
        effects = [f"has locked {self.tables}"] if self.tables else []
        effects += [f"keeps {self.waiting} others waiting"] if self.waiting else []
        program = f" ({self.program})" if self.program else ""
        return f"Database session {self.pid}{program} {' and '.join(effects)} for {self.seconds} seconds."


def blockers() -> Iterator[Blocker]:
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(_BLOCKERS, [LEAST_SECONDS])
        rows = [Blocker(*row) for row in cursor.fetchall()]
    yield from (row for row in rows if row.tables or row.waiting)
