"""Roles that the sentence only implies, from files to the recall of systems (Roit et al. 2020, 5)."""

from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from schemes.contract.records import ExportRow
from schemes.english.verbs import verb_forms
from schemes.qasrl.annotation_files import read_annotation_file
from schemes.qasrl.evaluation import ScoredFiles
from schemes.qasrl.gold_csv import read_gold_csv, write_gold_csv, write_noun_csv
from schemes.qasrl.score_systems import SCORING

TOKENS = tuple("He flew to Rome to meet her .".split())  # noqa: SIM905
VERB = {"verb_idx": 1, "verb": "flew", "forms": verb_forms("flew").by_name()}
NOUN = {"verb_idx": 1, "verb": "flight", "verb_form": "fly", "kind": "noun"}
HEADER = "qasrl_id,verb_idx,verb,question,answer_range,is_implied\n"
REFERENCE = f"""{HEADER}\
s1,1,flew,Who flew?,0:1,False
s1,1,flew,Where did someone fly?,3:4,False
s1,1,flew,Why did someone fly?,4:7,False
s2,5,meet,Who might meet someone?,0:1,True
s2,5,meet,Who might someone meet?,6:7,False
s2,5,meet,Where might someone meet someone?,3:4,True
s3,1,ran,Who ran?,0:1,
"""
PREDICTED = """qasrl_id,verb_idx,verb,question,answer_range
s1,1,flew,Who flew?,0:1
s1,1,flew,Why did someone fly?,4:7
s2,5,meet,Who might someone meet?,6:7
s2,5,meet,Where might someone meet someone?,3:4
"""


@pytest.fixture
def files(tmp_path):
    reference, predicted = tmp_path / "reference.csv", tmp_path / "predicted.csv"
    reference.write_text(REFERENCE, "utf-8")
    predicted.write_text(PREDICTED, "utf-8")
    return reference, predicted


def role(question: str, *answers: list[int], **fields: bool) -> dict:
    return {"question": question, "answers": list(answers), "slots": None, **fields}


def row(*questions: dict, target=VERB, **step: bool) -> ExportRow:
    content = {"questions": list(questions), **step}
    return ExportRow("s1", TOKENS, target, content, [{} for _ in questions])


def questions_of(path) -> list[list[dict]]:
    records = read_gold_csv(path, on_error=pytest.fail)
    return [record.content["questions"] for record in records]


def test_written_roles_are_read_back(tmp_path):
    path = tmp_path / "gold.csv"
    where = role("Where did someone fly?", [3, 4], implied=True)
    who = role("Who flew, or “fled”?", [0, 1], implied=False)
    why = role("Why did someone fly?", [4, 7])
    other = replace(row(who), external_id="s2")
    assert write_gold_csv([row(where, why), row(), other], path) == 3
    header, *lines = path.read_text("utf-8").splitlines()
    assert header.endswith(",is_implied")
    assert [line.rpartition(",")[2] for line in lines] == ["True", "", "False"]
    assert [
        [question.get("implied") for question in questions] for questions in questions_of(path)
    ] == [[True, None], [False]]


def test_column_is_absent_if_nobody_was_asked(tmp_path):
    path = tmp_path / "gold.csv"
    write_gold_csv([row(role("Who flew?", [0, 1]))], path)
    assert "is_implied" not in path.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_nouns_without_questions_have_an_empty_cell(tmp_path):
    path = tmp_path / "nouns.csv"
    where = role("Where did someone fly?", [3, 4], implied=True)
    empty = replace(row(target=NOUN, is_verbal=False), external_id="s0")
    rows = [empty, row(where, target=NOUN, is_verbal=True)]
    assert write_noun_csv(rows, path) == 2
    cells = [line.rpartition(",")[2] for line in path.read_text("utf-8").splitlines()]
    assert cells == ["is_implied", "", "True"]
    assert [[each.get("implied") for each in each_row] for each_row in questions_of(path)] == [
        [],
        [True],
    ]


def test_role_of_several_rows_is_implied_by_any(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(
        f"{HEADER}s1,1,flew,Who flew?,0:1,False\ns1,1,flew,who flew?,6:7,True\n", "utf-8"
    )
    assert questions_of(path) == [
        [{"question": "Who flew?", "answers": [[0, 1], [6, 7]], "implied": True}]
    ]
    [annotation] = read_annotation_file(path).values()
    assert annotation.implied == {"who flew?": True}


@pytest.mark.parametrize("value", ["maybe", "2", "-"])
def test_other_values_are_bad_rows(tmp_path, value):
    path = tmp_path / "gold.csv"
    path.write_text(f"{HEADER}s1,1,flew,Who flew?,0:1,{value}\n", "utf-8")
    errors = []
    assert list(read_gold_csv(path, on_error=errors.append)) == []
    assert [(error.line, error.field) for error in errors] == [(2, "is_implied")]


def test_recall_is_split_and_roles_without_an_answer_are_left_out(files):
    evaluation = ScoredFiles(*map(read_annotation_file, files))
    assert evaluation.figures()["implied"] == {
        "explicit": {"found": 3, "roles": 4, "recall": 0.75},
        "implied": {"found": 1, "roles": 2, "recall": 0.5},
    }
    plain = read_annotation_file(files[1])
    assert "implied" not in ScoredFiles(plain, plain).figures()


def test_command_prints_the_split(files):
    out = StringIO()
    call_command("evaluate", "qasrl", *map(str, files), stdout=out)
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["explicit", "3", "4", "75.00"] in lines
    assert ["implied", "1", "2", "50.00"] in lines


def test_systems_have_a_table_of_the_split(files):
    reference, predicted = files
    scored = SCORING.score(reference=[reference], systems=[predicted, reference])
    tables = [system.types[1] for system in scored.systems]
    assert [
        {name: (row.count, row.figures["recall"]) for name, row in table.rows.items()}
        for table in tables
    ] == [
        {"Explicit": (4, 0.75), "Implied": (2, 0.5)},
        {"Explicit": (4, 1.0), "Implied": (2, 1.0)},
    ]
