"""Database sessions that keep others from reading or writing."""

from dataclasses import dataclass

from django.db import connection

# Locks of updates and small migrations last shorter than this.
MIN_SECONDS = 10
# Sessions with old transactions, the tables that they lock against reads, and how many wait for them.
_SESSIONS = """
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
class Session:
    """Another session with a transaction that is open for some seconds."""

    pid: int
    program: str
    seconds: int
    tables: str
    waiting: int

    def __str__(self) -> str:
        effects = [f"has locked {self.tables}"] if self.tables else []
        effects += [f"keeps {self.waiting} others waiting"] if self.waiting else []
        effect = " and ".join(effects) or "has a transaction open"
        program = f" ({self.program})" if self.program else ""
        return f"Database session {self.pid}{program} {effect} for {self.seconds} seconds."


def blockers() -> list[Session]:
    """Return the sessions that have locked tables, or kept others waiting, for long."""
    sessions = open_transactions(seconds=MIN_SECONDS)
    return [session for session in sessions if session.tables or session.waiting]


def open_transactions(*, seconds: float) -> list[Session]:
    """Return the sessions with a transaction that is at least so old, the oldest first."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(_SESSIONS, [seconds])
        return [Session(*row) for row in cursor.fetchall()]
