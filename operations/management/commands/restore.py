from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import no_translations
from django.utils import timezone
from tqdm import tqdm

from operations.domain.backup_file import BadBackupError
from operations.domain.restore_backup import Restored, RestoreError, restore_backup
from projects.command import Command as BaseCommand
from projects.command import InputError

OTHER_KEY = (
    "This installation's SECRET_KEY differs from the backup's. Live pages, access keys and links need "
    "the backup's key. Set it before you start the site"
)


class Command(BaseCommand):
    help = "Fill an empty installation from a file that `backup` wrote."
    example = "manage.py restore touchstone-2026-11-21.zip && manage.py recover_hits"
    # Some checks query tables, which an empty database does not have.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        self.add_json(parser)

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with tqdm(unit=" rows", disable=None) as bar:
                restored = restore_backup(
                    path=options["file"], now=timezone.now(), progress=bar.update
                )
        except (BadBackupError, RestoreError) as error:
            raise InputError(error) from error
        except OSError as error:
            raise InputError(f"{error.filename or options['file']}: {error.strerror}.") from error
        if not restored.same_secret_key:
            self.stderr.write(
                OTHER_KEY + (_where(options["file"]) if restored.has_secret_key else ".")
            )
        self.write_result(_facts(restored), _sentence(restored), as_json=options["json"])


def _where(path: Path) -> str:
    return f" (it is in the backup: unzip -p {path.name} secret_key)."


def _facts(restored: Restored) -> dict[str, Any]:
    return {
        "made_at": restored.manifest.made_at,
        "version": restored.manifest.version,
        "rows": restored.manifest.rows,
        "files": restored.manifest.files,
        "same_secret_key": restored.same_secret_key,
        "publishing_held": True,
    }


def _sentence(restored: Restored) -> str:
    return (
        f"{restored.manifest.rows} rows and {restored.manifest.files} files are restored, as of "
        f"{restored.manifest.made_at}. Publishing is on hold. Start the site, then run manage.py "
        "recover_hits."
    )
