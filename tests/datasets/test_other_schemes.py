"""Datasets of a scheme with one label per sentence, which has an accuracy instead of an F1."""

import csv
import io
import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.enums import SubmissionState
from annotation.models import Item, Sentence, Submission
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.index_gold import rebuild_index
from datasets.domain.agreement.agreement import worker_agreement
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from datasets.domain.quality.quality import quality_report
from datasets.models import Decision
from projects.domain.create_project import create_project
from projects.enums import MemberRole, Role
from projects.models import Project
from schemes.registry import SCHEMES
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db
# The labels of the gold and of the expert.
LABELS = [("positive", "positive"), ("negative", "positive"), ("neutral", "neutral")]


@pytest.fixture
def project(monkeypatch) -> Project:
    """Create three sentences with gold, expert gold and the annotations of two workers."""
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    pay = SCHEME.vocabulary.pay_presets["labels"]
    project = create_project(slug="moods", scheme=SCHEME.name, pay_scheme=pay, now=NOW)
    workers = [make_worker(), make_worker()]
    for at, labels in enumerate(LABELS):
        sentence = Sentence.objects.create(
            project=project, external_id=f"s{at}", tokens=["What", "a", "day", "!"]
        )
        item = Item.objects.create(
            project=project, sentence=sentence, key=f"s{at}/0", target={}, position=at
        )
        for worker, label in zip(workers, labels, strict=True):
            annotate(item, worker, label)
        for source, label in zip(("imported", "expert"), labels, strict=True):
            add_gold(item=item, source=source, content={"label": label}, provenance=[{}], now=NOW)
    return project


def annotate(item: Item, worker, label: str) -> None:
    Submission.objects.create(
        item=item,
        role=Role.GENERATOR,
        worker=worker,
        assignment=make_assignment(worker=worker),
        content={"label": label},
        schema_version=1,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )


@pytest.fixture
def client(project) -> Client:
    client = Client()
    client.force_login(make_user("eva", project, MemberRole.EXPERT, MemberRole.REQUESTER))
    return client


def page(client, name: str, project: Project, *arguments, **query) -> str:
    response = client.get(reverse(name, args=[project.slug, *arguments]), query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


QUALITY = {"source": "imported", "against": "expert"}


def test_quality_has_the_declared_figure(project, client):
    text = page(client, "datasets:quality", project, **QUALITY)
    assert re.search(r'<th scope="col" class="number">\s*Accuracy\b', text)
    assert text.count('<td class="number">66.7 %</td>') == 3
    response = client.get(reverse("datasets:quality_file", args=["moods", "csv"]), QUALITY)
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert rows[0] == {
        "reference": "expert",
        "predicted": "imported",
        "matching": "automatic",
        "items": "3",
        "accuracy_items": "3",
        "accuracy_value": str(2 / 3),
    }
    out = StringIO()
    call_command("quality", "moods", "--source", "imported", "--json", stdout=out)
    assert json.loads(out.getvalue())["yields"]["expert"] == {
        "items": 3, "labels": 3, "labels_per_item": 1,
    }  # fmt: skip


def test_decisions_use_the_kinds_and_keys_of_the_scheme(project, client):
    item = project.items.get(key="s1/0")
    text = page(client, "datasets:quality_item", project, item.pk, **QUALITY)
    assert "Accept this label" in text
    assert "Refuse this label" not in text
    url = reverse("datasets:decide_match", args=["moods", item.pk])
    decision = json.dumps(["accepted", "label", "label"])
    assert client.post(url, {**QUALITY, "decision": decision}).status_code == 302
    report = quality_report(project=project, **QUALITY)
    assert report.automatic.totals["accuracy"]["value"] == 2 / 3
    assert report.corrected.totals["accuracy"]["value"] == 1
    decision = json.dumps(["refused", "label", "label"])
    assert client.post(url, {**QUALITY, "decision": decision}).status_code == 302
    assert quality_report(project=project, **QUALITY).corrected == report.automatic
    assert client.post(url, {**QUALITY, "undo": Decision.objects.last().pk}).status_code == 302
    assert not Decision.objects.exists()


def test_agreement_compares_both_directions(project, client, tmp_path):
    report = worker_agreement(project=project)
    agreement = report.figures["accuracy"]
    assert (report.items, agreement.value, agreement.mean) == (3, 2 / 3, 2 / 3)
    assert agreement.total == {"items": 6, "value": 2 / 3}
    assert (agreement.interval.low, agreement.interval.high) == (0, 1)
    assert "66.7 %" in page(client, "datasets:agreement", project)
    out, plot = StringIO(), tmp_path / "moods.svg"
    call_command("agreement", "moods", "--json", "--plot", plot, stdout=out)
    workers = json.loads(out.getvalue())["workers"]
    assert workers["accuracy"] == {"value": 2 / 3, "mean_value": 2 / 3, "interval": [0, 1]}
    assert "Agreement, Accuracy in %" in plot.read_text("utf-8")


@pytest.mark.parametrize("fmt", ["labels-csv", "jsonl"])
def test_export_counts_the_totals_of_the_scheme(project, tmp_path, fmt):
    options = ExportOptions(fmt=fmt, source="expert")
    manifest = export_gold(project=project, options=options, folder=tmp_path).manifest
    assert manifest["counts"] == {"items": 3, "labels": 3}
    card = (tmp_path / "README.md").read_text("utf-8")
    assert f"3 items with 3 labels (1.00 per item), as `{fmt}`." in card
    assert "Accuracy 66.7 % (95 % interval 0.0 % to 100.0 %)" in card


def test_format_of_another_scheme_is_refused(project, tmp_path):
    words = ("moods", "--format", "qasrl-csv", "--source", "expert", "--out", str(tmp_path / "x"))
    with pytest.raises(CommandError, match="Choose from: labels-csv, jsonl") as excinfo:
        call_command("export_gold", *words)
    assert excinfo.value.returncode == 2
    assert not (tmp_path / "x").exists()


def test_gold_is_searchable_by_the_fields_of_the_scheme(project, client):
    rebuild_index(project=project)
    text = page(client, "datasets:gold", project, content="neutral")
    assert text.count('class="panel gold-found"') == 1
    assert '<label for="id_content">Label' in text
    sentence = project.sentences.get(external_id="s2")
    assert "neutral" in page(client, "datasets:gold_sentence", project, sentence.pk)


def test_pages_hide_optional_parts_that_a_scheme_lacks(project, client, monkeypatch):
    smaller = replace(SCHEME, search=None, exports=None, merging=None, validating=None)
    monkeypatch.setitem(SCHEMES, SCHEME.name, smaller)
    rebuild_index(project=project)
    assert "id_content" not in page(client, "datasets:gold", project)
    exports = page(client, "datasets:exports", project)
    assert '<option value="jsonl">' in exports
    assert "labels-csv" not in exports
    assert "66.7 %" in page(client, "datasets:agreement", project)


def test_page_queries_do_not_depend_on_the_number_of_items(project, client):
    rebuild_index(project=project)
    sentence = project.sentences.get(external_id="s2")

    def count(name: str, *arguments, **query) -> int:
        with CaptureQueriesContext(connection) as queries:
            page(client, name, project, *arguments, **query)
        return len(queries)

    requests = [
        ("datasets:quality", (), QUALITY),
        ("datasets:gold", (), {"source": "expert"}),
        ("datasets:gold_sentence", (sentence.pk,), {}),
    ]
    initial = [count(name, *arguments, **query) for name, arguments, query in requests]
    for at in range(3, 9):
        item = project.items.get(key="s2/0")
        other = Item.objects.create(
            project=project, sentence=item.sentence, key=f"s2/{at}", target={}, position=at
        )
        for source in ("imported", "expert"):
            add_gold(
                item=other,
                source=source,
                content={"label": "neutral"},
                provenance=[{}],
                now=NOW,
            )
    assert [count(name, *arguments, **query) for name, arguments, query in requests] == initial
