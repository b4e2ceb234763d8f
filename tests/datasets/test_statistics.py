"""Statistics of a project with records, compared with counts of its files."""

import csv
import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from schemes.frames.records import read_records
from schemes.registry import SCHEMES
from tests.schemes.frames.corpus_files import write_corpus
from tests.schemes.labels.scheme import SCHEME as LABELS

pytestmark = pytest.mark.django_db
RECORDS = 40


def refuse(error):
    raise error


@pytest.fixture
def files(tmp_path):
    files = write_corpus(tmp_path, records=RECORDS)
    call_command("create_project", "f", scheme="frames")
    call_command("import_corpus", "f", files.sentences, format="conllu", items=files.records)
    gold = [*files.records, files.confidence]
    call_command("import_gold", "f", *gold, format="semeval", source="expert")
    return files


def statistics(**options):
    output = StringIO()
    call_command("frame_statistics", "f", stdout=output, **options)
    return output.getvalue()


def test_counts_equal_those_of_the_files(files):
    counted = json.loads(statistics(json=True))["groups"]["gold"]
    frames = list(read_records(files.task_a, on_error=refuse))
    elements = list(read_records(files.task_b1, on_error=refuse))
    roles = list(read_records(files.task_b2, on_error=refuse))
    confidences = [int(line.split()[2]) for line in files.confidence.read_text().splitlines()]
    tokens = [line for line in files.sentences.read_text().splitlines() if line[:1].isdigit()]
    heads = [argument.positions for record in elements for argument in record.arguments]
    expected = {
        "records": RECORDS,
        "sentences": RECORDS,
        "tokens": len(tokens),
        "verb_forms": len({record.lemma for record in frames}),
        "frame_types": len({record.frame for record in frames}),
        "elements": len(heads),
        "element_types": len({(r.frame, a.role) for r in elements for a in r.arguments}),
        "role_arguments": sum(len(record.arguments) for record in roles),
        "role_types": len({a.role for record in roles for a in record.arguments}),
        "multi_word_units": sum(len(positions) > 1 for positions in heads)
        + sum(len(record.positions) > 1 for record in frames),
        "mean_confidence": pytest.approx(sum(confidences) / RECORDS),
    }
    assert {name: counted[name] for name in expected} == expected


def test_frames_are_listed_by_confidence_and_frequency(files):
    report = json.loads(statistics(json=True))
    by_frame = Counter(record.frame for record in read_records(files.task_a, on_error=refuse))
    assert report["frequencies"] == by_frame
    assert list(report["frequencies"].values()) == sorted(by_frame.values(), reverse=True)
    highest, lowest, frames, roles = report["tables"]
    means = [row[1] for row in highest["rows"]]
    assert means == sorted(means, reverse=True)
    assert [row[1] for row in lowest["rows"]] == sorted(means)
    assert sum(row[2] for row in highest["rows"]) == RECORDS
    assert [row[1] for row in frames["rows"] if "all verbs" in row[0]] == [RECORDS, RECORDS]
    assert all(sum(row[2:]) == pytest.approx(100, abs=0.2) for row in roles["rows"])
    text = statistics()
    assert "Suggested roles, each record left out" in text


def test_csv_has_a_column_per_group(files):
    header, *rows = csv.reader(StringIO(statistics(csv=True)))
    assert header == ["", "Gold", "All", "Skipped", "In progress", "Gold, no partition"]
    table = {name: values for name, *values in rows}
    assert table["Records"] == [str(RECORDS), str(RECORDS), "0", "0", str(RECORDS)]
    assert {"Read: seconds", "Rate: moves"} <= set(table)


def test_scheme_without_statistics_is_refused(monkeypatch):
    monkeypatch.setitem(SCHEMES, LABELS.name, LABELS)
    call_command("create_project", "q", scheme="labels")
    with pytest.raises(CommandError, match="does not support statistics"):
        call_command("frame_statistics", "q")


def test_page_shows_the_table_and_the_chart(files, admin_client, monkeypatch):
    page = admin_client.get(reverse("datasets:statistics", args=["f"]))
    assert page.status_code == 200
    assert "Frames with the lowest mean confidence" in page.content.decode()
    chart = admin_client.get(reverse("datasets:frequency_chart", args=["f"]))
    assert b"<svg" in chart.content
    table = b"".join(admin_client.get(reverse("datasets:statistics_csv", args=["f"])))
    assert table.decode().startswith(",Gold,All")
    monkeypatch.setitem(SCHEMES, LABELS.name, LABELS)
    call_command("create_project", "q", scheme="labels")
    elsewhere = admin_client.get(reverse("datasets:statistics", args=["q"]))
    assert elsewhere.url == reverse("dashboard:project", args=["q"])


def test_effort_has_no_rows_without_steps(admin_client):
    call_command("create_project", "q", scheme="qasrl")
    page = admin_client.get(reverse("datasets:statistics", args=["q"])).content.decode()
    assert "Free-form questions" in page
    assert "Active seconds" not in page
