import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from marketplace.domain.faults import parse_faults
from marketplace.domain.notifications import notifications
from marketplace.domain.work import maintenance
from touchstone.program import as_called


class Command(BaseCommand):
    help = as_called(
        "Expire HITs, abandon overdue assignments, approve undecided ones and deliver "
        "notifications. Only sites without Celery beat need this command. "
        "Example: manage.py run_marketplace_maintenance --json"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        counts = maintenance.run_due(now=now)
        faults = parse_faults(settings.MARKETPLACE_FAULTS)
        counts["notified"] = notifications.deliver_due(now=now, faults=faults)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        for name, count in counts.items():
            self.stdout.write(f"{name}: {count}")
