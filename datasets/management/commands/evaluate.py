"""Evaluate annotation files against a reference."""

import gc
import json
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.domain.corpus.text_encodings import all_as_utf_8
from schemes.contract.errors import FileError
from schemes.registry import EVALUATIONS
from schemes.reports import (
    Evaluation,
    Options,
    UsageError,
    add_output_arguments,
    check_output,
    write_csv,
)
from touchstone.program import as_called

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
                description=as_called(evaluation.description),
                formatter_class=RawDescriptionHelpFormatter,
            )
            evaluation.add_arguments(subparser)
            add_output_arguments(subparser, evaluation)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with _without_collections():
                text = _evaluate(EVALUATIONS[options["scheme"]], options)
            self.stdout.write(text)
        except (FileError, UsageError) as error:
            message = " ".join(str(error).split())
            raise CommandError(message, returncode=2) from error
        except OSError as error:
            message = f"{error.filename}: cannot be written ({error.strerror})."
            raise CommandError(message, returncode=2) from error


@contextmanager
def _without_collections() -> Iterator[None]:
    """Pause the garbage collector, which would inspect millions of annotations again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _readable(evaluation: Evaluation, options: Options, folder: Path) -> Options:
    """Return the options with copies in UTF-8 of the files in UTF-16, as imports make them."""
    readable = dict(options)
    for name in evaluation.reads:
        if isinstance(options[name], Path):
            [readable[name]] = all_as_utf_8([options[name]], folder / name)
        elif options[name]:
            readable[name] = all_as_utf_8(options[name], folder / name)
    return readable


def _evaluate(evaluation: Evaluation, options: Options) -> str:
    """Write the requested files. Return the text to print."""
    check_output(options, evaluation)
    with TemporaryDirectory(prefix="evaluate-") as folder:
        report = evaluation.run(_readable(evaluation, options, Path(folder)))
        for path, columns, rows in report.tables:
            if path:
                write_csv(path, columns, rows)
        for path, draw in report.charts:
            if path:
                draw(path)
    return json.dumps(report.figures) if options["json"] else report.text(report.figures)
