"""Figures of the published gold, which are the same for CSV, the QA-SRL Bank and parser output."""

import json
from pathlib import Path

import pytest

from metrics.counts import Counts
from schemes.contract.errors import refuse
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.qasrl.annotation_files import read_annotation_file, read_sentence_tokens
from schemes.qasrl.evaluation import ScoredFiles
from schemes.qasrl.scheme import SCHEME
from tests.schemes.qasrl.published_data import EXPERT, GOLD, SENTENCES, needs_published_data

pytestmark = needs_published_data


@pytest.fixture(scope="module")
def rows() -> list[ExportRow]:
    tokens = read_sentence_tokens(SENTENCES)
    rows = []
    for record in SCHEME.corpus.read_gold([GOLD], "qasrl-csv", refuse):
        sentence = tokens[record.item.external_id]
        item = SCHEME.corpus.complete_item(record.item, ItemContext(sentence))
        content = SCHEME.content.parse_gold(record.content, ItemContext(sentence, item.target))
        rows.append(ExportRow(item.external_id, sentence, item.target, content, record.provenance))
    return sorted(rows, key=lambda row: row.external_id)


def write_bank(rows: list[ExportRow], path: Path) -> None:
    assert SCHEME.exports
    SCHEME.exports.write(rows, path, "qasrl-bank")


def write_parser_output(rows: list[ExportRow], path: Path) -> None:
    """Write a line per verb, without ids."""
    lines = []
    for row in rows:
        pairs = [
            {
                "question": question["question"],
                "spans": [{"start": start, "end": end - 1} for start, end in question["answers"]],
            }
            for question in row.content["questions"]
        ]
        verb = {"index": row.target["verb_idx"], "qa_pairs": pairs}
        lines.append(json.dumps({"words": row.tokens, "verbs": [verb]}))
    path.write_text("\n".join(lines), "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write"), [("gold.jsonl.gz", write_bank), ("parser.jsonl", write_parser_output)]
)
def test_formats_have_the_same_figures(rows, tmp_path, name, write):
    write(rows, tmp_path / name)
    sentences = read_sentence_tokens(SENTENCES)
    predicted = read_annotation_file(tmp_path / name, sentences=sentences)
    scores = ScoredFiles(read_annotation_file(EXPERT), predicted).scores
    assert (scores.ua, scores.la) == (Counts(155, 12, 22), Counts(134, 33, 43))
    scores = ScoredFiles(read_annotation_file(GOLD), predicted).scores
    assert (scores.items, scores.ua, scores.la) == (1264, Counts(4315, 0, 0), Counts(4315, 0, 0))
