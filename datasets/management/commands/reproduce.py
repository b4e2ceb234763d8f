"""Recompute the tables of the schemes' papers from public files."""

import json
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from projects.command import InputError
from schemes.contract.errors import FileError
from schemes.registry import REPRODUCTIONS
from schemes.reports import write_csv
from schemes.reproduction import (
    COLUMNS,
    reproduction_json,
    reproduction_markdown,
    reproduction_text,
)
from touchstone.program import as_called


class Command(BaseCommand):
    help = "Show the figures of a scheme's paper beside those recomputed from public files."
    # The command uses only files, neither the database nor settings.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        subparsers = parser.add_subparsers(dest="scheme", required=True, metavar="SCHEME")
        for reproduction in REPRODUCTIONS.values():
            subparser = subparsers.add_parser(
                reproduction.name,
                help=reproduction.description.partition("\n")[0],
                description=as_called(reproduction.description),
                formatter_class=RawDescriptionHelpFormatter,
            )
            reproduction.add_arguments(subparser)

    def handle(self, *args: Any, **options: Any) -> None:
        reproduction = REPRODUCTIONS[options["scheme"]]
        try:
            figures = reproduction.run(options["path"], options)
            if options["out"]:
                folder = options["out"]
                folder.mkdir(parents=True, exist_ok=True)
                write_csv(
                    folder / "reproduction.csv", COLUMNS, [figure.row() for figure in figures]
                )
                text = reproduction_markdown(reproduction, figures)
                (folder / "reproduction.md").write_text(text, encoding="utf-8")
        except FileError as error:
            raise InputError(error) from error
        except OSError as error:
            raise InputError(f"{error.filename}: cannot be written ({error.strerror}).") from error
        as_json = options["json"]
        self.stdout.write(
            json.dumps(reproduction_json(reproduction, figures))
            if as_json
            else reproduction_text(reproduction, figures)
        )
