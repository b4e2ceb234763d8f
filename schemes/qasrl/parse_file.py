"""Slot columns for a file of questions."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.values import Json, Tokens
from schemes.english.verbs import candidate_forms
from schemes.qasrl.published_csv import GoldRow, read_gold_rows, read_sentence_rows, write_gold_rows
from schemes.qasrl.slots import Slots
from schemes.qasrl.walker import parse_question
from schemes.reports import FileProgram, Notify, Options, Progress, UsageError


@dataclass(slots=True)
class ParsedFile:
    """The result of parsing a file. `outside` has the rows outside the template."""

    questions: int = 0
    parsed: int = 0
    outside: list[GoldRow] = field(default_factory=list)


def parse_questions_file(
    *,
    questions: Path,
    sentences: Path,
    out: Path,
    on_error: ErrorSink,
    progress: Callable[[Iterable[GoldRow]], Iterable[GoldRow]] | None = None,
) -> ParsedFile:
    """Write `questions` to `out` with all published columns and newly parsed slots.

    Verb forms come from the verb's token in `sentences`. A question outside the template has empty
    slots. Bad rows go to `on_error` and are skipped. Raises FileError if a file is unreadable.
    `out` is created only when complete. `progress` may wrap the rows to report progress.
    """
    result = ParsedFile()
    tokens = {
        sentence.external_id: sentence.tokens
        for sentence in read_sentence_rows(sentences, on_error=on_error)
    }
    rows: Iterable[GoldRow] = read_gold_rows(questions, on_error=on_error)
    rows = progress(rows) if progress else rows
    unfinished = out.with_name(f"{out.name}.part")
    try:
        write_gold_rows(_parsed_rows(rows, tokens, questions.name, result, on_error), unfinished)
        unfinished.replace(out)
    finally:
        unfinished.unlink(missing_ok=True)
    return result


def _parsed_rows(
    rows: Iterable[GoldRow],
    tokens_of: dict[str, tuple[str, ...]],
    file: str,
    result: ParsedFile,
    on_error: ErrorSink,
) -> Iterator[tuple[GoldRow, Tokens]]:
    for row in rows:
        tokens = tokens_of.get(row.qasrl_id, ())
        problem = _problem(row, tokens)
        if problem:
            on_error(FileError(file, row.line, problem[1], field=problem[0]))
            continue
        verb = tokens[row.verb_idx]
        slots = slots_of(row.question, verb) if row.question else None
        result.questions += bool(row.question)
        result.parsed += slots is not None
        if slots is None and row.question:
            result.outside.append(row)
        yield replace(row, verb=verb.lower(), slots=slots), tokens


def slots_of(question: str, verb: str) -> Slots | None:
    """Return the slots of a question about a verb token, in any of its spellings."""
    return parse_question(question, *candidate_forms(verb))


def _problem(row: GoldRow, tokens: Tokens) -> tuple[str, str] | None:
    if not tokens:
        return "qasrl_id", f"{row.qasrl_id!r} is not among the sentences."
    if row.verb_idx >= len(tokens):
        return "verb_idx", f"{row.verb_idx} is on no token; the sentence has {len(tokens)}."
    if any(end > len(tokens) for _, end in row.answers):
        return "answer_range", f"goes beyond the sentence, which has {len(tokens)} tokens."
    return None


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.csv")
    parser.add_argument("sentences", type=Path, metavar="SENTENCES.csv")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.csv")
    parser.add_argument(
        "--skip-bad-rows",
        action="store_true",
        help="report bad rows and continue; by default, the first one stops the command",
    )


def _run(options: Options, notify: Notify, progress: Progress) -> tuple[Json, str]:
    bad_rows = 0

    def on_error(error: FileError) -> None:
        nonlocal bad_rows
        if not options["skip_bad_rows"]:
            raise error
        bad_rows += 1
        notify(str(error))

    try:
        parsed = parse_questions_file(
            questions=options["questions"],
            sentences=options["sentences"],
            out=options["out"],
            on_error=on_error,
            progress=progress,
        )
    except OSError as error:
        raise UsageError(f"{options['out']}: cannot be written ({error.strerror}).") from error
    for row in parsed.outside:
        place = f"{options['questions'].name}, line {row.line}"
        notify(f"{place}: outside the template: {row.question}")
    figures = {
        "questions": parsed.questions,
        "parsed": parsed.parsed,
        "outside": len(parsed.outside),
        "bad_rows": bad_rows,
    }
    left_out = f", {bad_rows} bad rows left out" if bad_rows else ""
    count = f"{parsed.parsed} of {parsed.questions} questions parsed"
    return figures, f"{count}{left_out}: {options['out']}"


PARSE_QUESTIONS = FileProgram(
    name="parse_questions",
    help="""Add the slot columns (wh, aux, subj, obj, ...) to a CSV file of QA-SRL questions.

QUESTIONS.csv needs qasrl_id, verb_idx, question and answer_range; SENTENCES.csv qasrl_id and
tokens. OUT.csv gets all columns of the published gold standard. Free-form questions stay
in the file with empty slots and are reported.""",
    example="python manage.py parse_questions questions.csv sentences.csv --out parsed.csv",
    add_arguments=_add_arguments,
    run=_run,
)
