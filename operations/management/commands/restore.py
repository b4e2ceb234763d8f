from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import no_translations
from django.utils import timezone
from tqdm import tqdm

from operations.domain.backup_file import SECRET_KEY
from operations.domain.restore_backup import restore_backup
from operations.domain.write_backup import key_fingerprint
from operations.management.key_file import add_key_file, key_of
from projects.command import Command as BaseCommand
from projects.command import InputError
from touchstone.program import as_called

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
        add_key_file(parser)
        self.add_json(parser)

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with tqdm(unit=" rows", disable=None) as bar:
                manifest = restore_backup(
                    path=options["file"],
                    now=timezone.now(),
                    key=key_of(options["key_file"]),
                    progress=bar.update,
                )
        except OSError as error:
            raise InputError(f"{error.filename or options['file']}: {error.strerror}.") from error
        same_key = manifest.key_fingerprint == key_fingerprint(settings.SECRET_KEY)
        if not same_key:
            where = f" (it is in the backup: {_how_to_read_secret_key(options)})."
            self.stderr.write(OTHER_KEY + (where if SECRET_KEY in manifest.members else "."))
        facts = {
            "made_at": manifest.made_at,
            "version": manifest.version,
            "rows": manifest.rows,
            "files": manifest.files,
            "same_secret_key": same_key,
            "publishing_held": True,
        }
        sentence = (
            f"{manifest.rows} rows and {manifest.files} files are restored, as of "
            f"{manifest.made_at}. Publishing is on hold. Start the site, then run "
            f"{as_called('manage.py recover_hits')}."
        )
        self.write_result(facts, sentence, as_json=options["json"])


def _how_to_read_secret_key(options: dict[str, Any]) -> str:
    name = options["file"].name
    if not options["key_file"]:
        return f"unzip -p {name} secret_key"
    return as_called(
        f"manage.py decrypt_backup {name} --key-file {options['key_file'].name} --out plain.zip, then "
        "unzip -p plain.zip secret_key"
    )
