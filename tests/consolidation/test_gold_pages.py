"""Tests of the gold upload: preview, column mapping, import and refusals."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet
from django.urls import reverse

from consolidation.models import Gold
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from schemes.registry import get_scheme
from tests.annotation.factories import NOW
from tests.annotation.uploads import preview_of, read_again
from tests.consolidation.test_import_gold import GOOD, HEADER, project
from tests.dashboard.campaign import make_user

__all__ = ["project"]
pytestmark = pytest.mark.django_db
UTF_8 = {"encoding": "utf-8"}


@pytest.fixture
def office(project, job_files, client):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def upload(client, content: str, name: str = "gold.csv", **fields: str):
    page = reverse("consolidation:gold_import", args=["corpus"])
    form = {"annotations": SimpleUploadedFile(name, content.encode()), "source": "expert", **fields}
    return preview_of(client, client.post(page, form, follow=True))


def confirm(client, page) -> Job:
    client.post(page.redirect_chain[-1][0])
    assert run_next_job(clock=lambda: NOW)
    return uploads().latest("pk")


def uploads() -> QuerySet[Job]:
    return Job.objects.filter(kind__in=("gold-import", "import"))


def test_gold_is_previewed_and_imported(office):
    rows = "a:9,1,x,Who?,0:1\na:2,1,purr,What purrs?,0:9\na:2,x,purr,What purrs?,0:1\n"
    page = upload(office, HEADER + GOOD + rows)
    read = page.context["read"]
    # The row without a position leaves out the predicate before it.
    assert (read.added, read.known, read.unknown, read.error_count) == (1, 0, 1, 1)
    assert [(row.item.key, row.units, row.note) for row in read.rows] == [("a:1/2", 2, "new")]
    html = page.content.decode()
    assert "gold.csv, line 4: no item &#x27;a:9/1&#x27; in the project." in html
    assert "Import gold of 1 verb<" in html
    assert not Gold.objects.exists()
    job = confirm(office, page)
    assert (job.state, job.result["added"], job.result["error_count"]) == ("finished", 1, 2)
    assert {error["file"] for error in job.result["errors"]} == {"gold.csv"}
    assert Gold.objects.get().source == "expert"
    assert (
        "Gold of 1 items added"
        in office.get(page.redirect_chain[0][0], follow=True).content.decode()
    )
    read = upload(office, HEADER + GOOD).context["read"]
    assert (read.added, read.known, read.rows[0].note) == (0, 1, "unchanged")


def test_columns_with_other_names_are_mapped(office):
    rows = [row.split(",") for row in GOOD.strip().split("\n")]
    lines = ["Sentence ID,Verb-idx,Q,Answer range", *(",".join(row[:2] + row[3:]) for row in rows)]
    page = upload(office, "\n".join(lines))
    guess = {
        "qasrl_id": "Sentence ID",
        "verb_idx": "Verb-idx",
        "question": "Q",
        "answer_range": "Answer range",
    }
    assert uploads().get().parameters["reading"]["columns"] == guess
    assert page.context["read"].added == 1
    address = page.redirect_chain[-1][0]
    chosen = {f"column-{name}": theirs for name, theirs in guess.items()}
    same = office.post(address + "?read", {**chosen, "column-question": "Sentence ID", **UTF_8})
    assert same.status_code == 422
    swapped = {"column-qasrl_id": "Q", "column-question": "Sentence ID"}
    wrong = read_again(office, address, {**chosen, **swapped, **UTF_8})
    assert (wrong.context["read"].added, wrong.context["read"].unknown) == (0, 2)
    page = read_again(office, address, {**chosen, **UTF_8})
    assert page.context["read"].added == 1
    assert confirm(office, page).result["added"] == 1


def test_choice_of_columns_is_remembered_for_the_same_header(office):
    content = "who,where,what,span,note\na:1,2,Who sold something?,0:1,a?\n"
    page = upload(office, content)
    form = {"column-qasrl_id": "who", "column-verb_idx": "where", "column-question": "what"}
    address = page.redirect_chain[-1][0]
    office.post(address + "?read", {**form, "column-answer_range": "span", **UTF_8})
    upload(office, content)
    first, second = uploads().order_by("pk")
    assert second.parameters["reading"] == first.parameters["reading"]
    assert second.parameters["reading"]["columns"]["question"] == "what"


def test_format_of_a_file_that_is_not_recognised_is_chosen_in_the_preview(office):
    page = upload(office, "{}\n" * 3, "gold.jsonl")
    html = page.content.decode()
    assert "gold.jsonl: has an unknown format" in html
    assert "Import" not in html.split("Discard")[0].split("<h1>")[1]
    page = read_again(office, page.redirect_chain[-1][0], {"fmt": "qasrl-bank", **UTF_8})
    assert "gold.jsonl: has an unknown format" not in page.content.decode()
    assert page.context["read"].error_count == 3


def test_gold_is_read_by_a_job_only(office):
    form = {"annotations": SimpleUploadedFile("gold.csv", (HEADER + GOOD).encode())}
    address = reverse("consolidation:gold_import", args=["corpus"])
    page = office.post(address, {**form, "source": "expert"}, follow=True)
    html = page.content.decode()
    assert "Reading the file" in html
    assert "every '0.5s'" in html
    assert "Import gold" not in html
    preview = preview_of(office, page).content.decode()
    assert "Import gold of 1 verb<" in preview
    for _ in range(8):
        office.get(page.redirect_chain[-1][0])
    assert Job.objects.filter(kind="gold-check").count() == 1


def test_gold_without_a_usable_row_fails_and_names_its_rows(office):
    page = upload(office, HEADER + "a:1,x,sold,Who?,0:1\n" * 25, fmt="qasrl-csv")
    job = confirm(office, page)
    assert (job.state, job.problem) == ("failed", "None of the 25 annotations could be used.")
    rows = office.get(reverse("consolidation:gold_bad_rows", args=["corpus", job.pk]))
    lines = rows.getvalue().decode().splitlines()
    assert (lines[0], len(lines)) == ("file,line,field,message", 26)
    assert lines[1].startswith("gold.csv,2,verb_idx,")


def test_upload_can_be_discarded(office):
    page = upload(office, HEADER + GOOD)
    office.post(page.redirect_chain[-1][0], {"discard": "1"})
    assert uploads().get().state == JobState.CANCELLED


def test_upload_without_a_file_is_refused(office):
    page = office.post(reverse("consolidation:gold_import", args=["corpus"]), {"source": "expert"})
    assert page.status_code == 422
    assert not Job.objects.exists()


def test_large_file_is_previewed_in_part_and_imported_completely(office, monkeypatch):
    monkeypatch.setattr("consolidation.domain.gold.import_gold.MAX_PREVIEWED", 1)
    page = upload(office, HEADER + GOOD + "a:2,1,purr,What purrs?,0:1\n")
    assert (page.context["read"].whole, page.context["read"].added) == (False, 1)
    assert confirm(office, page).result["added"] == 2


# Custom schemes have no sample.
@pytest.mark.parametrize("scheme", ["frames", "grounding"])
def test_sample_gold_of_other_schemes_is_read(client, job_files, scheme, tmp_path):
    sample = get_scheme(scheme).sample
    assert sample
    project = create_project(slug="corpus", scheme=scheme, now=NOW)
    office = client
    office.force_login(make_user("rita", project, MemberRole.REQUESTER))
    sample_page = reverse("annotation:corpus_sample", args=["corpus"])
    page = preview_of(office, office.post(sample_page, follow=True))
    confirm(office, page)
    files = [SimpleUploadedFile(path.name, path.read_bytes()) for path in sample.gold]
    address = reverse("consolidation:gold_import", args=["corpus"])
    page = office.post(address, {"annotations": files, "source": "expert"}, follow=True)
    page = preview_of(office, page)
    assert (page.context["read"].problem, page.context["read"].error_count) == (None, 0)
    assert confirm(office, page).result["added"] == project.items.count()


def test_pages_link_to_the_upload(office):
    address = reverse("consolidation:gold_import", args=["corpus"])
    for page in ("datasets:quality", "datasets:gold", "dashboard:project"):
        html = office.get(reverse(page, args=["corpus"])).content.decode()
        assert address in html
        assert "manage.py import_gold" not in html
    assert office.get(address).status_code == 200
