"""The grammar, applied to all questions of the published file."""

import pytest

from schemes.english.verbs import candidate_forms
from schemes.qasrl.published_csv import read_gold_rows
from schemes.qasrl.reading import question_of
from schemes.qasrl.walker import read_question

from .published_data import GOLD, needs_published_data
from .test_published_csv import raised

COMPARED = "wh aux subj obj obj2 prep verb_prefix is_passive is_negated".split()  # noqa: SIM905
EXPLAINED = {
    "Who did see something?",
    "What did someone do something?",
}


@pytest.fixture(scope="module")
def readings():
    results = []
    for row in read_gold_rows(GOLD, on_error=raised):
        spellings = candidate_forms(row.verb)
        read = ((forms, read_question(row.question, forms)) for forms in spellings)
        forms = next(forms for forms, reading in read if reading)
        results.append((row, forms, read_question(row.question, *spellings)))
    return results


@needs_published_data
def test_slots_agree_except_for_explained_questions(readings):
    differing = {
        row.question
        for row, _, reading in readings
        if any(getattr(row.slots, name) != getattr(reading.slots, name) for name in COMPARED)
    }
    assert differing == EXPLAINED
    assert len(readings) == 3714


@needs_published_data
def test_inflection_agrees_if_the_file_has_one(readings):
    differing = {
        row.question
        for row, _, reading in readings
        if row.slots.verb_slot_inflection
        and row.slots.verb_slot_inflection != reading.slots.verb_slot_inflection
    }
    assert differing == {"What did someone do something?"}


@needs_published_data
def test_slots_spell_the_published_text(readings):
    for row, forms, reading in readings:
        spelt = question_of(
            reading.slots, forms, has_separate_not=reading.has_separate_not, has_it=reading.has_it
        )
        # 13 rows have wrong capitals ("WHat", "who").
        assert spelt == row.question[:1].upper() + row.question[1:].lower()


@needs_published_data
def test_slots_alone_spell_the_text_except_for_a_separate_not_and_it(readings):
    lost = [
        (reading.has_separate_not, reading.has_it)
        for row, forms, reading in readings
        if question_of(reading.slots, forms).lower() != row.question.lower()
    ]
    assert all(separate or it for separate, it in lost)
    assert len(lost) == 39
