"""The file for detectors, which must lead from each box to the words of its phrase."""

import json
from dataclasses import replace

from schemes.grounding.corpus import CORPUS
from schemes.grounding.exports import EXPORTS
from schemes.original_text import align
from tests.schemes.grounding.caption_files import make_captions, rows_of


def write(rows, tmp_path):
    path = tmp_path / "gold.json"
    count = EXPORTS.write(rows, path, "mdetr")
    data = json.loads(path.read_text("utf-8"))
    assert count == len(data["images"])
    return data


def groundings(data):
    """Return (file, caption, {(words, box)}) as a reader of COCO files with phrases finds them."""
    found = {}
    for image in data["images"]:
        caption = image["caption"]
        known = {tuple(map(tuple, spans)) for spans in image["tokens_positive_eval"]}
        pairs = set()
        for box in data["annotations"]:
            if box["image_id"] != image["id"]:
                continue
            spans = box["tokens_positive"]
            assert image["tokens_positive_eval"][box["phrase_ids"]] == spans
            assert tuple(map(tuple, spans)) in known
            x, y, width, height = box["bbox"]
            assert box["area"] == width * height
            words = " ".join(caption[start:end] for start, end in spans)
            pairs.add((words, (x, y, x + width, y + height)))
        found[image["sentence_id"]] = (image["file_name"], caption, pairs)
    return found


def expected(captions):
    return {
        caption.external_id: (
            caption.image,
            " ".join(caption.tokens),
            {
                (" ".join(caption.tokens[phrase.start : phrase.end]), box)
                for phrase in caption.phrases
                for box in phrase.boxes
            },
        )
        for caption in captions
    }


def test_boxes_lead_to_the_words_of_their_phrases(tmp_path):
    captions = make_captions(6)
    data = write(rows_of(captions), tmp_path)
    assert groundings(data) == expected(captions)
    assert len({image["original_img_id"] for image in data["images"]}) == 6
    assert data["categories"] == [{"supercategory": "object", "id": 1, "name": "object"}]
    ids = [box["id"] for box in data["annotations"]]
    assert ids == list(range(1, len(ids) + 1))


def test_ranges_count_characters_of_the_written_caption(tmp_path):
    [row, *_] = rows_of(make_captions(1))
    text = "“" + "  ".join(row.tokens).capitalize() + "”"
    tokens = ("“", *text[1:-1].split(), "”")
    moved = [
        {**phrase, "start": phrase["start"] + 1, "end": phrase["end"] + 1}
        for phrase in row.target["phrases"]
    ]
    written = replace(row, tokens=tokens, text=text, offsets=align(tokens, text))
    data = write([replace(written, target={"phrases": moved})], tmp_path)
    [(_, caption, pairs)] = groundings(data).values()
    assert caption == text
    words = {
        "  ".join(tokens[phrase["start"] : phrase["end"]])
        for phrase, answer in zip(moved, row.content["phrases"], strict=True)
        if answer["boxes"]
    }
    assert {word for word, _ in pairs} == words != set()


def test_captions_of_an_image_are_written_apart(tmp_path):
    captions = make_captions(2)
    source = tmp_path / "captions.jsonl"
    EXPORTS.write(rows_of(captions), source, "phrases-jsonl")
    joined = list(CORPUS.read_gold([source], "phrases-jsonl-images", print))
    sentences = list(CORPUS.read_sentences(source, "captions-jsonl-images", print))
    rows = [
        replace(
            rows_of(captions)[5 * at],
            external_id=sentence.external_id,
            tokens=sentence.tokens,
            metadata=sentence.metadata,
            target=record.item.target,
            content=record.content,
        )
        for at, (sentence, record) in enumerate(zip(sentences, joined, strict=True))
    ]
    found = list(groundings(write(rows, tmp_path)).values())
    assert found == list(expected(captions).values())


def test_phrases_that_may_lack_a_box_are_marked(tmp_path):
    row = next(row for row in rows_of(make_captions(2)) if row.content["phrases"][0]["boxes"])
    first, *others = row.content["phrases"]
    content = {"phrases": [{**first, "complete": False}, *others]}
    data = write([replace(row, content=content)], tmp_path)
    marked = [box for box in data["annotations"] if box.get("complete") is False]
    assert {box["phrase_ids"] for box in marked} == {0}
    assert len(marked) == len(first["boxes"])
