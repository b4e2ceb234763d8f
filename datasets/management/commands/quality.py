from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.record_gold import own_source
from consolidation.enums import GoldSource
from datasets.domain.quality import QualityReport, propbank_quality, quality_json, quality_report
from datasets.management.evaluation_report import propbank_text, text_table
from projects.command import Command as BaseCommand
from projects.command import project_named
from schemes.base import refuse


class Command(BaseCommand):
    help = "Compare a project's gold with a reference, both ways, automatic and corrected."
    example = "manage.py quality wikinews-dev --source consolidated --against expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="defaults to the gold that the project produces",
        )
        parser.add_argument("--against", default=GoldSource.EXPERT, choices=GoldSource.values)
        parser.add_argument(
            "--propbank",
            type=Path,
            metavar="FILE",
            help="a CoNLL-2009 file as the reference, in place of --against",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        options["source"] = options["source"] or own_source(project)
        if options["propbank"]:
            figures = propbank_quality(
                project=project,
                source=options["source"],
                path=options["propbank"],
                on_error=refuse,
                now=timezone.now(),
            )
            self.write_result(figures, propbank_text(figures), as_json=options["json"])
            return
        report = quality_report(
            project=project, source=options["source"], against=options["against"]
        )
        self.write_result(quality_json(report), _text(report), as_json=options["json"])


def _text(report: QualityReport) -> str:
    header = ("Reference", "Matching", "UA P %", "R %", "F1 %", "LA P %", "R %", "F1 %")
    rows = [
        (reference, how, *scores.ua.ratios().values(), *scores.la.ratios().values())
        for reference, how, scores in report.rows()
    ]
    sizes = [
        f"{name}: {totals.items} items, {totals.roles / totals.items:.2f} roles and "
        f"{totals.arguments / totals.items:.2f} arguments an item."
        for name, totals in report.yields.items()
    ]
    return "\n".join([text_table(header, rows), "", *sizes])
