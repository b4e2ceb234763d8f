"""Variables of the database, backups and background work."""

from typing import Self

from pydantic import model_validator

from config.environment.section import Section, variable
from config.environment.values import (
    ArchiveFolder,
    BackupKey,
    BackupUrl,
    DatabaseUrl,
    RedisUrl,
    split_url,
)


class Data(Section):
    DATABASE_URL: DatabaseUrl = variable(
        "`postgres://user:password@host:5432/name` or `sqlite:////path/to/file`. Connections "
        "to PostgreSQL stay open for a minute and are checked before each request",
        default=lambda data: f"sqlite:///{data['VAR_DIR'] / 'touchstone.sqlite3'}",
        shown="SQLite in `VAR_DIR`",
    )
    DATABASE_DISK_GB: float = variable(
        "Room for the database in GiB, if its disk can't be seen from this machine. An alert "
        "is raised at 90 %",
        default=0,
        shown="0, unknown",
        low=0,
        high=1_000_000,
    )
    WEB_STATEMENT_SECONDS: float = variable(
        "How long a statement of a page may take on PostgreSQL. After that, the page answers "
        "503. 0 is no limit",
        default=30,
        low=0,
        high=86400,
    )
    WEB_LOCK_SECONDS: float = variable(
        "How long a page may wait for a lock on PostgreSQL. After that, it answers 503. 0 is "
        "no limit",
        default=5,
        low=0,
        high=86400,
    )
    WORKER_STATEMENT_SECONDS: float = variable(
        "The limit of a worker's statements. The work is repeated", default=900, low=0, high=86400
    )
    WORKER_LOCK_SECONDS: float = variable(
        "How long a worker may wait for a lock. The work is repeated", default=15, low=0, high=86400
    )
    IDLE_TRANSACTION_SECONDS: float = variable(
        "How long a transaction of a page or worker may be idle", default=600, low=0, high=86400
    )
    MIGRATION_LOCK_SECONDS: float = variable(
        "How long one attempt of `migrate` waits for a table that is in use "
        "([updates](../how-to/admin.md#update-without-downtime))",
        default=2,
        low=0,
        high=86400,
    )
    MIGRATION_WAIT_SECONDS: float = variable(
        "How long `migrate` repeats these attempts", default=1800, low=0, high=86400
    )
    REDIS_URL: RedisUrl = variable(
        "Celery broker and cache: `redis://host:6379/0`, `rediss://...` or `unix://...`. "
        "Required with several machines. Pages and the API work without it while it is out of "
        "reach, but nothing is limited or cached",
        default="",
    )
    BACKUP_URL: BackupUrl = variable(
        "Where [backups](../how-to/admin.md#back-up-and-restore) are stored: "
        "`s3://bucket/prefix`, or `file:///mnt/disk`",
        default="",
        shown="`backups` in `VAR_DIR`",
    )
    BACKUP_KEY: BackupKey = variable(
        "32 bytes in base64 that encrypt backups. Required for a bucket", default=""
    )
    BACKUP_HOURS: float = variable(
        "Hours between backups. 0 writes none",
        default=lambda data: 0 if data["DEMO"] else 24,
        shown="`24`; in the demo, `0`",
        low=0,
        high=720,
    )
    BACKUP_KEEP_DAYS: int = variable(
        "Days after which backups and copies of the archive are deleted, 1 to 3650",
        default=14,
        low=1,
        high=3650,
    )
    SNAPSHOT_MINUTES: float = variable(
        "Minutes between snapshots of an SQLite database. 0 takes none",
        default=lambda data: 0 if data["DEMO"] else 5,
        shown="`5`; in the demo, `0`",
        low=0,
        high=1440,
    )
    ARCHIVE_DIR: ArchiveFolder = variable(
        "PostgreSQL's [archive](../how-to/admin.md#archive-postgresql), an absolute path, on "
        "the machine of the worker of the queue `backups`",
        default="",
    )
    SWEEP_SECONDS: float = variable(
        "Interval of the sweeps, 0.2 to 3600", default=10, low=0.2, high=3600
    )
    LEASE_SECONDS: int = variable(
        "Time after which the work of a dead process is taken over, 5 to 3600. Must exceed "
        "the longest call",
        default=60,
        low=5,
        high=3600,
    )

    @model_validator(mode="after")
    def _check_that_backups_are_encrypted(self) -> Self:
        if split_url(self.BACKUP_URL).scheme == "s3" and not self.BACKUP_KEY:
            raise ValueError(
                "BACKUP_KEY is not set. It must encrypt the backups in a bucket: "
                "openssl rand -base64 32."
            )
        return self
