import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from marketplace.domain import due, notifications
from marketplace.domain.faults import parse_faults


class Command(BaseCommand):
    help = (
        "Does what time has brought about: ends HITs, takes back overdue work, approves what was "
        "not decided, delivers notifications. Beat does the same every few seconds; this is for "
        "sites without it. Example: manage.py settle_marketplace --json"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        counts = due.settle_all(now=now)
        faults = parse_faults(settings.MARKETPLACE_FAULTS)
        counts["notified"] = notifications.deliver_due(now=now, faults=faults)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count}")
