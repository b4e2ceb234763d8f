"""Exports of validated gold."""

import csv
import gzip
import json
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from annotation.models import Submission
from consolidation.domain.experts.monitor import draw_due_reviews
from consolidation.domain.gold.import_gold import import_gold
from consolidation.models import Gold, Review
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.models import Project
from tests.consolidation.experts import set_review_rate
from tests.consolidation.factories import correct
from tests.consolidation.validation import MIGHT, WHAT, WHERE, clock, make_validated_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db
STEM = "wikinews.dev.gold"


@pytest.fixture
def project() -> Project:
    return make_validated_project()


def export(project: Project, folder: Path, fmt: str) -> dict:
    return export_gold(project=project, options=ExportOptions(fmt=fmt), folder=folder).manifest


def labels_of(folder: Path) -> dict:
    with gzip.open(folder / f"{STEM}.jsonl.gz", "rt", encoding="utf-8") as file:
        (entry,) = map(json.loads, file)
    (verb,) = entry["verbEntries"].values()
    return verb["questionLabels"]


def pseudonyms(role: str) -> list[str]:
    submissions = Submission.objects.filter(role=role).order_by("pk")
    return [submission.worker.pseudonym for submission in submissions]


def sources(role: str) -> list[str]:
    """Return the annotators of a role under their names in the QA-SRL Bank."""
    return [f"turk-{pseudonym}" for pseudonym in pseudonyms(role)]


def test_csv_has_valid_questions_with_disjoint_answers(project, tmp_path):
    manifest = export(project, tmp_path, "qasrl-csv")
    assert manifest["source"] == "validated"
    assert manifest["rules"]["validation"] == "qasrl.validation.v1"
    with (tmp_path / f"{STEM}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["question"], row["answer"]) for row in rows] == [
        (MIGHT, "USGS~!~that basin"),
        (WHAT, "natural gas"),
    ]
    generation = Submission.objects.get(role="generator")
    assert {row["worker_id"] for row in rows} == {generation.worker.pseudonym}
    assert {row["source_assign_id"] for row in rows} == {generation.assignment.external_id}


def test_bank_has_every_judgment(project, tmp_path):
    export(project, tmp_path, "qasrl-bank")
    labels = labels_of(tmp_path)
    (generator,), (first, second) = sources("generator"), sources("validator")
    assert list(labels) == [MIGHT, WHAT, WHERE]
    assert {tuple(label["questionSources"]) for label in labels.values()} == {(generator,)}

    def judgments_of(question):
        return [
            (judgment["sourceId"], judgment["isValid"], judgment.get("spans"))
            for judgment in labels[question]["answerJudgments"]
        ]

    assert judgments_of(WHAT) == [
        ("turk-validated-gold", True, [[20, 22]]),
        (generator, True, [[20, 22]]),
        (first, True, [[20, 22]]),
        (second, True, [[21, 22]]),
    ]
    assert judgments_of(WHERE) == [
        ("turk-validated-gold", False, None),
        (generator, True, [[0, 2]]),
        (first, True, [[0, 2]]),
        (second, False, None),
    ]


@pytest.mark.parametrize(("fmt", "suffix"), [("qasrl-csv", "csv"), ("qasrl-bank", "jsonl.gz")])
def test_exported_gold_is_unchanged_after_import(project, tmp_path, fmt, suffix):
    export(project, tmp_path, fmt)
    before = Gold.objects.get()
    item = before.item
    item.key = f"{item.sentence.external_id}/{item.target['verb_idx']}"
    item.save()
    report = import_gold(
        project=project,
        paths=[tmp_path / f"{STEM}.{suffix}"],
        fmt=fmt,
        source="imported",
        on_error=pytest.fail,
        now=NOW,
    )
    assert report.added == 1
    assert Gold.objects.get(source="imported").content == before.content


def test_json_lines_name_the_author_of_each_answer(project, tmp_path):
    export(project, tmp_path, "jsonl")
    entry = json.loads((tmp_path / f"{STEM}.jsonl").read_text("utf-8"))
    first, second = pseudonyms("validator")
    assert [origin["valid"] for origin in entry["provenance"]] == [2, 2]
    assert entry["provenance"][0]["answers"] == [
        {"generator": False, "validators": [second]},
        {"generator": True, "validators": [first, second]},
    ]
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "FitzGerald" in card
    assert "same verdict on 66.7 % of the questions" in card


def test_experts_correction_is_exported_with_the_judgments(project, tmp_path):
    set_review_rate(project=project, per_thousand=1000)
    assert draw_due_reviews(clock=clock) == 1
    gold = Gold.objects.get()
    content = {
        "questions": [gold.content["questions"][0], {"question": WHAT, "answers": [[21, 22]]}]
    }
    expert = get_user_model().objects.create_user("expert")
    correct(
        review=Review.objects.get(), expert=expert, content=content, comment="too long", now=NOW
    )
    assert Gold.objects.filter(source="validated").count() == 2
    assert draw_due_reviews(clock=clock) == 0
    export(project, tmp_path, "qasrl-bank")
    judgments = labels_of(tmp_path)[WHAT]["answerJudgments"]
    assert judgments[0] == {"sourceId": "turk-expert-gold", "isValid": True, "spans": [[21, 22]]}
    assert [judgment["sourceId"] for judgment in judgments[2:]] == sources("validator")
