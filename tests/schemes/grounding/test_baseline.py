"""The bag-of-objects baseline and its word vectors."""

import gzip
import json
import struct
from io import StringIO

import pytest
from django.core.management import call_command

from projects.command import InputError
from schemes.contract.errors import FileError
from schemes.grounding.baseline import Baseline, words_of
from schemes.grounding.evaluation import evaluate_file
from schemes.grounding.word_vectors import read_vectors

VECTORS = {
    "dogs": [1.0, 0.0, 0.1],
    "puppy": [0.9, 0.1, 0.0],
    "Woman": [0.0, 1.0, 0.0],
    "person": [0.1, 0.9, 0.0],
    "tree": [0.0, 0.0, 1.0],
    "two": [0.2, 0.2, 0.2],
}
OBJECTS = [
    {"label": "puppy", "box": [0, 0, 10, 10]},
    {"label": "person", "box": [50, 0, 60, 40]},
    {"label": "puppy", "box": [20, 0, 40, 10]},
    {"label": "street tree", "box": [70, 0, 99, 90]},
]


def text_file(path, *, head=True, numbers=None):
    lines = [f"{len(VECTORS)} 3"] if head else []
    lines += [f"{word} {' '.join(map(str, numbers or vector))}" for word, vector in VECTORS.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def binary_file(path, *, newline=b"\n", cut=0):
    data = f"{len(VECTORS)} 3\n".encode()
    for word, vector in VECTORS.items():
        data += word.encode() + b" " + struct.pack("<3f", *vector) + newline
    path.write_bytes(data[: len(data) - cut])
    return path


def write(tmp_path, kind):
    path = tmp_path / "vectors"
    if kind == "text":
        return text_file(path)
    if kind == "text without head":
        return text_file(path, head=False)
    if kind == "compressed":
        path.write_bytes(gzip.compress(text_file(path).read_bytes()))
        return path
    return binary_file(path, newline=b"\n" if kind == "binary" else b"")


@pytest.mark.parametrize(
    "kind", ["text", "text without head", "compressed", "binary", "binary without line ends"]
)
def test_vectors_are_read_from_every_format(tmp_path, kind):
    vectors = read_vectors(write(tmp_path, kind), {"dogs", "woman", "unknown"})
    assert {word: vector.tolist() for word, vector in vectors.items()} == {
        "dogs": pytest.approx([1.0, 0.0, 0.1]),
        "woman": [0.0, 1.0, 0.0],
    }


def test_damaged_vectors_are_refused(tmp_path):
    path = tmp_path / "vectors"
    with pytest.raises(FileError, match="ends within word 6 of 6"):
        read_vectors(binary_file(path, cut=6), {"dogs"})
    with pytest.raises(FileError, match=r"line 2: has 2 numbers instead of 3"):
        read_vectors(text_file(path, numbers=[1, 2]), {"dogs"})
    with pytest.raises(FileError, match="cannot be read"):
        read_vectors(tmp_path / "missing", {"dogs"})


def entry(phrase, *, plural, objects=OBJECTS):
    return {
        "id": "1", "image": [100, 100], "phrase": phrase, "plural": plural, "objects": objects,
        "gold": [[0, 0, 10, 10]],
    }  # fmt: skip


@pytest.fixture
def vectors(tmp_path):
    return read_vectors(text_file(tmp_path / "v.txt"), {word.lower() for word in VECTORS})


def test_singular_phrases_get_the_largest_box_and_plural_phrases_all_boxes(vectors):
    baseline = Baseline(vectors)
    assert baseline.ground(entry("Two dogs", plural=True))["predicted"] == [
        [0, 0, 10, 10], [20, 0, 40, 10],
    ]  # fmt: skip
    grounded = baseline.ground(entry("the dogs", plural=False))
    assert (grounded["predicted"], grounded["label"]) == ([[20, 0, 40, 10]], "puppy")
    assert baseline.ground(entry("a woman", plural=False))["label"] == "person"
    boxes = {(own["label"], *map(tuple, own["boxes"])) for own in grounded["candidates"]}
    assert boxes == {
        ("puppy", (0, 0, 10, 10)), ("puppy", (20, 0, 40, 10)), ("person", (50, 0, 60, 40)),
        ("street tree", (70, 0, 99, 90)), ("puppy", (0, 0, 10, 10), (20, 0, 40, 10)),
    }  # fmt: skip
    scores = {own["label"]: own["score"] for own in grounded["candidates"]}
    assert scores == {
        label: pytest.approx(baseline.similarity("the dogs", label)) for label in scores
    }
    assert scores["puppy"] > scores["person"] > scores["street tree"]


def test_pruning_prefers_labels_with_several_boxes_for_plural_phrases(vectors):
    baseline = Baseline(vectors, pruning=True)
    assert baseline.ground(entry("woman", plural=True))["label"] == "puppy"
    assert baseline.ground(entry("woman", plural=False))["label"] == "person"
    alone = entry("woman", plural=True, objects=OBJECTS[1:])
    assert baseline.ground(alone)["label"] == "person"


def test_enlarged_boxes_grow_by_half_and_stay_in_the_image(vectors):
    baseline = Baseline(vectors, enlarge=True)
    (box,) = baseline.ground(entry("woman", plural=False))["predicted"]
    assert box == [47.5, 0, 62.5, 50.0]


def test_unknown_words_are_left_out(vectors):
    baseline = Baseline(vectors)
    nothing = baseline.ground(entry("xyz", plural=False))
    assert (nothing["predicted"], nothing["label"]) == ([], None)
    assert baseline.ground(entry("dogs", plural=True, objects=[]))["predicted"] == []
    same = [{"label": "unicorn", "box": [1, 1, 2, 2]}, OBJECTS[0]]
    assert (
        baseline.ground(entry("a white unicorn", plural=False, objects=same))["label"] == "unicorn"
    )
    assert words_of("The dog’s ball of wool") == ["dog’s", "ball", "wool"]
    assert words_of("the") == ["the"]


def test_output_of_the_command_can_be_evaluated(tmp_path):
    phrases, out = tmp_path / "phrases.jsonl", tmp_path / "out.jsonl"
    rows = [entry("two dogs", plural=True), {**entry("xyz", plural=False), "id": "2"}]
    phrases.write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = StringIO()
    call_command(
        "ground", str(phrases), "--vectors", str(binary_file(tmp_path / "v.bin")), "--out", str(out),
        "--json", stdout=printed,
    )  # fmt: skip
    assert json.loads(printed.getvalue()) == {
        "phrases": 2, "without_prediction": 1, "words": 7, "words_with_vector": 5,
    }  # fmt: skip
    figures = evaluate_file(out).figures()
    assert figures["upper_bound"]["all_candidates"]["iou"]["all"]["accuracy"] == 1.0
    assert figures["c_iou"]["plural"]["n"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phrase": ""}, "line 1: phrase: is not a text"),
        ({"plural": 1}, "plural: is neither"),
        ({"image": [1]}, "image: is not"),
        ({"objects": None}, "objects: is not a list"),
        ({"objects": [{"label": 1}]}, r"objects\[0\].label"),
        ({"objects": [{"label": "a", "box": [0, 0, 0, 1]}]}, r"objects\[0\].box"),
    ],
)
def test_bad_lines_are_reported(tmp_path, change, message):
    phrases = tmp_path / "phrases.jsonl"
    phrases.write_text(json.dumps({**entry("dogs", plural=True), **change}))
    with pytest.raises(InputError, match=message):
        call_command(
            "ground", str(phrases), "--vectors", str(text_file(tmp_path / "v.txt")),
            "--out", str(tmp_path / "out.jsonl"),
        )  # fmt: skip
    assert not (tmp_path / "out.jsonl").exists()
