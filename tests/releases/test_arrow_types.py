"""Arrow types inferred from JSON."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases.domain.arrow_types import MAX_KEYS, shape_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), max_size=4)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([{"a": 1}, {"b": "x"}], pa.struct([("a", pa.int64()), ("b", pa.string())])),
        ([{"a": 1}, {"a": 2.5}], pa.struct([("a", pa.float64())])),
        ([{"a": True}, {"a": None}], pa.struct([("a", pa.bool_())])),
        ([{"a": [[1], []]}], pa.struct([("a", pa.list_(pa.list_(pa.int64())))])),
        # JSON text, because no or several types are there
        ([{"a": 1}, {"a": "x"}], pa.struct([("a", pa.string())])),
        ([{"a": True}, {"a": 1}], pa.struct([("a", pa.string())])),
        ([{"a": None}, {"a": []}], pa.struct([("a", pa.list_(pa.string()))])),
        ([{"a": {}}], pa.struct([("a", pa.string())])),
        ([{}], pa.string()),
        ([{str(key): 1} for key in range(MAX_KEYS + 1)], pa.string()),
    ],
)
def test_type_has_a_place_for_all_values(values, kind):
    assert shape_of(values).arrow_type == kind


def test_values_of_several_types_become_json():
    shape = shape_of([{"a": {"x": 1}}, {"a": [1]}, {}])
    assert [shape.convert(value) for value in ({"a": {"x": 1}}, {"a": [1]}, {})] == [
        {"a": '{"x":1}'},
        {"a": "[1]"},
        {"a": None},
    ]


@given(OBJECTS)
def test_every_object_can_be_stored_and_read(values):
    shape = shape_of(values)
    array = pa.array([shape.convert(value) for value in values], type=shape.arrow_type)
    for value, read in zip(values, array.to_pylist(), strict=True):
        assert restored(read, value) == without_none(value)


def restored(read, value):
    """Return what was stored, in the form of the value."""
    if isinstance(read, str) and not isinstance(value, str):
        return without_none(json.loads(read))
    if isinstance(value, dict):
        return {
            key: restored(inner, value[key])
            for key, inner in read.items()
            if value.get(key) is not None
        }
    if isinstance(value, list):
        return [restored(*pair) for pair in zip(read, value, strict=True)]
    if isinstance(value, str) and read != value:
        return json.loads(read)
    return read


def without_none(value):
    if isinstance(value, dict):
        return {key: without_none(inner) for key, inner in value.items() if inner is not None}
    return [without_none(inner) for inner in value] if isinstance(value, list) else value
