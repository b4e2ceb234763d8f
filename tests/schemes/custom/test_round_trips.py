"""Random contents come back from each format that can hold them, 200 of each definition and format."""

import json
import random
from xml.etree import ElementTree

import pytest

from schemes.contract.errors import refuse
from schemes.custom.corpus import CSV, JSONL, LABEL_STUDIO, CustomCorpus
from schemes.custom.exports import CustomExports
from schemes.custom.form import Form
from schemes.custom.formats.label_studio_config import labelling_config
from schemes.custom.read_definition import read_definition
from tests.schemes.custom.random_contents import random_row
from tests.schemes.custom.samples import NAMES, parsed, starter
from tests.schemes.custom.test_files import formats, gold, written

CONTENTS = 200
LOSSLESS = (JSONL, CSV)
FLAT = """
title: Flat spans
fields:
  - {key: names, type: spans, labels: [PER, ORG, B-X]}
"""
RICH = """
title: Rich spans
fields:
  - {key: names, type: spans, labels: [PER, ORG], overlap: true, attributes: [
      {key: sure, type: choice, options: ["yes", "no"]},
      {key: level, type: rating, required: false},
      {key: why, type: text, required: false},
      {key: kinds, type: choices, options: [x, y], required: false, min: 0}]}
  - {key: links, type: relations, labels: [{key: of, from: [PER]}, with]}
"""
PAGES = """
title: Everything
texts: [{key: question}, {key: z}, {key: id}]
image: required
fields:
  - {key: names, type: spans, text: z, labels: [PER, ORG]}
  - {key: errors, type: spans, text: id, labels: [PER], overlap: true}
  - {key: tone, type: choice, options: [good, {key: bad, options: [sad, angry]}]}
  - {key: why, type: text, lines: 3, show_if: {field: tone, is: [sad, angry]}}
  - {key: topics, type: choices, options: [a, b, c]}
  - {key: fluency, type: rating, min: -2, max: 2}
  - {key: count, type: number, integer: true, min: 0, max: 9}
  - {key: share, type: number}
  - {key: better, type: pairwise, between: [question, z], tie: true}
  - {key: things, type: boxes, labels: [dog, ball]}
"""
QUESTIONS = """
title: Questions
texts: [{key: a}, {key: b}]
fields:
  - {key: free, type: questions, text: a}
  - {key: fixed, type: questions, text: b, question: ["Who?", "Where, when?"]}
"""
DEFINITIONS = {"flat": FLAT, "rich": RICH, "pages": PAGES, "questions": QUESTIONS}


def rows_of(name, definition):
    rng = random.Random(name)
    return [random_row(definition, rng, f"d/{number}:é") for number in range(CONTENTS)]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_random_contents_come_back(name, tmp_path):
    definition = read_definition(DEFINITIONS[name])
    exports = CustomExports(Form(definition))
    rows = rows_of(name, definition)
    whole = dict.fromkeys(formats(definition), 0)
    for fmt in whole:
        path = written(definition, rows, fmt, tmp_path)
        records = {record.item.external_id: record for record in gold(definition, path, fmt)}
        assert set(records) == {row.external_id for row in rows}, fmt
        for row in rows:
            record, left_out = records[row.external_id], exports.left_out(row.content, fmt)
            content = parsed(definition, row, record.content)
            assert (content == row.content) == (left_out == 0), (fmt, row)
            whole[fmt] += left_out == 0
            if fmt in LOSSLESS:
                stated = record.item.stated
                assert (stated.tokens, stated.text) == (row.tokens, row.text)
                assert record.item.target == row.target
    assert all(whole[fmt] == CONTENTS for fmt in LOSSLESS)
    assert whole[LABEL_STUDIO] == (0 if name == "questions" else CONTENTS)


@pytest.mark.parametrize("name", [*DEFINITIONS, *NAMES])
def test_labelling_configuration_has_the_names_of_exported_tasks(name, tmp_path):
    definition = starter(name) if name in NAMES else read_definition(DEFINITIONS[name])
    view = ElementTree.fromstring(labelling_config(definition))
    tags = {tag.get("name"): tag for tag in view.iter() if tag.get("name")}
    path = written(definition, rows_of(name, definition), LABEL_STUDIO, tmp_path)
    for task in json.loads(path.read_text("utf-8")):
        names = {f"${key}" for key in task["data"] if not key.startswith("_")}
        assert names <= {tag.get("value") for tag in view.iter()}
        for result in task["annotations"][0]["result"]:
            if result["type"] == "relation":
                known = {tag.get("value") for tag in view.iter("Relation")}
                assert set(result["labels"]) <= known
                continue
            tag = tags[result["from_name"]]
            assert tag.get("toName") == result["to_name"]
            assert tag.tag.lower() == result["type"]
            chosen = {
                "Labels": "labels",
                "RectangleLabels": "rectanglelabels",
                "Choices": "choices",
            }
            if tag.tag in chosen:
                values = {child.get("value") for child in tag}
                assert set(result["value"][chosen[tag.tag]]) <= values


def test_labelling_configuration_is_plain_text():
    definition = read_definition(
        "title: t\nfields: [{key: a, type: choice, label: '\"><script>', "
        "options: [{key: x, label: '<b>&'}]}]"
    )
    text = labelling_config(definition)
    assert "<script>" not in text
    assert ElementTree.fromstring(text).find("Choices/Choice").get("hint") == "<b>&"


@pytest.mark.parametrize("name", DEFINITIONS)
def test_tokens_of_a_file_stay(name, tmp_path):
    """A file that states its tokens is imported with them, whatever this site would make of its text."""
    definition = read_definition(DEFINITIONS[name])
    rows = rows_of(name, definition)
    corpus = CustomCorpus(Form(definition))
    path = written(definition, rows, JSONL, tmp_path)
    sentences = list(corpus.read_sentences(path, JSONL, refuse))
    assert [(s.tokens, s.text) for s in sentences] == [(row.tokens, row.text) for row in rows]
