from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.republish import republish_items
from consolidation.domain.cases.republish_cases import republish_cases
from projects.command import Command as BaseCommand
from projects.command import project_named

ACTOR = "command line"


class Command(BaseCommand):
    help = "Republish items and cases whose HITs ended without enough work, regardless of limits."
    example = "manage.py republish wikinews-dev --limit 100"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="maximum number of items, and of cases")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project, limit = project_named(options["project"]), options["limit"]
        done = republish_items(project=project, limit=limit, actor=ACTOR, now=timezone.now())
        done += republish_cases(project=project, limit=limit, actor=ACTOR, now=timezone.now())
        self.write_result(
            {"raised": done.raised, "new_hits": done.new_hits},
            f"{done.raised} HITs get more assignments, {done.new_hits} items get a new HIT.",
            as_json=options["json"],
        )
