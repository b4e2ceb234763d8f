import json

import pytest

from schemes.contract.errors import FileError
from schemes.grounding.candidates import Candidate
from schemes.grounding.phrases import Phrase, read_phrases

GOOD = {
    "id": "p1",
    "image": [100, 80],
    "gold": [[0, 0, 10, 10], [20, 0, 100, 80]],
    "predicted": [[1.5, 0, 10, 10]],
    "plural": True,
    "cardinality": 2,
    "candidates": [
        [[0, 0, 5, 5]],
        [],
        {"label": "man", "score": 0.5, "boxes": [[0, 0, 5, 5]]},
        {"boxes": [[1, 1, 5, 5]], "score": None},
    ],
}


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines):
        path = tmp_path / "phrases.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts), encoding="utf-8")
        errors: list[FileError] = []
        return list(read_phrases(path, on_error=errors.append)), errors

    return read_lines


def test_phrase_is_read_with_all_fields(read):
    (phrase,), errors = read(GOOD)
    assert errors == []
    assert phrase == Phrase(
        id="p1",
        image=(100, 80),
        gold=((0, 0, 10, 10), (20, 0, 100, 80)),
        predicted=((1.5, 0, 10, 10),),
        plural=True,
        cardinality=2,
        candidates=(
            Candidate(((0, 0, 5, 5),)),
            Candidate(()),
            Candidate(((0, 0, 5, 5),), "man", 0.5),
            Candidate(((1, 1, 5, 5),)),
        ),
        line=1,
    )
    assert all(type(corner) is int for box in phrase.gold for corner in box)


def test_optional_fields_may_be_absent(read):
    required = {name: GOOD[name] for name in ("image", "gold", "predicted", "plural")}
    (first, second), errors = read(
        {**required, "id": 7}, "", {**required, "id": "8", "cardinality": None}
    )
    assert errors == []
    assert (first.id, first.cardinality, first.candidates, first.line) == ("7", None, None, 1)
    assert (second.id, second.line) == ("8", 3)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"gold": [[5, 5, 5, 9]]}, "gold: has no box with an area"),
        ({"gold": [[9, 5, 5, 9]]}, "gold: has no box with an area"),
        ({"gold": []}, "gold: has no box"),
        ({"gold": [[0, 0, 9]]}, "gold[0]: [0, 0, 9] is not a box"),
        ({"gold": [[0, 0, 9, "9"]]}, "is not a box"),
        ({"gold": [[0, 0, True, 9]]}, "is not a box"),
        ({"gold": [0, 0, 9, 9]}, "gold[0]: 0 is not a list"),
        ({"gold": "photo.png"}, 'gold: "photo.png" is not a list'),
        ({"image": [0, 9]}, "image: [0, 9] is not [width, height]"),
        ({"image": "photo.png"}, 'image: "photo.png" is not a list'),
        ({"plural": 1}, "plural: 1 is neither true nor false"),
        ({"cardinality": 0}, "cardinality: 0 is neither null"),
        ({"cardinality": True}, "cardinality: true is neither null"),
        ({"candidates": [{"label": 1, "boxes": []}]}, "candidates[0].label: 1 is neither text"),
        ({"candidates": [{"score": "1", "boxes": []}]}, 'candidates[0].score: "1" is neither'),
        ({"candidates": [{"score": True, "boxes": []}]}, "candidates[0].score: true is neither"),
        ({"candidates": [[], {"label": "man"}]}, "candidates[1].boxes: null is not a list"),
        ({"candidates": ["man"]}, 'candidates[0]: "man" is not a list'),
        ({"id": ""}, 'id: "" is neither text'),
        ({"id": "p0"}, "id: 'p0' is repeated from line 1"),
    ],
)
def test_invalid_phrase_is_reported_and_skipped(read, change, complaint):
    phrases, errors = read({**GOOD, "id": "p0"}, {**GOOD, **change}, {**GOOD, "id": "p2"})
    assert [phrase.id for phrase in phrases] == ["p0", "p2"]
    (error,) = errors
    assert str(error).startswith("phrases.jsonl, line 2: ")
    assert complaint in str(error)


@pytest.mark.parametrize("name", ["id", "image", "gold", "predicted", "plural"])
def test_required_fields_must_be_present(read, name):
    _, (error,) = read({key: value for key, value in GOOD.items() if key != name})
    assert str(error) == f"phrases.jsonl, line 1: {name}: is missing."


@pytest.mark.parametrize(
    "line", ["{", "[1]", "NaN", "[" * 100_000, '{"id": 1, "image": [1e999, 3]}']
)
def test_line_without_an_object_is_reported(read, line):
    _, (error,) = read(line)
    assert error.line == 1
    assert len(str(error)) < 300


def test_nonnumeric_coordinates_are_refused(read):
    line = json.dumps({**GOOD, "gold": [[0, 0, float("nan"), 4]]})
    _, (error,) = read(line)
    assert "is not a box" in str(error)


def test_boxes_without_area_are_dropped_and_counted(read):
    changes = {
        "gold": [[5, 5, 5, 9], [0, 0, 1, 1]],
        "predicted": [[9, 5, 5, 9]],
        "candidates": [[[2, 2, 2, 2], [0, 0, 3, 3]], {"boxes": [[0, 9, 9, 9]]}],
    }
    (phrase,), errors = read({**GOOD, **changes})
    assert errors == []
    assert phrase.gold == ((0, 0, 1, 1),)
    assert phrase.predicted == ()
    assert phrase.candidates == (Candidate(((0, 0, 3, 3),)), Candidate(()))
    assert phrase.dropped == 4


def test_boxes_are_clipped_to_the_image_and_counted(read):
    boxes = [[-5, -5, 10, 10], [99, 70, 140, 90], [100, 0, 120, 9], [7, 7, 7, 9]]
    (phrase,), errors = read({**GOOD, "predicted": boxes})
    assert errors == []
    assert phrase.predicted == ((0, 0, 10, 10), (99, 70, 100, 80))
    assert (phrase.clipped, phrase.dropped) == (2, 2)


def test_clipping_that_leaves_no_gold_is_refused(read):
    _, (error,) = read({**GOOD, "gold": [[100, 0, 120, 9]]})
    assert "gold: has no box" in str(error)


def test_binary_file_is_named(tmp_path):
    path = tmp_path / "photo.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(FileError, match=r"photo.jsonl: is a PNG image"):
        list(read_phrases(path, on_error=lambda error: None))
