from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.reading_options import add_bad_rows_option, add_reading_options, collect_bad_rows
from consolidation.domain.import_gold import import_system
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
    help = "Import a parser's output as a source for experts' merges. It does not become gold."
    example = "manage.py import_system wikinews-dev parser.csv --format FORMAT --system parser"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--format", default="", help="a gold format of the project's scheme, if it is unclear"
        )
        parser.add_argument("--system", required=True, help="a name for the report, such as nrl")
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
        if not 0 < len(options["system"]) <= 60:
            raise InputError("The system's name must have 1 to 60 characters.")
        project = project_named(options["project"])
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
            report = import_system(
                project=project,
                paths=files.paths,
                fmt=files.fmt,
                system=options["system"],
                on_error=bad_rows,
                now=now,
                options=given,
                align=options["align"],
                rescale=options["rescale_boxes"],
            )
        check_useful(report)
        left_out = f" {report.error_count} were skipped, see above." if report.error_count else ""
        sentence = f"{options['system']}: {report.added} items.{report.notes_text}{left_out}"
        self.write_result(asdict(report), sentence, as_json=options["json"])
