"""Imports of uploaded corpora, from the upload to the report of the job."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.models import Sentence
from audit.models import StateChange
from jobs.domain.kinds import ATTEMPTS
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from jobs.tasks import run_jobs
from tests.annotation.test_import_checks import bank
from tests.schemes.workbooks import containers

pytestmark = pytest.mark.django_db
TEXT = "The committee rejected the proposal.\n\nNobody objected to the debate.\n"
SENTENCES = "qasrl_id,tokens,sentence\na:1,The dog barked .,x\na:2,The cat slept .,x\n"
ITEMS = "qasrl_id,verb_idx,verb,question,answer_range\na:1,2,barked,Who barked?,0:1\n"


def url(*arguments):
    return reverse("api:import" if arguments else "api:imports", args=["demo", *arguments])


def upload(api, text=TEXT, *, name="corpus.txt", items=None, items_name="items.csv", **fields):
    files = {"files": SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)}
    if items is not None:
        files["items_files"] = SimpleUploadedFile(items_name, items.encode())
    return api.post(url(), {"format": "text", **files, **fields})


def stored_files(settings) -> list:
    return [path for path in settings.UPLOAD_DIR.rglob("*") if path.is_file()]


def test_corpus_is_queued_then_imported_and_its_file_deleted(api, project, settings):
    response = upload(api, domain="wikinews", partition="dev")
    assert response.status_code == 202
    queued = response.json()
    assert (queued["state"], queued["sentences_read"]) == ("queued", 0)
    assert queued["files"] == [{"name": "corpus.txt", "bytes": len(TEXT)}]
    assert api.get(response.headers["Location"]).json() == queued
    assert len(stored_files(settings)) == 1
    run_jobs()
    report = api.get(response.headers["Location"]).json()
    assert report["state"] == "finished"
    assert (report["sentences_read"], report["sentences_added"]) == (2, 2)
    assert report["items_added"] == project.items.count() > 0
    assert report["error_count"] == 0
    assert set(Sentence.objects.values_list("domain", "partition")) == {("wikinews", "dev")}
    assert stored_files(settings) == []
    moves = StateChange.objects.filter(aggregate="jobs.Job").order_by("pk")
    assert [move.new for move in moves] == ["queued", "running", "finished"]
    assert moves[0].actor.startswith("rita by token")


@pytest.mark.parametrize("strict", [False, True])
def test_import_that_breaks_off_counts_what_it_has_stored(strict, api, project):
    """The sentences of a batch are stored before its items."""
    location = upload(api, **({"strict": "true"} if strict else {})).headers["Location"]

    def break_off(execute, sql, params, many, context):
        if "annotation_item" in sql and project.sentences.exists():
            raise RuntimeError
        return execute(sql, params, many, context)

    for _ in range(ATTEMPTS - 1):
        with connection.execute_wrapper(break_off), pytest.raises(RuntimeError):
            run_next_job(clock=timezone.now)
        report = api.get(location).json()
        assert (report["state"], report["sentences_added"]) == ("queued", 0 if strict else 2)
        assert project.sentences.count() == report["sentences_added"]
        assert project.items.count() == report["items_added"] == 0
    run_next_job(clock=timezone.now)
    report = api.get(location).json()
    assert (report["state"], report["sentences_added"], report["sentences_known"]) == (
        "finished",
        2,
        0,
    )
    assert report["items_added"] == project.items.count() > 0


def test_several_files_are_imported_with_their_items(api, project):
    second_text = SENTENCES.replace("a:", "b:")
    files = [
        SimpleUploadedFile("a.csv", SENTENCES.encode()),
        SimpleUploadedFile("b.csv", second_text.encode()),
    ]
    form = {"format": "qasrl-csv", "files": files}
    form["items_files"] = SimpleUploadedFile("items.csv", ITEMS.encode())
    location = api.post(url(), form).headers["Location"]
    run_jobs()
    report = api.get(location).json()
    assert (report["state"], report["sentences_added"], report["items_added"]) == ("finished", 4, 1)


def test_bad_rows_are_reported_with_the_uploaded_file_name(api, project):
    bad = SENTENCES + "a:3\n"
    location = upload(api, bad, name="cor pus.csv", items=ITEMS, format="qasrl-csv").headers[
        "Location"
    ]
    run_jobs()
    report = api.get(location).json()
    assert (report["state"], report["sentences_added"], report["error_count"]) == ("finished", 2, 1)
    [error] = report["errors"]
    assert (error["file"], error["line"]) == ("cor pus.csv", 4)


def test_strict_import_with_a_bad_row_stores_nothing(api, project, settings):
    bad = SENTENCES + "a:3\n"
    location = upload(
        api, bad, name="c.csv", items=ITEMS, format="qasrl-csv", strict="true"
    ).headers["Location"]
    run_jobs()
    report = api.get(location).json()
    assert (report["state"], report["sentences_added"], Sentence.objects.count()) == (
        "failed",
        0,
        0,
    )
    assert report["problem"].startswith("c.csv, line 4")
    assert "Nothing was imported" in report["problem"]
    assert str(settings.UPLOAD_DIR) not in report["problem"]


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"no,columns\n1,2\n", b""])
def test_unreadable_file_fails_with_a_reason(api, project, settings, text):
    text = text or b"\n"
    location = upload(api, text, name="c.csv", format="qasrl-csv").headers["Location"]
    run_jobs()
    report = api.get(location).json()
    assert report["state"] == "failed"
    assert "c.csv" in report["problem"]
    assert str(settings.UPLOAD_DIR) not in report["problem"]
    assert stored_files(settings) == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"format": "excel"}, "format"),
        ({"partition": "gold"}, "partition"),
        ({"domain": "x" * 61}, "domain"),
        ({"domain": "x\0"}, "domain"),
        ({"strict": "perhaps"}, "strict"),
    ],
)
def test_invalid_field_is_identified(api, project, settings, fields, field):
    response = upload(api, **fields)
    assert response.status_code == 400
    assert [error["attr"] for error in response.json()["errors"]] == [field]
    assert (Job.objects.count(), stored_files(settings)) == (0, [])


def test_upload_without_a_file_is_refused(api, project):
    response = api.post(url(), {"format": "text"})
    assert response.json()["errors"][0]["attr"] == "files"


def test_body_other_than_a_form_is_refused(api, project):
    response = api.post(url(), "--x\r\nnonsense", content_type="multipart/form-data; boundary=y")
    assert response.status_code == 400
    response = api.post(url(), {"format": "text"}, content_type="application/json")
    assert response.status_code == 415


def test_oversized_upload_is_refused(api, project, settings):
    settings.API_UPLOAD_MAX_BYTES = 1000
    response = upload(api, "x" * 1000)
    assert response.status_code == 413
    assert Job.objects.count() == 0


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a/..b", "a" * 150, "ä ö\n.txt"]
)
def test_file_name_cannot_escape_the_upload_folder(api, project, settings, name):
    response = upload(api, name=name)
    assert response.status_code == 202
    [stored_file] = stored_files(settings)
    assert stored_file.resolve().parent.parent == settings.UPLOAD_DIR.resolve()


def test_repeat_with_the_same_key_uploads_once(api, project):
    key = {"Idempotency-Key": "corpus-1"}

    def upload_with_key(text):
        file = SimpleUploadedFile("c.txt", text.encode())
        return api.post(url(), {"format": "text", "files": file}, headers=key)

    first = upload_with_key(TEXT)
    assert upload_with_key(TEXT).json() == first.json()
    assert upload_with_key("Other text.").status_code == 422
    assert Job.objects.count() == 1


def test_import_of_a_dead_process_is_retried_when_its_lease_ends(api, project, settings):
    location = upload(api).headers["Location"]
    now = timezone.now()
    Job.objects.update(state="running", attempts=1, leased_until=now + settings.LEASE)
    assert not run_next_job(clock=lambda: now)
    later = now + settings.LEASE + timedelta(seconds=1)
    assert run_next_job(clock=lambda: later)
    assert api.get(location).json()["state"] == "finished"


def test_import_that_kills_every_process_fails(api, project, settings):
    location = upload(api).headers["Location"]
    Job.objects.update(state="running", attempts=ATTEMPTS, leased_until=None)
    run_jobs()
    report = api.get(location).json()
    assert report["state"] == "failed"
    assert report["problem"].startswith(f"Gave up after {ATTEMPTS} attempts")
    assert stored_files(settings) == []


def test_lost_upload_fails_with_a_reason(api, project, settings):
    location = upload(api).headers["Location"]
    [file] = stored_files(settings)
    file.unlink()
    run_jobs()
    report = api.get(location).json()
    assert report["state"] == "failed"
    assert "corpus.txt" in report["problem"]


def test_imports_are_listed_newest_first_by_state(api, project):
    first = upload(api).json()["id"]
    run_jobs()
    second = upload(api).json()["id"]
    assert [entry["id"] for entry in api.get(url()).json()["results"]] == [second, first]
    assert [entry["id"] for entry in api.get(url(), {"state": "queued"}).json()["results"]] == [
        second
    ]


def test_encoding_is_named_not_guessed(api, project):
    text = "Мария sold шляпу .\n".encode("windows-1251")
    report = finished(api, upload(api, text))
    assert (report["state"], report["encoding"]) == ("failed", "utf-8")
    assert "line 1: is not UTF-8 text (byte 0xCC at character 1)" in report["problem"]
    report = finished(api, upload(api, text, encoding="windows-1251"))
    assert (report["state"], report["encoding"]) == ("finished", "windows-1251")
    assert Sentence.objects.get().tokens[0] == "Мария"
    report = finished(api, upload(api, "He ran .\n".encode("utf-16"), name="b.txt"))
    assert (report["state"], report["encoding"]) == ("finished", "utf-16")
    assert upload(api, text, encoding="klingon").json()["errors"][0]["attr"] == "encoding"


@pytest.mark.parametrize("strict", ["true", "false"])
def test_one_byte_of_another_encoding_fails_the_import(api, project, strict):
    text = SENTENCES.encode() + b"a:3,A na\xefve man ran .,x\n"
    report = finished(api, upload(api, text, name="c.csv", format="", strict=strict))
    assert report["state"] == "failed"
    assert "c.csv, line 4" in report["problem"]


@pytest.mark.parametrize("name", sorted(containers(("doc_id", "body"), [("d:1", "He ran .")])))
def test_tables_of_every_container_are_imported(api, project, name):
    content = containers(("doc_id", "body"), [("d:1", "He ran .")])[name]
    columns = "id=doc_id,text=body"
    report = finished(api, upload(api, content, name=name, format="", columns=columns))
    assert (report["state"], report["sentences_added"], report["format"]) == (
        "finished",
        1,
        "table",
    )
    assert report["columns"] == {"id": "doc_id", "text": "body"}
    assert Sentence.objects.values_list("external_id", "tokens").get() == (
        "d:1",
        ["He", "ran", "."],
    )


def test_unclear_format_and_bad_columns_are_refused(api, project):
    unclear = upload(api, "1\tHe ran .\n2\tShe ran .\n", format="")
    report = finished(api, unclear)
    assert report["state"] == "failed"
    assert report["problem"] == "corpus.txt: may be text or table. Name the format."
    assert upload(api, columns="id").json()["errors"][0]["attr"] == "columns"
    bad = upload(api, SENTENCES, name="c.csv", format="qasrl-csv", columns="colour=red")
    assert finished(api, bad)["problem"].startswith("The format has no column 'colour'.")


def test_all_bad_rows_are_downloaded(api, project):
    rows = SENTENCES + "a:3,,x\n" * 120
    response = upload(api, rows, name="c.csv", format="")
    report = finished(api, response)
    assert (report["error_count"], len(report["errors"])) == (120, 100)
    lines = api.get(response.headers["Location"] + "bad-rows/").getvalue().decode().splitlines()
    assert (lines[0], lines[1], len(lines)) == (
        "file,line,field,message",
        "c.csv,4,tokens,has fewer words than the sentence. Are the columns swapped?",
        121,
    )
    assert api.get(url(report["id"] + 1) + "bad-rows/").status_code == 404


def finished(api, response) -> dict:
    run_jobs()
    return api.get(response.headers["Location"]).json()


CHANGED = SENTENCES.replace("The dog", "A cat")


def test_changed_sentence_is_refused_and_updated_on_request(api, project):
    given = {"name": "c.csv", "format": "qasrl-csv"}
    assert finished(api, upload(api, SENTENCES, **given))["error_count"] == 0
    report = finished(api, upload(api, CHANGED, **given))
    settings = (report["update"], report["align"], report["rescale_boxes"])
    assert settings == (False, False, False)
    assert report["errors"][0]["message"].endswith(
        "exists with other tokens. Nothing was changed. To replace it, choose “Replace what has "
        "changed” (update)."
    )
    failed = finished(api, upload(api, CHANGED, strict="true", **given))
    assert "“Replace what has changed” (update)" in failed["problem"]
    report = finished(api, upload(api, CHANGED, update="true", **given))
    assert report["update"] is True
    counts = ("sentences_added", "sentences_updated", "items_updated", "error_count")
    assert [report[name] for name in counts] == [0, CHANGED.count("A cat"), 0, 0]
    # The text “x” does not consist of the tokens.
    assert report["warning_count"] == CHANGED.count("A cat")


def test_items_in_other_tokens_are_aligned_on_request(api, project):
    sentences = "qasrl_id,tokens,sentence\na:1,The dog barked at Zoë .,x\n"
    given = {
        "text": sentences,
        "name": "c.csv",
        "format": "qasrl-csv",
        "items": bank("Th e dog barked at Zoë .", 3),
        "items_name": "items.jsonl",
    }
    report = finished(api, upload(api, **given))
    assert "“Align positions by characters” (align)" in report["errors"][0]["message"]
    report = finished(api, upload(api, align="true", **given))
    assert (report["items_added"], report["errors"], report["align"]) == (1, [], True)


def test_setting_must_be_a_boolean(api, project):
    for name in ("update", "align", "rescale_boxes"):
        refusal = upload(api, **{name: "perhaps"})
        assert (refusal.status_code, refusal.json()["errors"][0]["attr"]) == (400, name)
