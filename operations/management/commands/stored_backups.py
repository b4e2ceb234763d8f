from argparse import ArgumentParser
from typing import Any

from operations.domain.backup_store import BACKUPS, SNAPSHOTS, stored_names
from projects.command import Command as BaseCommand


class Command(BaseCommand):
    help = "List the backups and snapshots that are stored at BACKUP_URL, the oldest first."
    example = "manage.py stored_backups"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names = [*stored_names(BACKUPS), *stored_names(SNAPSHOTS)]
        text = "\n".join(names) or "Nothing is stored yet."
        self.write_result({"names": names}, text, as_json=options["json"])
