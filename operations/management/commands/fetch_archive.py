from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from operations.domain.stored_archive import fetch_archive
from operations.management.key_file import add_key_file
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Write the stored archive of PostgreSQL to a folder, for deploy/postgres/restore_to."
    example = "manage.py fetch_archive --out archive"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
        add_key_file(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        out = options["out"]
        try:
            count = fetch_archive(out, key_file=options["key_file"])
        except OSError as error:
            raise InputError(f"{error.filename or out}: {error.strerror or error}.") from error
        facts = {"folder": str(out), "files": count}
        self.write_result(facts, f"{count} files were written to {out}.", as_json=options["json"])
