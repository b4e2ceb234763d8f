import hashlib
import json

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.exports import begin_export, exports_of, file_of, write_export
from tests.dashboard.campaign import make_project


@pytest.fixture(autouse=True)
def export_dir(tmp_path, settings):
    settings.EXPORT_DIR = tmp_path
    return tmp_path


@pytest.fixture
def url(project):
    return reverse("dashboard:exports", args=[project.slug])


def begun(project) -> str:
    return begin_export(project, fmt="qasrl-csv", source="consolidated", now=timezone.now())


def test_asking_begins_an_export_that_is_listed_at_once(office, campaign, project, url):
    form = {"source": "consolidated", "fmt": "qasrl-csv"}
    page = office.post(reverse("dashboard:export", args=[project.slug]), form, follow=True)
    [one] = exports_of(project)
    assert (one.fmt, one.source, one.is_finished, one.error) == (
        "qasrl-csv",
        "consolidated",
        False,
        "",
    )
    assert b"Being written" in page.content
    assert b'hx-trigger="every 2s"' in page.content


@pytest.mark.parametrize(
    "form", [{"source": "expert", "fmt": "qasrl-csv"}, {"source": "consolidated"}]
)
def test_asking_for_what_there_is_not_begins_nothing(office, campaign, project, form):
    response = office.post(reverse("dashboard:export", args=[project.slug]), form)
    assert response.status_code == 422
    assert exports_of(project) == []


def test_written_export_offers_its_files_as_the_manifest_describes_them(
    office, campaign, project, url
):
    name = begun(project)
    write_export(project, name)
    [one] = exports_of(project)
    assert (one.is_finished, one.items, one.error) == (True, 3, "")
    manifest = json.loads((one.folder / "manifest.json").read_text())
    assert {file.name for file in one.files} == {*manifest["files"], "manifest.json"}
    assert manifest["worker_ids"] == "pseudonyms"
    for file, facts in manifest["files"].items():
        address = reverse("dashboard:export_file", args=[project.slug, name, file])
        response = office.get(address)
        body = response.getvalue()
        assert hashlib.sha256(body).hexdigest() == facts["sha256"]
        assert int(response.headers["Content-Length"]) == len(body)
        assert b"ASECRET" not in body
        assert address.encode() in office.get(url).content
    assert b"every 2s" not in office.get(url).content


def test_export_without_gold_tells_why_it_failed(office, project, url):
    write_export(project, begun(project))
    assert b"This export failed: demo has no consolidated gold" in office.get(url).content


def test_export_that_a_command_wrote_is_listed(campaign, project, export_dir):
    from consolidation.domain.export_gold import ExportOptions, export_gold

    export_gold(
        project=project, options=ExportOptions(fmt="qasrl-csv"), folder=export_dir / project.slug
    )
    [one] = exports_of(project)
    assert (one.name, one.items) == ("latest", 3)


@pytest.mark.parametrize("file", ["request.json", "..", "secret_key", "error.txt"])
def test_only_files_of_the_manifest_can_be_had(campaign, project, file):
    name = begun(project)
    write_export(project, name)
    assert file_of(project, name, file) is None


def test_files_of_another_project_can_not_be_had(campaign, project):
    name = begun(project)
    write_export(project, name)
    assert file_of(project, name, "manifest.json")
    assert file_of(make_project("other"), name, "manifest.json") is None


def test_empty_page_says_what_has_to_come_first(office, project, url):
    assert b"There is no gold yet" in office.get(url).content
