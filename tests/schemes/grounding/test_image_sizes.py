"""Sizes of pictures in the spellings of files."""

import json

import pytest

from schemes.contract.errors import FieldError, FileError, refuse
from schemes.contract.values import Image
from schemes.grounding.corpus import CORPUS
from schemes.grounding.image_sizes import stated_size
from schemes.stated import is_resized, size_message


@pytest.mark.parametrize(
    ("sides", "size"),
    [
        ((60, 40), (60, 40)),
        ((60.0, "40"), (60, 40)),
        (("60.0", " 40 "), (60, 40)),
        ((60, None), (60, 0)),
        (("", 40), (0, 40)),
        ((float("nan"), 40), (0, 40)),
        ((None, ""), None),
    ],
)
def test_size_is_whole_pixels(sides, size):
    assert stated_size(*sides) == size


@pytest.mark.parametrize(
    "side", [60.5, "60px", 0, -60, "-60", True, [60], {"a": 1}, float("inf"), "nan", 10**400, " "]
)
def test_other_sides_are_refused(side):
    for sides, field in (((side, 40), "width"), ((60, side), "height")):
        with pytest.raises(FieldError, match="is not a whole number of pixels") as caught:
            stated_size(*sides)
        assert caught.value.field == field


def test_single_side_is_compared():
    image = Image("a.jpg", 60, 40)
    assert size_message((60, 0), image) == size_message((0, 40), image) == ""
    assert size_message((120, 0), image) == (
        "the file says a width of 120, but the picture has 60 x 40. Correct it, or state both sides."
    )
    assert "a height of 60" in size_message((0, 60), image)
    assert not is_resized((120, 0), image)


def test_caption_of_a_picture_with_a_bad_size_is_left_out(tmp_path):
    path = tmp_path / "a.json"
    images = [
        {"id": 1, "file_name": "a.jpg", "width": 60.5, "height": 40},
        {"id": 2, "file_name": "b.jpg", "width": "60.0", "height": 40.0},
    ]
    captions = [{"id": at, "image_id": at, "caption": "A dog runs."} for at in (1, 2)]
    path.write_text(json.dumps({"images": images, "annotations": captions}))
    errors: list[FileError] = []
    [record] = CORPUS.read_sentences(path, "coco", errors.append)
    assert (record.external_id, record.image_size) == ("b.jpg#2", (60, 40))
    [error] = errors
    assert str(error) == (
        "a.json: width: caption 1: of a.jpg: '60.5' is not a whole number of pixels."
    )


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [("60.0", "40", (60, 40)), ("60", "", (60, 0)), ("", "", None)],
)
def test_size_in_annotation_files(tmp_path, width, height, size):
    for folder in ("Sentences", "Annotations"):
        (tmp_path / folder).mkdir()
    (tmp_path / "Sentences" / "a.txt").write_text("Dogs run .\n")
    (tmp_path / "Annotations" / "a.xml").write_text(
        f"<annotation><size><width>{width}</width><height>{height}</height></size></annotation>"
    )
    [record] = CORPUS.read_sentences(tmp_path, "flickr30k", refuse)
    assert record.image_size == size
