"""The database and the limits of its statements."""

from typing import Any

from environ import Env

from config.settings.site import env

DATABASES: dict[str, dict[str, Any]] = {"default": Env.db_url_config(env.DATABASE_URL)}
USES_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
DATABASES["default"]["CONN_MAX_AGE"] = 60
# After a restart of the database, requests open new connections instead of failing.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if USES_SQLITE:
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 30,
        # Under contention a deferred transaction fails on its first write, without waiting for the
        # timeout. An immediate transaction waits.
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;"
        ),
    }
else:
    DATABASES["default"].setdefault("OPTIONS", {})["client_encoding"] = "UTF8"
    DATABASES["default"]["OPTIONS"].setdefault("connect_timeout", 5)

# Limits in seconds of a process's statements, by PostgreSQL's names. 0 is no limit. Commands have none.
_idle_limit = {"idle_in_transaction_session_timeout": env.IDLE_TRANSACTION_SECONDS}
DATABASE_LIMITS = {
    "web": {
        "statement_timeout": env.WEB_STATEMENT_SECONDS,
        "lock_timeout": env.WEB_LOCK_SECONDS,
        **_idle_limit,
    },
    "worker": {
        "statement_timeout": env.WORKER_STATEMENT_SECONDS,
        "lock_timeout": env.WORKER_LOCK_SECONDS,
        **_idle_limit,
    },
}
MIGRATION_LOCK_SECONDS = env.MIGRATION_LOCK_SECONDS
MIGRATION_WAIT_SECONDS = env.MIGRATION_WAIT_SECONDS
DATABASE_DISK_GB = env.DATABASE_DISK_GB
