import csv
from argparse import ArgumentParser
from typing import Any

from consolidation.enums import GoldSource
from datasets.domain.exports.statistics import statistics_json, statistics_of, statistics_rows
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.contract.errors import MissingPartError
from schemes.reports import text_table


class Command(BaseCommand):
    help = "Count a project's annotated items: the gold, all, skipped, in progress, each partition."
    example = "manage.py frame_statistics my-project --csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="defaults to the gold that the project produces",
        )
        parser.add_argument("--csv", action="store_true", help="print the main table as CSV")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        try:
            report = statistics_of(options["source"], project=project)
        except MissingPartError as error:
            raise InputError(error) from error
        rows = statistics_rows(report)
        if options["csv"] and not options["json"]:
            csv.writer(self.stdout, lineterminator="\n").writerows(rows)
            return
        header, *body = rows
        tables = [text_table([*map(str, header)], [[*map(_cell, row)] for row in body])]
        for table in report.tables:
            cells = [[*map(_cell, row)] for row in table.rows]
            tables.append(f"{table.caption}\n{text_table([*table.columns], cells)}")
        text = "\n\n".join(tables)
        self.write_result(statistics_json(report), text, as_json=options["json"])


def _cell(value: float | str | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
