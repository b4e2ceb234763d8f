"""Imports and exports of projects with custom schemes, by commands."""

import json
from dataclasses import replace

import pytest

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.publish import publish_batch
from annotation.models import Item, Sentence, Task
from consolidation.models import Gold
from projects.domain.create_project import create_project
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.records import ItemRecord
from schemes.custom.read_definition import read_definition
from tests.annotation.factories import NOW
from tests.borders.site import Desk, gold, items, picture, sentences
from tests.crowd.factories import make_worker
from tests.schemes.custom.samples import starter
from tests.schemes.workbooks import workbook_bytes
from tests.walk import generation_of, run, submit, sweep

pytestmark = pytest.mark.django_db
TEXTS = {"r1": "Ada met Grace .", "r2": "It rained ."}
ADA = {"start": 0, "end": 1, "label": "PER"}


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk(tmp_path)


def make(name="entities", *, definition=None):
    value = (definition or starter(name)).value
    return create_project(slug="custom", scheme="custom", definition=value, now=NOW)


def test_projects_are_created_from_files_and_starters(desk):
    path = desk.write("own.yml", "title: Own\nfields: [{key: ok, type: choice, options: [a, b]}]\n")
    run("create_project", "first", "--scheme", "custom", "--definition", path)
    run("create_project", "second", "--scheme", "custom", "--definition", "relations")
    titles = [scheme_of(project).title for project in Project.objects.order_by("slug")]
    assert titles == ["Own", "Entities and relations"]


@pytest.mark.parametrize(
    ("scheme", "content", "reason"),
    [
        ("custom", "title: Own\nfields: [{key: ok, type: chioce}]\n", "line 2"),
        ("custom", None, "no such file or starter"),
        ("frames", "title: Own\n", "goes with another scheme"),
    ],
)
def test_bad_definitions_are_refused(desk, scheme, content, reason):
    path = desk.write("own.yaml", content) if content else desk.path("own.yaml")
    outcome = desk.run("create_project", "own", scheme=scheme, definition=str(path))
    assert (outcome.code, reason in outcome.errors) == (2, True), outcome.errors
    assert not Project.objects.exists()


def csv_of(rows, header="id,text"):
    return "\n".join([header, *(",".join(row) for row in rows)]) + "\n"


def conllu_of(*words):
    lines = [f"{at}\t{word}" + "\t_" * 8 for at, word in enumerate(words, start=1)]
    return "# sent_id = r1\n" + "\n".join(lines) + "\n\n"


# --- Items


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,text\nr1,Ada met Grace .\nr2,It rained .\n"),
        ("a.tsv", "text\tid\nAda met Grace .\tr1\nIt rained .\tr2\n"),
        ("a.json", json.dumps([{"id": key, "text": text} for key, text in TEXTS.items()])),
        ("a.jsonl", "".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in TEXTS.items())),
        ("a.xlsx", workbook_bytes(["id", "text"], list(TEXTS.items()))),
        (
            "b.json",
            json.dumps([{"data": {"_id": key, "text": text}} for key, text in TEXTS.items()]),
        ),
    ],
)
def test_items_of_usual_files_are_recognised(desk, name, content):
    make()
    outcome = desk.run("import_corpus", "custom", desk.write(name, content))
    assert outcome.code == 0, outcome.errors
    assert sentences() == {key: text.split() for key, text in TEXTS.items()}
    assert items() == ["r1/0", "r2/0"]


def test_lines_of_text_and_sentences_of_treebanks_are_items(desk):
    make()
    assert (
        desk.run("import_corpus", "custom", desk.write("a.txt", "Ada's hat.\n\nIt rained\n")).code
        == 0
    )
    assert sentences() == {"a:1": ["Ada", "'s", "hat", "."], "a:3": ["It", "rained"]}
    words = conllu_of("Ada", "'s", "hat")
    assert desk.run("import_corpus", "custom", desk.write("b.conllu", words)).code == 0
    assert sentences()["r1"] == ["Ada", "'s", "hat"]


def test_columns_of_other_names_are_mapped(desk):
    make("translation-errors")
    path = desk.write("a.csv", "no,deutsch,english\n1,Ja.,Yes.\n")
    columns = "id=no,source=deutsch,translation=english"
    assert desk.run("import_corpus", "custom", path, columns=columns).code == 0
    sentence = Sentence.objects.get()
    assert (sentence.text, sentence.metadata["texts"]) == (
        "Ja.\nYes.",
        {"source": [0, 2], "translation": [2, 4]},
    )
    assert Item.objects.get().target == {"texts": {"source": [0, 2], "translation": [2, 4]}}


def test_texts_have_the_order_of_the_definition_in_any_database(desk):
    """PostgreSQL stores the keys of JSON objects in another order: the shortest first."""
    definition = read_definition(
        "title: t\ntexts: [{key: question}, {key: z}, {key: a}]\n"
        "fields: [{key: ok, type: choice, options: [yes, no]}]"
    )
    project = make(definition=definition)
    content = "id,question,z,a,ok\n1,Why so?,Because.,No idea.,yes\n"
    path = desk.write("a.csv", content)
    assert desk.run("import_corpus", "custom", path).code == 0
    item = Item.objects.get()
    reversed_ranges = dict(sorted(item.target["texts"].items(), reverse=True))
    assert list(reversed_ranges) != ["question", "z", "a"]
    context = replace(context_of(item), target={"texts": reversed_ranges})
    corpus = scheme_of(project).corpus
    assert corpus.headline(context) == "Why so?"
    stored = replace(context, metadata={"texts": reversed_ranges})
    completed = corpus.complete_item(ItemRecord("1", "0", {}), stored)
    assert list(completed.target["texts"]) == ["question", "z", "a"]
    assert desk.run("import_gold", "custom", path, source="expert").code == 0
    run(
        "export_gold",
        "custom",
        "--format",
        "custom-csv",
        "--source",
        "expert",
        "--out",
        desk.path("out"),
    )
    (exported,) = desk.path("out").glob("*.csv")
    header, row = exported.read_text("utf-8-sig").splitlines()
    assert [cell for cell in header.split(",") if cell in ("question", "z", "a")] == [
        "question",
        "z",
        "a",
    ]
    assert "Why so?,Because.,No idea." in row


def test_export_for_label_studio_has_its_configuration(desk):
    make("text-classification")
    path = desk.write("a.csv", "id,text,sentiment\n1,Fine.,positive\n")
    assert desk.run("import_corpus", "custom", path).code == 0
    assert desk.run("import_gold", "custom", path, source="expert").code == 0
    out = desk.path("out")
    run("export_gold", "custom", "--format", "label-studio", "--source", "expert", "--out", out)
    text = (out / "label-studio.xml").read_text("utf-8")
    assert '<Choices name="sentiment"' in text
    described = json.loads((out / "manifest.json").read_text())["files"]["label-studio.xml"]
    assert (described["rows"], described["bytes"]) == (None, len(text.encode()))


def test_images_may_be_optional(desk):
    definition = read_definition(
        "title: t\nimage: optional\nfields: [{key: ok, type: choice, options: [a, b]}]"
    )
    make(definition=definition)
    desk.write("images/1.png", picture())
    rows = [("r1", "One", "1.png"), ("r2", "Two", ""), ("r3", "Three", "1.png")]
    path = desk.write("a.csv", csv_of(rows, "id,text,image"))
    without = desk.run("import_corpus", "custom", path)
    assert (without.code, "Give their folder" in without.errors) == (2, True)
    assert desk.run("import_corpus", "custom", path, images=desk.path("images")).code == 0
    assert [bool(row.image) for row in Sentence.objects.order_by("pk")] == [True, False, True]


def test_needed_images_are_asked_for(desk):
    make("image-boxes")
    desk.write("images/1.png", picture())
    rows = [("r1", "One", "1.png"), ("r2", "Two", ""), ("r3", "Three", "2.png")]
    path = desk.write("a.csv", csv_of(rows, "id,caption,image"))
    outcome = desk.run("import_corpus", "custom", path, images=desk.path("images"))
    assert list(sentences()) == ["r1"]
    assert "line 3: image: is empty." in outcome.errors
    assert "2.png" in outcome.errors


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("id,text\nr1,Ada met Grace .\nr1,It rained .\n", "r1 is repeated with other"),
        ("id,text\nr1,\n", "line 2: text: has no words."),
        ("id,text,tokens\nr1,Ada met,Ada saw\n", "line 2: tokens: are not those"),
        ('id,text\nr1,"Ada\n', "is not CSV"),
        ("id,body\nr1,Ada\n", "text"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(desk, content, reason):
    make()
    outcome = desk.run("import_corpus", "custom", desk.write("a.csv", content), format="table")
    assert reason in outcome.errors


def test_other_text_under_a_known_id_is_refused(desk):
    make()
    desk.run("import_corpus", "custom", desk.write("a.csv", "id,text\nr1,Ada met Grace .\n"))
    outcome = desk.run("import_corpus", "custom", desk.write("b.csv", "id,text\nr1,It rained .\n"))
    assert "r1 exists with other tokens" in outcome.errors
    assert sentences() == {"r1": ["Ada", "met", "Grace", "."]}


# --- Gold


@pytest.fixture
def corpus(desk) -> Desk:
    make()
    desk.run("import_corpus", "custom", desk.write("a.csv", csv_of(TEXTS.items())))
    return desk


def line(**values):
    return json.dumps({"id": "r1", "text": TEXTS["r1"], **values}) + "\n"


@pytest.mark.parametrize(
    ("content", "fmt", "reason"),
    [
        (line(text="Bo met Grace .", answers={"entities": [ADA]}), "custom-jsonl", "Bo met Grace"),
        (line(answers={"entities": [{**ADA, "words": "met"}]}), "custom-jsonl", "0:1 is “Ada”"),
        (line(answers={"entities": [{**ADA, "label": "X"}]}), "custom-jsonl", "entities.0.label"),
        (line(answers={"entities": [{**ADA, "end": 9}]}), "custom-jsonl", "entities.0"),
        (
            line(answers={"entities": [ADA]}) + line(answers={"entities": []}),
            "custom-jsonl",
            "there more than once",
        ),
        (line(id="r9", answers={"entities": []}), "custom-jsonl", "no item 'r9/0'"),
        ("# id = r1\nBo\tB-PER\nmet\tO\n", "conll-bio", "tokens"),
        ("# id = r1\nAda\tI-PER\nmet\tO\nGrace\tO\n.\tO\n", "conll-bio", "first tag"),
        ("id,text,entities\nr1,It rained .,[]\n", "custom-csv", "It rained"),
    ],
)
def test_gold_that_contradicts_the_corpus_is_refused(corpus, content, fmt, reason):
    path = corpus.write("gold.txt", content)
    outcome = corpus.run("import_gold", "custom", path, format=fmt, source="expert")
    assert reason in outcome.errors
    assert gold() == {}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", line(answers={"entities": [ADA]})),
        ("a.csv", 'id,entities\nr1,"[{""start"": 0, ""end"": 1, ""label"": ""PER""}]"\n'),
        ("a.bio.conll", "# id = r1\nAda\tB-PER\nmet\tO\nGrace\tO\n.\tO\n"),
        ("a.iobes.conll", "# id = r1\nAda\tS-PER\nmet\tO\nGrace\tO\n.\tO\n"),
        ("a.conllu", conllu_of("Ada", "met", "Grace", ".").replace("_\n", "entities=B-PER\n", 1)),
    ],
)
def test_formats_of_gold_are_recognised(corpus, name, content):
    path = corpus.write(f"gold/{name}", content)
    outcome = corpus.run("import_gold", "custom", path, source="expert")
    assert outcome.code == 0, outcome.errors
    assert gold() == {"r1/0": {"answers": {"entities": [ADA]}}}


def test_archives_of_brat_are_recognised(corpus):
    files = {"b/r1.txt": "Ada met Grace .", "b/r1.ann": "T1\tPER 0 3\tAda\n"}
    outcome = corpus.run("import_gold", "custom", corpus.zipped("b.zip", files), source="expert")
    assert outcome.code == 0, outcome.errors
    assert gold() == {"r1/0": {"answers": {"entities": [ADA]}}}


def test_gold_without_any_span_is_gold_and_unanswered_rows_are_none(corpus):
    path = corpus.write("gold.csv", "id,entities\nr1,[]\nr2,\n")
    corpus.run("import_gold", "custom", path, source="expert")
    assert gold() == {"r1/0": {"answers": {}}}


def test_spans_in_other_tokens_are_moved_if_wanted(desk):
    make()
    desk.run("import_corpus", "custom", desk.write("a.conllu", conllu_of("Ada's", "hat")))
    path = desk.write(
        "gold.jsonl",
        json.dumps(
            {
                "id": "r1",
                "tokens": ["Ada", "'s", "hat"],
                "answers": {"entities": [{"start": 0, "end": 2, "label": "PER"}]},
            }
        ),
    )
    refused = desk.run("import_gold", "custom", path, source="expert", format="custom-jsonl")
    assert "tokens" in refused.errors
    moved = desk.run(
        "import_gold", "custom", path, source="expert", format="custom-jsonl", align=True
    )
    assert moved.code == 0
    assert gold() == {"r1/0": {"answers": {"entities": [ADA]}}}


def test_exports_say_what_they_can_t_hold(desk):
    make("relations")
    desk.run("import_corpus", "custom", desk.write("a.csv", csv_of(TEXTS.items())))
    link = {"label": "works_for", "from": 0, "to": 1}
    names = [ADA, {"start": 2, "end": 3, "label": "ORG"}]
    path = desk.write("gold.jsonl", line(answers={"entities": names, "relations": [link]}))
    desk.run("import_gold", "custom", path, source="expert")
    out = desk.path("out")
    said = run("export_gold", "custom", "--format", "conll-bio", "--out", out, "--source", "expert")
    assert "conll-bio can't hold 1 of their annotations completely." in said
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["units_left_out"] == 1
    said = run("export_gold", "custom", "--format", "brat", "--out", out, "--source", "expert")
    assert "can't hold" not in said
    assert {path.name for path in (out / "custom.all").iterdir()} == {
        "annotation.conf",
        "r1.ann",
        "r1.txt",
    }


# --- Aggregation


def test_generations_are_aggregated_and_become_gold(corpus, tmp_path):
    path = corpus.write("gold.jsonl", line(answers={"entities": [ADA]}))
    corpus.run("import_gold", "custom", path, source="expert")
    project = Project.objects.get()
    publish_batch(project=project, now=NOW)
    [task] = [task for task in Task.objects.all() if task.items.get().key == "r1/0"]
    other = {"answers": {"entities": [ADA, {"start": 2, "end": 3, "label": "PER"}]}}
    for content in (generation_of(task), other):
        submit(task, make_worker(), content)
    sweep()
    out = tmp_path / "aggregated.jsonl"
    said = run("aggregate", "custom", "--out", out, "--gold")
    assert "Aggregated 1 items. Added gold for 1 items." in said
    [row] = map(json.loads, out.read_text().splitlines())
    assert row == {
        "id": "r1",
        "item": "r1/0",
        "answers": {"entities": [ADA]},
        "posteriors": {"entities": [1.0]},
        "workers": 2,
        "method": "majority",
    }
    added = Gold.objects.get(source="imported")
    assert (added.content, added.rule) == (
        {"answers": {"entities": [ADA]}},
        "custom.aggregate.majority.v1",
    )
    assert added.provenance == [{"posterior": 1.0}]
    assert "Added gold for 0 items" in run("aggregate", "custom", "--out", out, "--gold")


@pytest.mark.parametrize(
    ("item", "key"),
    [("r1", ("r1", "0")), ("r1/0", ("r1", "0")), ("doc/r1/0", ("doc/r1", "0")), ("", None)],
)
def test_tables_name_items_by_their_id(item, key):
    assert scheme_of(make()).corpus.item_key_of_row({"item": item}) == key
