import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError, connections
from django.utils import timezone

from audit.domain.data_version import record_version
from database.limits import exceeded_limit
from database.prepared_tables import copy_tables
from operations.domain.locks import open_transactions

# Seconds in which other processes use the table before the next attempt
PAUSE = 5.0


# Options that change what is done
SPECIAL = ("app_label", "fake", "fake_initial", "plan", "run_syncdb", "check_unapplied", "prune")


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} On PostgreSQL, a table that is in use is waited for in short "
        "attempts, so that the site can read it meanwhile."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self._migrate(args, options)
        if _migrates_everything(options) and options["database"] == DEFAULT_DB_ALIAS:
            record_version(now=timezone.now())

    def _migrate(self, args: Any, options: dict[str, Any]) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            if _migrates_everything(options) and copy_tables(
                Path(connection.settings_dict["NAME"])
            ):
                if options["verbosity"]:
                    self.stdout.write("The tables of a new site were created.")
                return
            super().handle(*args, **options)
            return
        deadline = time.monotonic() + settings.MIGRATION_WAIT_SECONDS
        try:
            while not self._attempt(args, options):
                if time.monotonic() > deadline:
                    raise CommandError(
                        "A table stayed in use, so not all migrations are applied. End the session "
                        "or wait for it, and run migrate again."
                    )
                time.sleep(PAUSE)
        finally:
            with suppress(DatabaseError):
                self._set_lock_timeout(options["database"], 0)

    def _attempt(self, args: Any, options: dict[str, Any]) -> bool:
        """Migrate, and return True, or False if a table is in use. Applied migrations stay applied."""
        self._set_lock_timeout(options["database"], settings.MIGRATION_LOCK_SECONDS)
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            if exceeded_limit(error) != "lock":
                raise
            old = open_transactions(seconds=settings.MIGRATION_LOCK_SECONDS)
            sessions = " ".join(map(str, old))
            self.stderr.write(f"A table is in use. {sessions} Trying again in {PAUSE:g} seconds.")
            return False
        return True

    def _set_lock_timeout(self, database: str, seconds: float) -> None:
        with connections[database].cursor() as cursor:
            cursor.execute(
                "SELECT set_config('lock_timeout', %s, false)", [f"{seconds * 1000:.0f}ms"]
            )


def _migrates_everything(options: dict[str, Any]) -> bool:
    return not any(options[name] for name in SPECIAL)
