"""Files that say something twice: pictures, sizes, ids and keys, through the commands."""

import io
import json
import unicodedata
import warnings
import zipfile

import pytest

from tests.borders.site import gold, picture, sentences

pytestmark = pytest.mark.django_db

CAPTION = '{"id": "x", "image": "%s", "tokens": ["A", "dog", "runs"]}\n'
COMPOSED = unicodedata.normalize("NFC", "é.png")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


def archive(desk, name, *members):
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as packed:
        warnings.simplefilter("ignore")
        for member, content in members:
            packed.writestr(member, content)
    return desk.write(name, stream.getvalue())


def coco(width, height, *captions):
    image = {"id": 1, "file_name": "a.png", "width": width, "height": height}
    box = {"id": 7, "image_id": 1, "bbox": [2, 4, 20, 20]}
    caption = {"id": 1, "image_id": 1, "caption": "A dog runs."}
    caption["phrases"] = [{"start": 0, "end": 2, "ann_ids": [7]}]
    captions = [caption, *captions]
    return json.dumps({"images": [image], "annotations": [box], "captions": captions})


@pytest.mark.parametrize(
    ("image", "members", "message"),
    [
        ("a.png", ("a.png", "a.png"), "a.png: is in the archive 2 times (a.png, a.png)."),
        ("d/a.png", ("d/a.png", r"d\a.png"), "d/a.png: is in the archive 2 times"),
        ("a.png", ("d/a.png", r"d\a.png"), "a.png: is in the archive 2 times"),
        ("a.png", ("./a.png", "a.png"), "a.png: is in the archive 2 times"),
        (COMPOSED, (DECOMPOSED, COMPOSED), "is in the archive 2 times"),
        (DECOMPOSED, (COMPOSED, DECOMPOSED), "is in the archive 2 times"),
        ("a.png", ("d/a.png", "e/a.png"), "(d/a.png, e/a.png). Name its folder."),
    ],
)
def test_path_twice_in_an_archive_is_refused(desk, image, members, message):
    sizes = ((60, 40), (20, 10))
    contents = [(name, picture(*size)) for name, size in zip(members, sizes, strict=True)]
    images = archive(desk, "images.zip", *contents)
    captions = desk.write("c.jsonl", CAPTION % image.replace("\\", "\\\\"))
    outcome = desk.corpus("grounding", "captions-jsonl", captions, images=images)
    assert (outcome.code, sentences()) == (2, {})
    assert message in outcome.errors


def test_other_paths_of_such_an_archive_are_read(desk):
    members = ("a.png", "a.png", "b.png")
    images = archive(desk, "images.zip", *((name, picture()) for name in members))
    captions = desk.write("c.jsonl", CAPTION % "b.png")
    assert desk.corpus("grounding", "captions-jsonl", captions, images=images).code == 0


@pytest.mark.parametrize("image", [COMPOSED, DECOMPOSED])
def test_two_spellings_of_a_name_in_a_folder_are_refused(desk, image):
    desk.write(f"images/{COMPOSED}", picture(60, 40))
    captions = desk.write("c.jsonl", CAPTION % image)
    images = desk.folder / "images"
    assert desk.corpus("grounding", "captions-jsonl", captions, images=images).code == 0
    desk.write(f"images/{DECOMPOSED}", picture(20, 10))
    other = desk.write("d.jsonl", (CAPTION % image).replace('"x"', '"y"'))
    outcome = desk.corpus("grounding", "captions-jsonl", other, images=images)
    assert (outcome.code, list(sentences())) == (2, ["x"])
    assert "is in the folder 2 times" in outcome.errors


@pytest.mark.parametrize("other", ["Annotations/a.xml", r"Annotations\a.xml", "Sentences/a.txt"])
def test_file_twice_in_an_archive_of_annotations_is_refused(desk, other):
    box = "<object><name>1</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>%d</xmax><ymax>9</ymax>"
    xml = f"<annotation>{box}</bndbox></object></annotation>"
    first = [("Sentences/a.txt", "[/EN#1/x A dog] runs .\n"), ("Annotations/a.xml", xml % 5)]
    files = archive(desk, "f.zip", *first, (other, xml % 9))
    desk.write("images/a.jpg", picture(kind="JPEG"))
    outcome = desk.corpus("grounding", "flickr30k", files, images=desk.folder / "images")
    assert outcome.code == 2
    assert f"{other.replace(chr(92), '/')}: is in the archive 2 times." in outcome.errors
    outcome = desk.gold("grounding", "flickr30k", files)
    assert (outcome.code, gold()) == (2, {})


@pytest.mark.parametrize("sides", [(120.0, 80.0), ("120", "80.0"), (120, "80")])
def test_stated_size_in_any_spelling_is_compared_and_rescaled(desk, sides):
    desk.write("images/a.png", picture(60, 40))
    path = desk.write("c.json", coco(*sides))
    images = {"images": desk.folder / "images"}
    outcome = desk.corpus("grounding", "coco", path, **images)
    assert (outcome.code, "120 x 80" in outcome.errors) == (2, True)
    assert desk.corpus("grounding", "coco", path, **images, rescale_boxes=True).code == 0
    assert desk.gold("grounding", "coco", path).code == 2
    assert desk.gold("grounding", "coco", path, rescale_boxes=True).code == 0
    [content] = gold().values()
    assert content["phrases"][0]["boxes"] == [[1, 2, 11, 12]]


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((4000, None), "the file says a width of 4000"),
        ((None, 60), "the file says a height of 60"),
        ((60, "40px"), "'40px' is not a whole number of pixels"),
        ((60.5, 40), "'60.5' is not a whole number of pixels"),
    ],
)
def test_other_sizes_are_refused(desk, sides, message):
    desk.write("images/a.png", picture(60, 40))
    path = desk.write("c.json", coco(*sides))
    options = {"images": desk.folder / "images", "rescale_boxes": True}
    outcome = desk.corpus("grounding", "coco", path, **options)
    assert (outcome.code, sentences()) == (2, {})
    assert message in outcome.errors


def test_repeated_caption_is_named_without_line_or_advice(desk):
    desk.write("images/a.png", picture(60, 40))
    other = {"id": 1, "image_id": 1, "caption": "Two cats sit on a mat."}
    first, path = desk.write("a.json", coco(60, 40)), desk.write("c.json", coco(60, 40, other))
    for fmt in ("coco", "coco-images"):
        outcome = desk.corpus("grounding", fmt, path, images=desk.folder / "images")
        assert (outcome.code, sentences()) == (2, {})
        assert "line 0" not in outcome.errors
    assert desk.corpus("grounding", "coco", first, images=desk.folder / "images").code == 0
    outcome = desk.gold("grounding", "coco", path)
    assert (outcome.code, gold()) == (2, {})
    assert outcome.errors.count("several captions have the id a.png#1, and differ") == 2
    assert "--align" not in outcome.errors


def test_id_with_the_projects_tokens_and_others_is_a_bad_row(desk):
    desk.write("images/a.png", picture(60, 40))
    path = desk.write("c.jsonl", CAPTION % "a.png")
    options = {"images": desk.folder / "images"}
    assert desk.corpus("grounding", "captions-jsonl", path, **options).code == 0
    phrase = '"phrases": [{"start": 0, "end": 2, "state": "boxes", "boxes": [[1, 1, 5, 5]]}], "tok'
    line = (CAPTION % "a.png").replace('"tok', phrase)
    both = desk.write("g.jsonl", line.replace('"runs"', '"ran", "off"') + line)
    outcome = desk.gold("grounding", "phrases-jsonl", both)
    assert "--align" not in outcome.errors
    assert "g.jsonl, line 1: " in outcome.errors
    assert "has other tokens than the sentence." in outcome.errors


@pytest.mark.parametrize(
    ("fmt", "name", "content"),
    [
        ("phrases-jsonl", "g.jsonl", CAPTION.replace('"x"', r'"x\ud83d"') % "a.png"),
        ("phrases-jsonl", "g.jsonl", CAPTION.replace('"dog"', r'"dog\u0000"') % "a.png"),
        (
            "coco",
            "g.json",
            coco(60, 40).replace('"id": 1, "image_id"', r'"id": "\udc00", "image_id"'),
        ),
        (
            "coco",
            "g.json",
            coco(60, 40).replace('"caption":', r'"caption_id": "\ud83d", "caption":'),
        ),
        ("grefcoco", "g.json", r'[{"file_name": "a.png", "sentences": [{"sent": "a\ud83d"}]}]'),
    ],
)
def test_half_characters_in_gold_of_captions_are_refused(desk, fmt, name, content):
    desk.write("images/a.png", picture(60, 40))
    path = desk.write("c.json", coco(60, 40))
    assert desk.corpus("grounding", "coco", path, images=desk.folder / "images").code == 0
    outcome = desk.gold("grounding", fmt, desk.write(name, content))
    assert (outcome.code, gold()) == (2, {})
    assert "has a NUL or half of a character" in outcome.errors


@pytest.mark.parametrize("fmt", ["qasrl-bank", "qasrl-parser"])
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (r'"questionSources": ["\ud83d"]', "questionSources[0]: has a NUL or half of a character"),
        ('"sentenceId": "a:2"', "has the key “sentenceId” twice"),
        (r'"\u0000": 1', "has a NUL or half of a character"),
    ],
)
def test_unclear_json_lines_of_qasrl_are_refused(desk, fmt, more, message):
    corpus = desk.write("s.csv", "qasrl_id,tokens\na:1,Mary sold a hat .\n")
    assert desk.corpus("qasrl", "qasrl-csv", corpus).code == 0
    line = f'{{"sentenceId": "a:1", "words": ["Mary"], "verbs": [], {more}}}\n'
    outcome = desk.gold("qasrl", fmt, desk.write("g.jsonl", line))
    assert (outcome.code, gold()) == (2, {})
    assert message in outcome.errors
