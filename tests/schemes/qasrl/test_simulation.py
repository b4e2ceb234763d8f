"""Simulated generators and judges of QA-SRL, on the sample that the project ships."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.spans import overlap
from schemes.contract.items import ItemContext
from schemes.english.verbs import verb_forms
from schemes.qasrl.content import parse_consolidation, parse_generation
from schemes.qasrl.corpus import CORPUS
from schemes.qasrl.phrases import is_cut, is_doubtful, phrases_of
from schemes.qasrl.rephrasing import Rephraser
from schemes.qasrl.scheme import SCHEME
from schemes.qasrl.simulated_generator import generate
from schemes.qasrl.simulated_judges import consolidate
from schemes.simulated_person import Person
from tests.schemes.qasrl.published_data import GOLD, SENTENCES, needs_published_data

pytestmark = pytest.mark.slow
SENTENCE = "On Monday the old council , which met in Paris , rejected the plan of the mayor ."
TOKENS = SENTENCE.split()
VERB = TOKENS.index("rejected")
CONTEXT = ItemContext(
    TOKENS, {"verb_idx": VERB, "verb": "rejected", "forms": verb_forms("rejected").by_name()}
)
WHO, WHAT, WHEN = (
    "Who rejected something?",
    "What did someone reject?",
    "When did someone reject something?",
)
EXACT, TYPICAL = Person(1.0), Person(0.9)


def words(text: str) -> list[int]:
    wanted = text.split()
    start = next(at for at in range(len(TOKENS)) if TOKENS[at : at + len(wanted)] == wanted)
    return [start, start + len(wanted)]


def source(*questions: tuple[str, str]):
    asked = [{"question": text, "answers": [words(answer)]} for text, answer in questions]
    return parse_generation({"questions": asked, "no_question": ""}, CONTEXT)


def kept_by(person: Person, sources, seed: int) -> list[tuple[str, list[list[int]]]]:
    content = consolidate(sources, CONTEXT, person, str(seed))
    parse_consolidation(content, CONTEXT, sources)
    return [
        (question["question"], question["answers"])
        for question in content["questions"]
        if question["verdict"] == "keep"
    ]


REFERENCE = source((WHO, "the old council"), (WHAT, "the plan of the mayor"), (WHEN, "On Monday"))


def read_items(sentences, gold):
    """Yield contexts and gold with its provenance."""
    tokens = {
        record.external_id: record.tokens
        for record in SCHEME.corpus.read_sentences(sentences, "qasrl-csv", pytest.fail)
    }
    for record in SCHEME.corpus.read_gold([gold], "qasrl-csv", pytest.fail):
        context = ItemContext(tokens[record.item.external_id], free_form=True)
        target = SCHEME.corpus.complete_item(record.item, context).target
        context = replace(context, target=target)
        yield context, SCHEME.content.parse_gold(record.content, context), record.provenance


@pytest.fixture(scope="module")
def sample():
    """Return the items of the shipped sample, with their gold."""
    items = read_items(SCHEME.sample.sentences, SCHEME.sample.gold[0])
    return [(replace(context, free_form=False), gold) for context, gold, _ in items]


@needs_published_data
def test_replayed_annotators_are_consolidated_into_the_published_gold():
    for context, gold, provenance in read_items(SENTENCES, GOLD):
        sources = [
            parse_generation(content, context) for content in CORPUS.split_gold(gold, provenance)
        ]
        merged = parse_consolidation(consolidate(sources, context, EXACT, "a"), context, sources)
        expected = sorted((row["question"], row["answers"]) for row in gold["questions"])
        assert expected == sorted(
            (row["question"], row["answers"])
            for row in merged["questions"]
            if row["verdict"] == "keep"
        )


def test_people_of_skill_1_reproduce_the_whole_sample(sample):
    for context, gold in sample:
        expected = [(question["question"], question["answers"]) for question in gold["questions"]]
        content = parse_generation(generate(gold, context, EXACT, "a"), context)
        for sources in ([content], [content, content], [content] * 3):
            merged = consolidate(sources, context, EXACT, "a")
            parse_consolidation(merged, context, sources)
            assert [
                (question["question"], question["answers"])
                for question in merged["questions"]
                if question["verdict"] == "keep"
            ] == expected


@pytest.mark.parametrize("skill", [0.0, 0.5, 0.9])
def test_all_simulated_work_is_accepted(sample, skill):
    for at, (context, gold) in enumerate(sample):
        people = [Person.drawn(skill, f"{at}:{name}") for name in "abc"]
        sources = [
            parse_generation(generate(gold, context, person, f"{at}:{name}"), context)
            for person, name in zip(people, "abc", strict=True)
        ]
        parse_consolidation(consolidate(sources, context, people[0], f"{at}"), context, sources)


def test_generators_make_every_kind_of_error():
    """A question is missed, invented, rephrased or has another border, and mostly none of these."""
    expected = {question["question"]: question["answers"][0] for question in REFERENCE["questions"]}
    counts = dict.fromkeys(("missed", "invented", "rephrased", "moved", "exact"), 0)
    for seed in range(300):
        content = generate(REFERENCE, CONTEXT, TYPICAL, str(seed))
        spans = {
            span: q["question"] for q in content["questions"] for span in map(tuple, q["answers"])
        }
        for question, answer in expected.items():
            near = [span for span in spans if overlap(span, tuple(answer))]
            counts["missed"] += not near
            counts["moved"] += bool(near) and tuple(answer) not in near
            counts["rephrased"] += any(spans[span] != question for span in near)
            counts["exact"] += spans.get(tuple(answer)) == question
        counts["invented"] += any(
            all(not overlap(span, tuple(answer)) for answer in expected.values()) for span in spans
        )
    assert min(counts.values()) > 15
    assert counts["exact"] > 450


def test_a_bold_person_asks_more_and_a_timid_one_less():
    asked = {
        boldness: sum(
            len(generate(REFERENCE, CONTEXT, Person(0.9, boldness), str(seed))["questions"])
            for seed in range(200)
        )
        for boldness in (-1.0, 0.0, 1.0)
    }
    assert asked[-1.0] < asked[0.0] < asked[1.0]


# --- rephrasing ---------------------------------------------------------------------------------


def rephrasings(question: str) -> set[str]:
    rephraser = Rephraser(CONTEXT.target)
    return {rephraser.rephrased(question, random.Random(seed)) for seed in range(200)}


def test_questions_are_rephrased_in_the_template():
    assert rephrasings(WHAT) == {
        "Who did someone reject?",
        "What did something reject?",
        "What was rejected?",
        "What might someone reject?",
        "What does someone reject?",
    }
    assert "When did something reject something?" in rephrasings(WHEN)
    assert "Where did someone reject something?" in rephrasings(WHEN)
    assert "What did someone reject?" in rephrasings("What was rejected?")


def test_question_outside_the_template_stays():
    assert rephrasings("Rejected by whom?") == {"Rejected by whom?"}


@pytest.mark.parametrize(
    ("question", "when", "about"),
    [
        (WHO, WHEN, "What did someone reject something about?"),
        (WHAT, WHEN, "What did someone reject something about?"),
        (
            "What was rejected?",
            "When was something rejected?",
            "What was something rejected about?",
        ),
        (
            "Who might reject something?",
            "When might someone reject something?",
            "What might someone reject something about?",
        ),
    ],
)
def test_questions_about_the_same_event_have_its_words(question, when, about):
    rephraser = Rephraser(CONTEXT.target)
    assert rephraser.adverbial(question, "when") == when
    assert rephraser.with_preposition(question, "about") == about


# --- signs that a reader sees ---------------------------------------------------------------------


def test_phrases_end_at_function_words_and_punctuation():
    spans = phrases_of(TOKENS, VERB)
    assert [" ".join(TOKENS[start:end]) for start, end in spans] == [
        "On Monday the old council", "met", "in Paris", "the plan", "of the mayor",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "doubtful", "cut"),
    [
        ("the old council", False, False),
        ("On Monday", True, False),
        ("rejected the plan", True, False),
        ("old council", False, True),
        ("the plan of", False, True),
        (", which met", False, True),
        ("the mayor", False, False),
    ],
)
def test_doubtful_and_cut_answers(answer, doubtful, cut):
    start, end = words(answer)
    assert is_doubtful(TOKENS, VERB, (start, end)) == doubtful
    assert is_cut(TOKENS, (start, end)) == cut


# --- consolidators --------------------------------------------------------------------------------


def test_what_both_ask_is_kept_and_what_one_asks_is_judged_by_the_sentence():
    """One annotator asks alone about the plan, and the other about a phrase of a distant clause."""
    first = source((WHO, "the old council"), (WHAT, "the plan of the mayor"))
    second = source((WHO, "the old council"), (WHEN, "On Monday"))
    kept = [dict(kept_by(TYPICAL, [first, second], seed)) for seed in range(400)]
    shares = [sum(text in each for each in kept) / 400 for text in (WHO, WHAT, WHEN)]
    assert shares == [pytest.approx(share, abs=0.06) for share in (0.99, 0.95, 0.4)]


def test_the_whole_phrase_wins_over_a_cut_one():
    first = source((WHAT, "plan of the mayor"))
    second = source((WHAT, "the plan of the mayor"))
    kept = [kept_by(TYPICAL, [first, second], seed) for seed in range(300)]
    whole = [(WHAT, [words("the plan of the mayor")])]
    assert sum(each == whole for each in kept) / 300 == pytest.approx(0.9, abs=0.06)


def test_of_two_questions_for_an_answer_the_one_in_the_sentence_s_tense_wins():
    first = source(("What might someone reject?", "the plan of the mayor"))
    second = source((WHAT, "the plan of the mayor"))
    texts = [text for seed in range(300) for text, _ in kept_by(TYPICAL, [first, second], seed)]
    assert texts.count(WHAT) / len(texts) == pytest.approx(0.9, abs=0.06)


def test_overlaps_of_different_questions_are_resolved():
    """The whole object and its first half are equally good. The rest is free only beside the half."""
    who = "Who did someone reject?"
    first = source((WHAT, "the plan of the mayor"))
    second = source((WHAT, "the plan"), (who, "the mayor"))
    whole = ((WHAT, (tuple(words("the plan of the mayor")),)),)
    parts = ((WHAT, (tuple(words("the plan")),)), (who, (tuple(words("the mayor")),)))
    results = {
        tuple((text, tuple(map(tuple, answers))) for text, answers in kept)
        for kept in (kept_by(EXACT, [first, second], seed) for seed in range(100))
    }
    assert results == {whole, parts}


@given(st.floats(0, 1), st.integers(0, 300))
def test_consolidation_is_valid_and_deterministic(skill, seed):
    people = [Person(skill, boldness) for boldness in (-1.0, 1.0)]
    sources = [
        parse_generation(generate(REFERENCE, CONTEXT, person, f"{seed}{at}"), CONTEXT)
        for at, person in enumerate(people)
    ]
    assert kept_by(people[0], sources, seed) == kept_by(people[0], sources, seed)
