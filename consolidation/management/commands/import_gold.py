from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from consolidation.domain.gold.import_gold import import_gold
from consolidation.enums import GoldSource
from consolidation.reader_options import add_gold_options, check_useful, given_gold
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.reports import UsageError


class Command(BaseCommand):
    refusals = (UsageError,)
    help = "Add reference annotations to a project's items."
    example = "manage.py import_gold wikinews-dev expert.csv --format FORMAT --source expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--source", required=True, choices=[GoldSource.EXPERT, GoldSource.IMPORTED]
        )
        parser.add_argument(
            "--allow-overlaps",
            action="store_true",
            help="with --source imported: accept annotations that contradict themselves, such as a "
            "parser's",
        )
        parser.add_argument(
            "--strict", action="store_true", help="import nothing if a record is invalid"
        )
        add_gold_options(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["allow_overlaps"] and options["source"] != GoldSource.IMPORTED:
            raise InputError("--allow-overlaps goes with --source imported.")
        with given_gold(self.stderr, project, options) as given:
            report = import_gold(
                source=options["source"],
                allow_overlaps=options["allow_overlaps"],
                strict=options["strict"],
                **given,
            )
        check_useful(report)
        blank = f" {report.blank} without an annotation were left out." if report.blank else ""
        added = f"Added gold for {report.added} items; {report.known} already had it."
        sentence = f"{added}{report.notes_text}{blank}{report.skipped_text}"
        self.write_result(asdict(report), sentence, as_json=options["json"])
