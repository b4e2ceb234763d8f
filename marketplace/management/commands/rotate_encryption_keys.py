import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from marketplace.domain.access_keys import rotate_encryption_keys
from marketplace.domain.accounts.payment_details import rotate_payment_details
from marketplace.domain.vault import UnreadableSecretError
from touchstone.program import as_called


class Command(BaseCommand):
    help = as_called(
        "Encrypt all access keys and payment details under the newest encryption key. The earlier keys "
        "can then be removed from the settings. "
        "Example: manage.py rotate_encryption_keys --json"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with transaction.atomic():
                keys, details = rotate_encryption_keys(), rotate_payment_details()
        except UnreadableSecretError as error:
            raise CommandError(str(error), returncode=2) from error
        counts = {"access_keys": keys, "payment_details": details}
        text = f"{keys} access keys, {details} payment details."
        self.stdout.write(json.dumps(counts) if options["json"] else text)
