from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from consolidation.domain.agreement_chart import draw_agreement
from consolidation.domain.agreement_table import COLUMNS, agreement_json, agreement_rows
from consolidation.domain.second_consolidation import open_second_cases
from consolidation.management.evaluation_report import text_table, write_csv


class Command(BaseCommand):
    help = "Agreement of a project's annotators, and of its first and second consolidations."
    example = "manage.py agreement wikinews-dev --plot agreement.svg --csv agreement.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--items", type=int, metavar="N", help="at most so many items, by seed")
        parser.add_argument(
            "--second", type=int, metavar="N", help="first have N more items consolidated twice"
        )
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="a heat map of the pairs")
        parser.add_argument("--csv", type=Path, metavar="FILE.csv", help="a row for each pair")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["second"]:
            open_second_cases(project=project, count=options["second"], now=timezone.now())
        workers = worker_agreement(project=project, limit=options["items"])
        reports = {
            "workers": workers,
            "consolidations": consolidation_agreement(project=project, disjoint=False),
            "disjoint_teams": consolidation_agreement(project=project, disjoint=True),
        }
        try:
            _write_files(workers, options)
        except OSError as error:
            raise Refused(f"{error.filename}: {error.strerror}.") from error
        facts = {name: agreement_json(report) for name, report in reports.items()}
        self.tell(facts, _text(reports), as_json=options["json"])


def _write_files(workers: AgreementReport, options: dict[str, Any]) -> None:
    if options["plot"]:
        options["plot"].write_bytes(draw_agreement(workers))
    if options["csv"]:
        write_csv(options["csv"], COLUMNS, agreement_rows(workers))


def _text(reports: dict[str, AgreementReport]) -> str:
    header = ("", "Items", "Pairs", "UA F1 %", "Low", "High", "LA F1 %", "Low", "High")
    rows = [
        (
            name.replace("_", " "),
            one.items,
            len(one.agreement.pairs),
            one.agreement.ua.f1,
            one.ua_interval.low,
            one.ua_interval.high,
            one.agreement.la.f1,
            one.la_interval.low,
            one.la_interval.high,
        )
        for name, one in reports.items()
    ]
    return text_table(header, rows)
