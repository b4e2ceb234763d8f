from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.reoffer import reoffer_items
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.reoffer_cases import reoffer_cases
from crowd.domain.ledger import BudgetExceeded

ACTOR = "command line"


class Command(BaseCommand):
    help = "Offer items and cases again whose HITs ended without enough work, however often before."
    example = "manage.py reoffer wikinews-dev --limit 100"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="at most so many items and so many cases")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project, limit = project_named(options["project"]), options["limit"]
        try:
            done = reoffer_items(project=project, limit=limit, actor=ACTOR, now=timezone.now())
            done += reoffer_cases(project=project, limit=limit, actor=ACTOR, now=timezone.now())
        except BudgetExceeded as error:
            raise Refused(error) from error
        self.tell(
            {"raised": done.raised, "anew": done.anew},
            f"{done.raised} HITs get more places, {done.anew} items a new HIT.",
            as_json=options["json"],
        )
