"""Annotation files of Flickr30k Entities for another picture, or that contradict themselves."""

import pytest

from schemes.contract.errors import FileError
from schemes.grounding.corpus import CORPUS

BOX = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>10</ymax></bndbox>"
GOLD = f"<object><name>1</name>{BOX}</object>"
SCENE = "<object><name>2</name><scene>1</scene><nobndbox>1</nobndbox></object>"


def read(tmp_path, annotations, *, stems=("a",)):
    """Return the names of captions, those with gold, and the messages."""
    for folder in ("Sentences", "Annotations"):
        (tmp_path / folder).mkdir()
    for stem in stems:
        text = "[/EN#1/animals A dog] runs .\n[/EN#2/scene A meadow] .\n"
        (tmp_path / "Sentences" / f"{stem}.txt").write_text(text)
        content = f"<annotation>{annotations}</annotation>"
        (tmp_path / "Annotations" / f"{stem}.xml").write_text(content)
    errors: list[FileError] = []
    names = [r.external_id for r in CORPUS.read_sentences(tmp_path, "flickr30k", errors.append)]
    found: list[FileError] = []
    gold = CORPUS.read_gold([tmp_path], "flickr30k", found.append)
    return names, [record.item.external_id for record in gold], [str(error) for error in found]


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "folder/a.jpg", r"folder\a.jpg", "./a.jpg"])
def test_name_of_the_same_stem_is_the_picture(tmp_path, name):
    annotations = f"<filename>{name}</filename>{GOLD}{SCENE}"
    names = [f"{name}#0", f"{name}#1"]
    assert read(tmp_path, annotations) == (names, names, [])


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ("<filename>b.jpg</filename>", "filename: b.jpg is another picture."),
        ("<filename>a-2.jpg</filename>", "filename: a-2.jpg is another picture."),
        ("<filename>A.jpg</filename>", "filename: A.jpg is another picture."),
        (
            "<filename>a.jpg</filename><filename>b.jpg</filename>",
            "has several names of its picture.",
        ),
        (
            "<size><width>6</width></size><size><width>7</width></size>",
            "has several sizes of its picture.",
        ),
        ("<size><width>6.5</width></size>", "size: width: '6.5' is not a whole number of pixels."),
        ("<size><height>x</height></size>", "size: height: 'x' is not a whole number of pixels."),
    ],
)
def test_captions_of_an_unclear_picture_are_left_out(tmp_path, annotations, message):
    names, gold, errors = read(tmp_path, annotations + GOLD + SCENE)
    assert (names, gold) == ([], [])
    consequence = "The captions of Sentences/a.txt are left out."
    assert errors == [f"Annotations/a.xml: {message} {consequence}"]


def test_numbered_file_needs_the_file_of_the_name(tmp_path):
    annotations = f"<filename>x/a.jpg</filename>{GOLD}{SCENE}"
    names, _, errors = read(tmp_path, annotations, stems=("a-2",))
    assert (names, len(errors)) == ([], 1)


@pytest.mark.parametrize(
    "more",
    [
        "<object><name>1</name><nobndbox>1</nobndbox></object>",
        "<object><name>1</name><scene>1</scene></object>",
        f"<object><name>1</name>{BOX}<nobndbox>1</nobndbox></object>",
        "<object><name>2</name><name>1</name><scene>1</scene></object>",
    ],
)
def test_chain_with_a_box_and_none_leaves_out_the_gold_of_the_picture(tmp_path, more):
    names, gold, errors = read(tmp_path, GOLD + SCENE + more)
    assert (names, gold) == (["a.jpg#0", "a.jpg#1"], [])
    consequence = "The gold of the picture is left out."
    assert errors == [f"Annotations/a.xml: chain 1: has both a box and none. {consequence}"]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("\u00e9.xml", "e\u0301.xml", "is in the folder 2 times"),
        ("a.XML", "a.xml", "is a second file for the picture of"),
    ],
)
def test_two_annotation_files_of_a_picture_are_refused(tmp_path, first, second, message):
    stem = first[0]
    for name in (f"Sentences/{stem}.txt", f"Annotations/{first}", f"Annotations/{second}"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<annotation/>" if name.endswith("l") else "Dogs run .\n")
    (tmp_path / "Annotations" / first).write_text(f"<annotation>{GOLD}</annotation>")
    with pytest.raises(FileError, match=message):
        list(CORPUS.read_sentences(tmp_path, "flickr30k", pytest.fail))


@pytest.mark.parametrize("name", ["\u00e9", "e\u0301"])
def test_annotations_are_found_in_another_normal_form(tmp_path, name):
    for folder, ending, text in (
        ("Sentences", "txt", "[/EN#1/animals A dog] runs .\n"),
        ("Annotations", "xml", f"<annotation><filename>\u00e9.jpg</filename>{GOLD}</annotation>"),
    ):
        (tmp_path / folder).mkdir()
        stem = name if ending == "txt" else "\u00e9"
        (tmp_path / folder / f"{stem}.{ending}").write_text(text)
    errors: list[FileError] = []
    [record] = CORPUS.read_gold([tmp_path], "flickr30k", errors.append)
    assert (record.item.external_id, errors) == ("\u00e9.jpg#0", [])
