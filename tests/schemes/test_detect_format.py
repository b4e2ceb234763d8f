"""Tests of formats that are recognised by content."""

import json

import pytest

from schemes.detect_format import formats_of
from schemes.registry import get_scheme
from tests.schemes.workbooks import workbook_bytes, zip_bytes

QASRL, FRAMES, GROUNDING, CUSTOM = (
    get_scheme(name).corpus for name in ("qasrl", "frames", "grounding", "custom")
)
ANSWERS = '{"id": "a", "text": "He ran", "answers": {}}\n'
TASK = {"id": 1, "data": {"text": "He ran"}, "annotations": []}
CONLLU = (
    "# sent_id = a\n1\tDogs\tdog\tNOUN" + "\t_" * 6 + "\n2\tbark\tbark\tVERB" + "\t_" * 6 + "\n"
)
BANK = '{"sentenceId": "a", "sentenceTokens": ["He", "ran"], "verbEntries": {}}\n'
COCO = {"info": {}, "images": [{"id": 1, "file_name": "1.jpg"}], "annotations": []}


@pytest.mark.parametrize(
    ("layouts", "name", "content", "expected"),
    [
        (QASRL.layouts, "a.csv", "qasrl_id,tokens\na,He ran\n", ["qasrl-csv"]),
        (QASRL.layouts, "a.txt", "qasrl_id\ttokens\na\tHe ran\n", ["qasrl-csv"]),
        (QASRL.layouts, "a.csv", "id,text\na,He ran\n", ["table"]),
        (QASRL.layouts, "a.csv", "Nr;Satz\n1;Er ging, und kam\n", ["table"]),
        (QASRL.layouts, "a.jsonl", BANK * 2, ["qasrl-bank"]),
        (QASRL.layouts, "a.json", BANK, ["qasrl-bank"]),
        (QASRL.layouts, "a.jsonl", '{"doc": 1, "body": "He ran"}\n', ["table"]),
        (QASRL.layouts, "a.json", '[{"doc": 1, "body": "He ran"}]', ["table"]),
        (QASRL.layouts, "a.conllu", CONLLU, ["conllu"]),
        (QASRL.layouts, "a.txt", CONLLU, ["conllu"]),
        (QASRL.layouts, "a.txt", "Mary, who sold a hat, left.\nHe ran, too.\n", ["text"]),
        (QASRL.layouts, "a", "He ran.\n", ["text"]),
        (QASRL.layouts, "a.txt", "1\tHe ran.\n2\tShe ran.\n", ["text", "table"]),
        (QASRL.layouts, "a.json", "{\n", []),
        (QASRL.gold_layouts, "a.csv", "a,b\n1,2\n", ["qasrl-csv"]),
        (QASRL.gold_layouts, "a.json", BANK, ["qasrl-bank"]),
        (QASRL.gold_layouts, "a.json", '{"words": [], "verbs": []}\n', ["qasrl-parser"]),
        (QASRL.gold_layouts, "a.jsonl", '{"id": "a", "qanom": []}\n' * 2, ["qasrl-parser"]),
        (FRAMES.layouts, "a.txt", "He ran.\n", ["text"]),
        (FRAMES.gold_layouts, "a.txt", "#1 2 go.Motion\n", ["semeval"]),
        (GROUNDING.layouts, "a.json", json.dumps(COCO), ["coco"]),
        (GROUNDING.layouts, "a.json", json.dumps(COCO, indent=1), ["coco"]),
        (GROUNDING.layouts, "a.json", '[{"sentences": [], "file_name": "a"}]', ["grefcoco"]),
        (GROUNDING.layouts, "a.jsonl", '{"image": "1.jpg", "caption": "A"}\n', ["captions-jsonl"]),
        (GROUNDING.layouts, "a.csv", "image,text\n1.jpg,Two dogs\n", ["table"]),
        (CUSTOM.layouts, "a.csv", "id,text\na,He ran\n", ["table"]),
        (CUSTOM.layouts, "a.jsonl", ANSWERS * 2, ["custom-jsonl"]),
        (CUSTOM.layouts, "a.json", json.dumps([TASK]), ["label-studio"]),
        (CUSTOM.layouts, "a.conllu", CONLLU, ["conllu"]),
        (CUSTOM.layouts, "a.txt", "He ran.\nShe ran.\n", ["text"]),
        # Tokens with tags are no sentences.
        (CUSTOM.layouts, "a.bio.conll", "He\tO\nAda\tB-PER\n", []),
        (CUSTOM.gold_layouts, "a.csv", "id,text,answer\na,He ran,yes\n", ["custom-csv"]),
        (CUSTOM.gold_layouts, "a.jsonl", ANSWERS * 2, ["custom-jsonl"]),
        (CUSTOM.gold_layouts, "a.json", json.dumps([TASK]), ["label-studio"]),
        (CUSTOM.gold_layouts, "a.conllu", CONLLU, ["conllu"]),
        (CUSTOM.gold_layouts, "a.bio.conll", "He\tO\nAda\tB-PER\n", ["conll-bio"]),
        (CUSTOM.gold_layouts, "a.txt", "# id = a\nEU NNP B-ORG\nrejects VBZ O\n", ["conll-bio"]),
        (CUSTOM.gold_layouts, "a.iob2", "-DOCSTART- -X- O\n\nHe O\nran O\n", ["conll-bio"]),
        (CUSTOM.gold_layouts, "a.conll", "He\tO\nAda\tS-PER\n", ["conll-iobes"]),
        (CUSTOM.gold_layouts, "a.txt", "New\tB-LOC\nYork\tE-LOC\n.\tO\n", ["conll-iobes"]),
        (CUSTOM.gold_layouts, "a.bio", "Ada\tX-PER\nran\tO\nto\tO\n", ["conll-bio"]),
        (CUSTOM.gold_layouts, "a.conll", "# id = a\n" + "long\tO\n" * 40_000, ["conll-bio"]),
        (CUSTOM.gold_layouts, "a.txt", "Blood type O\nThe A-Team ran\n", []),
        (CUSTOM.gold_layouts, "a.txt", "He ran.\n", []),
    ],
)
def test_format_is_recognised(tmp_path, layouts, name, content, expected):
    path = tmp_path / name
    path.write_text(content)
    assert formats_of(path, layouts) == expected


def test_workbooks_archives_and_folders_are_recognised(tmp_path):
    book = tmp_path / "a.bin"
    book.write_bytes(workbook_bytes(("qasrl_id", "tokens"), [("a", "He ran")]))
    assert formats_of(book, QASRL.layouts) == ["qasrl-csv"]
    archive = tmp_path / "b.zip"
    archive.write_bytes(zip_bytes({"Sentences/1.txt": b"", "Annotations/1.xml": b""}))
    assert formats_of(archive, GROUNDING.layouts) == ["flickr30k"]
    assert formats_of(tmp_path, GROUNDING.layouts) == ["flickr30k"]
    assert formats_of(archive, QASRL.layouts) == []


def test_chosen_columns_count_as_those_of_the_format(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,words\na,He ran\n")
    aliases = {"id": "qasrl_id", "words": "tokens"}
    assert formats_of(path, QASRL.layouts, aliases=aliases) == ["qasrl-csv"]


def test_samples_of_all_schemes_are_recognised():
    for scheme in map(get_scheme, ("qasrl", "frames", "grounding")):
        assert scheme.sample
        layouts, gold = scheme.corpus.layouts, scheme.corpus.gold_layouts
        assert formats_of(scheme.sample.sentences, layouts) == [scheme.sample.format]
        for path in scheme.sample.gold:
            assert len(formats_of(path, gold)) == 1


def test_truncated_beginning_of_a_large_file_is_enough(tmp_path):
    path = tmp_path / "a.json"
    images = [{"id": number, "file_name": f"{number}.jpg"} for number in range(20_000)]
    path.write_text(json.dumps({"images": images, "annotations": []}))
    assert formats_of(path, GROUNDING.layouts) == ["coco"]
