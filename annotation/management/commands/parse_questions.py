"""`parse_questions QUESTIONS.csv SENTENCES.csv --out OUT.csv`."""

import json
import sys
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from schemes.base import FileError
from schemes.qasrl.parse_file import ParsedFile, parse_questions_file

_HELP = """Add the slot columns (wh, aux, subj, obj, ...) to a CSV file of QA-SRL questions.

QUESTIONS.csv needs qasrl_id, verb_idx, question and answer_range; SENTENCES.csv qasrl_id and
tokens. OUT.csv gets all columns of the published gold standard. A question outside the template
stays in the file with empty slots and is reported.

example:
  python manage.py parse_questions questions.csv sentences.csv --out parsed.csv
"""


class Command(BaseCommand):
    help = _HELP
    # The command only reads and writes files.
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        formatter = RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, formatter_class=formatter, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("questions", type=Path, metavar="QUESTIONS.csv")
        parser.add_argument("sentences", type=Path, metavar="SENTENCES.csv")
        parser.add_argument("--out", type=Path, required=True, metavar="OUT.csv")
        parser.add_argument(
            "--skip-bad-rows",
            action="store_true",
            help="report bad rows and continue; by default, the first one stops the command",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        bad_rows: list[str] = []

        def on_error(error: FileError) -> None:
            if not options["skip_bad_rows"]:
                raise error
            bad_rows.append(str(error))
            self.stderr.write(str(error))

        try:
            parsed = parse_questions_file(
                questions=options["questions"],
                sentences=options["sentences"],
                out=options["out"],
                on_error=on_error,
                progress=_shown if sys.stderr.isatty() else None,
            )
        except FileError as error:
            raise CommandError(str(error), returncode=2) from error
        except OSError as error:
            message = f"{options['out']}: cannot be written ({error.strerror})."
            raise CommandError(message, returncode=2) from error
        self._report(parsed, len(bad_rows), options)

    def _report(self, parsed: ParsedFile, bad_rows: int, options: dict[str, Any]) -> None:
        for row in parsed.outside:
            self.stderr.write(
                f"{options['questions'].name}, line {row.line}: "
                f"outside the template: {row.question}"
            )
        if options["json"]:
            figures = {
                "questions": parsed.questions,
                "parsed": parsed.parsed,
                "outside": len(parsed.outside),
                "bad_rows": bad_rows,
            }
            self.stdout.write(json.dumps(figures))
            return
        left_out = f", {bad_rows} bad rows left out" if bad_rows else ""
        self.stdout.write(
            f"{parsed.parsed} of {parsed.questions} questions parsed{left_out}: {options['out']}"
        )


def _shown(rows: Any) -> Any:
    from tqdm import tqdm  # noqa: PLC0415 - only a terminal shows a bar

    return tqdm(rows, unit=" rows", desc="parse_questions")
