"""JSON of files, in every reader that it has."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import FieldError, FileError, refuse
from schemes.frames.lexicon.json_file import read_json as read_lexicon
from schemes.grounding.baseline import read_entries
from schemes.grounding.coco import read_json
from schemes.grounding.phrases import predictions_for, read_phrases
from schemes.grounding.phrases_jsonl import read_captions
from schemes.json_values import json_object, json_value
from schemes.qasrl.json_lines import json_lines

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=20,
)
READERS = {
    "json_lines": lambda path: json_lines(path, refuse),
    "captions": lambda path: read_captions(path, refuse),
    "phrases": lambda path: read_phrases(path, on_error=refuse),
    "predictions": lambda path: predictions_for(path, {}, on_error=refuse),
    "baseline": read_entries,
    "coco": read_json,
}


@given(value=_VALUES)
def test_value_is_read_as_it_was_written(value):
    if "\\u0000" in json.dumps(value):
        with pytest.raises(FieldError, match="has a NUL"):
            json_value(json.dumps(value))
        return
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False).encode()):
        assert json_value(text) == value


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        (r'{"questionSources": ["\ud83d"]}', "questionSources[0]", "has a NUL or half"),
        (r'{"a": {"b": "x\u0000y"}}', "a.b", "has a NUL or half"),
        (r'{"a": {"b\udE00": 1}}', "a.b\ufffd", "has a NUL or half"),
        (r'"\uD83D x \uDE00"', "", "has a NUL or half"),
        ('{"a": {"b": 1, "b": 1}}', "", "has the key “b” twice."),
        (r'{"\ud83d": 1, "\ud83d": 1}', "", "has the key “\ufffd” twice."),
        ('{"a": 1} {"b": 1}', "", "is not JSON (Extra data"),
        ('{"a": ' + "1" * 5000 + "}", "", "is not JSON ("),
        ("[" * 100_000, "", "is not JSON ("),
        (b'{"a": "\xff"}', "", "is not JSON ("),
        # Half of a surrogate pair in bytes
        (b'{"a": "\xed\xa0\xbd"}', "", "is not JSON ("),
    ],
)
def test_unusable_text_is_refused(text, field, message):
    with pytest.raises(FieldError) as caught:
        json_value(text)
    assert caught.value.field == field
    assert caught.value.message.startswith(message)


def test_whole_pairs_and_escaped_backslashes_are_characters():
    assert json_value(r'{"a": "\ud83d\ude00", "b": "\\u0000 \\ud83d"}') == {
        "a": "\U0001f600",
        "b": r"\u0000 \ud83d",
    }


def test_other_values_are_no_objects():
    with pytest.raises(FieldError, match="is not a JSON object"):
        json_object("[1]")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "a", "image": "a.jpg", "id": "b"}', "has the key “id” twice"),
        ('{"id": "a", "more": [{"x": 1, "x": 2}]}', "has the key “x” twice"),
        (r'{"id": "\ud83d"}', "id: has a NUL or half of a character"),
        (r'{"id": "a", "tags": ["b", "\u0000"]}', r"tags\[1\]: has a NUL or half of a character"),
    ],
)
def test_readers_refuse_what_has_no_meaning(tmp_path, reader, content, message):
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    where = "" if reader == "coco" else ", line 1"
    with pytest.raises(FileError, match=f"^a.jsonl{where}: {message}"):
        list(READERS[reader](path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"frames": {},\n "frames": {}}', "lexicon.json, line 2: names 'frames' twice"),
        (r'{"frames": {"A": {"definition": "\ud83d"}}}', "lexicon.json: frames.A.definition"),
    ],
)
def test_lexicon_refuses_what_has_no_meaning(tmp_path, content, message):
    path = tmp_path / "lexicon.json"
    path.write_text(content)
    with pytest.raises(FileError, match=message):
        read_lexicon(path, None)
