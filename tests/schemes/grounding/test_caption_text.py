"""Captions keep the text that they were written in, in all formats that have it."""

import json
from dataclasses import replace

import pytest

from schemes.grounding.captions import Caption, CaptionPhrase, join_captions
from schemes.grounding.corpus import CORPUS
from schemes.grounding.exports import EXPORTS
from schemes.original_text import align
from tests.schemes.grounding.caption_files import rows_of

TOKENS = ("Two", "dogs", "do", "n't", "run", ",", "they", "sleep", ".")
TEXT = "Two dogs don't run, they sleep."
IMAGE = "meadow.png"
FORMATS = ["phrases-jsonl", "coco", "grefcoco"]


def caption(text: str = TEXT) -> Caption:
    phrases = [
        CaptionPhrase(0, 2, id="p0", plural=True, state="boxes", boxes=((1, 2, 30, 40),)),
        CaptionPhrase(2, 4, id="p1", plural=False, state="absent"),
    ]
    return Caption(f"{IMAGE}#0", TOKENS, IMAGE, phrases, text=text)


def write(captions, folder, fmt):
    """Write gold rows as an export does. Return the path of the captions."""
    rows = [
        replace(row, text=item.text, offsets=align(row.tokens, item.text) or ())
        for row, item in zip(rows_of(captions), captions, strict=True)
    ]
    if fmt != "grefcoco":
        EXPORTS.write(rows, folder / "gold", fmt)
        return folder / "gold"
    files = EXPORTS.file_sets[fmt]
    files.write(rows, {ending: folder / ending for ending in files.endings})
    return folder / "grefs.json"


def texts(path, fmt) -> list[str]:
    name = fmt.replace("phrases-jsonl", "captions-jsonl")
    return [sentence.text for sentence in CORPUS.read_sentences(path, name, pytest.fail)]


@pytest.mark.parametrize("fmt", FORMATS)
def test_written_captions_are_read_back(tmp_path, fmt):
    assert texts(write([caption()], tmp_path, fmt), fmt) == [TEXT]


@pytest.mark.parametrize("fmt", FORMATS)
def test_captions_without_a_text_stay_without_it(tmp_path, fmt):
    path = write([caption("")], tmp_path, fmt)
    assert texts(path, fmt) == [""]


def test_expressions_are_written_as_in_their_caption(tmp_path):
    references = json.loads(write([caption()], tmp_path, "grefcoco").read_text())
    assert [reference["sentences"][0]["sent"] for reference in references] == ["Two dogs", "don't"]


@pytest.mark.parametrize(
    ("fmt", "source"),
    [
        ("captions-jsonl", {"image": IMAGE, "tokens": list(TOKENS), "caption": TEXT}),
        (
            "coco",
            {
                "images": [{"id": 1, "file_name": IMAGE, "width": 9, "height": 9}],
                "annotations": [{"id": 7, "image_id": 1, "caption": f" {TEXT}\n"}],
            },
        ),
        (
            "grefcoco",
            [
                {
                    "ref_id": 1,
                    "file_name": IMAGE,
                    "ann_id": [-1],
                    "no_target": True,
                    "sentences": [{"sent_id": 3, "sent": TEXT, "tokens": list(TOKENS)}],
                }
            ],
        ),
    ],
)
def test_published_captions_keep_their_text(tmp_path, fmt, source):
    path = tmp_path / "captions"
    path.write_text(json.dumps(source))
    [sentence] = CORPUS.read_sentences(path, fmt, pytest.fail)
    assert (sentence.text, sentence.tokens) == (TEXT, TOKENS)
    assert align(sentence.tokens, sentence.text)


def joined_captions(*captions: Caption) -> list[Caption]:
    return list(join_captions(lambda on_error: captions, pytest.fail, with_gold=False))


def test_joined_captions_have_their_texts_on_lines():
    second = Caption(f"{IMAGE}#1", ("A", "cat", "."), IMAGE, [])
    [joined] = joined_captions(caption(), second)
    assert joined.text == f"{TEXT}\nA cat ."
    offsets = align(joined.tokens, joined.text)
    assert offsets
    assert offsets[len(TOKENS)] == (len(TEXT) + 1, len(TEXT) + 2)
    [bare] = joined_captions(caption(""), second)
    assert bare.text == ""
