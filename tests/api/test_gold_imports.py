"""Imports of uploaded annotations, from the upload to the report of the job."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from consolidation.models import Gold
from jobs.models import Job
from jobs.tasks import run_jobs
from projects.enums import MemberRole
from tests.api.conftest import calling
from tests.consolidation.test_import_gold import GOOD, HEADER, project
from tests.dashboard.campaign import make_user

__all__ = ["project"]
pytestmark = pytest.mark.django_db
UNKNOWN = "a:9,1,x,Who?,0:1\n"


@pytest.fixture
def api(project):
    return calling(make_user("rita", project, MemberRole.REQUESTER))


def upload(api, text: str | bytes = HEADER + GOOD, *, name: str = "gold.csv", **fields):
    content = text.encode() if isinstance(text, str) else text
    form = {"files": SimpleUploadedFile(name, content), "source": "expert", **fields}
    return api.post(reverse("api:gold_imports", args=["corpus"]), form)


def finished(api, response) -> dict:
    assert response.status_code == 202, response.content
    run_jobs()
    return api.get(response.headers["Location"]).json()


def errors_of(response) -> list[tuple[str, str]]:
    assert response.status_code == 400
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


def test_gold_is_queued_then_imported(api):
    response = upload(api)
    queued = response.json()
    assert (queued["state"], queued["source"], queued["items_added"]) == ("queued", "expert", 0)
    assert queued["files"] == [{"name": "gold.csv", "bytes": len((HEADER + GOOD).encode())}]
    report = finished(api, response)
    assert (report["state"], report["format"]) == ("finished", "qasrl-csv")
    counts = ("items_read", "items_added", "items_known", "items_left_out", "error_count")
    assert [report[name] for name in counts] == [1, 1, 0, 0, 0]
    gold = Gold.objects.get()
    assert (gold.source, gold.item.key, len(gold.content["questions"])) == ("expert", "a:1/2", 2)
    again = finished(api, upload(api))
    assert (again["items_added"], again["items_known"]) == (0, 1)
    listed = api.get(reverse("api:gold_imports", args=["corpus"])).json()["results"]
    assert listed == [again, report]


def test_bad_rows_are_reported_and_downloaded(api):
    response = upload(api, HEADER + GOOD + UNKNOWN)
    report = finished(api, response)
    assert (report["state"], report["items_added"], report["error_count"]) == ("finished", 1, 1)
    [error] = report["errors"]
    assert (error["file"], error["line"]) == ("gold.csv", 4)
    lines = api.get(response.headers["Location"] + "bad-rows/").getvalue().decode().splitlines()
    assert lines[0] == "file,line,field,message"
    assert lines[1].startswith("gold.csv,4,")


def test_strict_import_with_a_bad_row_adds_nothing(api):
    report = finished(api, upload(api, HEADER + GOOD + UNKNOWN, strict="true"))
    assert (report["state"], report["strict"], report["items_added"]) == ("failed", True, 0)
    assert report["problem"].startswith("gold.csv, line 4: no item 'a:9/1' in the project.")
    assert report["problem"].endswith("Nothing was imported.")
    assert not Gold.objects.exists()
    assert finished(api, upload(api, strict="true"))["state"] == "finished"
    assert Gold.objects.exists()


def test_encoding_and_columns_are_named(api):
    text = (HEADER + GOOD).replace("qasrl_id", "Zoë").encode("latin-1")
    assert finished(api, upload(api, text))["state"] == "failed"
    options = {"encoding": "latin-1", "columns": "qasrl_id=Zoë"}
    report = finished(api, upload(api, text, **options))
    assert (report["state"], report["encoding"]) == ("finished", "latin-1")
    assert report["columns"] == {"qasrl_id": "Zoë"}
    assert Gold.objects.exists()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"source": "consolidated"}, ("invalid_choice", "source")),
        ({"source": ""}, ("invalid_choice", "source")),
        ({"format": "excel"}, ("invalid", "format")),
        ({"encoding": "klingon"}, ("invalid", "encoding")),
        ({"columns": "id"}, ("invalid", "columns")),
        ({"strict": "perhaps"}, ("invalid", "strict")),
        ({"partition": "dev"}, ("unknown_field", "partition")),
    ],
)
def test_unclear_upload_is_refused(api, fields, error):
    assert errors_of(upload(api, **fields)) == [error]
    assert not Job.objects.exists()


def test_upload_of_a_page_is_listed_until_it_is_confirmed(api, client, project):
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    form = {"annotations": SimpleUploadedFile("a.csv", HEADER.encode()), "source": "imported"}
    client.post(reverse("consolidation:gold_import", args=["corpus"]), form)
    [row] = api.get(reverse("api:gold_imports", args=["corpus"])).json()["results"]
    assert (row["state"], row["source"], row["strict"]) == ("uploaded", "imported", False)


def test_import_needs_the_scope_import(project):
    user = make_user("olga", project, MemberRole.ADMIN)
    response = upload(calling(user, scopes=["read", "publish"]))
    assert response.json()["errors"][0]["code"] == "insufficient_scope"
