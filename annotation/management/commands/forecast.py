from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotation.domain.forecast import forecast_costs, total_of
from annotation.management.command import Command as BaseCommand
from annotation.management.command import project_named


class Command(BaseCommand):
    help = "What the work still to come will cost, with its spread."
    example = "manage.py forecast wikinews-dev --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        forecasts = forecast_costs(project=project)
        low, expected, high = total_of(forecasts)
        facts = {
            "spent_cents": project.budget.spent_cents,
            "reserved_cents": project.budget.reserved_cents,
            "low_cents": low,
            "expected_cents": expected,
            "high_cents": high,
            "roles": [asdict(one) for one in forecasts],
        }
        sentence = (
            f"{project.budget.spent_cents / 100:.2f} dollars are spent; about {expected / 100:.2f} "
            f"more are to come ({low / 100:.2f} to {high / 100:.2f})."
        )
        self.tell(facts, sentence, as_json=options["json"])
