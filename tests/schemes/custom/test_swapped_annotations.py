"""Annotations that were swapped with those of an item without any leave no empty gold."""

import json

import pytest

from projects.domain.create_project import create_project
from tests.annotation.factories import NOW
from tests.borders.site import Desk, gold
from tests.schemes.custom.samples import starter

pytestmark = pytest.mark.django_db
TEXTS = {"r1": "Ada met Grace .", "r2": "It rained .", "r3": "Bo slept ."}
ADA = {"start": 0, "end": 1, "label": "PER", "words": "Ada"}
BO = {"start": 0, "end": 1, "label": "PER", "words": "Bo"}
STORED = {"r3/0": {"answers": {"entities": [{"start": 0, "end": 1, "label": "PER"}]}}}


@pytest.fixture
def desk(tmp_path) -> Desk:
    desk = Desk(tmp_path)
    create_project(slug="custom", scheme="custom", definition=starter("entities").value, now=NOW)
    rows = "".join(f"{name},{text}\n" for name, text in TEXTS.items())
    desk.run("import_corpus", "custom", desk.write("a.csv", f"id,text\n{rows}"))
    return desk


def lines(*, with_texts, **spans):
    return "".join(
        json.dumps(
            {
                "id": name,
                **({"text": TEXTS[name]} if with_texts else {}),
                "answers": {"entities": own} if own else {},
            }
        )
        + "\n"
        for name, own in spans.items()
    )


def table(**spans):
    cells = {name: json.dumps(own).replace('"', '""') for name, own in spans.items()}
    return "id,entities\n" + "".join(f'{name},"{cell}"\n' for name, cell in cells.items())


def tasks(**spans):
    def result(at, span):
        value = {"start": 0, "end": len(span["words"]), "text": span["words"], "labels": ["PER"]}
        return {"id": f"{at}", "from_name": "entities", "type": "labels", "value": value}

    return json.dumps(
        [
            {
                "data": {"_id": name, "text": TEXTS[name]},
                "annotations": [{"result": [result(at, span) for at, span in enumerate(own)]}],
            }
            for name, own in spans.items()
        ],
        indent=1,
    )


FILES = {
    "custom-csv": table,
    "custom-jsonl": lambda **spans: lines(with_texts=True, **spans),
    "label-studio": tasks,
}


@pytest.mark.parametrize("order", [("r1", "r2", "r3"), ("r3", "r2", "r1")])
@pytest.mark.parametrize("fmt", FILES)
def test_both_items_are_refused_with_both_places(desk, fmt, order):
    swapped = {"r1": [], "r2": [ADA], "r3": [BO]}
    path = desk.write("gold.txt", FILES[fmt](**{name: swapped[name] for name in order}))
    outcome = desk.run("import_gold", "custom", path, format=fmt, source="expert")
    assert gold() == STORED
    of_empty = [error for error in outcome.errors.splitlines() if "is empty, but" in error]
    assert len(of_empty) == 1
    assert "r2/0 (gold.txt, line " in of_empty[0]
    assert "as “Ada”" in of_empty[0]


def test_files_without_texts_are_compared_with_the_corpus(desk):
    path = desk.write("gold.jsonl", lines(with_texts=False, r1=[], r2=[ADA], r3=[BO]))
    outcome = desk.run("import_gold", "custom", path, format="custom-jsonl", source="expert")
    assert gold() == STORED
    message = "gold.jsonl, line 1: answers.entities: is empty, but r2/0 (gold.jsonl, line 2) has"
    assert message in outcome.errors


def test_swapped_files_of_an_archive_are_refused(desk):
    files = {f"{name}.txt": text for name, text in TEXTS.items()}
    files |= {"r1.ann": "", "r2.ann": "T1\tPER 0 3\tAda\n", "r3.ann": "T1\tPER 0 2\tBo\n"}
    path = desk.zipped("b.zip", files)
    outcome = desk.run("import_gold", "custom", path, format="brat", source="expert")
    assert gold() == STORED
    assert "r1.ann: r1: answers.entities: is empty, but r2/0 (r2.ann, line 1)" in outcome.errors


@pytest.mark.parametrize("fmt", FILES)
def test_empty_item_beside_other_mistakes_is_gold(desk, fmt):
    wrong = {**ADA, "words": "Eve"}
    path = desk.write("gold.txt", FILES[fmt](r1=[], r2=[wrong], r3=[BO]))
    outcome = desk.run("import_gold", "custom", path, format=fmt, source="expert")
    assert gold() == {**STORED, "r1/0": {"answers": {}}}
    assert "is empty" not in outcome.errors


def test_items_of_a_larger_file_are_no_reason_to_refuse_empty_ones(desk):
    unknown = json.dumps({"id": "r9", "answers": {"entities": [ADA]}})
    path = desk.write("gold.jsonl", lines(with_texts=False, r1=[], r3=[BO]) + unknown)
    desk.run("import_gold", "custom", path, format="custom-jsonl", source="expert")
    assert gold() == {**STORED, "r1/0": {"answers": {}}}
