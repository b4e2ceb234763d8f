"""Files of questions and answers: the published CSV files, and the format of the QA-SRL Bank."""

from collections.abc import Iterable
from pathlib import Path

from schemes.contract.files import Exports
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.qasrl import bank, gold_csv
from schemes.qasrl.context_answers import count_outside
from schemes.qasrl.corpus import known_format
from schemes.qasrl.published_csv import sentence_file
from schemes.qasrl.targets import is_noun, is_verb

_GOLD_WRITERS = {
    "qasrl-csv": gold_csv.write_gold_csv,
    "qanom-csv": gold_csv.write_noun_csv,
    "qasrl-bank": bank.write_bank,
}
_HELD_TARGETS = {"qasrl-csv": is_verb, "qasrl-bank": is_verb, "qanom-csv": is_noun}


class QasrlExports(Exports):
    """Files of questions and answers."""

    formats = {"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz", "qanom-csv": "csv"}
    holds = _HELD_TARGETS
    with_judgments = ("qasrl-bank",)
    with_source_workers = ("qanom-csv",)
    submissions = {"qasrl-csv": gold_csv.write_submissions_csv}
    sentence_file = staticmethod(sentence_file)

    def write(self, rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
        """Write the rows that the format has a place for."""
        write = known_format(_GOLD_WRITERS, fmt, path)
        holds = _HELD_TARGETS[fmt]
        return int(write((row for row in rows if holds(row.target)), path))

    def left_out(self, content: Json, fmt: str) -> int:
        """Return the number of questions that only the context answers."""
        return count_outside(content)


EXPORTS = QasrlExports()
