from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.export_gold import (
    SUFFIXES,
    ExportOptions,
    NothingToExport,
    export_gold,
)
from consolidation.enums import GoldSource


class Command(BaseCommand):
    help = "Write a project's gold into a folder, with a manifest."
    example = "manage.py export_gold wikinews-dev --format qasrl-csv --partition dev --out gold/"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--format", required=True, choices=sorted(SUFFIXES))
        parser.add_argument("--out", required=True, type=Path, metavar="DIR")
        parser.add_argument("--partition")
        parser.add_argument("--domain")
        parser.add_argument("--source", default=GoldSource.CONSOLIDATED, choices=GoldSource.values)
        parser.add_argument(
            "--raw-worker-ids",
            action="store_true",
            help="write the workers' own ids: they identify people",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = ExportOptions(
            fmt=options["format"],
            source=options["source"],
            domain=options["domain"],
            partition=options["partition"],
            raw_worker_ids=options["raw_worker_ids"],
        )
        try:
            done = export_gold(
                project=project_named(options["project"]), options=wanted, folder=options["out"]
            )
        except NothingToExport as error:
            raise Refused(error) from error
        except OSError as error:
            raise Refused(f"{options['out']}: {error.strerror or error}.") from error
        counts = done.manifest["counts"]
        sentence = (
            f"{counts['questions']} questions with {counts['answers']} answers on "
            f"{counts['items']} items are in {options['out']}."
        )
        self.tell(done.manifest, sentence, as_json=options["json"])
