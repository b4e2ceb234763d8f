"""Round trips of captions, phrases and gold in each format, and bad files."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from schemes.contract.errors import ContentError, FileError, refuse
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow, ItemRecord
from schemes.contract.values import Image
from schemes.grounding.captions import CaptionPhrase
from schemes.grounding.corpus import CORPUS
from schemes.grounding.exports import EXPORTS
from schemes.grounding.flickr30k import parse_sentence, write_folder
from tests.schemes.grounding.caption_files import (
    SIZE,
    expected_rows,
    items_of,
    make_captions,
    read_rows,
    rows_of,
    with_group,
)


@pytest.mark.parametrize("fmt", ["phrases-jsonl", "coco"])
def test_written_file_is_read_back_unchanged(tmp_path, fmt):
    captions = with_group(make_captions(20))
    path = tmp_path / "gold"
    assert EXPORTS.write(rows_of(captions), path, fmt) == len(captions)
    assert read_rows([path], fmt) == expected_rows(captions)


def test_written_grefcoco_is_read_back_unchanged(tmp_path):
    captions = with_group(make_captions(20))
    files = EXPORTS.file_sets["grefcoco"]
    paths = {ending: tmp_path / ending for ending in files.endings}
    counts = files.write(rows_of(captions), paths)
    assert counts["grefs.json"] == sum(len(caption.phrases) for caption in captions)
    assert read_rows(list(paths.values()), "grefcoco") == expected_rows(captions)


def without_numbers(rows):
    """Drop plurality and cardinality, which Flickr30k Entities lacks."""
    return {
        name: (
            tokens,
            image,
            [(p["start"], p["end"], p["chain"], p["types"]) for p in target["phrases"]],
            content,
        )
        for name, (tokens, image, target, content) in rows.items()
    }


def test_written_flickr30k_is_read_back_unchanged(tmp_path):
    captions = make_captions(20)
    counts = EXPORTS.folders["flickr30k"](rows_of(captions), tmp_path)
    assert counts == {"captions": 100, "images": 20, "split_chains": 0, "nested_phrases": 0}
    assert without_numbers(read_rows([tmp_path], "flickr30k")) == without_numbers(
        expected_rows(captions)
    )


def test_rows_of_an_image_need_not_be_adjacent(tmp_path):
    captions = make_captions(3)
    mixed = [captions[image * 5 + number] for number in range(5) for image in range(3)]
    write_folder(rows_of(captions), tmp_path / "sorted")
    write_folder(rows_of(mixed), tmp_path / "mixed")
    for path in (tmp_path / "sorted").rglob("*.*"):
        other = tmp_path / "mixed" / path.relative_to(tmp_path / "sorted")
        assert other.read_bytes() == path.read_bytes()


def test_captions_of_an_image_can_be_an_item(tmp_path):
    captions = make_captions(3)
    write_folder(rows_of(captions), tmp_path)
    joined = read_rows([tmp_path], "flickr30k-images")
    assert list(joined) == sorted({caption.image for caption in captions})
    tokens = joined["1000092000.jpg"][0]
    assert tokens == tuple(word for caption in captions[:5] for word in caption.tokens)
    errors = []
    sentences = list(CORPUS.read_sentences(tmp_path, "flickr30k-images", errors.append))
    rows = [
        replace(row, metadata=sentence.metadata)
        for row, sentence in zip(_rows_of_images(tmp_path), sentences, strict=True)
    ]
    write_folder(rows, tmp_path / "again")
    for name in ("Sentences", "Annotations"):
        for path in (tmp_path / name).iterdir():
            assert (tmp_path / "again" / name / path.name).read_bytes() == path.read_bytes()


def shuffled_by_image(data: dict) -> dict:
    """Put the first caption of each image first, because real files mix the captions of images."""
    captions = data["captions"]
    return {**data, "captions": mixed_images(captions)}


def mixed_images(captions: list) -> list:
    return captions[::5] + [caption for at, caption in enumerate(captions) if at % 5]


@pytest.mark.parametrize("fmt", ["phrases-jsonl", "coco", "grefcoco"])
def test_captions_of_an_image_can_be_an_item_in_every_format(tmp_path, fmt):
    captions = make_captions(3)
    paths = [tmp_path / "gold"]
    if fmt == "grefcoco":
        files = EXPORTS.file_sets[fmt]
        paths = [tmp_path / ending for ending in files.endings]
        files.write(rows_of(captions), dict(zip(files.endings, paths, strict=True)))
    else:
        EXPORTS.write(rows_of(captions), paths[0], fmt)
    if fmt == "coco":
        paths[0].write_text(json.dumps(shuffled_by_image(json.loads(paths[0].read_text()))))
    rows = read_rows(paths, f"{fmt}-images")
    assert list(rows) == sorted({caption.image for caption in captions})
    tokens, _, target, content = rows["1000092000.jpg"]
    assert tokens == tuple(word for caption in captions[:5] for word in caption.tokens)
    phrases = [phrase for caption in captions[:5] for phrase in caption.phrases]
    assert [phrase["chain"] for phrase in target["phrases"]] == [phrase.chain for phrase in phrases]
    assert [phrase["id"] for phrase in target["phrases"]] == [
        f"p{at}" for at in range(len(phrases))
    ]
    boxes = [[list(box) for box in phrase.boxes] for phrase in phrases]
    assert [phrase["boxes"] for phrase in content["phrases"]] == boxes


def test_phrases_of_joined_captions_are_read_from_every_caption(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = ['{"image": "a.jpg", "caption": "Two dogs"}', '{"image": "a.jpg", "caption": "a cat"}']
    path.write_text("\n".join(lines))
    [sentence] = CORPUS.read_sentences(path, "captions-jsonl-images", pytest.fail)
    [item] = items_of(sentence)
    assert [(p["start"], p["end"]) for p in item.target["phrases"]] == [(0, 2), (2, 4)]
    assert sentence.metadata["captions"] == [[0, 2], [2, 4]]


def _rows_of_images(folder):
    rows = read_rows([folder], "flickr30k-images")
    captions = make_captions(3)
    for at, (name, (tokens, _, target, content)) in enumerate(rows.items()):
        yield replace(
            rows_of(captions[5 * at : 5 * at + 1])[0],
            external_id=name,
            tokens=tokens,
            target=target,
            content=content,
        )


def test_chain_with_different_captions_is_split(tmp_path):
    first, *other_captions = make_captions(1)
    same = CaptionPhrase(0, 1, id="p0", chain="7", types=("people",), state="boxes")
    boxes = [((0, 0, 9, 9),), ((5, 5, 20, 20),), ((0, 0, 9, 9),)]
    captions = [
        replace(caption, phrases=[replace(same, boxes=value)])
        for caption, value in zip([first, *other_captions], boxes, strict=False)
    ]
    assert write_folder(rows_of(captions), tmp_path)["split_chains"] == 1
    rows = read_rows([tmp_path], "flickr30k")
    chains = [row[2]["phrases"][0]["chain"] for row in rows.values()]
    assert chains == ["7", "8", "7"]
    contents = [row[3]["phrases"][0]["boxes"] for row in rows.values()]
    assert contents == [[list(box) for box in value] for value in boxes]


def test_sentence_of_flickr30k_is_parsed():
    text = "[/EN#1/people/clothing A man] in [/EN#0/notvisual front] of [/EN#2/other a house ] ."
    tokens, phrases, unmarked = parse_sentence(text)
    assert tokens == ("A", "man", "in", "front", "of", "a", "house", ".")
    assert [(p.start, p.end, p.chain, p.types) for p in phrases] == [
        (0, 2, "1", ("people", "clothing")),
        (5, 7, "2", ("other",)),
    ]
    assert unmarked == [{"start": 3, "end": 4, "types": ["notvisual"]}]


@pytest.mark.parametrize(
    "text", ["[/EN#1/people A man", "[/EN#1/people ] .", "[/EN#1/a A [/EN#2/b b] c]", "   "]
)
def test_bad_sentence_is_refused(text):
    with pytest.raises(ValueError, match=r"has (a phrase|no words)"):
        parse_sentence(text)


ANNOTATION = """<annotation><filename>1.jpg</filename>
<object><name>1</name><name>2</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>5</ymax></bndbox></object>
<object><name>1</name><bndbox><xmin>20</xmin><ymin>2</ymin><xmax>30</xmax><ymax>5</ymax></bndbox></object>
<object><name>3</name><scene>1</scene><nobndbox>0</nobndbox></object>
<object><name>4</name><scene>0</scene><nobndbox>1</nobndbox></object>
</annotation>"""


def write_flickr(folder: Path, annotation: str = ANNOTATION, sentences: str = "") -> Path:
    for name, suffix, text in (
        ("Sentences", "txt", sentences or "[/EN#1/people A man] runs .\n"),
        ("Annotations", "xml", annotation),
    ):
        (folder / name).mkdir(parents=True)
        (folder / name / f"1.{suffix}").write_text(text)
    return folder


def read_flickr_gold(folder: Path):
    """Return the contents by id, and the errors."""
    errors: list[FileError] = []
    records = CORPUS.read_gold([folder], "flickr30k", errors.append)
    return {r.item.external_id: r.content["phrases"] for r in records}, list(map(str, errors))


def test_annotations_have_shared_boxes_components_and_flags(tmp_path):
    text = "".join(f"[/EN#{chain}/people Word {chain}]\n" for chain in range(1, 6))
    contents, errors = read_flickr_gold(write_flickr(tmp_path, sentences=text))
    assert errors == [
        "Sentences/1.txt, line 5: chain 5: no annotation. The gold of 1.jpg#4 is left out."
    ]
    phrases = [[(p["state"], p["boxes"]) for p in phrases] for phrases in contents.values()]
    assert phrases == [
        [("boxes", [[0, 0, 10, 5], [19, 1, 30, 5]])],
        [("boxes", [[0, 0, 10, 5]])],
        [("scene", [])],
        [("absent", [])],
    ]


def test_stated_size_is_compared_with_the_picture(tmp_path):
    sized = "<size><width>25</width><height>50</height></size><object>"
    folder = write_flickr(tmp_path, ANNOTATION.replace("<object>", sized, 1))
    (record,) = CORPUS.read_gold([folder], "flickr30k", pytest.fail)
    assert record.item.stated.image_size == (25, 50)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ANNOTATION.replace(">10<", ">ten<"), "line 2: the box of 1, 2 has no whole numbers."),
        (ANNOTATION[:200], "is not complete XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>', "declares entities"),
    ],
)
def test_bad_annotation_is_reported_and_its_gold_skipped(tmp_path, text, reason):
    contents, [error, *others] = read_flickr_gold(write_flickr(tmp_path, text))
    assert contents == {}
    assert all("The gold of 1.jpg#0 is left out." in other for other in others)
    assert error.startswith("Annotations/1.xml")
    assert reason in error


def test_missing_annotations_are_reported(tmp_path):
    folder = write_flickr(tmp_path)
    (folder / "Annotations" / "1.xml").unlink()
    contents, [error] = read_flickr_gold(folder)
    assert contents == {}
    assert error == "Sentences/1.txt: has no file in Annotations."
    assert [s.external_id for s in CORPUS.read_sentences(folder, "flickr30k", pytest.fail)] == [
        "1.jpg#0"
    ]


def test_archive_is_read_like_a_folder(tmp_path):
    write_folder(rows_of(make_captions(3)), tmp_path / "gold")
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "gold"))
    assert read_rows([archive], "flickr30k") == read_rows([tmp_path / "gold"], "flickr30k")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1e"])
def test_only_line_feeds_separate_captions(tmp_path, separator):
    texts = f"[/EN#1/people Dogs] run .{separator}[/EN#1/people Cats] run .\r\nBirds fly .\n"
    folder = write_flickr(tmp_path)
    (folder / "Sentences" / "1.txt").write_bytes(texts.encode())
    records = list(CORPUS.read_sentences(folder, "flickr30k", refuse))
    assert [(record.external_id, record.line) for record in records] == [
        ("1.jpg#0", 1),
        ("1.jpg#1", 2),
    ]
    assert records[1].tokens == ("Birds", "fly", ".")


def test_caption_file_with_old_line_ends_is_named(tmp_path):
    folder = write_flickr(tmp_path)
    (folder / "Sentences" / "1.txt").write_bytes(b"Dogs run .\rCats run .\r")
    errors: list[FileError] = []
    assert not list(CORPUS.read_sentences(folder, "flickr30k", errors.append))
    assert "line 1: contains a carriage return alone" in str(errors[0])


def test_folders_of_an_export_are_read_together(tmp_path):
    captions = make_captions(1)
    write_folder(rows_of(captions[:2]), tmp_path / "news.train")
    write_folder(rows_of(captions[2:]), tmp_path / "news.dev")
    assert set(read_rows([tmp_path], "flickr30k")) == {caption.external_id for caption in captions}


def test_ids_of_other_corpora_are_kept(tmp_path):
    """COCO has large caption numbers and different image names. JSON Lines accepts any ids."""
    captions = [
        replace(
            caption,
            image="9.png",
            external_id=name,
            phrases=[replace(phrase, id=f"x{at}") for at, phrase in enumerate(caption.phrases)],
        )
        for caption, name in zip(make_captions(1), ["9.png#770337", "own", "9.png#1"], strict=False)
    ]
    write_folder(rows_of(captions), tmp_path)
    assert len((tmp_path / "Sentences" / "9.txt").read_text().splitlines()) == 3
    assert without_numbers(read_rows([tmp_path], "flickr30k")) == without_numbers(
        expected_rows(captions)
    )


def test_nested_phrase_is_skipped_and_counted(tmp_path):
    [caption, *_] = make_captions(1)
    phrases = [
        CaptionPhrase(
            start, end, id=f"p{at}", chain=str(at + 5), state="boxes", boxes=((at, 0, 9, 9),)
        )
        for at, (start, end) in enumerate([(0, 5), (1, 3), (6, 8)])
    ]
    counts = write_folder(rows_of([replace(caption, phrases=phrases)]), tmp_path)
    assert counts["nested_phrases"] == 1
    [(_, _, target, content)] = read_rows([tmp_path], "flickr30k").values()
    assert [phrase["id"] for phrase in target["phrases"]] == ["p0", "p2"]
    assert [phrase["boxes"] for phrase in content["phrases"]] == [[[0, 0, 9, 9]], [[2, 0, 9, 9]]]


def test_words_with_brackets_keep_their_positions(tmp_path):
    [caption, *_] = make_captions(1)
    tokens = ("[", "New York", "a]b", *caption.tokens[3:])
    write_folder(rows_of([replace(caption, tokens=tokens)]), tmp_path)
    [(read, _, target, _)] = read_rows([tmp_path], "flickr30k").values()
    assert read[:3] == ("(", "New_York", "a)b")
    expected = [(phrase.start, phrase.end) for phrase in caption.phrases]
    assert [(p["start"], p["end"]) for p in target["phrases"]] == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON"),
        ('{"tokens": ["a"]}', "image: must be the name"),
        ('{"image": "a.jpg"}', "tokens: must be a list of words"),
        (
            '{"image": "a.jpg", "caption": "a b", "phrases": [{"start": 1, "end": 3}]}',
            "don't exist",
        ),
        (
            '{"image": "a.jpg", "caption": "a b", "phrases": [{"start": 0, "end": 1, "state": "x"}]}',
            "state",
        ),
        (
            '{"image": "a.jpg", "caption": "a",'
            ' "phrases": [{"start": 0, "end": 1, "boxes": [[1, 2, 3]]}]}',
            "boxes",
        ),
    ],
)
def test_bad_line_is_reported_and_skipped(tmp_path, line, reason):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"image": "a.jpg", "caption": "A dog"}}\n{line}\n')
    errors: list[FileError] = []
    assert len(list(CORPUS.read_sentences(path, "captions-jsonl", errors.append))) == 1
    [error] = errors
    assert error.line == 2
    assert reason in str(error)


@pytest.mark.parametrize(
    "phrases",
    [
        [],
        None,
        [{"start": 0, "end": 9}],
        [{"start": 0, "end": 1, "id": "a"}] * 2,
        [{"start": 0, "end": 1, "cardinality": 0}],
    ],
)
def test_bad_phrases_are_refused(phrases):
    item = ItemRecord("s", "phrases", {"phrases": phrases})
    with pytest.raises(ContentError):
        CORPUS.complete_item(item, ItemContext(("A", "dog")))


def test_plain_coco_captions_are_read(tmp_path):
    path = tmp_path / "captions_val.json"
    data = {
        "images": [{"id": 9, "file_name": "9.jpg", "width": 500, "height": 375}],
        "annotations": [{"id": 4, "image_id": 9, "caption": "A dog runs ."}],
    }
    path.write_text(json.dumps(data))
    [sentence] = CORPUS.read_sentences(path, "coco", pytest.fail)
    assert (sentence.external_id, sentence.image) == ("9.jpg#4", "9.jpg")
    assert sentence.tokens == ("A", "dog", "runs", ".")


def test_plain_grefcoco_is_read(tmp_path):
    references, instances = tmp_path / "grefs(unc).json", tmp_path / "instances.json"
    image = "COCO_train2014_000000581857_16.jpg"
    sentence = {"sent": "both dogs", "sent_id": 5, "tokens": ["both", "dogs"]}
    references.write_text(
        json.dumps(
            [
                {
                    "ref_id": 1,
                    "image_id": 2,
                    "file_name": image,
                    "ann_id": [7, 8],
                    "no_target": False,
                    "sentences": [sentence],
                },
                {
                    "ref_id": 2,
                    "image_id": 2,
                    "file_name": image,
                    "ann_id": [-1],
                    "no_target": True,
                    "sentences": [{**sentence, "sent_id": 6}],
                },
            ]
        )
    )
    boxes = {7: [10, 20, 30.4, 40], 8: [0, 0, 5, 5]}
    instances.write_text(
        json.dumps({"annotations": [{"id": pk, "bbox": box} for pk, box in boxes.items()]})
    )
    records = list(CORPUS.read_gold([references, instances], "grefcoco", pytest.fail))
    contents = [record.content["phrases"][0] for record in records]
    assert contents[0]["boxes"] == [[0, 0, 5, 5], [10, 20, 40, 60]]
    assert contents[1]["state"] == "absent"
    [first, _] = CORPUS.read_sentences(references, "grefcoco", pytest.fail)
    assert first.image == "COCO_train2014_000000581857.jpg"


def test_coco_captions_are_tokenised(tmp_path):
    path = tmp_path / "captions_val.json"
    data = {
        "images": [{"id": 9, "file_name": "9.jpg"}],
        "annotations": [{"id": 4, "image_id": 9, "caption": "A dog doesn't run."}],
    }
    path.write_text(json.dumps(data))
    [sentence] = CORPUS.read_sentences(path, "coco", pytest.fail)
    assert sentence.tokens == ("A", "dog", "does", "n't", "run", ".")


def test_flickr30k_keeps_images_of_folders_with_the_same_name(tmp_path):
    first, second = make_captions(1)[:2]
    captions = [
        replace(first, image="a/1.jpg", external_id="a/1.jpg#0"),
        replace(second, image="b/1.jpg", external_id="b/1.jpg#0"),
    ]
    write_folder(rows_of(captions), tmp_path)
    assert without_numbers(read_rows([tmp_path], "flickr30k")) == without_numbers(
        expected_rows(captions)
    )


def test_chains_of_flickr30k_are_numbers(tmp_path):
    box = CaptionPhrase(0, 1, types=("wild animal/s",), state="boxes", boxes=((0, 0, 9, 9),))
    phrases = [
        replace(box, start=at, end=at + 1, id=f"p{at}", chain=chain)
        for at, chain in enumerate(["12", "", "0", "x y"])
    ]
    caption = replace(make_captions(1)[0], phrases=phrases)
    write_folder(rows_of([caption]), tmp_path)
    [(tokens, _, target, content)] = read_rows([tmp_path], "flickr30k").values()
    assert tokens == caption.tokens
    assert [phrase["chain"] for phrase in target["phrases"]] == ["12", "13", "14", "15"]
    assert target["phrases"][0]["types"] == ["wild-animal-s"]
    assert [phrase["boxes"] for phrase in content["phrases"]] == [[[0, 0, 9, 9]]] * 4


def caption_line(name: str, number: int, **changes: object) -> str:
    entry = {"id": f"{name}#{number}", "image": name, "tokens": ["A", "dog"], "phrases": []}
    return json.dumps(entry | changes) + "\n"


def read_joined(tmp_path: Path, text: str) -> tuple[list[list], list[str]]:
    path, errors = tmp_path / "c.jsonl", []
    path.write_text(text)
    records = list(CORPUS.read_sentences(path, "captions-jsonl-images", errors.append))
    found = [[record.external_id, *record.metadata["captions"]] for record in records]
    return found, [str(error) for error in errors]


def test_captions_of_an_image_need_not_be_adjacent(tmp_path):
    lines = [caption_line("1.jpg", 0), caption_line("2.jpg", 0), caption_line("1.jpg", 1)]
    found, errors = read_joined(tmp_path, "".join([*lines, lines[0]]))
    assert (found, errors) == ([["2.jpg", [0, 2]], ["1.jpg", [0, 2], [2, 4]]], [])


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ('{"id": "2.jpg#1", "image"\n', ["1.jpg"]),
        (caption_line("2.jpg", 0, tokens=["A", "cat"]), ["1.jpg", "3.jpg"]),
    ],
)
def test_image_with_a_bad_caption_is_left_out_as_a_whole(tmp_path, line, left):
    good = caption_line("1.jpg", 0) + caption_line("2.jpg", 0)
    found, errors = read_joined(tmp_path, good + line + caption_line("3.jpg", 0))
    assert [image for image, *_ in found] == left
    assert any("2.jpg" in error for error in errors)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image": "2.jpg"}, "id: 1.jpg#0 names another image than 2.jpg."),
        (
            {"phrases": [{"id": "p", "start": 0, "end": 1}, {"id": "p", "start": 1, "end": 2}]},
            "phrases: has an id twice.",
        ),
    ],
)
def test_caption_that_contradicts_itself_is_a_bad_line(tmp_path, changes, message):
    path, errors = tmp_path / "c.jsonl", []
    path.write_text(caption_line("1.jpg", 0, **changes) + caption_line("1.jpg", 1, image="a/1.jpg"))
    records = CORPUS.read_sentences(path, "captions-jsonl", errors.append)
    assert [record.external_id for record in records] == ["1.jpg#1"]
    assert [str(error) for error in errors] == [f"c.jsonl, line 1: {message}"]


COCO = {
    "images": [{"id": 1, "file_name": "1.jpg"}, {"id": 2, "file_name": "2.jpg"}],
    "annotations": [{"id": 5, "image_id": 2, "bbox": [0, 0, 5, 5]}],
    "captions": [
        {
            "id": 1, "image_id": 1, "caption_id": "1.jpg#0", "caption": "A dog", "tokens": ["A", "dog"],
            "phrases": [{"id": "p0", "start": 0, "end": 2, "ann_ids": [5]}],
        }
    ],
}  # fmt: skip


def test_box_of_another_image_leaves_out_the_gold_of_its_caption(tmp_path):
    path, errors = tmp_path / "c.json", []
    path.write_text(json.dumps(COCO))
    assert not list(CORPUS.read_gold([path], "coco", errors.append))
    assert "instance 5 is in image 2. Its gold is left out." in str(errors[0])


@pytest.mark.parametrize("captions", [3, "x", {"id": 1}])
def test_captions_that_are_no_list_are_refused(tmp_path, captions):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**COCO, "captions": captions}))
    with pytest.raises(FileError, match="is not a file of COCO captions"):
        list(CORPUS.read_sentences(path, "coco", refuse))


@pytest.mark.parametrize("image_id", [[], {}, None, 9])
def test_caption_of_no_image_is_a_bad_one(tmp_path, image_id):
    path, errors = tmp_path / "c.json", []
    caption = {**COCO["captions"][0], "image_id": image_id}
    path.write_text(json.dumps({**COCO, "captions": [caption]}))
    assert not list(CORPUS.read_sentences(path, "coco", errors.append))
    assert f"the file has no image {image_id}." in str(errors[0])


def reference(name: str, start: int, end: int) -> dict:
    phrase = {"id": f"p{start}", "start": start, "end": end}
    caption = {"id": name, "tokens": ["A", "dog", "runs"], "phrase": phrase}
    return {"ref_id": start, "file_name": "1.jpg", "sentences": [{"caption": caption}]}


def test_caption_with_a_bad_reference_is_left_out_as_a_whole(tmp_path):
    path, errors = tmp_path / "grefs.json", []
    entries = [
        reference("a", 0, 2),
        reference("b", 0, 2),
        reference("a", 2, 9),
        reference("b", 2, 3),
    ]
    path.write_text(json.dumps(entries))
    (record,) = CORPUS.read_sentences(path, "grefcoco", errors.append)
    assert record.external_id == "b"
    assert [phrase["start"] for phrase in record.metadata["phrases"]] == [0, 2]
    assert "Its caption is left out." in str(errors[0])


def test_annotations_without_captions_are_reported(tmp_path):
    folder, errors = write_flickr(tmp_path), []
    (folder / "Annotations" / "lost.xml").write_text("<annotation/>")
    list(CORPUS.read_sentences(folder, "flickr30k", errors.append))
    assert [str(error) for error in errors] == ["Annotations/lost.xml: has no file in Sentences."]


@pytest.mark.parametrize("fmt", ["flickr30k", "flickr30k-images"])
def test_scenes_without_a_box_keep_both_flags(tmp_path, fmt):
    flags = {"1": (1, 1), "2": (1, 0), "3": (0, 1)}
    words = " ".join(f"[/EN#{chain}/scene place]" for chain in flags)
    objects = "".join(
        f"<object><name>{chain}</name><scene>{scene}</scene><nobndbox>{box}</nobndbox></object>"
        for chain, (scene, box) in flags.items()
    )
    source, folder = tmp_path / "source", tmp_path / "folder"
    write_flickr(source, f"<annotation>{objects}</annotation>", f"{words}\n[/EN#1/scene It]\n")
    sentences = list(CORPUS.read_sentences(source, fmt, refuse))
    golds = list(CORPUS.read_gold([source], fmt, refuse))
    rows = [
        ExportRow(
            sentence.external_id,
            sentence.tokens,
            items_of(sentence)[0].target,
            gold.content,
            [],
            metadata=sentence.metadata,
            image=Image("1.jpg", *SIZE),
        )
        for sentence, gold in zip(sentences, golds, strict=True)
    ]
    write_folder(rows, folder)
    written = ElementTree.parse(folder / "Annotations" / "1.xml").getroot()
    found = {
        element.findtext("name"): tuple(
            int(element.findtext(flag, "")) for flag in ("scene", "nobndbox")
        )
        for element in written.findall("object")
    }
    assert found == flags
