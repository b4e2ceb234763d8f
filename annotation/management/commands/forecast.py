from argparse import ArgumentParser
from typing import Any

from annotation.domain.publishing.forecast import forecast_costs, forecast_json, total_of
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.domain.pay_warnings import pay_warnings


class Command(BaseCommand):
    help = "Forecast the cost of outstanding work, with a 95 % range."
    example = "manage.py forecast wikinews-dev --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        forecasts = forecast_costs(project=project)
        low, expected, high = total_of(forecasts)
        warnings = pay_warnings(project=project)
        for warning in warnings:
            self.stderr.write(warning)
        facts = forecast_json(project=project, forecasts=forecasts) | {"pay_warnings": warnings}
        sentence = (
            f"${project.budget.spent_cents / 100:.2f} spent. About ${expected / 100:.2f} more expected "
            f"(${low / 100:.2f} to ${high / 100:.2f})."
        )
        self.write_result(facts, sentence, as_json=options["json"])
