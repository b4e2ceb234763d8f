from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.import_gold import import_gold
from consolidation.enums import GoldSource
from schemes.base import FileError


class Command(BaseCommand):
    help = "Add reference annotations to a project's items."
    example = "manage.py import_gold wikinews-dev expert.csv --format qasrl-csv --source expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", required=True, help="qasrl-csv or qasrl-bank")
        parser.add_argument(
            "--source", required=True, choices=[GoldSource.EXPERT, GoldSource.IMPORTED]
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = import_gold(
                project=project_named(options["project"]),
                path=options["file"],
                fmt=options["format"],
                source=options["source"],
                on_error=lambda error: self.stderr.write(str(error)),
                now=timezone.now(),
            )
        except FileError as error:
            raise Refused(error) from error
        left_out = f" {report.error_count} were left out, see above." if report.error_count else ""
        sentence = f"Gold for {report.added} items added; {report.known} had it already.{left_out}"
        self.tell(asdict(report), sentence, as_json=options["json"])
