import re
from argparse import ArgumentParser, ArgumentTypeError
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
from consolidation.domain.export_to_s3 import S3, S3Refused, export_to_s3
from consolidation.domain.partitions import PartitionError
from consolidation.enums import GoldSource
from schemes.base import FileError


def licence(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*", text):
        raise ArgumentTypeError(f"{text!r} is no SPDX identifier, such as CC-BY-SA-4.0")
    return text


class Command(BaseCommand):
    help = "Write a project's gold into a folder, with a manifest."
    example = (
        "manage.py export_gold wikinews-dev --format qasrl-csv --partition dev --out gold/\n"
        "  manage.py export_gold wikinews-dev --format jsonl --licence CC-BY-4.0 "
        "--out s3://bucket/gold"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--format", required=True, choices=sorted(SUFFIXES))
        parser.add_argument(
            "--out", required=True, metavar="DIR", help="a folder, or s3://bucket/prefix"
        )
        parser.add_argument("--partition")
        parser.add_argument("--domain")
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="what the project makes itself, unless given",
        )
        parser.add_argument(
            "--raw-worker-ids",
            action="store_true",
            help="write the workers' own ids: they identify people",
        )
        parser.add_argument(
            "--licence", default="", type=licence, help="an SPDX identifier, such as CC-BY-SA-4.0"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = ExportOptions(
            fmt=options["format"],
            source=options["source"],
            domain=options["domain"],
            partition=options["partition"],
            raw_worker_ids=options["raw_worker_ids"],
            licence=options["licence"],
        )
        project = project_named(options["project"])
        try:
            if options["out"].startswith(S3):
                done = export_to_s3(project=project, options=wanted, address=options["out"])
            else:
                done = export_gold(project=project, options=wanted, folder=Path(options["out"]))
        except (NothingToExport, PartitionError, FileError, S3Refused) as error:
            raise Refused(error) from error
        except OSError as error:
            raise Refused(f"{options['out']}: {error.strerror or error}.") from error
        counts = done.manifest["counts"]
        sentence = (
            f"{counts['questions']} questions with {counts['answers']} answers on "
            f"{counts['items']} items are in {options['out']}."
        )
        self.tell(done.manifest, sentence, as_json=options["json"])
