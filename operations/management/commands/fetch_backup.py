from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from operations.domain.backup_store import fetch
from operations.management.key_file import add_key_file
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = (
        "Write a stored backup to a file, as it is, or a stored snapshot as the SQLite database that it "
        "holds. `stored_backups` lists the names."
    )
    example = (
        "manage.py fetch_backup backups/touchstone-20261121T020000Z.zip.enc --out backup.zip.enc"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        add_key_file(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        out = options["out"]
        try:
            fetch(options["name"], out, key_file=options["key_file"])
        except OSError as error:
            raise InputError(f"{error.filename or out}: {error.strerror or error}.") from error
        facts = {"file": str(out), "bytes": out.stat().st_size}
        self.write_result(
            facts, f"{options['name']} was written to {out}.", as_json=options["json"]
        )
