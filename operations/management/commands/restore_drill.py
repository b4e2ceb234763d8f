from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from operations.domain.restore_drill import drill
from operations.management.key_file import add_key_file
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Restore a backup into a scratch database and compare it row by row, leaving this site alone."
    example = "manage.py restore_drill touchstone-2026-11-21.zip"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
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
            done = drill(
                path=options["file"],
                database_url=options["database_url"],
                key_file=options["key_file"],
            )
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}.") from error
        sentence = (
            f"The backup can be restored: {done.rows} rows in {done.tables} tables and {done.files} "
            "files are the same."
        )
        self.write_result(asdict(done), sentence, as_json=options["json"])
