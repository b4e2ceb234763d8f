import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from marketplace.domain.accounts import accounts
from touchstone.program import as_called


class Command(BaseCommand):
    help = as_called(
        "Create invitations and print their codes. A worker signs up at /hits/join/CODE/. "
        "Example: manage.py invite_workers --count 10"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--count", type=int, required=True)
        parser.add_argument("--code-prefix", default="", help="prefix of every code")
        parser.add_argument("--note", default="")
        parser.add_argument(
            "--simulated",
            action="store_true",
            help="for a rehearsal: leave the workers out of operators' lists and statements",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["count"] <= 100_000:
            raise CommandError("--count must be between 1 and 100000.", returncode=2)
        if len(options["code_prefix"]) > 40:
            raise CommandError("--code-prefix is longer than 40 characters.", returncode=2)
        invitations = accounts.invite(
            count=options["count"],
            prefix=options["code_prefix"],
            note=options["note"],
            is_simulated=options["simulated"],
            now=timezone.now(),
        )
        codes = [invitation.code for invitation in invitations]
        if options["json"]:
            urls = [f"{settings.MARKETPLACE_URL}/hits/join/{code}/" for code in codes]
            self.stdout.write(json.dumps({"codes": codes, "urls": urls}))
            return
        for code in codes:
            self.stdout.write(code)
