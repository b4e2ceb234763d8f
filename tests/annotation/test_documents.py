"""Imports keep the document of each sentence and its place in it, and exports name the document."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import call_command

from annotation.models import Sentence
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.domain.create_project import create_project
from projects.models import Project
from schemes.conllu_files import read_conllu
from schemes.contract.records import ExportRow
from schemes.frames.exports import ENDINGS, SENTENCES, write_semeval
from schemes.qasrl.published_csv import read_sentence_rows
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db

TEXT = "The dog barked. It slept.\n\nMary left.\n"
CONLLU = """# sent_id = early
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

# newdoc id = sports/12
# sent_id = s1
1\tRun\trun\tVERB\tVB\t_\t0\troot\t_\t_

# sent_id = s2
1\tJump\tjump\tVERB\tVB\t_\t0\troot\t_\t_

# newdoc
# sent_id = s3
1\tSing\tsing\tVERB\tVB\t_\t0\troot\t_\t_
"""
TABLE = """id,text,document,position
a,It slept.,dogs,2
b,The dog barked.,dogs,1
c,Mary left.,people,1
"""
PUBLISHED = """qasrl_id,tokens,sentence
Wiki1k:wikinews:1234:2:0,Mary left .,
Wiki1k:wikinews:1234:0:1,It slept .,
Wiki1k:wikinews:1234:0:0,The dog barked .,
Wiki1k:wikinews:99:10,Ann sang .,
Wiki1k:wikinews:99:9,Bob danced .,
"""
BANK = "\n".join(
    json.dumps({"sentenceId": name, "sentenceTokens": tokens.split(), "verbEntries": {}})
    for name, tokens in (("TQA:a:0:1", "It slept ."), ("TQA:a:0:0", "The dog barked ."))
)


def make_project(scheme: str = "qasrl") -> Project:
    return create_project(slug="corpus", scheme=scheme, now=NOW)


def documents(project: Project) -> dict[str, list[str]]:
    """Return the ids of the sentences of each document in their order."""
    found: dict[str, list[str]] = {}
    for sentence in project.sentences.order_by("group", "position", "pk"):
        found.setdefault(sentence.group, []).append(sentence.external_id)
    return found


@pytest.mark.parametrize(
    ("scheme", "fmt", "file", "expected"),
    [
        ("qasrl", "text", ("pets.txt", TEXT), {"pets": ["pets:1:0", "pets:1:1", "pets:3:0"]}),
        ("frames", "text", ("pets.txt", TEXT), {"pets": ["pets:1:0", "pets:1:1", "pets:3:0"]}),
        (
            "frames",
            "conllu",
            ("ud.conllu", CONLLU),
            {"": ["early"], "sports/12": ["s1", "s2"], "ud:4": ["s3"]},
        ),
        ("qasrl", "table", ("t.csv", TABLE), {"dogs": ["b", "a"], "people": ["c"]}),
        (
            "qasrl",
            "qasrl-csv",
            ("w.csv", PUBLISHED),
            {
                "Wiki1k:wikinews:1234": [
                    "Wiki1k:wikinews:1234:0:0",
                    "Wiki1k:wikinews:1234:0:1",
                    "Wiki1k:wikinews:1234:2:0",
                ],
                "Wiki1k:wikinews:99": ["Wiki1k:wikinews:99:9", "Wiki1k:wikinews:99:10"],
            },
        ),
        ("qasrl", "qasrl-bank", ("b.jsonl", BANK), {"TQA:a": ["TQA:a:0:0", "TQA:a:0:1"]}),
        ("custom", "text", ("pets.txt", TEXT), {"pets": ["pets:1", "pets:3"]}),  # a text per line
        (
            "custom",
            "conllu",
            ("ud.conllu", CONLLU),
            {"": ["early"], "sports/12": ["s1", "s2"], "ud:4": ["s3"]},
        ),
        ("custom", "table", ("t.csv", TABLE), {"dogs": ["b", "a"], "people": ["c"]}),
    ],
)
def test_import_keeps_documents_and_their_order(tmp_path, scheme, fmt, file, expected):
    project = make_project(scheme)
    path = tmp_path / file[0]
    path.write_text(file[1], "utf-8")
    call_command("import_corpus", project.slug, str(path), format=fmt, stdout=StringIO())
    assert documents(project) == expected


def test_place_in_a_document_must_be_a_number(tmp_path):
    path, errors = tmp_path / "t.csv", StringIO()
    path.write_text(TABLE.replace("dogs,2", "dogs,second"), "utf-8")
    project = make_project()
    call_command(
        "import_corpus", "corpus", str(path), format="table", stdout=StringIO(), stderr=errors
    )
    assert "line 2: position: 'second' is not a whole number" in errors.getvalue()
    assert documents(project) == {"dogs": ["b"], "people": ["c"]}


def named(project: Project, document: str) -> Project:
    Sentence.objects.filter(project=project).update(group=document)
    return project


def test_jsonl_names_the_document(tmp_path):
    project = named(make_gold_project(), "a report")
    export_gold(project=project, options=ExportOptions(fmt="jsonl"), folder=tmp_path)
    (line,) = (tmp_path / "wikinews.dev.gold.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["document"] == "a report"


def test_submissions_name_the_document(tmp_path):
    project = named(make_gold_project(), "a report")
    call_command(
        "export_submissions", project.slug, format="jsonl", out=tmp_path, stdout=StringIO()
    )
    (path,) = tmp_path.glob("*.generator.jsonl")
    lines = path.read_text("utf-8").splitlines()
    assert {json.loads(line)["document"] for line in lines} == {"a report"}


@pytest.mark.parametrize(
    ("document", "columns"),
    [
        ("a report", ["qasrl_id", "tokens", "sentence", "document"]),
        # The id names it already, and the file is that of the published dataset.
        ("Wiki1k:n:1", ["qasrl_id", "tokens", "sentence"]),
        ("", ["qasrl_id", "tokens", "sentence"]),
    ],
)
def test_sentences_have_a_column_for_documents_that_no_id_names(tmp_path, document, columns):
    project = named(make_gold_project(), document)
    export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=tmp_path)
    path = tmp_path / "wikinews.dev.sentences.csv"
    with path.open(encoding="utf-8", newline="") as file:
        assert csv.DictReader(file).fieldnames == columns
    (sentence,) = read_sentence_rows(path, on_error=AssertionError)
    assert sentence.metadata.get("document", "") == (document if "document" in columns else "")


def test_conllu_marks_new_documents(tmp_path):
    rows = [
        ExportRow(name, ("Go",), {}, {"skip": "error"}, [], document=document)
        for name, document in (("s1", "d1"), ("s2", "d1"), ("s3", "d2"))
    ]
    paths = {ending: tmp_path / ending for ending in ENDINGS}
    write_semeval(rows, paths)
    records = read_conllu(paths[SENTENCES], on_error=AssertionError, metadata=lambda words: {})
    assert [(record.external_id, record.metadata["document"]) for record in records] == [
        ("s1", "d1"),
        ("s2", "d1"),
        ("s3", "d2"),
    ]
