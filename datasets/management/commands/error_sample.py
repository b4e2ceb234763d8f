import csv
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.quality.error_samples import (
    CSV_COLUMNS,
    SampleReport,
    draw_sample,
    sample_report,
    sampled_rows,
)
from datasets.enums import Population
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.reports import text_table


class Command(BaseCommand):
    help = (
        "Draw a sample for an error analysis, or report the newest one: its categories and the "
        "true precision or recall. People judge the sample on the site."
    )
    example = "manage.py error_sample wikinews-dev --draw 100"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--draw", type=int, metavar="N", help="draw a new sample of N parts")
        parser.add_argument(
            "--source",
            choices=GoldSource.values,
            help="the gold to analyse, by default that which the project produces",
        )
        parser.add_argument(
            "--against", choices=GoldSource.values, default=GoldSource.EXPERT, help="the reference"
        )
        parser.add_argument(
            "--population",
            choices=Population.values,
            default=Population.EXTRA,
            help="draw from what the reference lacks (extra), from what the gold misses (missed) or "
            "from everything (all)",
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--csv", action="store_true", help="print the sample's parts as CSV")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["draw"] is not None:
            sample = draw_sample(
                project=project,
                source=options["source"] or str(protocol_of(project).gold_source),
                against=options["against"],
                population=options["population"],
                size=options["draw"],
                seed=options["seed"],
                by="command",
                now=timezone.now(),
            )
        else:
            newest = project.error_samples.order_by("-pk").first()
            if newest is None:
                raise InputError(f"{project.slug} has no sample. Draw one with --draw N.")
            sample = newest
        if options["csv"] and not options["json"]:
            writer = csv.writer(self.stdout, lineterminator="\n")
            writer.writerow(CSV_COLUMNS)
            writer.writerows(sampled_rows(sample=sample))
            return
        report = sample_report(sample=sample)
        self.write_result(report.as_json(), _text(report), as_json=options["json"])


def _text(report: SampleReport) -> str:
    rows = [[share.category.label, share.number, share.share] for share in report.shares]
    table = text_table(["Category", "Parts", "Share"], rows)
    automatic, estimate = report.automatic, report.estimate
    true = estimate.value if estimate else None
    heading = ["", report.figure.capitalize()]
    summary = text_table(heading, [["Automatic", automatic], ["True", true]])
    return (
        f"Sample {report.sample.pk}: {report.judged} of {report.drawn} parts judged.\n\n"
        f"{table}\n\n{summary}"
    )
