import json
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from marketplace.domain import access_keys
from marketplace.domain.errors import InvalidParameterError
from touchstone.program import as_called


class Command(BaseCommand):
    help = as_called(
        "Create a requester and its first access key. The secret is shown only once. "
        "Example: manage.py create_requester lab --balance 500"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--email", default="")
        parser.add_argument(
            "--balance",
            type=Decimal,
            default=settings.MARKETPLACE_OPENING_BALANCE,
            help="dollars (default: MARKETPLACE_OPENING_BALANCE)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            requester = access_keys.open_account(
                name=options["name"],
                email=options["email"],
                balance_cents=int(options["balance"] * 100),
                now=now,
            )
        except InvalidParameterError as error:
            raise CommandError(error.message, returncode=2) from None
        key, secret = access_keys.issue_key(requester=requester, now=now)
        shown = {
            "requester": requester.name,
            "requester_id": requester.code,
            "access_key_id": key.access_key_id,
            "secret_access_key": secret,
            "endpoint_url": f"{settings.MARKETPLACE_URL}/mturk/",
        }
        if options["json"]:
            self.stdout.write(json.dumps(shown))
            return
        for name, value in shown.items():
            self.stdout.write(f"{name}: {value}")
