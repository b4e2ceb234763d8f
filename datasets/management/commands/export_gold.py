import re
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from consolidation.enums import GoldSource
from datasets.domain.agreement.scores import with_counts
from datasets.domain.exports.export_gold import (
    LEFT_OUT,
    UNITS_LEFT_OUT,
    ExportOptions,
    export_gold,
    known_formats,
)
from datasets.domain.exports.export_submissions import submission_formats
from datasets.domain.exports.store_export import S3, ExportNotStoredError, s3_storage, store_export
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.schemes import scheme_of


def licence(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*", text):
        raise ArgumentTypeError(f"{text!r} is not an SPDX identifier, such as CC-BY-SA-4.0")
    return text


class Command(BaseCommand):
    help = "Write a project's gold into a folder, with a manifest."
    example = (
        "manage.py export_gold wikinews-dev --format jsonl --partition dev --out gold/\n"
        "  manage.py export_gold wikinews-dev --format jsonl --licence CC-BY-4.0 "
        "--out s3://bucket/gold"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--format", required=True, choices=known_formats())
        parser.add_argument(
            "--out", required=True, metavar="DIR", help="a folder, or s3://bucket/prefix"
        )
        parser.add_argument("--partition")
        parser.add_argument("--domain")
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="defaults to the gold that the project produces",
        )
        parser.add_argument(
            "--raw-worker-ids",
            action="store_true",
            help="write raw worker ids, which identify people",
        )
        parser.add_argument(
            "--licence", default="", type=licence, help="an SPDX identifier, such as CC-BY-SA-4.0"
        )
        parser.add_argument(
            "--images", action="store_true", help="copy the images of the exported sentences"
        )
        parser.add_argument(
            "--annotations",
            default="",
            choices=submission_formats(),
            help="add the individual annotations in this format",
        )
        parser.add_argument(
            "--certainty",
            action="store_true",
            help="add the estimates of fit_certainty, in formats with a place for them",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names = (
            "source",
            "domain",
            "partition",
            "raw_worker_ids",
            "licence",
            "images",
            "annotations",
            "certainty",
        )
        chosen = {name: options[name] for name in names}
        export_options = ExportOptions(fmt=options["format"], **chosen)
        project, out = project_named(options["project"]), options["out"]
        try:
            if out.startswith(S3):
                storage = s3_storage(out)
                export = store_export(project=project, options=export_options, storage=storage)
            else:
                export = export_gold(project=project, options=export_options, folder=Path(out))
        except ExportNotStoredError as error:
            raise InputError(f"{out}: {error}") from error
        except OSError as error:
            raise InputError(f"{out}: {error.strerror or error}.") from error
        counts = export.manifest["counts"]
        totals = scheme_of(project).totals_of_gold(validated=True)
        exported = ", ".join([f"{counts['items']:,} items", *with_counts(totals, counts)])
        left_out = export.manifest.get(LEFT_OUT, 0)
        others = f" {left_out:,} others have no place in {options['format']}." if left_out else ""
        if units := export.manifest.get(UNITS_LEFT_OUT, 0):
            others += f" {options['format']} can't hold {units:,} of their annotations completely."
        sentence = f"Exported to {out}: {exported}.{others}"
        self.write_result(export.manifest, sentence, as_json=options["json"])
