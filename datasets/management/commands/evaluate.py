"""Evaluate annotation files against a reference."""

import json
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from schemes.base import FileError
from schemes.registry import EVALUATIONS
from schemes.reports import (
    Evaluation,
    Options,
    UsageError,
    add_output_arguments,
    check_output,
    write_csv,
)

*_FIRST, _LAST = [evaluation.title for evaluation in EVALUATIONS.values()]
_TITLES = f"{', '.join(_FIRST)} or {_LAST}"


class Command(BaseCommand):
    help = f"Score {_TITLES} annotation files."
    # The command uses only files, neither the database nor settings.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(dest="scheme", required=True, metavar="SCHEME")
        for evaluation in EVALUATIONS.values():
            subparser = subparsers.add_parser(
                evaluation.name,
                help=evaluation.description.partition("\n")[0],
                description=evaluation.description,
                formatter_class=RawDescriptionHelpFormatter,
            )
            evaluation.add_arguments(subparser)
            add_output_arguments(subparser, evaluation)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(_evaluate(EVALUATIONS[options["scheme"]], options))
        except (FileError, UsageError) as error:
            message = " ".join(str(error).split())
            raise CommandError(message, returncode=2) from error
        except OSError as error:
            message = f"{error.filename}: cannot be written ({error.strerror})."
            raise CommandError(message, returncode=2) from error


def _evaluate(evaluation: Evaluation, options: Options) -> str:
    """Write the requested files. Return the text to print."""
    check_output(options, evaluation)
    report = evaluation.run(options)
    for path, columns, rows in report.tables:
        if path:
            write_csv(path, columns, rows)
    for path, draw in report.charts:
        if path:
            draw(path)
    return json.dumps(report.figures) if options["json"] else report.text(report.figures)
