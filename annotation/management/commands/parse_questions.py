from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from projects.command import Command as BaseCommand
from projects.command import InputError
from schemes.base import FileError
from schemes.qasrl.parse_file import parse_questions_file


class Command(BaseCommand):
    help = """Add the slot columns (wh, aux, subj, obj, ...) to a CSV file of QA-SRL questions.

QUESTIONS.csv needs qasrl_id, verb_idx, question and answer_range; SENTENCES.csv qasrl_id and
tokens. OUT.csv gets all columns of the published gold standard. A question outside the template
stays in the file with empty slots and is reported."""
    example = "python manage.py parse_questions questions.csv sentences.csv --out parsed.csv"
    # The command only reads and writes files.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("questions", type=Path, metavar="QUESTIONS.csv")
        parser.add_argument("sentences", type=Path, metavar="SENTENCES.csv")
        parser.add_argument("--out", type=Path, required=True, metavar="OUT.csv")
        parser.add_argument(
            "--skip-bad-rows",
            action="store_true",
            help="report bad rows and continue; by default, the first one stops the command",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        bad_rows = 0

        def on_error(error: FileError) -> None:
            nonlocal bad_rows
            if not options["skip_bad_rows"]:
                raise error
            bad_rows += 1
            self.stderr.write(str(error))

        try:
            parsed = parse_questions_file(
                questions=options["questions"],
                sentences=options["sentences"],
                out=options["out"],
                on_error=on_error,
                progress=partial(tqdm, unit=" rows", desc="parse_questions", disable=None),
            )
        except OSError as error:
            message = f"{options['out']}: cannot be written ({error.strerror})."
            raise InputError(message) from error
        for row in parsed.outside:
            place = f"{options['questions'].name}, line {row.line}"
            self.stderr.write(f"{place}: outside the template: {row.question}")
        figures = {
            "questions": parsed.questions,
            "parsed": parsed.parsed,
            "outside": len(parsed.outside),
            "bad_rows": bad_rows,
        }
        left_out = f", {bad_rows} bad rows left out" if bad_rows else ""
        count = f"{parsed.parsed} of {parsed.questions} questions parsed"
        sentence = f"{count}{left_out}: {options['out']}"
        self.write_result(figures, sentence, as_json=options["json"])
