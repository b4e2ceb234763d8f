"""Answers in the context of a sentence: parsed, kept by merges, and never compared."""

import csv
from dataclasses import replace

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext, Neighbour, Neighbours
from schemes.contract.records import ExportRow
from schemes.english.verbs import verb_forms
from schemes.original_text import align
from schemes.qasrl import simulation
from schemes.qasrl.alignment import align as align_questions
from schemes.qasrl.comparison import compare
from schemes.qasrl.content import count_units, parse_consolidation, parse_generation
from schemes.qasrl.corpus import CORPUS
from schemes.qasrl.gold_csv import write_gold_csv
from schemes.qasrl.merging import as_source, gold_of, keep_all
from schemes.simulated_person import Person

TOKENS = tuple("Perry cut the ribbon yesterday .".split())  # noqa: SIM905
TARGET = {"verb_idx": 1, "verb": "cut", "forms": verb_forms("cut").by_name()}
OPENING = ("The", "mayor", "'s", "bridge", "opened", "in", "Bristol", ".")
TEXT = "The mayor's bridge opened in Bristol."
BEFORE = Neighbour("doc:1", OPENING, TEXT, align(OPENING, TEXT))
AFTER = Neighbour("doc:3", ("Crowds", "cheered", "."))
CONTEXT = ItemContext(
    TOKENS, TARGET, allows_context_answers=True, neighbours=Neighbours((BEFORE,), (AFTER,))
)
WHO = {"question": "Who cut something?", "answers": [[0, 1]]}
BRISTOL = {"sentence": "doc:1", "start": 6, "end": 7}
BRIDGE = {"sentence": "doc:1", "start": 0, "end": 4}
CROWDS = {"sentence": "doc:3", "start": 0, "end": 1}
WHERE = {"question": "Where did someone cut something?", "answers": []}


def generation(*answers, context=CONTEXT):
    content = {"questions": [WHO, {**WHERE, "context_answers": list(answers)}]}
    return parse_generation(content, context)


def test_texts_are_those_of_the_sentences_in_their_order():
    parsed = generation(CROWDS, {**BRISTOL, "text": "London"}, BRIDGE)
    [who, where] = parsed["questions"]
    assert "context_answers" not in who
    assert where["answers"] == []
    assert where["context_answers"] == [
        {**BRIDGE, "text": "The mayor's bridge"},
        {**BRISTOL, "text": "Bristol"},
        {**CROWDS, "text": "Crowds"},
    ]
    assert count_units(parsed, "generator") == 2
    assert parse_generation(parsed, CONTEXT) == parsed


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ({**BRISTOL, "sentence": "doc:9"}, "[0].sentence"),
        ({**BRISTOL, "end": 9}, "[0]"),
        ({**BRISTOL, "start": -1}, "[0]"),
        ({**BRISTOL, "start": 7}, "[0]"),
        ({**BRISTOL, "start": "6"}, "[0].start"),
        ({"sentence": "doc:1", "start": 6}, "[0].end"),
    ],
)
def test_places_that_the_page_does_not_show_are_refused(answer, place):
    with pytest.raises(ContentError) as refusal:
        generation(answer)
    assert refusal.value.path == f"questions[1].context_answers{place}"


def test_answers_to_a_question_share_no_word():
    with pytest.raises(ContentError, match="share a word"):
        generation(BRIDGE, {**BRIDGE, "start": 3, "end": 5})


def test_questions_without_any_answer_are_refused():
    with pytest.raises(ContentError, match="needs an answer"):
        generation()


def test_projects_refuse_them_unless_they_allow_them():
    with pytest.raises(ContentError, match="Remove them"):
        generation(BRISTOL, context=replace(CONTEXT, allows_context_answers=False))


def test_merges_keep_those_of_the_source_without_the_context():
    source = as_source(generation(BRISTOL))
    content = keep_all(source)
    content["questions"][1]["question"] = "Where might someone cut something?"
    content["questions"][0]["context_answers"] = [CROWDS]
    merged = parse_consolidation(content, ItemContext(TOKENS, TARGET), [source])
    gold, _ = gold_of(merged, [source])
    assert "context_answers" not in gold["questions"][0]
    assert gold["questions"][1]["context_answers"] == [{**BRISTOL, "text": "Bristol"}]
    assert parse_consolidation(merged, ItemContext(TOKENS, TARGET), [source]) == merged
    corrected = as_source(gold)
    again = parse_consolidation(keep_all(corrected), ItemContext(TOKENS, TARGET), [corrected])
    assert gold_of(again, [corrected])[0] == gold


@pytest.mark.parametrize(("other", "agrees"), [(BRISTOL, True), (CROWDS, False)])
def test_annotators_agree_only_on_the_same_answers_in_the_context(other, agrees):
    groups = align_questions([generation(BRISTOL), generation(other)])["groups"]
    [where] = [group["rows"] for group in groups if group["rows"][0]["answers"] == []]
    assert [row["agrees"] for row in where] == [agrees, agrees]


def test_comparisons_see_answers_in_the_sentence_only():
    plain, more = parse_generation({"questions": [WHO]}, CONTEXT), generation(BRISTOL)
    assert compare(plain, more, CONTEXT) == compare(plain, plain, CONTEXT)
    assert compare(more, plain, CONTEXT) == compare(plain, plain, CONTEXT)


def test_simulated_people_work_with_such_gold():
    gold = as_source(generation(BRISTOL))
    generated = simulation.generate(gold, CONTEXT, Person(skill=0.5), "seed")
    assert WHERE["question"] not in {question["question"] for question in generated["questions"]}
    merged = simulation.consolidate([gold], CONTEXT, Person(skill=1), "seed")
    assert [question["verdict"] for question in merged["questions"]] == ["keep", "invalid"]
    [part] = CORPUS.split_gold(gold, [{"worker_id": "a"}, {"worker_id": "a"}])
    assert [question["question"] for question in part["questions"]] == [WHO["question"]]


def test_csv_leaves_questions_out_that_only_the_context_answers(tmp_path):
    content = generation(BRISTOL)
    content["questions"].reverse()
    origins = [{"worker_id": "second"}, {"worker_id": "first"}]
    row = ExportRow(
        external_id="doc:2", tokens=TOKENS, target=TARGET, content=content, provenance=origins
    )
    path = tmp_path / "gold.csv"
    assert write_gold_csv([row], path) == 1
    with path.open(encoding="utf-8", newline="") as file:
        [written] = csv.DictReader(file)
    assert (written["question"], written["worker_id"]) == (WHO["question"], "first")
