"""Parsing of records, which refuses invalid content with a path."""

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.frames.content import (
    EMPTY,
    count_units,
    parse_consolidation,
    parse_generation,
    parse_gold,
)

TOKENS = tuple("The fund gave the old plan up on Monday .".split())  # noqa: SIM905
LEXICON = {
    "frames": {
        "Activity_stop": {
            "elements": [
                {"name": "Agent", "core": "Core"},
                {"name": "Activity", "core": "Core"},
                {"name": "Time", "core": "Peripheral"},
            ],
            "units": ["give up.v"],
        }
    },
    "roles": [{"name": "Agent"}, {"name": "Theme"}, {"name": "Time"}],
}
CONTEXT = ItemContext(
    TOKENS,
    {"verb": [2, 6], "lemma": "give_up", "fillers": {"2": "pension_fund"}},
    metadata={"lemmas": ["the", "fund", "give", "the", "old", "plan", "up", "on", "Monday", "."]},
    resources={"lexicon": LEXICON},
)


def argument(head, element="", role=""):
    return {"head": head, "element": element, "role": role}


def record(*arguments, **fields):
    return {
        "understood": True,
        "skip": "",
        "verb": [2, 6],
        "frame": "Activity_stop",
        "arguments": list(arguments),
        "confidence": 4,
        **fields,
    }


AGENT = argument([1], "Agent", "Agent")
ACTIVITY = argument([5], "Activity", "Theme")


def test_fillers_keep_their_capital_letters():
    parsed = parse_generation(
        record(argument([8], role="Time"), argument([0], role="Agent")), CONTEXT
    )
    assert [argument["filler"] for argument in parsed["arguments"]] == ["Monday", "the"]
    without_lemmas = ItemContext(TOKENS, CONTEXT.target)
    parsed = parse_generation(record(argument([7, 8], role="Time")), without_lemmas)
    assert parsed["arguments"][0]["filler"] == "on_Monday"


def test_lemma_of_other_words_of_the_verb_is_in_lower_case():
    context = ItemContext(("The", "fund", "gave", "UP"), {"verb": [2], "lemma": "give"})
    parsed = parse_gold({"verb": [2, 3], "frame": "Activity_stop"}, context)
    assert parsed["lemma"] == "give_up"


def test_lemma_and_fillers_are_added():
    parsed = parse_generation(record(AGENT, ACTIVITY), CONTEXT)
    assert parsed["lemma"] == "give_up"
    # The corpus's name of the head, or else the lemma
    assert [argument["filler"] for argument in parsed["arguments"]] == ["pension_fund", "plan"]
    assert "understood" not in parsed
    assert parse_generation(parsed, CONTEXT) == parsed


def test_different_verb_unit_has_the_lemmas_of_its_words():
    parsed = parse_generation(record(verb=[2]), CONTEXT)
    assert parsed["lemma"] == "give"


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (record(understood=False), "understood"),
        (record(frame=""), "frame"),
        (record(frame="Lost_frame"), "frame"),
        (record(confidence=None), "confidence"),
        (record(confidence=6), "confidence"),
        (record(confidence=True), "confidence"),
        (record(skip="bored"), "skip"),
        (record(verb=[6]), "verb"),
        (record(verb=[2, 99]), "verb"),
        (record(verb=[6, 2]), "verb"),
        (record(argument([1])), "arguments[0]"),
        (record(argument([], "Agent")), "arguments[0].head"),
        (record(argument([1, 1], "Agent")), "arguments[0].head"),
        (record(argument([-1], "Agent")), "arguments[0].head"),
        (record(AGENT, argument([1], "Activity")), "arguments[1].head"),
        (record(AGENT, argument([5], "Agent")), "arguments[1].element"),
        (record(argument([1], "Killer")), "arguments[0].element"),
        (record(argument([1], "", "Hero")), "arguments[0].role"),
        (record(argument([1], "Agent two")), "arguments[0].element"),
        (record(lemma="a" * 201), "lemma"),
        (record(arguments=[AGENT] * 61), "arguments"),
        (record(comment="x"), "comment"),
        ("record", ""),
    ],
)
def test_invalid_records_are_refused_with_a_path(content, path):
    with pytest.raises(ContentError) as excinfo:
        parse_generation(content, CONTEXT)
    assert excinfo.value.path == path


def test_optional_elements_may_repeat():
    times = (argument([7], "Time"), argument([8], "Time"))
    assert len(parse_generation(record(*times), CONTEXT)["arguments"]) == 2


def test_skipped_record_has_only_the_verb():
    parsed = parse_generation(record(AGENT, skip="no-frame"), CONTEXT)
    assert parsed == {**EMPTY, "skip": "no-frame", "verb": [2, 6], "lemma": "give_up"}


def test_gold_may_lack_a_frame_and_a_confidence():
    parsed = parse_gold(record(argument([1], "", "Agent"), frame="", confidence=None), CONTEXT)
    assert (parsed["frame"], parsed["confidence"]) == ("", None)


def test_any_name_is_accepted_once_without_a_lexicon():
    bare = ItemContext(TOKENS, CONTEXT.target)
    assert parse_generation(record(argument([1], "Anything"), frame="Any"), bare)["frame"] == "Any"
    with pytest.raises(ContentError, match="used twice"):
        parse_generation(record(argument([1], "A"), argument([5], "A")), bare)


def test_consolidation_names_its_sources():
    sources = [parse_generation(record(AGENT), CONTEXT), parse_generation(record(), CONTEXT)]
    first_argument = {**AGENT, "source": {"submission": 0, "unit": 0}}
    parsed = parse_consolidation(
        record(first_argument, {**ACTIVITY, "source": None}), CONTEXT, sources
    )
    assert [argument["source"] for argument in parsed["arguments"]] == [
        first_argument["source"],
        None,
    ]
    assert count_units(parsed, "consolidator") == 1
    assert count_units(parsed, "generator") == 2
    for bad in ({"submission": 1, "unit": 0}, {"submission": 2, "unit": 0}):
        with pytest.raises(ContentError, match="no annotator marked"):
            parse_consolidation(record({**AGENT, "source": bad}), CONTEXT, sources)
    with pytest.raises(ContentError, match="used twice"):
        parse_consolidation(
            record(first_argument, {**first_argument, "head": [5], "element": ""}), CONTEXT, sources
        )
