from argparse import ArgumentParser
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from operations.domain.restore_drill import Drill, drill
from operations.domain.scheduled_backups import drill_newest, record_success
from operations.enums import BackupKind
from operations.management.key_file import add_key_file
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Restore a backup into a scratch database and compare it row by row, leaving this site alone."
    example = "manage.py restore_drill touchstone-2026-11-21.zip"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            metavar="FILE",
            help="a backup (default: the newest stored one, see BACKUP_URL)",
        )
        parser.add_argument(
            "--database-url",
            default="",
            metavar="URL",
            help="an empty database to restore into (default: a temporary SQLite database)",
        )
        add_key_file(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = self._drill(options)
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}.") from error
        sentence = (
            f"The backup can be restored: {done.rows} rows in {done.tables} tables and {done.files} "
            "files are the same."
        )
        self.write_result(asdict(done), sentence, as_json=options["json"])

    def _drill(self, options: dict[str, Any]) -> Drill:
        now = timezone.now()
        if not options["file"]:
            return drill_newest(now=now)
        done = drill(
            path=options["file"],
            database_url=options["database_url"],
            key_file=options["key_file"],
        )
        with suppress(DatabaseError):  # another machine has no database of the site
            record_success(BackupKind.DRILL, now=now)
        return done
