"""Parsing of answers: what is normalised, and what is refused with its path."""

import json
import random
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from tests.schemes.custom.definitions import (
    ANSWERS,
    CONTENT,
    IMAGE,
    content,
    full_item,
    full_scheme,
    scheme,
)

SCHEME = full_scheme()
ITEM = full_item(image=IMAGE)
parse = SCHEME.content.parse_generation
SPAN = {"start": 0, "end": 1, "label": "PER", "attributes": {"sure": "yes"}}


def refusal(value, item=ITEM, parse_content=parse):
    with pytest.raises(ContentError) as error:
        parse_content(value, item)
    return error.value.path, error.value.message


def test_content_is_kept():
    assert parse(CONTENT, ITEM) == CONTENT


def test_spans_are_sorted_and_relations_follow_them():
    shuffled = content(
        entities=[ANSWERS["entities"][at] for at in (2, 0, 1)],
        relations=[{"label": "near", "from": 2, "to": 1}, {"label": "near", "from": 1, "to": 0}],
    )
    assert parse(shuffled, ITEM) == CONTENT


def test_values_are_normalised():
    given_answers = content(
        topics=["sport", "art"],
        fluency=4.0,
        count=3.0,
        reason="  Too \t short ",
        qa=[{"question": " Who  knows Grace? ", "answers": [[0.0, 1]]}],
    )
    assert json.dumps(parse(given_answers, ITEM)) == json.dumps(CONTENT)


def test_empty_answers_are_left_out():
    parsed = parse(content(entities=[], relations=[], qa=None, things=[]), ITEM)
    assert set(ANSWERS) - set(parsed["answers"]) == {"entities", "relations", "qa", "things"}


def test_hidden_fields_are_refused():
    hidden = "must be left out, because this field is not shown."
    assert refusal(content(tone="positive")) == ("answers.reason", hidden)
    assert parse(content(tone="positive", reason=None), ITEM)
    assert refusal(CONTENT, full_item()) == ("answers.things", hidden)
    assert refusal(content(tone="positive", reason=False)) == ("answers.reason", hidden)


def test_required_answers_may_only_be_missing_in_gold():
    incomplete = content(tone=None, reason=None)
    assert refusal(incomplete) == ("answers.tone", "is missing.")
    assert SCHEME.content.parse_gold(incomplete, ITEM) == incomplete
    without_reason = content(reason="  ")
    assert refusal(without_reason) == ("answers.reason", "is missing.")


def test_items_can_be_skipped_with_a_reason():
    skipped = {"skipped": " Not German ", "answers": {}}
    assert parse(skipped, ITEM) == {"skipped": "Not German", "answers": {}}
    assert SCHEME.content.count_units(skipped, "generator") == 0
    assert SCHEME.content.count(skipped)["skipped"] == 1
    assert refusal({**CONTENT, "skipped": "x"})[0] == "skipped"
    assert refusal({"skipped": "x" * 501, "answers": {}})[0] == "skipped"
    assert refusal({"skipped": ["x"], "answers": {}}) == ("skipped", "must be a text.")
    plain = scheme({"key": "a", "type": "text"})
    error = refusal(skipped, ItemContext(["a"]), plain.content.parse_generation)
    assert error == ("skipped", "is not a known field.")


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"unknown": 1}, "answers.unknown"),
        ({"entities": "PER"}, "answers.entities"),
        ({"entities": [SPAN] * 51}, "answers.entities"),
        ({"entities": [SPAN, SPAN], "relations": []}, "answers.entities.1"),
        ({"entities": [{**SPAN, "end": 3}, {**SPAN, "start": 2, "end": 4}]}, "answers.entities.1"),
        ({"entities": [{**SPAN, "label": "CAT"}]}, "answers.entities.0.label"),
        ({"entities": [{**SPAN, "label": ["PER"]}]}, "answers.entities.0.label"),
        ({"entities": [{**SPAN, "start": True}]}, "answers.entities.0.start"),
        ({"entities": [{**SPAN, "end": 1.5}]}, "answers.entities.0.end"),
        ({"entities": [{**SPAN, "end": float("nan")}]}, "answers.entities.0.end"),
        ({"entities": [{**SPAN, "end": float("inf")}]}, "answers.entities.0.end"),
        ({"entities": [{**SPAN, "end": 0}]}, "answers.entities.0"),
        ({"entities": [{**SPAN, "start": -1}]}, "answers.entities.0"),
        ({"entities": [{**SPAN, "end": 9}]}, "answers.entities.0"),
        ({"entities": [{**SPAN, "start": 8, "end": 9}]}, "answers.entities.0"),
        ({"entities": [{**SPAN, "end": 10**400}]}, "answers.entities.0.end"),
        ({"entities": [{**SPAN, "extra": 1}]}, "answers.entities.0.extra"),
        ({"entities": [{**SPAN, "attributes": {}}]}, "answers.entities.0.attributes.sure"),
        ({"entities": [{**SPAN, "attributes": []}]}, "answers.entities.0.attributes"),
        (
            {"entities": [{**SPAN, "attributes": {"sure": "maybe"}}]},
            "answers.entities.0.attributes.sure",
        ),
        ({"entities": [[0, 1, "PER"]]}, "answers.entities.0"),
        ({"relations": [{"label": "near", "from": 0, "to": 3}]}, "answers.relations.0.to"),
        ({"relations": [{"label": "near", "from": -1, "to": 1}]}, "answers.relations.0.from"),
        ({"relations": [{"label": "near", "from": 0, "to": 0}]}, "answers.relations.0.to"),
        ({"relations": [{"label": "near", "from": True, "to": 0}]}, "answers.relations.0.from"),
        ({"relations": [{"label": "works_for", "from": 0, "to": 2}]}, "answers.relations.0.to"),
        ({"relations": [ANSWERS["relations"][0]] * 2}, "answers.relations.1"),
        ({"entities": None}, "answers.relations.0.from"),
        ({"tone": "mixed"}, "answers.tone"),
        ({"tone": True}, "answers.tone"),
        ({"tone": {}}, "answers.tone"),
        ({"topics": ["art", "art"]}, "answers.topics"),
        ({"topics": ["art", "law", "sport"]}, "answers.topics"),
        ({"topics": []}, "answers.topics"),
        ({"topics": "art"}, "answers.topics"),
        ({"topics": [["art"]]}, "answers.topics.0"),
        ({"fluency": 0}, "answers.fluency"),
        ({"fluency": True}, "answers.fluency"),
        ({"fluency": "4"}, "answers.fluency"),
        ({"fluency": 4.5}, "answers.fluency"),
        ({"reason": "Too 1"}, "answers.reason"),
        ({"reason": "x" * 61}, "answers.reason"),
        ({"reason": "x" * 10**6}, "answers.reason"),
        ({"reason": "a\ud800"}, "answers.reason"),
        ({"reason": "a\x00"}, "answers.reason"),
        ({"reason": 3}, "answers.reason"),
        ({"count": 11}, "answers.count"),
        ({"count": 2.5}, "answers.count"),
        ({"count": float("nan")}, "answers.count"),
        ({"count": False}, "answers.count"),
        ({"count": 10**400}, "answers.count"),
        ({"qa": [{"question": "", "answers": [[0, 1]]}]}, "answers.qa.0.question"),
        ({"qa": [{"question": "Who\ud800?", "answers": [[0, 1]]}]}, "answers.qa.0.question"),
        ({"qa": [{"question": "x" * 301, "answers": [[0, 1]]}]}, "answers.qa.0.question"),
        ({"qa": [{"question": "Who?", "answers": [[7, 9]]}]}, "answers.qa.0.answers.0"),
        ({"qa": [{"question": "Who?", "answers": [[0, 2], [1, 3]]}]}, "answers.qa.0.answers"),
        ({"qa": [{"question": "Who?", "answers": [[0, 1, 2]]}]}, "answers.qa.0.answers.0"),
        ({"qa": [{"question": "Who?", "answers": [[0, 1]] * 3}]}, "answers.qa.0.answers"),
        (
            {"qa": [{"question": q, "answers": [[0, 1]]} for q in ("Who?", "who?")]},
            "answers.qa.1.question",
        ),
        ({"things": [{"label": "dog", "box": [0, 0, 101, 80]}]}, "answers.things.0.box"),
        ({"things": [{"label": "dog", "box": [5, 5, 5, 9]}]}, "answers.things.0.box"),
        ({"things": [{"label": "dog", "box": [0, 0, 1]}]}, "answers.things.0.box"),
        ({"things": [{"label": "dog", "box": [0, 0, 1, True]}]}, "answers.things.0.box.3"),
        ({"things": [{"label": "cat", "box": [0, 0, 1, 1]}]}, "answers.things.0.label"),
        ({"better": "both"}, "answers.better"),
        ({"better": "text"}, "answers.better"),
    ],
)
def test_wrong_answers_are_refused_with_their_path(changes, path):
    assert refusal(content(**changes))[0] == path


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, ""),
        ([], ""),
        ("answers", ""),
        ({}, "answers"),
        ({"answers": []}, "answers"),
        ({"answers": None}, "answers"),
        ({"answers": {}, "extra": 1}, "extra"),
        ({"answers": {}, 3: 1}, "3"),
        ({"answers": {"\ud800": 1}}, "answers.\ufffd"),
    ],
)
def test_other_shapes_are_refused(value, path):
    assert refusal(value)[0] == path


def test_gold_of_another_text_is_refused():
    """The tokens from 8 on are those of the translation."""
    inside = content(entities=[{**SPAN, "start": 7, "end": 8}], relations=[])
    assert parse(inside, ITEM)
    path, message = refusal(content(entities=[{**SPAN, "start": 7, "end": 9}], relations=[]))
    assert (path, message) == ("answers.entities.0", "7:9 is not in its text, 0:8.")


def test_overlapping_spans_are_allowed_where_declared():
    field = {"key": "s", "type": "spans", "labels": ["A", "B"], "overlap": True}
    overlapping = scheme(field).content.parse_generation
    item = ItemContext(["a", "b", "c"])
    spans = [
        {"start": 0, "end": 2, "label": "B"},
        {"start": 0, "end": 2, "label": "A"},
        {"start": 1, "end": 3, "label": "A"},
    ]
    parsed = overlapping({"answers": {"s": spans}}, item)
    assert [span["label"] for span in parsed["answers"]["s"]] == ["A", "B", "A"]
    assert refusal({"answers": {"s": [*spans, spans[0]]}}, item, overlapping)[0] == "answers.s.3"


def test_fixed_questions_are_in_the_order_of_the_definition():
    field = {"key": "q", "type": "questions", "question": ["Who?", "Where?"], "answers": {"max": 1}}
    fixed = scheme(field).content.parse_generation
    item = ItemContext(["Ada", "sleeps"])
    rows = [
        {"question": "Where?", "answers": [[1, 2]]},
        {"question": "Who?", "answers": [[0, 1]]},
    ]
    parsed = fixed({"answers": {"q": rows}}, item)
    assert [row["question"] for row in parsed["answers"]["q"]] == ["Who?", "Where?"]
    assert refusal({"answers": {"q": rows[:1]}}, item, fixed)[0] == "answers.q"
    other = [{"question": "Why?", "answers": [[0, 1]]}]
    assert refusal({"answers": {"q": other}}, item, fixed)[0] == "answers.q.0.question"


def test_lines_of_longer_texts_are_kept():
    field = {"key": "t", "type": "text", "lines": 4}
    parse_text = scheme(field).content.parse_generation
    parsed = parse_text({"answers": {"t": " one \r\n\r\n two\nthree\n"}}, ItemContext(["a"]))
    assert parsed["answers"]["t"] == "one\n\ntwo\nthree"


def test_units_are_the_parts_of_the_paid_field():
    assert SCHEME.content.count_units(CONTENT, "generator") == 3
    assert SCHEME.vocabulary.unit.plural == "spans"
    fields = ({"key": "a", "type": "text"}, {"key": "b", "type": "rating", "required": False})
    plain = scheme(*fields)
    assert plain.content.count_units({"answers": {"a": "x"}}, "generator") == 1
    assert plain.vocabulary.unit.plural == "answers"


garbage = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
    | st.sampled_from(["PER", "near", "positive", "art", "sure"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["start", "end", "label", "from", "to"]), inner)
    ),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(sorted(ANSWERS)), garbage, max_size=4))
def test_garbage_is_refused_or_normalised(changes):
    value = {"answers": {**deepcopy(ANSWERS), **changes}}
    for parse_content in (parse, SCHEME.content.parse_gold, SCHEME.content.parse_system):
        try:
            parsed = parse_content(value, ITEM)
        except ContentError:
            continue
        assert parse_content(json.loads(json.dumps(parsed)), ITEM) == parsed


@given(st.text(max_size=60))
def test_texts_are_normalised_once(text):
    fields = [{"key": key, "type": "text", "lines": lines} for key, lines in (("a", 1), ("b", 5))]
    parse_text = scheme(*fields).content.parse_gold
    try:
        parsed = parse_text({"answers": {"a": text, "b": text}}, ItemContext(["a"]))
    except ContentError:
        return
    assert parse_text(parsed, ItemContext(["a"])) == parsed


def test_json_schema_accepts_content():
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    schemas = SCHEME.content.json_schemas
    assert jsonschema_rs.is_valid(schemas["generation"], CONTENT)
    assert jsonschema_rs.is_valid(schemas["validation"], {"verdicts": [True]})
    assert not jsonschema_rs.is_valid(schemas["generation"], content(tone="mixed"))


def test_far_more_parts_than_others_are_reviewed():
    from schemes.contract.content import CheckedWork

    span = {"key": "s", "type": "spans", "labels": ["A"]}
    plain = scheme(span)
    many = {"answers": {"s": [{"start": n, "end": n + 1, "label": "A"} for n in range(20)]}}
    few = {"answers": {"s": [{"start": 0, "end": 1, "label": "A"}]}}
    item = ItemContext(["a"] * 20)
    work = CheckedWork(many, item, "generator", others=[few])
    assert [reason.code for reason in plain.content.review_reasons(work)] == ["more-than-others"]
    work = CheckedWork(few, item, "generator", others=[many])
    assert plain.content.review_reasons(work) == []


def test_order_of_random_content_does_not_matter():
    rng = random.Random(1)
    for _ in range(50):
        order = rng.sample(range(3), 3)
        spans = [ANSWERS["entities"][at] for at in order]
        relations = [
            {**row, "from": order.index(row["from"]), "to": order.index(row["to"])}
            for row in rng.sample(ANSWERS["relations"], 2)
        ]
        assert parse(content(entities=spans, relations=relations), ITEM) == CONTENT
