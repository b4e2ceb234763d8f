"""Bad rows: the first ones are shown, and all are in a file, at every entrance."""

import csv

import pytest
from django.urls import reverse

from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from tests.annotation.factories import NOW
from tests.annotation.test_any_table import command, office, project, refusal, upload, written

__all__ = ["office", "project"]
pytestmark = pytest.mark.django_db
HEADER = "qasrl_id,tokens\n"
GOOD = "a:0,The dog barked .\n"
BAD = "".join(f"=a:{number},\n" for number in range(30))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_command_shows_twenty_rows_and_writes_all(project, folder):
    path = written(folder, "s.csv", (HEADER + GOOD + BAD).encode())
    facts, errors = command("import_corpus", "corpus", path)
    assert (facts["sentences_added"], facts["error_count"]) == (1, 30)
    assert errors.count("tokens: is empty") == 20
    [file] = folder.glob("corpus.bad-rows.*.csv")
    assert f"The first 20 of 30 bad rows are above. All of them are in {file.name}." in errors
    rows = rows_of(file.read_text())
    assert rows[0] == ["file", "line", "field", "message"]
    assert (len(rows), rows[-1][1:3]) == (31, ["32", "tokens"])


def test_command_writes_few_rows_only_if_a_file_is_named(project, folder):
    path = written(folder, "s.csv", (HEADER + GOOD + BAD[:12]).encode())
    command("import_corpus", "corpus", path)
    assert [file.name for file in folder.glob("*.csv")] == ["s.csv"]
    _, errors = command("import_corpus", "corpus", path, bad_rows=folder / "bad.csv")
    assert "bad.csv" in errors
    assert len(rows_of((folder / "bad.csv").read_text())) == 3


def test_command_without_a_usable_row_fails(project, folder):
    path = written(folder, "s.csv", (HEADER + BAD).encode())
    problem, errors = refusal("import_corpus", "corpus", path)
    assert problem == "None of the 30 rows could be imported."
    assert "All of them are in" in errors


def test_empty_table_and_known_rows_are_no_failure(project, folder):
    path = written(folder, "s.csv", (HEADER + GOOD).encode())
    command("import_corpus", "corpus", path)
    facts, _ = command("import_corpus", "corpus", path)
    assert (facts["sentences_added"], facts["sentences_known"]) == (0, 1)
    both = written(folder, "t.csv", (HEADER + GOOD + BAD).encode())
    facts, _ = command("import_corpus", "corpus", both)
    assert (facts["sentences_known"], facts["error_count"]) == (1, 30)


def test_strict_import_stops_at_the_first_row(project, folder):
    path = written(folder, "s.csv", (HEADER + GOOD + BAD).encode())
    problem, errors = refusal("import_corpus", "corpus", path, strict=True)
    assert "line 3" in problem
    assert problem.endswith("Nothing was imported.")
    assert errors == ""


def test_page_links_to_all_bad_rows(office, project):
    page = upload(office, "=s.csv", (HEADER + GOOD + BAD).encode())
    office.post(page.redirect_chain[-1][0])
    run_next_job(clock=lambda: NOW)
    job = Job.objects.get(kind="import")
    html = office.get(reverse("annotation:corpus", args=["corpus"])).content.decode()
    address = reverse("annotation:bad_rows", args=["corpus", job.pk])
    assert address in html
    rows = rows_of(office.get(address).getvalue().decode())
    assert len(rows) == 31
    assert rows[1] == ["'=s.csv", "3", "tokens", "is empty."]


def test_page_without_a_usable_row_fails(office, project):
    page = upload(office, "s.csv", (HEADER + BAD).encode())
    assert not page.context["read"].can_be_imported
    office.post(page.redirect_chain[-1][0])
    run_next_job(clock=lambda: NOW)
    job = Job.objects.get(kind="import")
    assert (job.state, job.problem) == ("failed", "None of the 30 rows could be imported.")
    assert job.result["error_count"] == 30


def test_file_of_an_import_without_bad_rows_is_empty(office, project):
    page = upload(office, "s.csv", (HEADER + GOOD).encode())
    office.post(page.redirect_chain[-1][0])
    run_next_job(clock=lambda: NOW)
    address = reverse("annotation:bad_rows", args=["corpus", Job.objects.get(kind="import").pk])
    assert rows_of(office.get(address).getvalue().decode()) == [
        ["file", "line", "field", "message"]
    ]
    assert office.get(reverse("annotation:bad_rows", args=["corpus", 99])).status_code == 404


def test_file_that_can_not_be_read_is_named_in_the_preview(office, project):
    page = upload(office, "a.pdf", b"%PDF-1.7")
    html = page.content.decode()
    assert "a.pdf: is a PDF. Export its text" in html
    assert 'class="primary">Import' not in html
