"""Lexicon search, its index, the sample lexicon, lost parts and precedents."""

import json
from pathlib import Path

import pytest

from schemes.contract.values import Json
from schemes.frames import precedents
from schemes.frames.lexicon import LEXICON
from tests.environment import ROOT

SAMPLE = ROOT / "schemes/frames/samples/lexicon.json"


@pytest.fixture(scope="module")
def lexicon() -> Json:
    return LEXICON.parse(LEXICON.formats["json"](Path(SAMPLE), None))


def names(lexicon: Json, query: str) -> list[str]:
    return [result["name"] for result in LEXICON.look_up(lexicon, query)]


def test_sample_has_examples_elements_and_verbs(lexicon):
    assert len(lexicon["frames"]) >= 44
    for name, frame in lexicon["frames"].items():
        marked = [[mark for _, mark in example if mark] for example in frame["examples"]]
        assert len(marked) == 2, name
        assert all(marked), name
        assert all(element["definition"] for element in frame["elements"]), name
        assert any(element["core"] == "Core" for element in frame["elements"]), name
        assert all(unit.endswith(".v") for unit in frame["units"]), name


def test_relations_of_the_sample_have_both_sides(lexicon):
    frames = lexicon["frames"]
    assert {"type": "Inheritance", "frame": "Getting", "is_parent": True} in frames["Commerce_buy"][
        "relations"
    ]
    for name, frame in frames.items():
        for relation in frame["relations"]:
            other = {**relation, "frame": name, "is_parent": not relation["is_parent"]}
            assert other in frames[relation["frame"]]["relations"]


def test_exact_name_returns_the_whole_frame(lexicon):
    expected = {"name": "Origin", **lexicon["frames"]["Origin"], "element_roles": {}}
    assert LEXICON.look_up(lexicon, "Origin") == [expected]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("origin", ["Origin"]),
        ("come from", ["Origin"]),
        ("come_from", ["Origin"]),
        ("sell", ["Commerce_sell"]),
        ("commerce", ["Commerce_buy", "Commerce_pay", "Commerce_sell"]),
        ("take ov", ["Taking_control"]),
        ("Lisbon", []),
        ("through the mouth", ["Ingestion"]),
    ],
)
def test_search_ranks_names_then_units_then_definitions(lexicon, query, first):
    results = names(lexicon, query)
    assert results[: len(first)] == first
    assert bool(results) is bool(first)


def test_search_results_are_short(lexicon):
    (result,) = LEXICON.look_up(lexicon, "hail from")
    assert result == {
        "name": "Origin",
        "definition": (
            "An Entity has its beginning in an Origin, such as a place, a time or another thing."
        ),
        "units": lexicon["frames"]["Origin"]["units"],
    }


def test_index_has_verbs_without_part_of_speech(lexicon):
    small = {
        **lexicon,
        "frames": {
            "Origin": {
                **lexicon["frames"]["Origin"],
                "units": ["come from.v", "origin.n"],
                "relations": [
                    {"type": "Using", "frame": "Empty", "is_parent": True},
                    {"type": "See_also", "frame": "Empty", "is_parent": False},
                ],
            },
            "Empty": {
                **lexicon["frames"]["Event"],
                **{"elements": [], "units": []},
                "relations": [
                    {"type": "Using", "frame": "Origin", "is_parent": False},
                    {"type": "See_also", "frame": "Origin", "is_parent": True},
                ],
            },
        },
        "extra_units": [["spring from", "Origin", 0.5]],
    }
    event = "Something happens at some Place and Time. The verb says no more about it than"
    index = LEXICON.index(small)
    assert index["extra"] == [["spring from", "Origin", 0.5]]
    assert index["frames"][1][:3:2] == ["Origin", ["come from"]]
    assert index["frames"][1][3:] == [["Entity", "Origin"], ["origin"]]
    assert index["labels"] == [
        ["See_also", "See also", "See also"],
        ["Using", "Uses", "Is used by"],
    ]
    assert index["relations"] == [[0, 0, 1], [1, 1, 0]]
    assert index["frames"][0][0] == "Empty"
    assert index["frames"][0][1].startswith(event)
    assert index["frames"][0][2:] == [[], [], []]
    json.dumps(index)


RECORD = {
    "skip": "",
    "verb": [2],
    "lemma": "sell",
    "frame": "Commerce_sell",
    "arguments": [
        {"head": [1], "filler": "fund", "element": "Seller", "role": "Agent"},
        {"head": [3], "filler": "bond", "element": "Ware", "role": "Thing"},
        {"head": [5], "filler": "bank", "element": "", "role": "Recipient"},
    ],
    "confidence": 4,
}


def test_lost_parts_of_a_record_are_reported(lexicon):
    no_element = "The frame Commerce_sell has no element Ware."
    no_role = "The role Thing does not exist."
    assert LEXICON.lost(lexicon, RECORD) == [no_element, no_role]
    assert LEXICON.lost(lexicon, {"frame": {}, "record": RECORD}) == [no_element, no_role]
    lost_frame = {**RECORD, "frame": "Vending", "arguments": RECORD["arguments"][:1]}
    assert LEXICON.lost(lexicon, lost_frame) == ["The frame Vending does not exist."]
    skipped = {**RECORD, "skip": "no-frame", "frame": "", "arguments": []}
    assert LEXICON.lost(lexicon, skipped) == []


def test_precedents_count_frames_and_lemmas():
    come = {"frame": "Arriving", "lemma": "come"}
    origin = {
        "frame": "Origin",
        "lemma": "come_from",
        "arguments": [{"filler": "Red_Sea", "element": "Origin", "role": "Source"}],
    }
    skipped = {"frame": "", "lemma": "come", "skip": "other"}
    query = precedents.parse_query("come from")
    assert (query.target, query.content) == ({"lemma": "come_from"}, {})
    assert precedents.summarize("come from", [come, origin, skipped, origin]) == [
        {"frame": "Origin", "lemma": "come_from", "count": 2, "words": ["red", "sea"]},
        {"frame": "Arriving", "lemma": "come", "count": 1, "words": []},
    ]
    assert precedents.summarize("come", []) == []


def test_precedents_count_the_roles_of_a_frame():
    def record(*arguments: tuple[str, str]) -> dict:
        return {"arguments": [{"element": name, "role": role} for name, role in arguments]}

    query = precedents.parse_query("=Origin")
    assert (query.target, query.content) == ({}, {"frame": "Origin"})
    records = [
        record(("Origin", "Source"), ("Entity", "Theme")),
        record(("Origin", "Location"), ("Entity", ""), ("", "Time")),
        record(("Origin", "Location")),
    ]
    assert precedents.summarize("=Origin", records) == [
        {"element": "Entity", "roles": ["Theme"]},
        {"element": "Origin", "roles": ["Location", "Source"]},
    ]
