import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemes.english.verbs import verb_forms
from schemes.qasrl.grammar import item_table
from schemes.qasrl.ranking import ranking_table
from schemes.qasrl.suggestions import Suggester
from schemes.qasrl.verb_context import cue_of
from schemes.qasrl.walker import Walker

from .generated_texts import random_question


def suggester(sentence: str, verb: str) -> Suggester:
    tokens = sentence.split()
    at = tokens.index(verb)
    forms = verb_forms(verb)
    return Suggester(Walker(item_table(forms, tokens)), ranking_table(tokens, at, forms))


def first(sentence: str, verb: str, text: str = "", asked: tuple[str, ...] = ()) -> list[str]:
    return [each.question for each in suggester(sentence, verb).suggest(text, list(asked))]


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        ("Perry cut the ribbon .", "cut", ("past", "", False)),
        ("The ribbon was quickly cut by Perry .", "cut", ("past", "passive", False)),
        ("They are being watched .", "watched", ("present", "progressive passive", False)),
        ("She has not eaten it .", "eaten", ("present", "perfect", True)),
        ("He might have been seen there .", "seen", ("might", "perfect passive", False)),
        ("It could rain .", "rain", ("might", "", False)),
        ("He must never leave .", "leave", ("should", "", True)),
        ("They want to leave .", "leave", ("to", "", False)),
        ("He was running home .", "running", ("past", "progressive", False)),
        ("She has been running .", "running", ("present", "perfect progressive", False)),
        ("A man named Smith came .", "named", ("past", "", False)),
        ("A song written by him .", "written", ("", "passive", False)),
        ("He wo n't go .", "go", ("will", "", True)),
    ],
)
def test_cue_reads_tense_aspect_and_voice(sentence, verb, expected):
    tokens = sentence.split()
    verb_context = cue_of(tokens, tokens.index(verb), verb_forms(verb))
    flags = (("perfect", verb_context.is_perfect), ("progressive", verb_context.is_progressive))
    shape = " ".join(
        name for name, holds in (*flags, ("passive", verb_context.is_passive)) if holds
    )
    assert (verb_context.tense, shape, verb_context.is_negated) == expected


def test_first_suggestions_keep_the_sentence_s_tense_and_voice():
    active = first("Perry carried the box .", "carried")
    assert active[:2] == ["Who carried something?", "What did someone carry?"]
    passive = first("The box was carried home by Perry .", "carried")
    assert passive[0] == "What was carried?"
    assert first("They are being watched .", "watched")[0] == "What is being watched?"


def test_negation_and_modal_of_the_sentence_come_first():
    assert first("He has not eaten it .", "eaten")[0].startswith(("Who hasn't", "What hasn't"))
    assert "might" in first("It might rain today .", "rain")[0]


def test_asked_roles_are_not_suggested_again():
    asked = ("Who carried something?", "When did someone carry something?")
    found = first("Perry carried the box .", "carried", asked=asked)
    assert found[0] == "What did someone carry?"
    assert not set(found) & set(asked)
    assert not any(question.startswith("When") for question in found)


def test_fillers_of_asked_questions_are_kept():
    asked = ("What carried someone?",)
    found = first("The bus carried the children .", "carried", "when ", asked)
    assert found[0] == "When did something carry someone?"


def test_prepositions_after_the_verb_are_suggested():
    found = first("They looked at the sea .", "looked", "what did someone look ")
    assert found[0] == "What did someone look at?"


def test_unlikely_beginnings_are_finished_all_the_same():
    found = first("Perry carried the box .", "carried", "how long wouldn't something have be")
    assert found
    assert all(each.startswith("How long wouldn't something have been") for each in found)


@pytest.mark.parametrize("text", ["Who carried?", "xyz", "who xyz", "who carried xyz "])
def test_nothing_to_suggest(text):
    assert first("Perry carried the box .", "carried", text) == []


SENTENCE = "The box was given to them by Perry in May ."
SUGGESTER = suggester(SENTENCE, "given")
WALKER = Walker(item_table(verb_forms("given"), SENTENCE.split()))


@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_every_suggestion_is_legal_new_and_begins_as_typed(seed, count, limit):
    rng = random.Random(seed)
    asked = [random_question(WALKER, rng, stop=0.6) for _ in range(count)]
    text = random_question(WALKER, rng, stop=0.6)
    begun = text[: rng.randint(0, len(text))]
    found = SUGGESTER.suggest(begun, asked, limit=limit)
    questions = [each.question for each in found]
    assert len(questions) <= limit
    assert len(set(questions)) == len(questions)
    assert [each.cost for each in found] == sorted(each.cost for each in found)
    for question in questions:
        assert question.lower().startswith(begun.rstrip())
        assert WALKER.check(question).state == "complete"
        assert question.lower().removesuffix("?") not in asked
