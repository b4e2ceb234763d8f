from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.import_gold import import_gold
from consolidation.enums import GoldSource
from projects.command import Command as BaseCommand
from projects.command import project_named


class Command(BaseCommand):
    help = "Add reference annotations to a project's items."
    example = "manage.py import_gold wikinews-dev expert.csv --format FORMAT --source expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--format", required=True, help="a gold format of the project's scheme")
        parser.add_argument(
            "--source", required=True, choices=[GoldSource.EXPERT, GoldSource.IMPORTED]
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        report = import_gold(
            project=project_named(options["project"]),
            paths=options["files"],
            fmt=options["format"],
            source=options["source"],
            on_error=lambda error: self.stderr.write(str(error)),
            now=timezone.now(),
        )
        left_out = f" {report.error_count} were skipped, see above." if report.error_count else ""
        sentence = f"Added gold for {report.added} items; {report.known} already had it.{left_out}"
        self.write_result(asdict(report), sentence, as_json=options["json"])
