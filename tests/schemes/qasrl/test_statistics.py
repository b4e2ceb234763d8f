"""Statistics of the published gold, compared with counts of its columns."""

import csv
from collections import Counter

import pytest

from schemes.contract.errors import refuse
from schemes.contract.items import ItemContext
from schemes.contract.statistics import AnnotatedItem
from schemes.qasrl import statistics
from schemes.qasrl.gold_csv import read_gold_csv
from schemes.qasrl.published_csv import read_sentence_rows
from schemes.qasrl.scheme import SCHEME
from schemes.qasrl.statistics import modal_of
from tests.schemes.qasrl.published_data import GOLD, SENTENCES, needs_published_data

MODALS = {"can", "can't", "will", "won't", "might", "would", "wouldn't", "should", "shouldn't"}


pytestmark = needs_published_data


@pytest.fixture(scope="module")
def published() -> list[dict[str, str]]:
    with GOLD.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def items() -> list[AnnotatedItem]:
    """Return the published gold in the form in which an import stores it."""
    tokens = {row.external_id: row.tokens for row in read_sentence_rows(SENTENCES, on_error=refuse)}
    return [_imported(record, tokens) for record in read_gold_csv(GOLD, on_error=refuse)]


def _imported(record, tokens) -> AnnotatedItem:
    sentence = ItemContext(tokens[record.item.external_id])
    item = SCHEME.corpus.complete_item(record.item, sentence)
    context = ItemContext(sentence.tokens, item.target)
    content = SCHEME.content.parse_gold(record.content, context)
    return AnnotatedItem(item.external_id, context, content)


def test_figures_equal_those_of_the_columns(published, items):
    figures = statistics.count(items)
    assert figures["verbs"] == len({(row["qasrl_id"], row["verb_idx"]) for row in published})
    questions = {(row["qasrl_id"], row["verb_idx"], row["question"]) for row in published}
    assert figures["roles"] == len(questions)
    assert figures["arguments"] == 4315
    for figure, holds in {
        "passive": lambda row: row["is_passive"] == "True",
        "negated": lambda row: row["is_negated"] == "True",
        "modal": lambda row: row["aux"] in MODALS,
    }.items():
        # One question of the file has two rows. Readers compute slots from the text, and a few
        # published slots are errors.
        assert figures[figure] == pytest.approx(sum(map(holds, published)), abs=3)
    assert figures["roles_per_verb"] == pytest.approx(2.94, abs=0.01)


def test_tables_count_each_question_once(published, items):
    by_word, by_modal = statistics.tables(items)
    words = Counter(row["wh"] for row in published)
    assert {row[0]: row[1] for row in by_word.rows} == pytest.approx(words, abs=2)
    assert [row[0] for row in by_word.rows][:2] == ["what", "who"]
    assert sum(row[1] for row in by_modal.rows) == sum(row[1] for row in by_word.rows)
    assert statistics.frequencies(items).counts[0][0] == "what"


def test_modals_lose_their_negation():
    pairs = {"can't": "can", "won't": "will", "shouldn't": "should", "might": "might"}
    assert {aux: modal_of(aux) for aux in pairs} == pairs
    assert modal_of("didn't") == modal_of("") == modal_of("was") == ""


def test_questions_outside_the_template_have_no_slots():
    content = {"questions": [{"question": "Banana?", "answers": [[0, 1]], "slots": None}]}
    item = AnnotatedItem("s", ItemContext(("word",), {"forms": {"stem": "go"}}), content)
    figures = statistics.count([item])
    assert (figures["free_form"], figures["passive"], figures["roles"]) == (1, 0, 1)
    assert statistics.tables([item]) == []
    assert statistics.frequencies([item]).counts == [("free-form", 1)]


def test_group_without_items_has_no_means():
    figures = statistics.count([])
    assert (figures["verbs"], figures["roles_per_verb"]) == (0, None)
