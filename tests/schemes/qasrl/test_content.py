import copy
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.english.verbs import verb_forms
from schemes.qasrl.content import (
    count_units,
    parse_consolidation,
    parse_generation,
    parse_gold,
    parse_system,
)
from schemes.qasrl.merging import as_source, gold_of, keep_all

TOKENS = "Perry cut the ribbon with scissors in Bristol yesterday .".split()  # noqa: SIM905
TARGET = {"verb_idx": 1, "verb": "cut", "forms": verb_forms("cut").by_name()}
CONTEXT = ItemContext(TOKENS, TARGET)
WHO = {"question": "Who cut something?", "answers": [[0, 1]]}
WHAT = {"question": "What did someone cut?", "answers": [[2, 4]]}
WHEN = {"question": "When did someone cut something?", "answers": [[8, 9]]}


def generation(content):
    return parse_generation(content, CONTEXT)


def refusal_of(content, parse=generation):
    with pytest.raises(ContentError) as excinfo:
        parse(content)
    assert excinfo.value.message.endswith((".", "”"))
    return excinfo.value.path, excinfo.value.message


def test_generation_is_normalised():
    parsed = generation(
        {
            "questions": [
                {"question": "  wHO cut   something", "answers": [[0, 1]]},
                {"question": "What did it cut with ??", "answers": [[7, 8], [4, 6]]},
                {"question": "which ribbon was  cut", "answers": [[2, 4]]},
            ]
        }
    )
    assert [question["question"] for question in parsed["questions"]] == [
        "Who cut something?",
        "What did it cut with?",
        "Which ribbon was cut?",
    ]
    assert parsed["questions"][0]["slots"]["obj"] == "something"
    assert parsed["questions"][1]["answers"] == [[4, 6], [7, 8]]
    assert parsed["questions"][1]["slots"]["subj"] == "something"
    assert parsed["questions"][2]["slots"] is None
    assert parsed["no_question"] == ""


def test_parsed_generation_is_unchanged_by_parsing():
    once = generation({"questions": [WHO, WHAT, {"question": "Which?", "answers": [[8, 9]]}]})
    assert generation(once) == once


def test_submitted_slots_are_recomputed():
    parsed = generation({"questions": [{**WHO, "slots": {"wh": "what"}}]})
    assert parsed["questions"][0]["slots"]["wh"] == "who"


def test_generation_accepts_a_reason_instead_of_questions():
    parsed = generation({"questions": [], "no_question": " not  a verb "})
    assert parsed == {"questions": [], "no_question": "not a verb"}


def with_question(**changes):
    return {"questions": [{**WHO, **changes}]}


@pytest.mark.parametrize(
    ("content", "path", "words"),
    [
        (None, "", "must be an object"),
        ([], "", "must be an object"),
        ({}, "questions", "is missing"),
        ({"questions": {}}, "questions", "must be a list"),
        ({"questions": [3]}, "questions[0]", "must be an object"),
        ({"questions": []}, "questions", "or explain why"),
        ({"questions": [], "no_question": "  "}, "questions", "or explain why"),
        ({"questions": [WHO], "extra": 1}, "extra", "not a known field"),
        (with_question(extra=1), "questions[0].extra", "not a known field"),
        (with_question(question=3), "questions[0].question", "must be a text"),
        (with_question(question=""), "questions[0].question", "is empty"),
        (with_question(question=" ?? "), "questions[0].question", "is empty"),
        (with_question(question="x" * 201), "questions[0].question", "at most 200"),
        (with_question(question="Who\0?"), "questions[0].question", "control character"),
        (with_question(question="Who \x1b[1m?"), "questions[0].question", "control character"),
        (with_question(question="Who \ud800?"), "questions[0].question", "no text"),
        (with_question(answers=[]), "questions[0].answers", "needs an answer"),
        (with_question(answers=None), "questions[0].answers", "must be a list"),
        (with_question(answers=[[0]]), "questions[0].answers[0]", "too few"),
        (with_question(answers=[[0, 1, 2]]), "questions[0].answers[0]", "too many"),
        (with_question(answers=[[0, "1"]]), "questions[0].answers[0][1]", "whole number"),
        (with_question(answers=[[0, 1.0]]), "questions[0].answers[0][1]", "whole number"),
        (with_question(answers=[[False, True]]), "questions[0].answers[0][0]", "whole number"),
        (with_question(answers=[[0, 11]]), "questions[0].answers[0]", "has 10 tokens"),
        (with_question(answers=[[-1, 1]]), "questions[0].answers[0]", "not in the sentence"),
        (with_question(answers=[[10, 10]]), "questions[0].answers[0]", "not in the sentence"),
        (with_question(answers=[[3, 3]]), "questions[0].answers[0]", "ends before it starts"),
        (with_question(answers=[[3, 2]]), "questions[0].answers[0]", "ends before it starts"),
        (with_question(answers=[[0, 2], [1, 3]]), "questions[0].answers", "“cut” already belongs"),
        (
            with_question(answers=[[0, 1], [0, 1]]),
            "questions[0].answers",
            "“Perry” already belongs",
        ),
        (with_question(answers=[[0, 1]] * 61), "questions[0].answers", "at most 60"),
        (
            {"questions": [WHO, {"question": "WHO  cut something", "answers": [[2, 4]]}]},
            "questions[1].question",
            "asked already, in questions[0]",
        ),
        (
            {"questions": [WHAT, {**WHO, "answers": [[0, 3]]}]},
            "questions[0].answers",
            "“the” already belongs to an answer of “Who cut something?”",
        ),
        ({"questions": [WHO] * 61}, "questions", "at most 60"),
        ({"questions": [], "no_question": "x" * 1001}, "no_question", "at most 1000"),
    ],
)
def test_invalid_generation_is_refused_with_a_path(content, path, words):
    error_path, message = refusal_of(content)
    assert error_path == path
    assert words in message


def test_gold_may_be_empty_but_accepts_no_reason():
    assert parse_gold({"questions": []}, CONTEXT) == {"questions": []}
    error_path, _ = refusal_of(
        {"questions": [], "no_question": ""},
        lambda content: parse_gold(content, CONTEXT),
    )
    assert error_path == "no_question"


# --- consolidation ---------------------------------------------------------------------------

SOURCES = [
    generation({"questions": [WHO, WHEN]}),
    generation({"questions": [{**WHO, "answers": [[0, 1], [2, 3]]}]}),
]


def judgment(question, source, verdict="keep", same_as=None):
    at = None if source is None else {"submission": source[0], "question": source[1]}
    return {**question, "source": at, "verdict": verdict, "same_as": same_as}


GOOD = {
    "questions": [
        judgment(WHO, (0, 0)),
        judgment({**WHEN, "answers": [[7, 9]]}, (0, 1)),
        judgment(WHO, (1, 0), "redundant", 0),
        judgment(WHAT, None),
    ]
}


def consolidation(content, sources=SOURCES):
    return parse_consolidation(content, CONTEXT, sources)


def changed(position, **changes):
    content = copy.deepcopy(GOOD)
    content["questions"][position].update(changes)
    return content


def test_parsed_consolidation_is_unchanged_by_parsing():
    once = consolidation(GOOD)
    assert once["questions"][2]["same_as"] == 0
    assert consolidation(once) == once


def test_gold_has_the_kept_questions_and_their_origins():
    parsed = consolidation(GOOD)
    gold, origins = gold_of(parsed, SOURCES)
    assert [question["question"] for question in gold["questions"]] == [
        "Who cut something?",
        "When did someone cut something?",
        "What did someone cut?",
    ]
    assert origins == [
        {"source": 0, "state": "kept"},
        {"source": 0, "state": "edited"},
        {"source": None, "state": "new"},
    ]
    assert parse_gold(gold, CONTEXT) == gold


def test_pay_counts_written_and_judged_questions():
    assert count_units(SOURCES[0], "generator") == 2
    assert count_units(consolidation(GOOD), "consolidator") == 3


def test_all_questions_may_be_discarded():
    content = {
        "questions": [
            judgment({**WHO, "answers": []}, (0, 0), "invalid"),
            judgment({**WHEN, "answers": []}, (0, 1), "invalid"),
            judgment(WHO, (1, 0), "redundant"),
        ]
    }
    gold, origins = gold_of(consolidation(content), SOURCES)
    assert gold == {"questions": []}
    assert origins == []


def test_consolidation_of_empty_sources_may_be_empty():
    empty = generation({"questions": [], "no_question": "no verb"})
    assert consolidation({"questions": []}, [empty, empty]) == {"questions": []}


@pytest.mark.parametrize(
    ("content", "path", "words"),
    [
        ({"questions": GOOD["questions"][1:]}, "questions", "of annotator 1 is not judged"),
        ({"questions": GOOD["questions"][:2]}, "questions", "of annotator 2 is not judged"),
        (changed(0, source={"submission": 0, "question": 1}), "questions[1].source", "twice"),
        (changed(0, source={"submission": 0, "question": 2}), "questions[0].source", "no annot"),
        (changed(0, source={"submission": -1, "question": 0}), "questions[0].source", "no annot"),
        (changed(0, source={"submission": 0}), "questions[0].source.question", "is missing"),
        (changed(0, source=3), "questions[0].source", "must be an object"),
        (changed(0, verdict="maybe"), "questions[0].verdict", "must be 'keep'"),
        (changed(3, verdict="invalid"), "questions[3].verdict", "kept or deleted"),
        (changed(0, answers=[]), "questions[0].answers", "needs an answer"),
        (changed(1, same_as=0), "questions[1].same_as", "only for redundant"),
        (changed(2, same_as=2), "questions[2].same_as", "that is kept"),
        (changed(2, same_as=-1), "questions[2].same_as", "that is kept"),
        (changed(2, same_as=9), "questions[2].same_as", "that is kept"),
        (changed(2, answers=[[0, 99]]), "questions[2].answers[0]", "not in the sentence"),
        (changed(3, question="who cut something"), "questions[3].question", "asked already"),
        (changed(3, answers=[[0, 4]]), "questions[3].answers", "already belongs"),
        (changed(3, answers=[[8, 9]]), "questions[3].answers", "already belongs"),
        ({"questions": GOOD["questions"], "comment": ""}, "comment", "not a known field"),
    ],
)
def test_invalid_consolidation_is_refused_with_a_path(content, path, words):
    error_path, message = refusal_of(content, consolidation)
    assert error_path == path
    assert words in message


def test_consolidation_keeps_the_rank_of_a_picked_question():
    content = changed(3, picked=2)
    content["questions"][1]["picked"] = None
    parsed = consolidation(content)
    assert [question.get("picked", "unknown") for question in parsed["questions"]] == [
        "unknown",
        None,
        "unknown",
        2,
    ]
    gold, _ = gold_of(parsed, SOURCES)
    assert not any("picked" in question for question in gold["questions"])


@pytest.mark.parametrize("rank", [0, -1, 101, "1", 1.5])
def test_rank_in_a_consolidation_is_a_number_from_1(rank):
    assert refusal_of(changed(3, picked=rank), consolidation)[0] == "questions[3].picked"


# --- implied arguments -----------------------------------------------------------------------


def test_implied_of_kept_questions_becomes_gold():
    content = changed(0, implied=True)
    content["questions"][1]["implied"] = False
    parsed = consolidation(content)
    assert consolidation(parsed) == parsed
    gold, _ = gold_of(parsed, SOURCES)
    assert [question.get("implied") for question in gold["questions"]] == [True, False, None]
    assert "implied" not in gold["questions"][2]
    assert parse_gold(gold, CONTEXT) == gold


def test_implied_of_gold_survives_a_correction():
    gold = parse_gold({"questions": [{**WHO, "implied": True}, WHEN]}, CONTEXT)
    source = as_source(gold)
    corrected, _ = gold_of(consolidation(keep_all(source), [source]), [source])
    assert corrected == gold


@pytest.mark.parametrize("asks", [True, False])
def test_annotators_state_what_is_implied_only_if_the_project_asks(asks):
    context = replace(CONTEXT, asks_implied=asks)
    [question] = parse_generation({"questions": [{**WHO, "implied": True}]}, context)["questions"]
    assert question.get("implied") == (True if asks else None)


@pytest.mark.parametrize("value", ["yes", 1, [], {}])
def test_implied_is_true_or_false(value):
    path, _ = refusal_of(changed(0, implied=value), consolidation)
    assert path == "questions[0].implied"


# --- arbitrary input -------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["questions", "question", "answers", "source", "verdict", "same_as", "slots", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)
NEARLY = st.fixed_dictionaries(
    {
        "questions": st.lists(
            st.fixed_dictionaries(
                {
                    "question": st.sampled_from(["Who cut?", "who", "what was cut"]) | st.text(),
                    "answers": st.lists(
                        st.tuples(st.integers(-1, 11), st.integers(-1, 11)).map(list), max_size=2
                    ),
                },
                optional={
                    "source": JSON
                    | st.fixed_dictionaries(
                        {"submission": st.integers(-1, 2), "question": st.integers(-1, 2)}
                    ),
                    "verdict": st.sampled_from(["keep", "invalid", "redundant"]) | JSON,
                    "same_as": st.none() | st.integers(-2, 4),
                    "slots": JSON,
                },
            ),
            max_size=4,
        )
    }
)


@given(JSON | NEARLY)
def test_any_json_is_parsed_or_refused_with_a_message(content):
    for parse in (generation, consolidation):
        try:
            parsed = parse(content)
        except ContentError as error:
            parsed = {"path": error.path, "message": error.message}
        assert parsed.get("message") != ""
        json.dumps(parsed).encode()


@given(NEARLY)
def test_accepted_generations_follow_the_rules(content):
    for question in content["questions"]:
        for name in ("source", "verdict", "same_as"):
            question.pop(name, None)
    try:
        parsed = generation(content)
    except ContentError:
        return
    tokens = [
        token
        for question in parsed["questions"]
        for start, end in question["answers"]
        for token in range(start, end)
    ]
    assert len(tokens) == len(set(tokens))
    assert all(0 <= token < len(TOKENS) for token in tokens)
    assert all(question["answers"] for question in parsed["questions"])
    texts = [question["question"].casefold() for question in parsed["questions"]]
    assert len(texts) == len(set(texts))
    assert generation(parsed) == parsed


# --- many sources ------------------------------------------------------------------------------


def large_case(total, new):
    """Return sources of five annotators with `total` questions, and a consolidation with `new` others."""
    texts = [f"Which ribbon number {at}?" for at in range(total)]
    sources = [
        {"questions": [{"question": text, "answers": [[2, 4]]} for text in texts[first::5]]}
        for first in range(5)
    ]
    judgments = [
        {**question, "source": {"submission": at, "question": position}, "verdict": "invalid"}
        for at, source in enumerate(sources)
        for position, question in enumerate(source["questions"])
    ]
    added = {**WHO, "source": None, "verdict": "keep"}
    return sources, {"questions": [*judgments, *[added] * new]}


def test_case_of_more_than_240_questions_is_accepted():
    sources, content = large_case(295, 1)
    parsed = parse_consolidation(content, CONTEXT, sources)
    assert len(parsed["questions"]) == 296
    assert count_units(parsed, "consolidator") == 0  # outside the template
    assert gold_of(parsed, sources)[0]["questions"][0]["question"] == "Who cut something?"


def test_added_questions_are_limited_to_those_of_one_person():
    sources, content = large_case(5, 61)
    with pytest.raises(ContentError, match="at most 65 are taken"):
        parse_consolidation(content, CONTEXT, sources)


def test_system_output_may_contradict_itself():
    overlapping = {"question": "What cut something?", "answers": [[0, 2], [1, 2]]}
    content = {"questions": [WHO, overlapping, {"question": "When?", "answers": []}]}
    parsed = parse_system(content, CONTEXT)
    assert [question["answers"] for question in parsed["questions"]] == [[[0, 1]], [[0, 2], [1, 2]]]
    with pytest.raises(ContentError, match="is not in the sentence"):
        parse_system({"questions": [{**WHO, "answers": [[0, 99]]}]}, CONTEXT)


PUBLISHED = {
    "wh": "who", "aux": "", "subj": "", "verb_prefix": "", "verb_slot_inflection": "Past",
    "obj": "someone", "prep": "", "obj2": "", "is_passive": False, "is_negated": False,
}  # fmt: skip


@pytest.mark.parametrize("parse", [parse_gold, parse_system])
def test_published_slots_are_kept_in_order_or_outside_the_template(parse):
    outside = {"question": "Someone cut who?", "answers": [[2, 3]], "slots": PUBLISHED}
    incomplete = {**PUBLISHED, "obj": "", "obj2": "something", "verb_slot_inflection": ""}
    parsed = parse({"questions": [{**WHO, "slots": incomplete}, outside]}, CONTEXT)
    assert [question["slots"] for question in parsed["questions"]] == [incomplete, PUBLISHED]
    other_order = {**PUBLISHED, "subj": "something", "obj": ""}
    parsed = parse({"questions": [{**WHO, "slots": other_order}]}, CONTEXT)
    read = parse({"questions": [WHO]}, CONTEXT)["questions"][0]["slots"]
    assert parsed["questions"][0]["slots"] == read
    without_preposition = {"question": "Who cut for someone?", "answers": [[0, 1]]}
    parsed = parse({"questions": [{**without_preposition, "slots": PUBLISHED}]}, CONTEXT)
    assert parsed["questions"][0]["slots"]["prep"] == "for"


@pytest.mark.parametrize(
    ("question", "change", "message"),
    [
        ("Who cut something?", {}, "obj is “someone”, but the question is “Who cut something?”."),
        ("Who cut someone?", {"wh": "what"}, "wh is “what”, but"),
        ("Who cut someone?", {"aux": "didn't"}, "aux is “didn't”, but"),
        ("Who cut someone?", {"verb_prefix": "not~!~been"}, "verb_prefix is “not been”, but"),
        ("Who cut someone?", {"is_negated": True}, "is_negated is True, but"),
        ("Who didn't cut someone?", {"aux": "did"}, "is_negated is False, but"),
        ("Who cut someone for someone?", {"prep": "for", "obj2": "it"}, "obj2 is “it”, but"),
        (
            "Who cxt someone?",
            {},
            "leave “cxt” of “Who cxt someone?”, which is no such form of the verb.",
        ),
        ("Who sold someone?", {}, "leave “sold” of"),
        ("Who cutting someone?", {"verb_slot_inflection": "Stem"}, "leave “cutting” of"),
        ("Who cut someone?", {"obj": "someone?"}, "obj is “someone?”, which is no word of"),
        ("Who gladly cut someone?", {}, "leave “gladly cut” of"),
    ],
)
def test_slots_that_contradict_the_question_are_refused(question, change, message):
    content = {**WHO, "question": question, "slots": {**PUBLISHED, **change}}
    with pytest.raises(ContentError, match=re.escape(message)):
        parse_gold({"questions": [content]}, CONTEXT)


def test_slots_of_a_worker_are_computed():
    parsed = generation({"questions": [{**WHO, "slots": PUBLISHED}]})
    assert parsed["questions"][0]["slots"]["obj"] == "something"


@pytest.mark.parametrize("change", [{"wh": ""}, {"is_passive": "True"}, {"obj": "x" * 61}])
def test_published_slots_are_checked(change):
    with pytest.raises(ContentError, match=r"questions\[0\].slots"):
        parse_gold({"questions": [{**WHO, "slots": {**PUBLISHED, **change}}]}, CONTEXT)


def test_all_kinds_of_sources_have_the_same_fields():
    content = {"questions": [WHO, WHAT]}
    shapes = {
        json.dumps(as_source(parsed), sort_keys=True)
        for parsed in (
            generation(content),
            parse_gold(content, CONTEXT),
            parse_system(content, CONTEXT),
        )
    }
    assert len(shapes) == 1


def test_fully_kept_consolidation_equals_its_source():
    source = as_source(generation({"questions": [WHO, WHAT]}))
    parsed = parse_consolidation(keep_all(source), CONTEXT, [source])
    gold, origins = gold_of(parsed, [source])
    assert gold["questions"] == source["questions"]
    assert origins == [{"source": 0, "state": "kept"}] * 2


# --- picked suggestions


@pytest.mark.parametrize("rank", [None, 1, 5])
def test_rank_of_a_picked_question_is_stored(rank):
    asked = {"question": "Who cut something?", "answers": [[0, 1]], "picked": rank}
    stored = generation({"questions": [asked]})
    assert stored["questions"][0]["picked"] == rank
    assert generation(stored) == stored


def test_question_without_a_record_stays_without_one():
    asked = {"question": "Who cut something?", "answers": [[0, 1]]}
    stored = generation({"questions": [asked]})
    assert "picked" not in stored["questions"][0]
    assert generation(stored) == stored


@pytest.mark.parametrize("rank", [0, -1, 101, "2", True, 1.5])
def test_rank_that_is_no_position_is_refused(rank):
    asked = {"question": "Who cut something?", "answers": [[0, 1]], "picked": rank}
    with pytest.raises(ContentError, match="picked"):
        generation({"questions": [asked]})


def test_gold_has_no_ranks():
    asked = {"question": "Who cut something?", "answers": [[0, 1]], "picked": 1}
    with pytest.raises(ContentError, match="picked"):
        parse_gold({"questions": [asked]}, CONTEXT)
