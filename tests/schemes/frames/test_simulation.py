"""Simulated annotators and verifiers of frames, and what they go by."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.items import ItemContext
from schemes.frames import validating
from schemes.frames.content import parse_consolidation, parse_generation
from schemes.frames.simulated_judges import consolidate, validate
from schemes.frames.simulation import generate
from schemes.frames.visible_signs import content_words, is_doubtful_head
from schemes.simulated_person import Person

TOKENS = "Yesterday the old shop sold the red car to Ann .".split()  # noqa: SIM905


def frame(name: str, *units: str):
    elements = [
        {"name": element, "core": core, "definition": ""}
        for element, core in (
            ("Seller", "Core"), ("Goods", "Core"), ("Time", "Peripheral"), ("Place", "Peripheral"),
        )
    ]  # fmt: skip
    return {
        "definition": "",
        "examples": [],
        "elements": elements,
        "units": list(units),
        "relations": [],
    }


LEXICON = {
    "frames": {
        "Commerce_sell": frame("Commerce_sell", "sell.v"),
        "Surrendering": frame("Surrendering", "sell.v", "surrender.v"),
        "Motion": frame("Motion", "move.v"),
    },
    "roles": [{"name": name} for name in ("Agent", "Theme", "Time", "Recipient")],
    "extra_units": {},
}
CONTEXT = ItemContext(TOKENS, {"verb": [4], "lemma": "sell"}, resources={"lexicon": LEXICON})


def argument(head: int, element: str, role: str):
    return {"head": [head], "filler": TOKENS[head], "element": element, "role": role}


RECORD = {
    "skip": "",
    "verb": [4],
    "lemma": "sell",
    "frame": "Commerce_sell",
    "arguments": [
        argument(0, "Time", "Time"), argument(3, "Seller", "Agent"), argument(7, "Goods", "Theme"),
        argument(9, "", "Recipient"),
    ],
    "confidence": 4,
}  # fmt: skip
EXACT, TYPICAL = Person(1.0), Person(0.9)


def test_people_of_skill_1_are_exact():
    sources = [parse_generation(generate(RECORD, CONTEXT, EXACT, name), CONTEXT) for name in "ab"]
    assert sources == [RECORD] * 2
    for judged in (sources[:1], sources):
        merged = parse_consolidation(consolidate(judged, CONTEXT, EXACT, "c"), CONTEXT, judged)
        own = [{key: row[key] for key in row if key != "source"} for row in merged["arguments"]]
        assert {**merged, "arguments": own} == RECORD
    verification = validating.parse(validate(sources, CONTEXT, EXACT, "v"), CONTEXT, sources[:1])
    assert validating.disputes(sources[:1], [verification], 1) == {}


@pytest.mark.parametrize("roles", [LEXICON["roles"], [{"name": "Other"}], []])
@given(skill=st.floats(0, 1), seed=st.integers(0, 500))
def test_all_simulated_work_is_accepted(roles, skill, seed):
    """Some lexica lack the usual roles, or have no roles."""
    names = {role["name"] for role in roles}
    rows = [
        {**row, "role": row["role"] if row["role"] in names else ""}
        for row in RECORD["arguments"]
        if row["element"] or row["role"] in names
    ]
    lexicon = {**LEXICON, "roles": roles}
    context = replace(CONTEXT, resources={"lexicon": lexicon})
    person = Person(skill)
    sources = [
        parse_generation(
            generate({**RECORD, "arguments": rows}, context, person, f"{seed}{at}"), context
        )
        for at in range(2)
    ]
    parse_consolidation(consolidate(sources, context, person, str(seed)), context, sources)
    validating.parse(validate(sources, context, person, str(seed)), context, sources[:1])


def test_annotators_make_every_kind_of_error():
    counts = dict.fromkeys(("frame", "missed", "invented", "element", "role", "unsure"), 0)
    expected = {row["head"][0]: row for row in RECORD["arguments"]}
    frames = set()
    for seed in range(400):
        record = generate(RECORD, CONTEXT, TYPICAL, str(seed))
        rows = {row["head"][0]: row for row in record["arguments"]}
        frames.add(record["frame"])
        is_same = record["frame"] == RECORD["frame"]
        both = rows.keys() & expected.keys()
        counts["frame"] += not is_same
        counts["missed"] += bool(expected.keys() - rows.keys())
        counts["invented"] += bool(rows.keys() - expected.keys())
        counts["element"] += is_same and any(
            rows[at]["element"] != expected[at]["element"] for at in both
        )
        counts["role"] += any(rows[at]["role"] != expected[at]["role"] for at in both)
        counts["unsure"] += record["confidence"] != RECORD["confidence"]
    assert min(counts.values()) > 20
    assert max(counts.values()) < 250
    # A wrong frame is one that the verb can also evoke.
    assert frames == {"Commerce_sell", "Surrendering"}


def test_heads_without_a_content_word_are_doubtful():
    assert [TOKENS[at] for at in content_words(TOKENS)] == [
        "Yesterday", "old", "shop", "sold", "red", "car", "Ann",
    ]  # fmt: skip
    assert [is_doubtful_head(head, CONTEXT) for head in ([3], [1, 3], [8], [10], [1, 5])] == [
        False, False, True, True, True,
    ]  # fmt: skip


def share(verdicts) -> float:
    return sum(verdicts) / len(verdicts)


def test_verifiers_dispute_what_looks_odd_and_seldom_the_rest():
    odd = {**RECORD, "frame": "Motion", "arguments": [{**argument(8, "", "Agent"), "filler": ""}]}
    work = [validate([odd], CONTEXT, TYPICAL, str(seed)) for seed in range(400)]
    frames = [content["frame"] for content in work]
    assert share([judgment["verdict"] == "disputed" for judgment in frames]) == pytest.approx(
        0.7, abs=0.07
    )
    assert {judgment["proposal"] for judgment in frames} == {"", "Commerce_sell"}
    heads = [content["arguments"][0]["head"]["verdict"] == "disputed" for content in work]
    assert share(heads) == pytest.approx(0.7, abs=0.07)
    missing = [content["missing"][:1] for content in work]
    assert share([bool(rows) for rows in missing]) == pytest.approx(0.7, abs=0.07)
    assert {rows[0]["head"][0] for rows in missing if rows} == {3}
    sound = [validate([RECORD], CONTEXT, TYPICAL, str(seed)) for seed in range(400)]
    disputed = [content["frame"]["verdict"] == "disputed" for content in sound]
    assert share(disputed) == pytest.approx(0.02, abs=0.02)
    assert not any(content["missing"] for content in sound)


def test_consolidators_prefer_a_frame_of_the_verb_and_drop_odd_lone_arguments():
    other = {
        **RECORD,
        "frame": "Motion",
        "arguments": [argument(8, "", "Theme"), argument(6, "", "Theme")],
    }
    merged = [consolidate([other, RECORD], CONTEXT, TYPICAL, str(seed)) for seed in range(400)]
    frames = [content["frame"] for content in merged]
    assert frames.count("Commerce_sell") / 400 == pytest.approx(0.9, abs=0.05)
    heads = [[row["head"][0] for row in content["arguments"]] for content in merged]
    assert share([8 in row for row in heads]) == pytest.approx(0.3, abs=0.07)
    assert share([6 in row for row in heads]) == pytest.approx(0.98, abs=0.02)
