from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.reoffer_validations import reoffer_validations
from crowd.domain.ledger import BudgetExceeded


class Command(BaseCommand):
    help = "Offer validations again whose HITs ended (expired, rejected, refused) short of people."
    example = "manage.py reoffer_validations dense --limit 100"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="at most this many items")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        try:
            done = reoffer_validations(project=project, limit=options["limit"], now=timezone.now())
        except BudgetExceeded as error:
            raise Refused(error) from error
        self.tell(
            {"raised": done.raised, "anew": done.anew},
            f"{done.raised} HITs get more places, {done.anew} items a new HIT.",
            as_json=options["json"],
        )
