"""Content of older versions of a definition."""

import random
from functools import partial

import pytest

from datasets.domain.quality.decide_match import fitting
from schemes.contract.comparison import RowDecision
from schemes.contract.errors import FileError
from schemes.custom.definition import Renamed
from schemes.custom.form import Form
from schemes.custom.map_content import map_content
from schemes.custom.parse_definition import parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.renames import renames_of
from schemes.custom.resource import DEFINITION
from schemes.custom.scheme import scheme_of_definition
from tests.schemes.custom.definitions import (
    ANSWERS,
    CONTENT,
    FULL,
    IMAGE,
    content,
    full,
    full_item,
    full_scheme,
)
from tests.schemes.custom.test_parse_definition import mutated

OLD = parse_definition(FULL)
OLD_FORM = Form(OLD)


def version(change, **renamed):
    """Return a new version of FULL without examples, whose fields were changed in place."""
    value = full(examples=[], renamed=renamed)
    fields = {field["key"]: field for field in value["fields"]}
    change(fields, value)
    return parse_definition(value)


def unchanged(fields, value):
    pass


def test_content_stays_as_it_is_in_an_equal_version():
    mapped = map_content(CONTENT, version(unchanged), OLD)
    assert (mapped.content, mapped.lost) == (CONTENT, [])
    assert DEFINITION.lost(OLD.value, CONTENT) == []
    assert DEFINITION.lost(OLD.value, {"verdicts": [True]}) == []


def test_renamed_fields_and_labels_keep_their_answers():
    def change(fields, value):
        fields["entities"]["key"] = "names"
        fields["entities"]["labels"] = ["HUMAN", "ORG", "APLACE"]
        fields["relations"]["labels"] = [{"key": "near", "from": ["HUMAN"]}]
        fields["tone"]["options"] = ["good", "bad"]
        fields["reason"]["show_if"]["is"] = ["bad"]

    renamed = {
        "fields": {"entities": "names"},
        "labels": {"names": {"PER": "HUMAN", "LOC": "APLACE"}, "tone": {"negative": "bad"}},
    }
    new = version(change, **renamed)
    mapped = map_content(CONTENT, new, OLD)
    assert mapped.lost == []
    answers = mapped.content["answers"]
    assert next(iter(answers)) == "names"
    assert [span["label"] for span in answers["names"]] == ["HUMAN", "HUMAN", "APLACE"]
    assert answers["tone"] == "bad"
    assert DEFINITION.lost(new.value, CONTENT) == []
    direct = DEFINITION.mapping([OLD.value, new.value]).map_content(CONTENT, full_item(image=IMAGE))
    assert (direct.content, direct.lost, direct.missing) == (mapped.content, [], "")
    assert list(direct.units) == list(range(direct.units_before))


def test_relations_follow_spans_that_change_their_order():
    spans = [
        {"start": 0, "end": 1, "label": "ORG", "attributes": {"sure": "yes"}},
        {"start": 0, "end": 1, "label": "PER", "attributes": {"sure": "yes"}},
    ]
    old = content(entities=spans, relations=[{"label": "near", "from": 0, "to": 1}])
    new = version(
        lambda fields, value: (
            fields["entities"].update(labels=["Z", "A"], overlap=True),
            fields["relations"].update(labels=["near"]),
        ),
        labels={"entities": {"ORG": "Z", "PER": "A"}},
    )
    mapped = map_content(old, new, OLD).content["answers"]
    assert [span["label"] for span in mapped["entities"]] == ["A", "Z"]
    assert mapped["relations"] == [{"label": "near", "from": 1, "to": 0}]


def test_what_has_no_place_is_lost():
    def change(fields, value):
        fields["entities"]["labels"] = ["PER"]
        fields["entities"]["attributes"] = fields["entities"]["attributes"][:1]
        fields["relations"]["labels"] = ["near"]
        fields["tone"]["options"] = ["positive", "mixed"]
        fields["reason"]["show_if"]["is"] = ["mixed"]
        fields["topics"]["options"] = ["art", "law"]
        fields["fluency"]["max"] = 3
        fields["qa"]["question"] = ["Who?"]
        fields["things"]["labels"] = ["ball"]
        value["fields"].remove(fields["better"])

    mapped = map_content(CONTENT, version(change), OLD)
    answers = mapped.content["answers"]
    assert answers == {
        "entities": [
            {"start": 0, "end": 1, "label": "PER", "attributes": {"sure": "yes"}},
            {"start": 2, "end": 3, "label": "PER", "attributes": {"sure": "no"}},
        ],
        "relations": [{"label": "near", "from": 1, "to": 0}],
        "topics": ["art"],
        "count": 3,
    }
    assert sorted(mapped.lost) == [
        "The field better does not exist.",
        "The field entities has no attribute note.",
        "The field entities has no label LOC.",
        "The field fluency does not allow '4'.",
        "The field qa has no question 'Who knows Grace?'.",
        "The field reason is not shown for these answers.",
        "The field relations lost a span of a relation.",
        "The field things has no label dog.",
        "The field tone does not allow 'negative'.",
        "The field topics has no option sport.",
    ]


def test_fields_of_another_type_are_lost():
    def change(fields, value):
        fields["better"].clear()
        fields["better"] |= {"key": "better", "type": "text"}
        fields["tone"]["type"] = "choices"
        fields["reason"].pop("show_if")

    mapped = map_content(CONTENT, version(change), OLD)
    assert mapped.lost == ["The field better has another type."]
    assert mapped.content["answers"]["tone"] == ["negative"]


@pytest.mark.parametrize(
    "answers",
    [
        {"entities": 3},
        {"entities": [3]},
        {"entities": [{}]},
        {"relations": [{"label": "near"}]},
        {"qa": [{"question": "x"}]},
        {"topics": 4},
        {"tone": ["x"]},
        {"things": "x"},
    ],
)
def test_content_of_another_form_is_lost(answers):
    mapped = map_content({"answers": answers}, OLD)
    assert mapped.content == {"answers": {}}
    assert len(mapped.lost) == 1


def test_mapped_content_fits_the_new_version():
    mapped = map_content(CONTENT, version(unchanged), OLD).content
    assert full_scheme().content.parse_gold(mapped, full_item(image=IMAGE)) == CONTENT


def test_definitions_are_read_from_files(tmp_path):
    path = tmp_path / "scheme.yaml"
    path.write_text("title: Tone\nfields:\n- {key: tone, type: choice, options: [a, b]}\n")
    value = DEFINITION.formats["yaml"](path, None)
    assert DEFINITION.parse(value) == value
    assert DEFINITION.count(value) == {"fields": 1, "labels and options": 2, "examples": 0}
    assert DEFINITION.look_up(value, "TON") == [{"key": "tone", "label": "Tone"}]
    path.write_text("title: Tone\nfields:\n- {key: tone, type: choice}\n- {key: 3, type: text}\n")
    with pytest.raises(FileError) as error:
        DEFINITION.formats["yaml"](path, None)
    assert (error.value.line, error.value.field) == (3, "fields.0.options")
    assert error.value.message == "is missing. (1 more)"
    path.write_bytes(b"#" * 65_000)
    with pytest.raises(FileError, match="64,000 bytes"):
        DEFINITION.formats["yaml"](path, None)


def test_labels_with_a_common_new_name_become_one():
    def change(fields, value):
        fields["entities"] |= {"labels": ["NAME", "LOC"], "overlap": True}
        fields["relations"]["labels"] = ["near"]

    span = {"start": 0, "end": 1, "attributes": {"sure": "yes"}}
    spans = [{**span, "label": "ORG"}, {**span, "label": "PER"}]
    old = content(entities=spans, relations=[{"label": "near", "from": 0, "to": 1}])
    new = version(change, labels={"entities": {"ORG": "NAME", "PER": "NAME"}})
    mapped = map_content(old, new, OLD)
    assert mapped.content["answers"]["entities"] == [{**span, "label": "NAME"}]
    assert mapped.lost == ["The field relations does not allow a relation."]


def test_skips_are_lost_where_items_cannot_be_skipped():
    mapped = map_content(
        {"skipped": "Unclear", "answers": {}},
        version(lambda fields, value: value.update(skip=False)),
    )
    assert mapped.content == {"answers": {}}
    assert mapped.lost == ["Items can't be skipped."]


@pytest.mark.slow
def test_mapped_content_is_valid_in_any_version():
    rng = random.Random(4)
    item = full_item(image=IMAGE)
    base = full(examples=[], renamed={})
    accepted = 0
    while accepted < 300:
        value = mutated(base, rng)
        try:
            new = parse_definition({**value, "texts": base["texts"], "image": "optional"})
        except DefinitionError:
            continue
        accepted += 1
        mapped = map_content(CONTENT, new, OLD)
        parsed = scheme_of_definition(new).content.parse_gold(mapped.content, item)
        assert parsed == mapped.content
        again = map_content(mapped.content, new, new)
        assert (again.content, again.lost) == (mapped.content, [])


def test_units_are_followed_to_their_new_places():
    def change(fields, value):
        value["fields"].reverse()
        value["unit"] = "entities"
        fields["entities"]["labels"] = ["PER"]
        fields["relations"]["labels"] = ["near"]
        fields["reason"].pop("show_if")

    mapped = map_content(CONTENT, version(change), OLD)
    full_units = OLD_FORM.units(CONTENT)
    new_units = Form(version(change)).units(mapped.content)
    assert mapped.units_before == len(full_units)
    assert [full_units[at].kind.key for at in mapped.units] == [unit.kind.key for unit in new_units]
    followed = [
        (full_units[at].part, unit.part)
        for at, unit in zip(mapped.units, new_units, strict=True)
        if unit.kind.key != "relations"  # which have their spans
    ]
    assert all(before == after for before, after in followed)
    assert len(followed) == 10


def test_fields_that_get_the_same_key_lose_an_answer():
    old = parse_definition(
        {"title": "T", "fields": [{"key": key, "type": "text"} for key in ("a", "b")]}
    )
    new = parse_definition(
        {
            "title": "T",
            "fields": [{"key": "b", "type": "text"}],
            "renamed": {"fields": {"a": "b"}},
        }
    )
    mapped = map_content({"answers": {"a": "one", "b": "two"}}, new, old)
    assert mapped.content == {"answers": {"b": "one"}}
    assert mapped.lost == ["The field b has the answer of another field as well."]


def test_renames_of_several_versions_are_followed():
    first = version(unchanged)
    second = version(
        lambda fields, value: (
            fields["entities"].update(key="names", labels=["HUMAN", "ORG", "LOC"]),
            fields["relations"].update(labels=["near"]),
        ),
        fields={"entities": "names"},
        labels={"names": {"PER": "HUMAN"}},
    )
    third = version(
        lambda fields, value: (
            fields["entities"].update(key="spans", labels=["PERSON", "ORG", "LOC"]),
            fields["relations"].update(labels=["near"]),
        ),
        fields={"names": "spans"},
        labels={"spans": {"HUMAN": "PERSON"}},
    )
    renamed = renames_of([first, second, third])
    assert renamed == Renamed(fields={"entities": "spans"}, labels={"spans": {"PER": "PERSON"}})
    assert renames_of([first]) == Renamed(fields={}, labels={})


def test_decisions_on_renamed_parts_no_longer_fit():
    def change(fields, value):
        fields["entities"]["labels"] = ["HUMAN", "ORG", "LOC"]
        fields["relations"]["labels"] = ["near"]

    new = version(change, labels={"entities": {"PER": "HUMAN"}})
    predicted = content(
        entities=ANSWERS["entities"][:2], relations=None, tone="positive", reason=None
    )
    comparison = full_scheme().comparison
    rows = comparison.compare(CONTENT, predicted, full_item(image=IMAGE)).rows
    tone = next(row for row in rows if row.reference and row.reference.key == "tone:value")
    name = next(row for row in rows if row.predicted and row.predicted.key.startswith("entities:"))
    decisions = [
        RowDecision("pair-refused", name.reference.key, name.predicted.key),
        RowDecision("value-accepted", tone.reference.key, tone.predicted.key),
    ]
    assert comparison.compare(CONTENT, predicted, full_item(image=IMAGE), decisions).rows
    item = full_item(image=IMAGE)
    compare = scheme_of_definition(new).comparison.compare
    contents = [map_content(row, new, OLD).content for row in (CONTENT, predicted)]
    with pytest.raises(ValueError, match="there is no part"):
        compare(*contents, item, decisions)
    assert fitting(partial(compare, *contents, item), decisions) == decisions[1:]


@pytest.mark.slow
def test_any_later_version_maps_units_and_judgments_and_can_be_undone():
    rng = random.Random(11)
    item, base = full_item(image=IMAGE), full(examples=[], renamed={})
    verdicts = {"verdicts": [at % 2 == 0 for at in range(len(OLD_FORM.units(CONTENT)))]}
    accepted = 0
    while accepted < 200:
        value = mutated(base, rng)
        try:
            new = parse_definition({**value, "texts": base["texts"], "image": "optional"})
        except DefinitionError:
            continue
        accepted += 1
        mapping = DEFINITION.mapping([OLD.value, new.value])
        mapped = mapping.map_content(CONTENT, item)
        assert mapped.units_before == len(verdicts["verdicts"])
        scheme = scheme_of_definition(new)
        judgment = mapping.map_judgment(verdicts, mapped.units)
        assert scheme.get_validating().parse(judgment, item, [mapped.content]) == judgment
        undone = {**OLD.value, "renamed": {"fields": {}, "labels": {}}}
        again = DEFINITION.mapping([OLD.value, new.value, undone]).map_content(CONTENT, item)
        assert (again.content, again.lost, again.missing) == (CONTENT, [], "")
