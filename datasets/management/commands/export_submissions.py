from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from datasets.domain.exports.export_submissions import (
    SubmissionOptions,
    export_submissions,
    submission_formats,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named


class Command(BaseCommand):
    help = "Write every accepted submission of a project into a folder, with a file per role."
    example = "manage.py export_submissions wikinews-dev --format jsonl --out raw/"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--format", required=True, choices=submission_formats())
        parser.add_argument("--out", required=True, type=Path, metavar="DIR")
        parser.add_argument(
            "--raw-worker-ids",
            action="store_true",
            help="write raw worker ids, which identify people",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        try:
            files = export_submissions(
                project=project_named(options["project"]),
                options=SubmissionOptions(
                    fmt=options["format"], raw_worker_ids=options["raw_worker_ids"]
                ),
                folder=out,
            )
        except OSError as error:
            raise InputError(f"{out}: {error.strerror or error}.") from error
        listed = ", ".join(f"{name} ({rows:,} rows)" for name, rows in files.items())
        self.write_result(
            {"files": files}, f"Exported to {out}: {listed}.", as_json=options["json"]
        )
