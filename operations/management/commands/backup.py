from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from tqdm import tqdm

from operations.domain.scheduled_backups import record_success, store_backup
from operations.domain.write_backup import BackupError, write_backup
from operations.enums import BackupKind
from operations.management.key_file import key_of
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Write the whole installation into one file: the database and the uploaded files."
    example = "manage.py backup --out touchstone-2026-11-21.zip --with-exports"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--out",
            type=Path,
            metavar="FILE",
            help="the new file (default: store it like a scheduled backup, see BACKUP_URL)",
        )
        parser.add_argument("--with-exports", action="store_true", help="include exports")
        parser.add_argument(
            "--with-secrets",
            action="store_true",
            help="include SECRET_KEY and two-factor secrets; store such a file securely",
        )
        parser.add_argument(
            "--key-file",
            type=Path,
            metavar="FILE",
            help="encrypt the backup with the key in this file (openssl rand -base64 32)",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        secrets = options["with_secrets"]
        path = options["out"]
        now = timezone.now()
        if not path:
            self._store(options, now)
            return
        try:
            with tqdm(unit=" rows", disable=None) as bar:
                manifest = write_backup(
                    path=path,
                    exports=options["with_exports"],
                    secrets=secrets,
                    key=key_of(options["key_file"]),
                    now=now,
                    progress=bar.update,
                )
        except BackupError as error:
            raise InputError(f"{error}.") from error
        except OSError as error:
            raise InputError(f"{error.filename or path}: {error.strerror or error}.") from error
        record_success(BackupKind.BACKUP, now=now)
        facts = {
            "file": str(path),
            "bytes": path.stat().st_size,
            "rows": manifest.rows,
            "files": manifest.files,
            "with_secrets": secrets,
            "encrypted": options["key_file"] is not None,
        }
        sentence = f"{facts['rows']} rows and {facts['files']} files were written to {path}."
        self.write_result(facts, sentence, as_json=options["json"])

    def _store(self, options: dict[str, Any], now: datetime) -> None:
        """Store a backup as the schedule does."""
        if options["key_file"] or options["with_exports"] or options["with_secrets"]:
            raise InputError("Give --out with the other options. A stored backup has none of them.")
        try:
            name = store_backup(now=now)
        except BackupError as error:
            raise InputError(f"{error}.") from error
        facts = {"stored": name, "encrypted": settings.BACKUP_KEY is not None}
        self.write_result(facts, f"The backup is stored as {name}.", as_json=options["json"])
