"""Files of custom schemes: what they hold comes back exactly, and the rest is counted."""

import json

import pytest

from schemes.contract.errors import FileError, refuse
from schemes.custom.corpus import (
    BRAT,
    CONLL_BIO,
    CONLL_IOBES,
    CONLLU,
    CSV,
    JSONL,
    LABEL_STUDIO,
    TABLE,
    CustomCorpus,
)
from schemes.custom.exports import CustomExports
from schemes.custom.form import Form
from schemes.custom.read_definition import read_definition
from tests.schemes.custom.samples import NAMES, parsed, row_of, rows_of, starter

LOSSLESS = (JSONL, CSV)
every_starter = pytest.mark.parametrize("name", NAMES)


def written(definition, rows, fmt, folder):
    exports = CustomExports(Form(definition))
    if fmt in exports.folders:
        path = folder / fmt
        path.mkdir()
        exports.folders[fmt](iter(rows), path)
        return path
    path = folder / f"gold.{exports.formats[fmt]}"
    assert exports.write(iter(rows), path, fmt) <= len(rows)
    return path


def gold(definition, path, fmt, on_error=refuse):
    return list(CustomCorpus(Form(definition)).read_gold([path], fmt, on_error))


def formats(definition):
    exports = CustomExports(Form(definition))
    return [*exports.formats, *exports.folders]


@every_starter
def test_lossless_formats_return_texts_and_answers(name, tmp_path):
    definition = starter(name)
    rows = rows_of(definition)
    for fmt in LOSSLESS:
        path = written(definition, rows, fmt, tmp_path)
        records = {record.item.external_id: record for record in gold(definition, path, fmt)}
        assert len(records) == len(rows)
        for row in rows:
            content = records[row.external_id].content
            assert parsed(definition, row, content) == row.content
            stated = records[row.external_id].item.stated
            assert (stated.tokens, stated.text) == (row.tokens, row.text)
            assert records[row.external_id].item.target == row.target


@every_starter
def test_other_formats_return_what_they_hold_and_count_the_rest(name, tmp_path):
    definition = starter(name)
    rows = rows_of(definition)
    exports = CustomExports(Form(definition))
    for fmt in formats(definition):
        path = written(definition, rows, fmt, tmp_path)
        records = {record.item.external_id: record for record in gold(definition, path, fmt)}
        for row in rows:
            left_out = exports.left_out(row.content, fmt)
            content = parsed(definition, row, records[row.external_id].content)
            assert (content == row.content) == (left_out == 0), fmt


@every_starter
def test_items_of_lossless_formats_are_sentences(name, tmp_path):
    definition = starter(name)
    rows = rows_of(definition)
    corpus = CustomCorpus(Form(definition))
    for fmt, read_as in ((JSONL, JSONL), (CSV, TABLE), (LABEL_STUDIO, LABEL_STUDIO)):
        path = written(definition, rows, fmt, tmp_path)
        sentences = list(corpus.read_sentences(path, read_as, refuse))
        assert [(s.external_id, s.tokens, s.text) for s in sentences] == [
            (row.external_id, row.tokens, row.text) for row in rows
        ]
        assert [s.metadata.get("texts", {}) for s in sentences] == [
            row.target.get("texts", {}) for row in rows
        ]


SPANS = """
title: Spans
texts: [{key: a}, {key: b}]
fields:
  - {key: names, type: spans, text: a, labels: [PER, ORG], overlap: true, attributes: [
      {key: sure, type: choice, options: [yes, no]},
      {key: why, type: text, required: false},
      {key: kinds, type: choices, options: [x, y], required: false, min: 0}]}
  - {key: things, type: spans, text: b, labels: [PER, LOC]}
  - {key: links, type: relations, spans: names, labels: [of, with]}
"""
ANSWERS = {
    "names": [
        {"start": 0, "end": 2, "label": "PER", "attributes": {"sure": "yes", "kinds": ["x", "y"]}},
        {"start": 1, "end": 2, "label": "ORG", "attributes": {"sure": "no", "why": "a | b\\c"}},
    ],
    "things": [{"start": 4, "end": 5, "label": "PER"}],
    "links": [{"label": "of", "from": 1, "to": 0}],
}


def spans_row(external_id="1", answers=None):
    definition = read_definition(SPANS)
    texts = {"a": "Ada Lovelace wrote", "b": "to Grace 👩‍🔬 today"}
    return definition, row_of(definition, texts, {"answers": answers or ANSWERS}, external_id)


def test_overlaps_attributes_and_common_labels_survive_where_they_can(tmp_path):
    definition, row = spans_row()
    exports = CustomExports(Form(definition))
    counts = {fmt: exports.left_out(row.content, fmt) for fmt in formats(definition)}
    assert counts == {
        JSONL: 0,
        CSV: 0,
        LABEL_STUDIO: 0,
        # The second name overlaps, the first has attributes, and relations have no place.
        CONLL_BIO: 3,
        CONLL_IOBES: 3,
        # A text with blanks is no value of an attribute in brat.
        BRAT: 1,
    }
    for fmt in (JSONL, CSV, LABEL_STUDIO):
        [record] = gold(definition, written(definition, [row], fmt, tmp_path), fmt)
        assert record.content == row.content
    [record] = gold(definition, written(definition, [row], CONLL_IOBES, tmp_path), CONLL_IOBES)
    assert record.content["answers"]["things"] == ANSWERS["things"]


def test_skipped_items_are_kept_by_formats_with_a_place_for_them(tmp_path):
    definition = starter("translation-errors")
    row = row_of(
        definition,
        {"source": "Ja.", "translation": "Yes."},
        {"skipped": "unclear", "answers": {}},
        "1",
    )
    exports = CustomExports(Form(definition))
    for fmt in (JSONL, CSV, LABEL_STUDIO):
        assert exports.left_out(row.content, fmt) == 0
        [record] = gold(definition, written(definition, [row], fmt, tmp_path), fmt)
        assert record.content == row.content
    for fmt in (BRAT, CONLL_BIO):
        assert exports.left_out(row.content, fmt) == 1


# --- Files that contradict themselves


def bad(definition, text, fmt, folder, name="gold.txt"):
    """Return the only error of a file, which yields no gold."""
    path = folder / name
    path.write_text(text, "utf-8")
    errors: list[FileError] = []
    assert not [
        record for record in gold(definition, path, fmt, errors.append) if not record.is_blank
    ]
    [error] = errors
    return error.line, error.field, error.message


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ("Ada\tI-PER\nmet\tO\n", 1, "is the first tag"),
        ("Ada\tO\nmet\tI-PER\n", 2, "follows no span"),
        ("Ada\tB-PER\nmet\tI-LOC\n", 2, "continues a span of PER"),
        ("Ada\tB-XYZ\nmet\tO\n", 1, "is not a label"),
        ("Ada\tPER\nmet\tO\n", 1, "is not a tag of BIO"),
        ("Ada\tB-PER\nmet\n", 2, "has 1 columns"),
        ("# text = Ada saw\nAda\tB-PER\nmet\tO\n", 1, "other words"),
        ("# id = 1\n# id = 2\nAda\tB-PER\n", 2, "second id"),
        ("Ada\tO\n# id = 2\nmet\tO\n", 2, "blank line is missing"),
    ],
)
def test_contradictory_tags_are_refused_with_their_line(lines, line, reason, tmp_path):
    found, _, message = bad(starter("entities"), lines, CONLL_BIO, tmp_path)
    assert (found, reason in message) == (line, True), message


@pytest.mark.parametrize(
    ("tags", "line", "reason"),
    [
        ("B-PER O", 2, "not ended"),
        ("O B-PER", 2, "not ended"),
        ("B-PER S-PER", 2, "not ended"),
        ("B-PER E-LOC", 2, "continues a span of PER"),
        ("E-PER O", 1, "first tag"),
        ("O I-PER", 2, "follows no span"),
    ],
)
def test_contradictory_iobes_is_refused(tags, line, reason, tmp_path):
    text = "".join(f"word\t{tag}\n" for tag in tags.split())
    found, _, message = bad(starter("entities"), text, CONLL_IOBES, tmp_path)
    assert (found, reason in message) == (line, True), message


def test_published_columns_separated_by_blanks_are_read(tmp_path):
    path = tmp_path / "eng.train"
    path.write_text(
        "-DOCSTART- -X- -X- O\n\nAda NNP B-NP B-PER\nLovelace NNP I-NP I-PER\nwrote VBD B-VP O\n"
    )
    [record] = gold(starter("entities"), path, CONLL_BIO)
    assert record.item.external_id == "eng:1"
    assert record.content == {"answers": {"entities": [{"start": 0, "end": 2, "label": "PER"}]}}


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ('{"id": "1", "text": "Ada met", "tokens": ["Ada", "saw"]}', "tokens", "are not those"),
        ('{"id": "1", "text": "Ada met", "tokens": ["Ada", "met", "Bo"]}', "tokens", "go on"),
        ('{"id": "1", "text": "Ada", "texts": {"text": "Bo"}}', "text", "together"),
        ('{"id": "1", "texts": {"other": "Bo"}}', "texts.other", "not a text"),
        ('{"id": "1", "id": "2", "text": "Ada"}', "", "twice"),
        ('{"id": "", "text": "Ada"}', "id", "must be a text"),
        ('{"id": "1", "text": "Ada", "answers": {"other": []}}', "answers.other", "not a field"),
        ('{"id": "1", "text": "Ada", "answers": []}', "answers", "must be an object"),
        (
            '{"id": "1", "text": "Ada", "answers": {"entities": [{"start": 2, "end": 1, "words": "x"}]}}',
            "answers.entities.0",
            "range of tokens",
        ),
        ('{"id": "1", "text": "Ada", "skipped": "no", "answers": {"x": 1}}', "answers.x", "field"),
        ('{"id": "1", "text": "Ada"', "", "is not JSON"),
    ],
)
def test_contradictory_json_lines_are_refused(line, field, reason, tmp_path):
    place, found, message = bad(starter("entities"), line + "\n", JSONL, tmp_path)
    assert (place, found, reason in message) == (1, field, True), message


def test_words_of_a_file_are_stated_with_their_positions(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "1", "text": "Ada met", "answers": {"entities": '
        '[{"start": 0, "end": 1, "label": "PER", "words": "Bo"}]}}\n'
    )
    [record] = gold(starter("entities"), path, JSONL)
    [words] = record.item.stated.words
    assert (words.field, words.positions, words.text) == ("answers.entities.0", (0,), "Bo")


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("1,Ada met,x,3", "severity", ""),
        ("1,Ada met,[],high", "severity", "not a whole number"),
        (",Ada met,[],3", "id", "must be a text"),
        ('1,Ada met,"[{""start"": 0",3', "errors", "is not JSON"),
        ("1,Ada met,{},3", "errors", "must be a list"),
    ],
)
def test_contradictory_rows_are_refused(row, field, reason, tmp_path):
    text = f"id,output,errors,severity\n{row}\n"
    definition = read_definition(
        "title: t\ntexts: [{key: output}]\nfields: [{key: errors, type: spans, labels: [x]},"
        "{key: severity, type: rating}]"
    )
    line, found, message = bad(definition, text, CSV, tmp_path, "a.csv")
    assert line == 2
    assert reason in message
    assert found == (field if reason else "errors")


@pytest.mark.parametrize(
    ("annotation", "line", "reason"),
    [
        ("T1\tPER 0 3\tBob\n", 1, "is “Ada”, not “Bob”"),
        ("T1\tPER 0 2\tAd\n", 1, "inside a word"),
        ("T1\tPER 0 99\tAda\n", 1, "is not in the text"),
        ("T1\tXYZ 0 3\tAda\n", 1, "no label"),
        ("T1\tPER 0 3\tAda\nT1\tPER 0 3\tAda\n", 2, "used twice"),
        ("T1\tPER 0 3;8 13\tAda Grace\n", 1, "gap"),
        ("E1\tMeet:T1\n", 1, "event"),
        ("R1\tworks_for Arg1:T1 Arg2:T2\n", 1, "no span"),
        ("T1\tPER 0 3\tAda\nA1\tsure T1 yes\n", 2, "no attribute"),
        ("T1 PER 0 3 Ada\n", 1, "not brat"),
        ("T1\tPER 0 3\tAda\n#1\tNote\tA\x00da\n", 2, "NUL byte"),
    ],
)
def test_contradictory_standoff_is_refused(annotation, line, reason, tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "1.txt").write_text("Ada met Grace\n")
    (folder / "1.ann").write_text(annotation)
    errors = []
    assert gold(starter("relations"), folder, BRAT, errors.append) == []
    [error] = errors
    assert (error.file, error.line, reason in error.message) == ("1.ann", line, True), error


def test_long_and_odd_ids_are_names_of_files(tmp_path):
    ids = ["a/b", "..", "é" * 60, "x" * 200, "A%2F b", "CON", "~x"]
    rows = [spans_row(external_id)[1] for external_id in ids]
    definition = spans_row()[0]
    path = written(definition, rows, BRAT, tmp_path)
    assert sorted(record.item.external_id for record in gold(definition, path, BRAT)) == sorted(ids)


def task(*results, **data):
    return {
        "data": {"_id": "1", "text": "💩Ada met Bo", **data},
        "annotations": [{"result": results}],
    }


def region(start, end, text, **more):
    return {
        "id": "r1",
        "from_name": "entities",
        "to_name": "text",
        "type": "labels",
        "value": {"start": start, "end": end, "text": text, "labels": ["PER"]},
        **more,
    }


@pytest.mark.parametrize(
    ("results", "field", "reason"),
    [
        ([region(1, 4, "Bob")], "value.text", "is “Bob”, but 1 to 4 is “Ada”"),
        ([region(1, 3, "Ad")], "value", "inside a word"),
        ([region(1, 4, "Ada"), region(5, 8, "met")], "id", "used twice"),
        ([region(1, 4, "Ada", to_name="other")], "to_name", "must be text"),
        ([region(1, 4, "Ada", from_name="other")], "from_name", "no field"),
        ([region(1, 4, "Ada", from_name={})], "from_name", "no field"),
        (
            [{"type": "relation", "from_id": "r1", "to_id": "r2", "labels": ["x"]}],
            "from_id",
            "no span",
        ),
    ],
)
def test_contradictory_tasks_are_refused(results, field, reason, tmp_path):
    text = json.dumps([task(*results)])
    line, found, message = bad(starter("entities"), text, LABEL_STUDIO, tmp_path, "a.json")
    assert line == 1
    assert found.startswith("annotations.0.result.")
    assert found.endswith(field)
    assert reason in message


@pytest.mark.parametrize(("start", "end"), [(1, 4), (2, 5)])
def test_ranges_of_old_and_new_versions_are_told_apart_by_their_text(start, end, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([task(region(start, end, "Ada"))]), "utf-8")
    [record] = gold(starter("entities"), path, LABEL_STUDIO)
    assert record.content["answers"]["entities"] == [{"start": 1, "end": 2, "label": "PER"}]


def test_several_annotations_need_a_ground_truth(tmp_path):
    given = task(region(1, 4, "Ada"))
    given["annotations"].append({"result": []})
    text = json.dumps([given])
    _, field, message = bad(starter("entities"), text, LABEL_STUDIO, tmp_path, "a.json")
    assert (field, "ground truth" in message) == ("annotations", True)
    given["annotations"][1]["ground_truth"] = True
    path = tmp_path / "b.json"
    path.write_text(json.dumps([given]), "utf-8")
    [record] = gold(starter("entities"), path, LABEL_STUDIO)
    assert record.content == {"answers": {"entities": []}}


def test_conllu_escapes_texts_in_misc(tmp_path):
    definition = read_definition(
        "title: t\nfields: [{key: n, type: spans, labels: [x], attributes: ["
        "{key: why, type: text, required: false}]}]"
    )
    spans = [{"start": 0, "end": 1, "label": "x", "attributes": {"why": "a|b\\n\n=c"}}]
    row = row_of(definition, {"text": "Ada met."}, {"answers": {"n": spans}}, "1")
    path = written(definition, [row], CONLLU, tmp_path)
    [record] = gold(definition, path, CONLLU)
    assert record.content == row.content
    assert "SpaceAfter=No" in path.read_text("utf-8")
