from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import no_translations
from django.utils import timezone
from tqdm import tqdm

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from operation.domain.backup_file import BadBackup
from operation.domain.restore_backup import CanNotRestore, Restored, restore_backup

OTHER_KEY = (
    "This installation has another SECRET_KEY than the backup's: live pages, access keys and links "
    "were made under that one; set it before the site is started"
)


class Command(BaseCommand):
    help = "Fill an empty installation from a file that `backup` wrote."
    example = "manage.py restore touchstone-2026-11-21.zip && manage.py recover_hits"
    # An empty database fails the checks that look at tables.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        self.add_json(parser)

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with tqdm(unit=" rows", disable=None) as bar:
                done = restore_backup(
                    path=options["file"],
                    now=timezone.now(),
                    migrate=lambda: call_command("migrate", interactive=False, verbosity=0),
                    progress=bar.update,
                )
        except (BadBackup, CanNotRestore) as error:
            raise Refused(error) from error
        except OSError as error:
            raise Refused(f"{error.filename or options['file']}: {error.strerror}.") from error
        if not done.same_secret_key:
            self.stderr.write(OTHER_KEY + (_where(options["file"]) if done.has_secret_key else "."))
        self.tell(_facts(done), _sentence(done), as_json=options["json"])


def _where(path: Path) -> str:
    return f" (it is in the backup: unzip -p {path.name} secret_key)."


def _facts(done: Restored) -> dict[str, Any]:
    return {
        "made_at": done.manifest.made_at,
        "version": done.manifest.version,
        "rows": done.manifest.rows,
        "files": done.manifest.files,
        "same_secret_key": done.same_secret_key,
        "publishing_held": True,
    }


def _sentence(done: Restored) -> str:
    return (
        f"{done.manifest.rows} rows and {done.manifest.files} files are back, as of "
        f"{done.manifest.made_at}. Publishing is held: start the site, then run manage.py "
        "recover_hits."
    )
