"""Exports of accepted submissions as CSV with the columns of gold, and as JSON Lines."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.enums import SubmissionState
from annotation.models import Submission
from schemes.qasrl.published_csv import GOLD_COLUMNS
from tests.consolidation.gold import make_gold_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_gold_project()


def run(*command) -> str:
    output = StringIO()
    call_command(*map(str, command), stdout=output)
    return output.getvalue()


def export(project, folder, *options) -> dict[str, int]:
    command = ("export_submissions", project.slug, "--out", folder, "--json", *options)
    return json.loads(run(*command))["files"]


def rows_of(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_generations_have_the_columns_of_gold_and_pseudonyms(project, tmp_path):
    files = export(project, tmp_path, "--format", "qasrl-csv")
    rows = rows_of(tmp_path / f"{project.slug}.generator.csv")
    assert files[f"{project.slug}.generator.csv"] == len(rows)
    assert tuple(rows[0]) == GOLD_COLUMNS
    generations = Submission.objects.filter(role="generator").order_by("pk")
    assert [(row["worker_id"], row["assign_id"], row["question"]) for row in rows] == [
        (submission.worker.pseudonym, submission.assignment.external_id, question["question"])
        for submission in generations
        for question in submission.content["questions"]
    ]
    assert {row["wh"] for row in rows} <= {"who", "what", "when", "where", "why"}


def test_file_has_what_was_picked_and_what_is_implied(project, tmp_path):
    first, *others = Submission.objects.filter(role="generator").order_by("pk")
    questions = first.content["questions"]
    questions[0] |= {"picked": 3, "implied": True}
    questions[-1] |= {"picked": None}
    first.save()
    export(project, tmp_path, "--format", "qasrl-csv")
    rows = rows_of(tmp_path / f"{project.slug}.generator.csv")
    assert tuple(rows[0]) == (*GOLD_COLUMNS, "picked", "is_implied")
    expected = [
        ("typed" if question["picked"] is None else str(question["picked"]))
        if "picked" in question
        else ""
        for submission in (first, *others)
        for question in submission.content["questions"]
    ]
    assert [row["picked"] for row in rows] == expected
    assert expected[0] == "3"
    assert "typed" in expected
    assert [row["is_implied"] for row in rows] == ["True", *[""] * (len(rows) - 1)]


def test_agreement_is_computed_from_the_file(project, tmp_path):
    export(project, tmp_path, "--format", "qasrl-csv")
    figures = json.loads(
        run("evaluate", "qasrl-workers", tmp_path / f"{project.slug}.generator.csv", "--json")
    )
    agreement = json.loads(run("agreement", project.slug, "--json"))["workers"]
    assert figures["UA"]["f1"] == agreement["UA"]["f1"]
    assert figures["LA"]["f1"] == agreement["LA"]["f1"]
    assert figures["items"] == agreement["items"] > 0


def test_consolidations_mark_redundant_questions_and_omit_invalid_questions(project, tmp_path):
    consolidation = Submission.objects.get(role="consolidator")
    questions = consolidation.content["questions"]
    invalid, redundant = (
        next(question for question in questions if question["verdict"] == verdict)
        for verdict in ("invalid", "redundant")
    )
    redundant["answers"] = [[3, 7]]
    consolidation.save()
    export(project, tmp_path, "--format", "qasrl-csv")
    rows = rows_of(tmp_path / f"{project.slug}.consolidator.csv")
    assert [(row["question"], row["is_redundant"]) for row in rows] == [
        (question["question"], str(question is redundant))
        for question in questions
        if question["answers"] and question is not invalid
    ]
    assert ("3:7", "True") in {(row["answer_range"], row["is_redundant"]) for row in rows}


def test_submission_without_questions_has_a_row(project, tmp_path):
    first = Submission.objects.filter(role="generator").first()
    first.content = {"questions": [], "no_question": "It is a name."}
    first.save()
    export(project, tmp_path, "--format", "qasrl-csv")
    rows = rows_of(tmp_path / f"{project.slug}.generator.csv")
    worker_rows = [row for row in rows if row["worker_id"] == first.worker.pseudonym]
    assert [(row["question"], row["answer_range"]) for row in worker_rows] == [("", "")]


def test_raw_ids_are_exported_only_on_request(project, tmp_path):
    worker = Submission.objects.filter(role="generator").first().worker
    export(project, tmp_path, "--format", "jsonl")
    path = tmp_path / f"{project.slug}.generator.jsonl"
    assert worker.external_id not in path.read_text()
    export(project, tmp_path, "--format", "jsonl", "--raw-worker-ids")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["worker_id"] == worker.external_id
    assert set(lines[0]) == {
        "sentence_id", "tokens", "target", "role", "worker_id", "assign_id", "content",
    }  # fmt: skip


def test_rejected_work_is_not_exported(project, tmp_path):
    Submission.objects.filter(role="consolidator").update(state=SubmissionState.REJECTED)
    files = export(project, tmp_path, "--format", "jsonl")
    assert list(files) == [f"{project.slug}.generator.jsonl"]
    Submission.objects.update(state=SubmissionState.REJECTED)
    with pytest.raises(CommandError, match="has no accepted submission") as excinfo:
        export(project, tmp_path, "--format", "jsonl")
    assert excinfo.value.returncode == 2
