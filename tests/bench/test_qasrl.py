"""Measurements of the QA-SRL scheme. Run with `-m bench -s` to see the figures."""

import json
import time
from collections import Counter, defaultdict

import pytest

from schemes.contract.items import ItemContext, Suggestions
from schemes.contract.records import ExportRow
from schemes.english.predicates import find_predicates
from schemes.english.verbs import candidate_forms, verb_forms
from schemes.qasrl.published_csv import (
    read_gold_rows,
    read_predicates,
    read_sentence_rows,
    sentence_file,
    write_gold_rows,
)
from schemes.qasrl.walker import parse_question, read_question
from schemes.registry import get_scheme
from scripts.learn_suggestions import cross_validated, report, verbs_of

from ..schemes.qasrl.published_data import GOLD, SENTENCES, needs_published_data
from ..schemes.qasrl.test_published_csv import raised
from ..schemes.qasrl.test_published_questions import COMPARED

pytestmark = [pytest.mark.bench, needs_published_data]


@pytest.fixture(scope="module")
def rows():
    return list(read_gold_rows(GOLD, on_error=raised))


@pytest.fixture(scope="module")
def tokens_of():
    return {
        sentence.external_id: sentence.tokens
        for sentence in read_sentence_rows(SENTENCES, on_error=raised)
    }


def show(*words: object) -> None:
    print(*words)  # noqa: T201 - figures are what this file is for


def per_second(count: int, started: float) -> str:
    return f"{count / (time.perf_counter() - started):,.0f}/s"


def test_slots_of_published_questions(rows):
    started = time.perf_counter()
    differing = 0
    for row in rows:
        readings = (parse_question(row.question, forms) for forms in candidate_forms(row.verb))
        slots = next((reading for reading in readings if reading), None)
        pairs = {
            name: (getattr(row.slots, name), slots and getattr(slots, name)) for name in COMPARED
        }
        wrong = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        if wrong:
            differing += 1
            show(f"  line {row.line}: {row.question} (published, ours): {wrong}")
    show(f"slots: {len(rows) - differing} of {len(rows)} agree, {per_second(len(rows), started)}")
    assert differing <= 7  # 99.8 %


def test_verb_forms_of_published_verbs(rows, tokens_of):
    """The forms of a verb are right if they can parse all its questions."""
    missing = Counter()
    for row in rows:
        token = tokens_of[row.qasrl_id][row.verb_idx]
        if read_question(row.question, verb_forms(token)) is None:
            missing[token, row.question] += 1
    verbs = {row.verb for row in rows}
    for token, question in missing:
        show(f"  {token}: {question} {' '.join(verb_forms(token).by_name().values())}")
    wrong = {token for token, _ in missing}
    show(f"verb forms: {len(verbs) - len(wrong)} of {len(verbs)} verb tokens")
    assert len(wrong) <= len(verbs) * 0.01


def test_predicates_against_the_published(rows, tokens_of):
    published = defaultdict(set)
    for row in rows:
        published[row.qasrl_id].add(row.verb_idx)
    find_predicates(["Warm", "up", "."])
    started = time.perf_counter()
    predicates = {name: set(find_predicates(tokens_of[name])) for name in published}
    count = sum(len(tokens_of[name]) for name in published)
    speed = per_second(count, started)
    tp = sum(len(predicates[name] & published[name]) for name in published)
    fp = [(name, at) for name in published for at in sorted(predicates[name] - published[name])]
    fn = [(name, at) for name in published for at in sorted(published[name] - predicates[name])]
    for title, places in (("only ours", fp), ("only published", fn)):
        for name, at in places[:20]:
            words = tokens_of[name]
            show(
                f"  {title}: {' '.join(words[max(0, at - 3) : at])} [{words[at]}] ",
                end_of(words, at),
            )
    precision, recall = tp / (tp + len(fp)), tp / (tp + len(fn))
    show(f"predicates: precision {precision:.3f}, recall {recall:.3f}, {speed} tokens")
    assert min(precision, recall) >= 0.93


def end_of(words: tuple[str, ...], at: int) -> str:
    return " ".join(words[at + 1 : at + 4])


def test_suggestions_on_held_out_sentences():
    """The suggestions often include the next question, before and after the question word."""
    hits = cross_validated(verbs_of(GOLD, SENTENCES), folds=4)
    show(report(hits))
    for name in ("open", "wh"):
        assert hits[name, "infinitive", 3] >= 0.5 * hits[name, "infinitive", 0]
    assert hits["open", "infinitive left", 3] >= 0.5 * hits["open", "infinitive left", 0]
    assert hits["open", "all", 3] >= 0.58 * hits["open", "all", 0]
    assert hits["open", "passive", 3] >= 0.56 * hits["open", "passive", 0]
    assert hits["open", "particle", 3] >= 0.22 * hits["open", "particle", 0]
    assert hits["wh", "all", 8] >= 0.6 * hits["wh", "all", 0]


def test_table_sizes(tokens_of):
    scheme = get_scheme("qasrl")
    context = ItemContext((), suggestions=Suggestions.LEARNED)
    shared = len(json.dumps(scheme.pages.shared([context]), separators=(",", ":")))
    sizes = sorted(
        len(
            json.dumps(
                scheme.pages.item(
                    ItemContext(tokens, {"verb_idx": 0, "verb": "carried", "forms": forms})
                )
            )
        )
        for tokens in list(tokens_of.values())[:200]
        for forms in [verb_forms("carried").by_name()]
    )
    show(f"tables: {shared} B shared, per item median {sizes[100]} B, largest {sizes[-1]} B")
    assert shared + sizes[-1] <= 16_000


def test_reading_and_writing_files(tmp_path, rows, tokens_of):
    many = [(row, tokens_of[row.qasrl_id]) for row in rows] * 20
    started = time.perf_counter()
    write_gold_rows(many, tmp_path / "gold.csv")
    show(f"write_gold_rows: {per_second(len(many), started)}")
    started = time.perf_counter()
    count = sum(1 for _ in read_gold_rows(tmp_path / "gold.csv", on_error=raised))
    show(f"read_gold_rows: {per_second(count, started)}")
    started = time.perf_counter()
    assert sum(1 for _ in read_predicates(tmp_path / "gold.csv", on_error=raised)) == 1264
    show(f"read_predicates: {per_second(count, started)}")

    sentences = list(read_sentence_rows(SENTENCES, on_error=raised))
    numbered = [
        type(sentence)(f"{sentence.external_id}#{copy}", sentence.tokens, 0)
        for copy in range(110)
        for sentence in sentences
    ]
    with sentence_file(tmp_path / "sentences.csv") as add:
        for sentence in numbered:
            add(sentence)
    started = time.perf_counter()
    count = sum(1 for _ in read_sentence_rows(tmp_path / "sentences.csv", on_error=raised))
    show(f"read_sentence_rows: {per_second(count, started)}")
    assert count == len(numbered)


def test_completing_items_and_parsing_gold(tmp_path, rows, tokens_of):
    scheme = get_scheme("qasrl")
    records = list(scheme.corpus.read_gold([GOLD], "qasrl-csv", raised))
    started = time.perf_counter()
    items = [
        scheme.corpus.complete_item(r.item, ItemContext(tokens_of[r.item.external_id]))
        for r in records
    ]
    show(f"complete_item: {per_second(len(items), started)}")
    started = time.perf_counter()
    exported = [
        ExportRow(
            item.external_id,
            tokens_of[item.external_id],
            item.target,
            scheme.content.parse_gold(
                record.content, ItemContext(tokens_of[item.external_id], item.target)
            ),
            record.provenance,
        )
        for item, record in zip(items, records, strict=True)
    ]
    show(f"parse_gold: {per_second(len(items), started)} items")
    for fmt in scheme.exports.formats:
        exported.sort(key=lambda row: row.external_id)
        started = time.perf_counter()
        scheme.exports.write(exported, tmp_path / "out", fmt)
        show(f"write_gold {fmt}: {per_second(len(exported), started)} items")
