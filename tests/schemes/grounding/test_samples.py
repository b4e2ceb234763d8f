"""The sample pictures and their captions."""

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from schemes.grounding import samples
from schemes.grounding.samples.draw import SIZE, Thing, draw_samples, draw_scene, gold, records
from schemes.original_text import align

FOLDER = Path(samples.__file__).parent


@pytest.fixture(scope="module")
def captions():
    return list(records())


@pytest.fixture(scope="module")
def answers():
    return list(gold())


def lines_of(name):
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_sample_files_match_the_scenes(captions, answers):
    lines = lines_of("captions.jsonl")
    assert all(align(line["tokens"], line.pop("caption")) for line in lines)
    assert lines == captions
    assert lines_of("gold.jsonl") == answers


@pytest.mark.slow
def test_pictures_are_deterministic_and_every_caption_has_one(captions, tmp_path):
    for name in ("first", "second"):
        draw_samples(tmp_path / name)
    files = sorted((tmp_path / "first").iterdir())
    assert len(files) >= 30
    for file in files:
        assert file.read_bytes() == (tmp_path / "second" / file.name).read_bytes()
        with Image.open(file) as picture:
            assert (picture.size, picture.mode) == (SIZE, "RGB")
    assert {record["image"] for record in captions} == {file.name for file in files}


@pytest.mark.slow
def test_every_kind_of_phrase_occurs(answers):
    kinds = Counter(
        (phrase["state"], phrase["plural"]) for record in answers for phrase in record["phrases"]
    )
    for state in ("boxes", "group", "scene", "absent"):
        assert kinds[state, True] + kinds[state, False] >= 5
    assert kinds["boxes", True] >= 20
    for record in answers:
        for phrase in record["phrases"]:
            if phrase["state"] == "boxes" and phrase["cardinality"]:
                assert len(phrase["boxes"]) == phrase["cardinality"]
            for x1, y1, x2, y2 in phrase["boxes"]:
                assert 0 <= x1 < x2 <= SIZE[0]
                assert 0 <= y1 < y2 <= SIZE[1]


def test_box_surrounds_exactly_the_pixels_of_its_object():
    empty, _ = draw_scene("snow", [])
    picture, (box,) = draw_scene("snow", [Thing("ball", "ball", 200, 200, 40, "#d1495b")])
    changed = [
        (x, y)
        for x in range(SIZE[0])
        for y in range(SIZE[1])
        if picture.getpixel((x, y)) != empty.getpixel((x, y))
    ]
    xs, ys = zip(*changed, strict=True)
    around = [min(xs), min(ys), max(xs) + 1, max(ys) + 1]
    # Pixels that the object covers by less than half are outside its box.
    assert all(abs(side - other) <= 1 for side, other in zip(box, around, strict=True))


def test_box_surrounds_only_the_visible_part():
    behind = Thing("house", "house", 200, 200, 100, "#fbf6ea")
    _, (alone,) = draw_scene("snow", [behind])
    _, (covered, _) = draw_scene("snow", [behind, Thing("bus", "bus", 200, 215, 60, "#d1495b")])
    assert covered[:2] == alone[:2]
    assert covered[3] < alone[3]
