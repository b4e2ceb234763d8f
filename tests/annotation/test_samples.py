"""The properties of the sample corpus that the demo, the rehearsal and training rely on."""

import csv
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from schemes.english.verbs import verb_forms
from schemes.original_text import align
from schemes.qasrl.grammar import item_table
from schemes.qasrl.published_csv import (
    read_gold_rows,
    read_sentence_rows,
    sentence_file,
    write_gold_rows,
)
from schemes.qasrl.reading import question_of
from schemes.qasrl.slots import Slots
from schemes.qasrl.walker import Walker

SAMPLES = Path(__file__).parents[2] / "schemes" / "qasrl" / "samples"
SEPARATOR = "~!~"
KINDS = {"news", "encyclopaedia", "instructions", "dialogue"}
EXPERT_COLUMNS = (
    "qasrl_id,verb_idx,verb,worker_id,assign_id,source_assign_id,question,is_redundant,"
    "answer_range,answer,wh,subj,obj,obj2,aux,prep,verb_prefix,is_passive,is_negated,"
    "verb_slot_inflection"
)
MODALS = {"can", "might", "should", "would", "can't", "shouldn't", "wouldn't"}

Row = dict[str, str]
Predicate = tuple[str, int]
Span = tuple[int, int]


def rows_of(name: str) -> list[Row]:
    with (SAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def header_of(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8").splitlines()[0]


def predicate_of(row: Row) -> Predicate:
    return row["qasrl_id"], int(row["verb_idx"])


def spans_of(row: Row) -> list[Span]:
    ranges = (part.split(":") for part in row["answer_range"].split(SEPARATOR))
    return [(int(start), int(end)) for start, end in ranges]


def slots_of(row: Row) -> Slots:
    flags = {"is_passive", "is_negated"}
    names = [field.name for field in fields(Slots)]
    return Slots(**{name: row[name] == "True" if name in flags else row[name] for name in names})


def refuse(error: Exception) -> None:
    raise error


def kind_of(qasrl_id: str) -> str:
    return qasrl_id.split(":")[1]


@pytest.fixture(scope="module")
def tokens() -> dict[str, list[str]]:
    return {row["qasrl_id"]: row["tokens"].split(" ") for row in rows_of("sentences.csv")}


@pytest.fixture(scope="module")
def expert() -> list[Row]:
    return rows_of("expert.csv")


@pytest.fixture(scope="module")
def by_predicate(expert: list[Row]) -> dict[Predicate, list[Row]]:
    grouped = defaultdict(list)
    for row in expert:
        grouped[predicate_of(row)].append(row)
    return dict(grouped)


@pytest.fixture(scope="module")
def rounds() -> dict[str, list[Predicate]]:
    grouped = defaultdict(list)
    for row in rows_of("rounds.csv"):
        grouped[row["round"]].append(predicate_of(row))
    return dict(grouped)


def test_columns_are_those_of_the_published_files():
    assert header_of("sentences.csv") == "qasrl_id,tokens,sentence"
    assert header_of("expert.csv") == EXPERT_COLUMNS
    assert header_of("rounds.csv") == "qasrl_id,verb_idx,round"


@pytest.mark.parametrize("name", ["sentences.csv", "expert.csv", "rounds.csv"])
def test_file_is_plain_composed_utf8(name):
    text = (SAMPLES / name).read_bytes().decode("utf-8")
    assert not text.startswith("\ufeff")
    assert "\r" not in text
    assert text.endswith("\n")
    assert text == unicodedata.normalize("NFC", text)


# --- sentences


def test_sentences_have_four_kinds(tokens):
    assert len(rows_of("sentences.csv")) == len(tokens) >= 66
    assert all(re.fullmatch(r"sample:[a-z]+:\d\d:\d", qasrl_id) for qasrl_id in tokens)
    kinds = Counter(kind_of(qasrl_id) for qasrl_id in tokens)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 12


def test_sentences_vary_in_length(tokens):
    lengths = sorted(map(len, tokens.values()))
    assert lengths[0] >= 5
    assert lengths[-1] <= 35
    assert lengths[0] <= 8
    assert lengths[-1] >= 30
    assert len(set(lengths)) >= 15


def test_sentences_have_tokens_and_the_text_that_they_spell():
    for row in rows_of("sentences.csv"):
        tokens = row["tokens"].split(" ")
        assert all(tokens), row["qasrl_id"]
        assert align(tokens, row["sentence"]), row["qasrl_id"]
        assert not re.search(r" [.,;?!]|``", row["sentence"])


def test_sentences_are_tokenised_as_in_the_published_files(tokens):
    joined = " ".join(" ".join(sentence) for sentence in tokens.values())
    words = joined.split(" ")
    assert not re.search('["“”‘’]', joined)
    assert words.count("``") == words.count("''") > 0
    # Clitics are separate tokens. Only an abbreviation ends with a punctuation mark.
    assert all(word == "n't" or not word.endswith("n't") for word in words)
    assert all(word.startswith("'") for word in words if "'" in word and word != "n't")
    assert {word for word in words if re.fullmatch(r".+[.,;:!?]", word)} == {"Mrs."}
    assert all(sentence[-1] in {".", "?", "!", "''"} for sentence in tokens.values())


def test_sentences_name_people_and_places_beyond_ascii(tokens):
    beyond = [q for q, sentence in tokens.items() if not " ".join(sentence).isascii()]
    assert len(beyond) >= 10
    assert {kind_of(qasrl_id) for qasrl_id in beyond} >= {"news", "encyclopaedia", "dialogue"}


# --- expert annotation


def test_every_sentence_has_a_predicate_and_every_predicate_a_token(tokens, by_predicate):
    assert {qasrl_id for qasrl_id, _ in by_predicate} == set(tokens)
    for (qasrl_id, verb_idx), questions in by_predicate.items():
        verb = tokens[qasrl_id][verb_idx].lower()
        assert {row["verb"] for row in questions} == {verb}


def test_number_of_predicates_and_questions(expert, by_predicate):
    assert 120 <= len(by_predicate) <= 150
    assert 2.5 <= len(expert) / len(by_predicate) <= 3


def test_rows_follow_the_sentences_and_their_verbs(tokens, by_predicate, expert):
    order = {qasrl_id: position for position, qasrl_id in enumerate(tokens)}
    places = [(order[row["qasrl_id"]], int(row["verb_idx"])) for row in expert]
    assert places == sorted(places)


def test_rows_are_from_the_expert(expert):
    assert {row["worker_id"] for row in expert} == {"EXPERT"}
    assert {row["assign_id"] + row["source_assign_id"] for row in expert} == {""}
    assert {row["is_redundant"] for row in expert} == {"False"}


def test_answers_are_the_text_of_their_spans(tokens, expert):
    for row in expert:
        sentence = tokens[row["qasrl_id"]]
        spans = spans_of(row)
        assert all(0 <= start < end <= len(sentence) for start, end in spans), row
        texts = [" ".join(sentence[start:end]) for start, end in spans]
        assert row["answer"] == SEPARATOR.join(texts)


def test_answers_begin_and_end_with_a_word(expert):
    bare = re.compile(r"[.,;:!?]")
    for row in expert:
        for answer in row["answer"].split(SEPARATOR):
            first, *_, last = [answer.split(" ")[0], *answer.split(" ")]
            assert not bare.fullmatch(first), row
            assert not bare.fullmatch(last), row


def test_answers_of_a_predicate_do_not_overlap_or_contain_the_verb(by_predicate):
    for (qasrl_id, verb_idx), questions in by_predicate.items():
        verb = (verb_idx, verb_idx + 1)
        spans = sorted([verb, *(span for row in questions for span in spans_of(row))])
        assert all(left[1] <= right[0] for left, right in pairwise(spans)), (qasrl_id, verb_idx)


def test_questions_of_a_predicate_are_unique(by_predicate):
    for questions in by_predicate.values():
        texts = [row["question"].lower() for row in questions]
        assert len(texts) == len(set(texts)), texts


def test_questions_cover_the_guidelines(expert):
    assert {row["wh"] for row in expert} == {
        *("who", "what", "when", "where", "why", "how", "how much", "how long")
    }
    assert {row["obj2"] for row in expert} == {
        *("", "someone", "something", "somewhere", "do", "doing")
    }
    assert {row["aux"] for row in expert} >= {"can", "will", "might", "would", "should"}
    assert sum(row["is_negated"] == "True" for row in expert) >= 20
    assert sum(row["is_passive"] == "True" for row in expert) >= 40
    assert sum(SEPARATOR in row["answer_range"] for row in expert) >= 20


def test_questions_are_accepted_by_the_page(tokens, expert):
    for row in expert:
        sentence = tokens[row["qasrl_id"]]
        forms = verb_forms(sentence[int(row["verb_idx"])])
        walker = Walker(item_table(forms, sentence))
        assert walker.read(row["question"]), row["question"]
        assert re.fullmatch(r"[A-Z][a-z' ]+\?", row["question"])


def test_slot_columns_are_those_of_the_grammar(tokens, expert):
    for row in expert:
        sentence = tokens[row["qasrl_id"]]
        forms = verb_forms(sentence[int(row["verb_idx"])])
        reading = Walker(item_table(forms, sentence)).read(row["question"])
        assert reading is not None
        assert reading.slots == slots_of(row), row["question"]
        assert question_of(reading.slots, forms) == row["question"]


def test_files_pass_reader_and_writer_unchanged(tmp_path):
    sentences = list(read_sentence_rows(SAMPLES / "sentences.csv", on_error=refuse))
    gold = list(read_gold_rows(SAMPLES / "expert.csv", on_error=refuse))
    tokens = {sentence.external_id: sentence.tokens for sentence in sentences}

    with sentence_file(tmp_path / "sentences.csv") as add:
        for sentence in sentences:
            add(sentence)
    write_gold_rows(((row, tokens[row.qasrl_id]) for row in gold), tmp_path / "expert.csv")

    for name in ("sentences.csv", "expert.csv"):
        assert (tmp_path / name).read_bytes() == (SAMPLES / name).read_bytes()


# --- training rounds


def test_rounds_are_two_of_fifteen_different_predicates(rounds, by_predicate):
    assert {name: len(members) for name, members in rounds.items()} == {"1": 15, "2": 15}
    assert len({*rounds["1"], *rounds["2"]}) == 30
    assert {*rounds["1"], *rounds["2"]} <= set(by_predicate)


def test_each_round_has_all_kinds_and_hard_cases(rounds, by_predicate):
    for members in rounds.values():
        questions = [row for member in members for row in by_predicate[member]]
        assert {kind_of(qasrl_id) for qasrl_id, _ in members} == KINDS
        assert any(row["is_negated"] == "True" for row in questions)
        assert any(row["is_passive"] == "True" for row in questions)
        assert any(SEPARATOR in row["answer_range"] for row in questions)
        assert {row["aux"] for row in questions} & MODALS
        assert len(questions) / len(members) >= 2.5


def test_annotations_to_merge_are_two_per_predicate_outside_the_other_rounds():
    writers = defaultdict(set)
    for row in read_gold_rows(SAMPLES / "consolidation.csv", on_error=pytest.fail):
        writers[row.qasrl_id, str(row.verb_idx)].add(row.worker_id)
    assert set(map(frozenset, writers.values())) == {frozenset({"SAMPLE-A", "SAMPLE-B"})}
    with (SAMPLES / "rounds.csv").open(encoding="utf-8", newline="") as file:
        in_rounds = {(row["qasrl_id"], row["verb_idx"]) for row in csv.DictReader(file)}
    assert len(writers) == 8
    assert not in_rounds & set(writers)
