from argparse import ArgumentParser
from typing import Any

from datasets.domain.quality.assistance import AssistanceReport, Effect, Measured, assistance_report
from datasets.domain.quality.quality import NothingToCompareError
from metrics.intervals import Interval
from projects.command import Command as BaseCommand
from projects.command import project_named
from schemes.reports import text_table


class Command(BaseCommand):
    help = "Compare the arms of a project's batches: what suggestions and models do to annotations."
    example = "manage.py assistance_report wikinews-dev --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        report = assistance_report(project=project)
        if report is None:
            raise NothingToCompareError(f"No batch of {project.slug} has arms.")
        self.write_result(report.as_json(), _text(report), as_json=options["json"])


def _text(report: AssistanceReport) -> str:
    names = [arm.name for arm in report.arms]
    arms = [[arm.name, arm.items, arm.annotations, arm.compared] for arm in report.arms]
    tables = [text_table(["Arm", "Items", "Annotations", "With blind expert gold"], arms)]
    for kind, rows in report.measured.items():
        cells = [[row.label, *(_cell(row, effect) for effect in row.effects)] for row in rows]
        tables.append(text_table([kind.capitalize(), *names], cells))
    return "\n\n".join([*tables, "\n".join(report.recommendations)])


def _cell(row: Measured, effect: Effect) -> str:
    if effect.value is None:
        return ""
    scale = 100 if row.unit == "%" else 1
    mark = {1: " higher", -1: " lower"}.get(effect.sign, "")
    return f"{scale * effect.value:.1f}{_range(effect.interval, scale)}{mark}"


def _range(bounds: Interval | None, scale: int) -> str:
    if bounds is None or bounds.low is None or bounds.high is None:
        return ""
    return f" ({scale * bounds.low:.1f} to {scale * bounds.high:.1f})"
