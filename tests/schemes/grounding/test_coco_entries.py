"""COCO and gRefCOCO files that say something twice, or about another picture."""

import json

import pytest

from schemes.contract.errors import FileError
from schemes.grounding.corpus import CORPUS

IMAGES = [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}]
INSTANCES = [
    {"id": 7, "image_id": 1, "bbox": [1, 1, 5, 5]},
    {"id": 8, "image_id": 2, "bbox": [2, 2, 5, 5]},
]
BOXES = {"id": "p0", "state": "boxes", "boxes": [[1, 1, 6, 6]]}
CAPTION = {
    "id": 1,
    "image_id": 1,
    "caption": "A dog runs.",
    "phrases": [{"start": 0, "end": 2, "ann_ids": [7]}],
}
OTHER = {"id": 2, "image_id": 2, "caption": "A cat sits."}
REFERENCE = {
    "ref_id": 1,
    "image_id": 1,
    "file_name": "a.jpg",
    "ann_id": [7],
    "no_target": False,
    "sentences": [{"sent_id": 11, "sent": "the dog"}],
}


def read(tmp_path, fmt, *contents):
    """Return the names of captions, the gold contents by name, and the messages about gold."""
    paths = [tmp_path / f"{at}.json" for at in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(json.dumps(content))
    names = [r.external_id for r in CORPUS.read_sentences(paths[0], fmt, lambda error: None)]
    errors: list[FileError] = []
    records = list(CORPUS.read_gold(paths, fmt, errors.append))
    gold = {record.item.external_id: record.content["phrases"] for record in records}
    return (
        names,
        {name: phrases for name, phrases in gold.items() if phrases},
        list(map(str, errors)),
    )


def coco(*captions, images=(), instances=()):
    return {
        "images": [*IMAGES, *images],
        "annotations": [*INSTANCES, *instances],
        "captions": [*captions],
    }


def test_coco_with_equal_repeats_is_read(tmp_path):
    content = coco(CAPTION, CAPTION, OTHER, images=IMAGES, instances=INSTANCES)
    names, gold, errors = read(tmp_path, "coco", content)
    assert (names, gold, errors) == (["a.jpg#1", "a.jpg#1", "b.jpg#2"], {"a.jpg#1": [BOXES]}, [])


@pytest.mark.parametrize(
    ("content", "names", "message"),
    [
        (
            coco(CAPTION, OTHER, images=[{"id": 1, "file_name": "c.jpg"}]),
            ["b.jpg#2"],
            "image_id: caption 1: several images have the id 1, and differ.",
        ),
        (
            coco(CAPTION, OTHER, images=[{"id": 1, "file_name": "a.jpg", "width": 9}]),
            ["b.jpg#2"],
            "image_id: caption 1: several images have the id 1, and differ.",
        ),
        (
            coco(CAPTION, OTHER, instances=[{"id": 7, "image_id": 1, "bbox": [2, 2, 5, 5]}]),
            ["a.jpg#1", "b.jpg#2"],
            "ann_ids: caption a.jpg#1: several instances have the id 7, and differ. Its gold",
        ),
        (
            coco(CAPTION, OTHER, {**CAPTION, "caption": "A bird flies."}),
            ["b.jpg#2"],
            "id: caption 1: several captions have the id a.jpg#1, and differ.",
        ),
        (
            coco({**OTHER, "caption_id": "x"}, {**CAPTION, "caption_id": "x"}),
            [],
            "id: caption 2: several captions have the id x, and differ.",
        ),
        (
            coco({name: CAPTION[name] for name in CAPTION if name != "id"}, OTHER),
            ["b.jpg#2"],
            "id: a caption without an id: is missing.",
        ),
        (coco({**CAPTION, "id": None}, OTHER), ["b.jpg#2"], "id: a caption without an id: is miss"),
        (coco({**CAPTION, "id": True}), [], "True is neither a whole number nor a text."),
        (coco({**CAPTION, "id": 1.5}), [], "1.5 is neither a whole number nor a text."),
        (coco({**CAPTION, "caption_id": ["x"]}), [], "caption_id: caption 1: ['x'] is neither"),
        (coco({**CAPTION, "image_id": True}), [], "the file has no image True."),
        (coco({**CAPTION, "image_id": [1]}), [], "the file has no image [1]."),
        (
            coco({**CAPTION, "image_id": 3}, images=[{"id": 3, "file_name": 5}]),
            [],
            "image 3 has no name of a file.",
        ),
        (
            coco({**CAPTION, "phrases": [{"start": 0, "end": 2, "ann_ids": [True]}]}),
            ["a.jpg#1"],
            "the file has no instance True.",
        ),
        (
            coco({**CAPTION, "phrases": [{"start": 0, "end": 2, "ann_ids": [8]}]}),
            ["a.jpg#1"],
            "instance 8 is in image 2.",
        ),
        *(
            (
                coco(
                    {**CAPTION, "phrases": [{"start": 0, "end": 2, "ann_ids": [9]}]},
                    instances=[{"id": 9, "image_id": 1, "bbox": bbox}],
                ),
                ["a.jpg#1"],
                "the box of instance 9 is not [x, y, width, height].",
            )
            for bbox in ("1234", [1, 2, True, 4], ["1", "2", "3", "4"], [1, 2, 3], None)
        ),
    ],
)
def test_coco_with_unclear_ids_is_refused_by_name(tmp_path, content, names, message):
    found, gold, errors = read(tmp_path, "coco", content)
    assert (found, gold) == (names, {})
    assert message in errors[0]
    assert errors[0].startswith("0.json: ")


def test_captions_and_instances_are_numbered_apart(tmp_path):
    content = coco(CAPTION)
    content["annotations"] += [{"id": 7, "image_id": 2, "caption": "A cat sits."}]
    assert read(tmp_path, "coco", content) == (["a.jpg#1"], {"a.jpg#1": [BOXES]}, [])


def grefcoco(**changes):
    return [{**REFERENCE, **changes}]


def instances(*entries, images=()):
    return {"images": [*IMAGES, *images], "annotations": [*INSTANCES, *entries]}


@pytest.mark.parametrize(
    ("changes", "gold"),
    [
        ({}, [BOXES]),
        ({"image_id": None}, [BOXES]),
        ({"image_id": 1.0, "ann_id": [7.0]}, [BOXES]),
        ({"ann_id": 7}, [BOXES]),
        ({"file_name": "train/a.jpg"}, [BOXES]),
        ({"no_target": None}, [BOXES]),
        ({"no_target": True, "ann_id": [-1]}, [{"id": "p0", "state": "absent", "boxes": []}]),
        (
            {"no_target": True, "ann_id": [], "state": "scene"},
            [{"id": "p0", "state": "scene", "boxes": []}],
        ),
    ],
)
def test_reference_and_instances_agree(tmp_path, changes, gold):
    _, found, errors = read(tmp_path, "grefcoco", grefcoco(**changes), instances())
    assert (list(found.values()), errors) == ([gold], [])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image_id": 2, "ann_id": [8]}, "image_id: reference 1: image 2 is b.jpg, not a.jpg."),
        ({"image_id": None, "ann_id": [8]}, "ann_id: reference 1: image 2 is b.jpg, not a.jpg."),
        ({"image_id": 2, "ann_id": [-1], "no_target": True}, "image 2 is b.jpg, not a.jpg."),
        ({"ann_id": [8]}, "instance 8 is in image 2."),
        ({"image_id": None, "ann_id": [7, 8]}, "names instances of several images."),
        ({"ann_id": [True]}, "the file has no instance True."),
        ({"no_target": True}, "no_target: reference 1: is true, but ann_id names instance 7."),
        ({"no_target": "false"}, "no_target: reference 1: must be true or false."),
        ({"no_target": 1, "ann_id": []}, "no_target: reference 1: must be true or false."),
        ({"state": "absent"}, "state: reference 1: is absent, but no_target is false."),
        (
            {"no_target": True, "ann_id": [], "state": "boxes"},
            "state: reference 1: is boxes, but no_target is true.",
        ),
    ],
)
def test_reference_to_another_picture_has_no_gold(tmp_path, changes, message):
    names, gold, errors = read(tmp_path, "grefcoco", grefcoco(**changes), instances())
    assert (names, gold) == (["a.jpg#11"], {})
    [error] = errors
    assert message in error
    assert error.endswith("Its gold is left out.")


@pytest.mark.parametrize(
    ("other", "is_refused"),
    [
        (instances(), False),
        (instances({"id": 7, "image_id": 1, "bbox": [9, 9, 5, 5]}), True),
        (instances(images=[{"id": 1, "file_name": "c.jpg"}]), True),
        ({"annotations": [{"id": 7, "image_id": 2, "bbox": [1, 1, 5, 5]}]}, True),
    ],
)
def test_files_of_instances_with_common_ids(tmp_path, other, is_refused):
    _, gold, errors = read(tmp_path, "grefcoco", grefcoco(), instances(), other)
    assert (bool(errors), bool(gold)) == (is_refused, not is_refused)


def test_picture_without_folder_or_split_is_the_same(tmp_path):
    name = "COCO_train2014_000000000009.jpg"
    images = [{"id": 3, "file_name": "train2014/000000000009.jpg"}]
    boxes = {"id": 9, "image_id": 3, "bbox": [1, 1, 5, 5]}
    references = grefcoco(file_name=name, image_id=3, ann_id=[9])
    _, gold, errors = read(tmp_path, "grefcoco", references, instances(boxes, images=images))
    assert (gold, errors) == ({f"{name}#11": [BOXES]}, [])
    references = grefcoco(file_name=f"val/{name}", image_id=3, ann_id=[9])
    _, gold, errors = read(tmp_path, "grefcoco", references, instances(boxes, images=images))
    assert (gold, len(errors)) == ({}, 1)


def test_expressions_with_a_common_id_are_left_out(tmp_path):
    last = {**REFERENCE, "sentences": [{"sent_id": 12, "sent": "the cat"}]}
    references = [REFERENCE, {**REFERENCE, "ref_id": 2, "ann_id": [-1]}, last]
    names, gold, errors = read(tmp_path, "grefcoco", references, instances())
    assert (names, gold) == (["a.jpg#12"], {"a.jpg#12": [BOXES]})
    assert all("several expressions have the id a.jpg#11, and differ." in error for error in errors)
    assert len(errors) == 2


@pytest.mark.parametrize("changes", [{"sentences": [{"sent": "the dog"}], "ref_id": None}])
def test_expression_without_an_id_is_refused(tmp_path, changes):
    names, _, errors = read(tmp_path, "grefcoco", grefcoco(**changes), instances())
    assert names == []
    assert errors == ["0.json: ref_id: reference None: is missing. Its caption is left out."]


def test_size_of_a_picture_that_files_state_differently_is_refused(tmp_path):
    sizes = [{"id": at, "file_name": "a.jpg", "width": at, "height": 9} for at in (31, 32)]
    _, gold, errors = read(tmp_path, "grefcoco", grefcoco(), instances(images=sizes))
    assert gold == {}
    assert "the files state several sizes of a.jpg." in errors[0]
