from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.reading_options import add_bad_rows_option, add_reading_options, collect_bad_rows
from consolidation.domain.import_gold import import_gold
from consolidation.enums import GoldSource
from consolidation.reader_options import (
    add_gold_options,
    check_useful,
    given_gold_options,
    open_given_gold,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.reports import UsageError


class Command(BaseCommand):
    refusals = (UsageError,)
    help = "Add reference annotations to a project's items."
    example = "manage.py import_gold wikinews-dev expert.csv --format FORMAT --source expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--format", default="", help="a gold format of the project's scheme, if it is unclear"
        )
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
            "--align",
            action="store_true",
            help="move positions in other tokens to the project's tokens, by characters",
        )
        parser.add_argument(
            "--rescale-boxes",
            action="store_true",
            help="scale boxes to pictures that are resized copies of those that FILE describes",
        )
        add_gold_options(parser)
        add_reading_options(parser)
        add_bad_rows_option(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["allow_overlaps"] and options["source"] != GoldSource.IMPORTED:
            raise InputError("--allow-overlaps goes with --source imported.")
        now = timezone.now()
        given = given_gold_options(project, options)
        with (
            open_given_gold(project, options) as files,
            collect_bad_rows(
                self.stderr,
                file=options["bad_rows"],
                names=files.names,
                project=project.slug,
                now=now,
            ) as bad_rows,
        ):
            report = import_gold(
                project=project,
                paths=files.paths,
                fmt=files.fmt,
                source=options["source"],
                on_error=bad_rows,
                now=now,
                options=given,
                align=options["align"],
                rescale=options["rescale_boxes"],
                allow_overlaps=options["allow_overlaps"],
            )
        check_useful(report)
        blank = f" {report.blank} without an annotation were left out." if report.blank else ""
        left_out = f" {report.error_count} were skipped, see above." if report.error_count else ""
        added = f"Added gold for {report.added} items; {report.known} already had it."
        sentence = f"{added}{report.notes_text}{blank}{left_out}"
        self.write_result(asdict(report), sentence, as_json=options["json"])
