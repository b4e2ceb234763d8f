"""Limits of the time that statements and transactions may take on PostgreSQL, by kind of process."""

from typing import Literal

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from prometheus_client import Counter

# SQLSTATE by kind of limit
LOCK, STATEMENT = "55P03", "57014"
TIMEOUTS = Counter(
    "touchstone_database_timeouts", "Statements ended by a limit of the web processes", ["limit"]
)
# Prometheus sees the first increase only of a series that was there before.
for _limit in ("lock", "statement"):
    TIMEOUTS.labels(_limit)


def limit_database(role: Literal["web", "worker"]) -> None:
    """Limit this process's connections. Must be called before the first one is opened."""
    configuration = connections.settings[DEFAULT_DB_ALIAS]
    if not configuration["ENGINE"].endswith("postgresql"):
        return
    limits = settings.DATABASE_LIMITS[role]
    values = " ".join(f"-c {name}={round(seconds * 1000)}" for name, seconds in limits.items())
    options = configuration.setdefault("OPTIONS", {})
    options["options"] = f"{options.get('options', '')} {values}".strip()
    options["application_name"] = f"touchstone {role}"


def exceeded_limit(error: BaseException | None) -> str | None:
    """Return "lock" or "statement" if a limit ended the statement, or None."""
    if not isinstance(error, DatabaseError):
        return None
    code = getattr(error.__cause__, "pgcode", None)
    return {LOCK: "lock", STATEMENT: "statement"}.get(str(code))
