"""Full-text annotation in the XML of FrameNet, read by a plain reader and by NLTK."""

import csv
import random
from dataclasses import replace

import nltk.data
import pytest
from nltk.corpus.reader import FramenetCorpusReader

from schemes.contract.records import ExportRow
from schemes.frames.corpus import CORPUS
from schemes.frames.exports import EXPORTS
from schemes.frames.fulltext import write_framenet
from schemes.frames.spans import runs_of, span_of
from tests.environment import ROOT
from tests.schemes.frames.framenet_reader import read_release

EWT = ROOT.parent / "shared" / "data" / "ud" / "en_ewt-ud-dev.conllu"
SALE = """\
# newdoc id = news/1
# sent_id = s1
# text = The fund, which sold them back, fell.
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tfund\tfund\tNOUN\t_\t_\t9\tnsubj\t_\tSpaceAfter=No
3\t,\t,\tPUNCT\t_\t_\t5\tpunct\t_\t_
4\twhich\twhich\tPRON\t_\t_\t5\tnsubj\t_\t_
5\tsold\tsell\tVERB\t_\t_\t2\tacl:relcl\t_\t_
6\tthem\tthey\tPRON\t_\t_\t5\tobj\t_\t_
7\tback\tback\tADV\t_\t_\t5\tcompound:prt\t_\tSpaceAfter=No
8\t,\t,\tPUNCT\t_\t_\t5\tpunct\t_\t_
9\tfell\tfall\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
10\t.\t.\tPUNCT\t_\t_\t9\tpunct\t_\t_

# sent_id = s2
# text = On Monday it sold the bank's new bonds to us.
1\tOn\ton\tADP\t_\t_\t2\tcase\t_\t_
2\tMonday\tMonday\tPROPN\t_\t_\t4\tobl\t_\t_
3\tit\tit\tPRON\t_\t_\t4\tnsubj\t_\t_
4\tsold\tsell\tVERB\t_\t_\t0\troot\t_\t_
5\tthe\tthe\tDET\t_\t_\t6\tdet\t_\t_
6\tbank\tbank\tNOUN\t_\t_\t9\tnmod:poss\t_\tSpaceAfter=No
7\t's\t's\tPART\t_\t_\t6\tcase\t_\t_
8\tnew\tnew\tADJ\t_\t_\t9\tamod\t_\t_
9\tbonds\tbond\tNOUN\t_\t_\t4\tobj\t_\t_
10\tto\tto\tADP\t_\t_\t11\tcase\t_\t_
11\tus\twe\tPRON\t_\t_\t4\tobl\t_\tSpaceAfter=No
12\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_
"""


def fail(error):
    raise error


def read(path):
    return list(CORPUS.read_sentences(path, "conllu", fail))


def content_of(verb, lemma, frame, **arguments):
    return {
        "skip": "",
        "verb": verb,
        "lemma": lemma,
        "frame": frame,
        "arguments": [
            {"head": head, "filler": "x", "element": element, "role": "Theme"}
            for element, head in arguments.items()
        ],
        "confidence": 4,
    }


def row_of(sentence, content, document="news/1"):
    return ExportRow(
        sentence.external_id,
        sentence.tokens,
        {},
        content,
        [],
        metadata=sentence.metadata,
        text=sentence.text,
        offsets=sentence.offsets,
        document=document,
    )


@pytest.fixture
def rows(tmp_path):
    source = tmp_path / "sale.conllu"
    source.write_text(SALE, "utf-8")
    first, second = read(source)
    whole = {"Seller": [2], "Goods": [8], "Owner": [5], "Buyer": [10], "Time": [1]}
    return [
        row_of(first, content_of([4, 6], "sell_back", "Sell_back", Seller=[1], Goods=[5])),
        row_of(first, content_of([8], "fall", "Motion", Theme=[1])),
        row_of(second, content_of([3], "sell", "Commerce_sell", **whole)),
    ]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "books.all"
    path.mkdir()
    return path


def test_spans_are_subtrees_without_the_branch_of_the_verb(rows, folder):
    write_framenet(rows, folder)
    first, second = read_release(folder)
    back, fall = first.annotations
    assert (first.document, first.text) == ("news/1", "The fund, which sold them back, fell.")
    assert (back.unit, back.frame) == ("sell back.v", "Sell_back")
    assert back.texts("Target") == [("Target", "sold"), ("Target", "back")]
    assert back.texts("FE") == [("Seller", "The fund"), ("Goods", "them")]
    assert back.texts("GF") == [("Obj", "them")]
    assert fall.texts("FE") == [("Theme", "The fund, which sold them back")]
    assert fall.texts("GF") == [("Ext", "The fund, which sold them back")]
    (sale,) = second.annotations
    assert sale.texts("FE") == [
        ("Time", "On Monday"),
        ("Seller", "it"),
        ("Goods", "the bank's new bonds"),
        ("Buyer", "to us"),
    ]
    assert sale.texts("FE", 2) == [("Owner", "the bank's")]
    assert [name for name, _ in sale.texts("GF")] == ["Dep", "Ext", "Obj", "Dep"]
    assert [name for name, _ in sale.texts("PT")] == ["PP", "NP", "NP", "PP"]


def test_arguments_with_gaps_have_several_labels_and_unknown_trees_only_heads(rows, folder):
    row = replace(rows[2], metadata={}, text="", offsets=())
    content = content_of([3], "sell", "Commerce_sell", Goods=[5, 8], Buyer=[10])
    write_framenet([replace(row, content=content)], folder)
    (sentence,) = read_release(folder)
    assert sentence.text == "On Monday it sold the bank 's new bonds to us ."
    (sale,) = sentence.annotations
    assert sale.texts("FE") == [("Goods", "bank"), ("Goods", "bonds"), ("Buyer", "us")]
    assert sale.texts("GF") == sale.texts("PT") == []


def test_numbers_lead_back_to_the_corpus(rows, folder):
    counts = write_framenet(rows, folder)
    assert counts == {"documents": 1, "sentences": 2, "annotation_sets": 3}
    with (folder / "sentences.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines == [
        ["ID", "document", "sentence_id"],
        ["1", "news_1", "s1"],
        ["2", "news_1", "s2"],
    ]


def test_documents_may_be_interrupted_and_have_any_name(rows, folder):
    names = ["007", "a/b", "007", "a_b", "", "../etc"]
    renamed = [
        replace(rows[2], external_id=f"s{at}", document=name) for at, name in enumerate(names)
    ]
    write_framenet(renamed, folder)
    assert sorted(path.name for path in (folder / "fulltext").iterdir()) == [
        "books.all___etc.xml",
        "books.all__a_b-2.xml",
        "books.all__a_b.xml",
        "books.all__d007.xml",
        "books.all__sentences.xml",
    ]
    documents = [sentence.document for sentence in read_release(folder)]
    assert documents == ["007", "007", "a/b", "a_b", "", "../etc"]


def test_records_without_a_frame_have_a_sentence_only(rows, folder):
    skipped = {"skip": "unclear", "verb": [4], "lemma": "sell", "arguments": [], "frame": ""}
    frameless = content_of([8], "fall", "", Theme=[1])
    write_framenet([replace(rows[0], content=skipped), replace(rows[1], content=frameless)], folder)
    (sentence,) = read_release(folder)
    assert sentence.annotations == []
    assert EXPORTS.left_out(skipped, "framenet") == 0
    assert EXPORTS.left_out(frameless, "framenet") == 1
    assert EXPORTS.left_out(rows[2].content, "framenet") == 0
    assert EXPORTS.left_out(frameless, "semeval") == 0


def test_characters_that_xml_lacks_keep_the_places_of_others(rows, folder):
    text = rows[2].text.replace("On Monday", "On\x0bMonday").replace(" it", "\rit")
    write_framenet([replace(rows[2], text=text)], folder)
    (sentence,) = read_release(folder)
    assert sentence.annotations[0].texts("Target") == [("Target", "sold")]
    assert sentence.text == rows[2].text


def test_broken_trees_end(rows, folder):
    metadata = {**rows[2].metadata, "heads": [(at + 1) % 12 for at in range(12)]}
    write_framenet([replace(rows[2], metadata=metadata)], folder)
    assert read_release(folder)[0].annotations[0].frame == "Commerce_sell"


def plain_span(head, verb, metadata):
    """Return the words whose path to the root meets the head before the verb's path."""
    governors, relations = metadata["heads"], metadata["deprels"]

    def path(at):
        places = [at]
        while governors[places[-1]] >= 0:
            places.append(governors[places[-1]])
        return places

    above = {at for word in verb for at in path(word)}
    span = []
    for at in range(len(governors)):
        places = path(at)
        if head in places and not above & set(places[: places.index(head)]):
            span.append(at)
    spans = []
    for start, end in runs_of(span):
        words = list(range(start, end))
        while words and relations[words[0]] == "punct" and words[0] != head:
            words.pop(0)
        while words and relations[words[-1]] == "punct" and words[-1] != head:
            words.pop()
        spans += words
    return spans


def corpus_rows():
    """Return records of a treebank with some words as arguments, drawn with a seed."""
    rng = random.Random(7)
    rows = []
    for sentence in read(EWT):
        for at, tag in enumerate(sentence.metadata["upos"]):
            if tag == "VERB":
                others = [word for word in range(len(sentence.tokens)) if word != at]
                heads = rng.sample(others, min(3, len(others)))
                elements = {f"E{number}": [head] for number, head in enumerate(heads)}
                content = content_of([at], "go", "Motion", **elements)
                rows.append(row_of(sentence, content, f"doc{len(rows) % 3}"))
    return rows


@pytest.mark.skipif(not EWT.exists(), reason="needs the data of Universal Dependencies")
def test_spans_of_a_treebank_equal_those_of_a_plain_search():
    rows = corpus_rows()
    assert len(rows) > 2000
    for row in rows:
        for argument in row.content["arguments"]:
            span = span_of(argument["head"], row.content["verb"], row.metadata)
            assert span == plain_span(argument["head"][0], row.content["verb"], row.metadata)


def test_nltk_reads_frames_elements_and_spans(rows, folder, monkeypatch):
    write_framenet(rows, folder)
    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    reader = FramenetCorpusReader(str(folder), [])
    (document,) = reader.docs()
    found = [
        (found.frame.name, found.LU.name, found.Target, found.FE[0])
        for sentence in document.sentence
        for found in sentence.annotationSet[1:]
    ]
    expected = [
        (
            annotation.frame,
            annotation.unit,
            [(start, start + len(text)) for _, text, start in annotation.labels["Target", 1]],
            sorted(
                (start, start + len(text), name) for name, text, start in annotation.labels["FE", 1]
            ),
        )
        for sentence in read_release(folder)
        for annotation in sentence.annotations
    ]
    assert len(found) == 3
    assert found == expected
