import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from marketplace.domain.access_keys import rotate_encryption_keys
from marketplace.domain.vault import UnreadableSecretError


class Command(BaseCommand):
    help = (
        "Encrypt the secrets of all access keys under the newest encryption key. The earlier keys "
        "can then be removed from the settings. "
        "Example: manage.py rotate_encryption_keys --json"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = rotate_encryption_keys()
        except UnreadableSecretError as error:
            raise CommandError(str(error), returncode=2) from error
        text = json.dumps({"access_keys": count}) if options["json"] else f"{count} access keys."
        self.stdout.write(text)
