import hashlib
import json
import os
import signal
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.models import Project
from consolidation.domain.export_gold import ExportOptions, export_gold
from dashboard import exports
from dashboard.exports import (
    MOST_TRIES,
    PATIENCE,
    begin_export,
    exports_of,
    open_export_file,
    restart_cut_export,
    write_export,
)
from tests.dashboard.campaign import make_project
from tests.forked import in_fork


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
    assert open_export_file(project, name, file) is None


def test_files_of_another_project_can_not_be_had(campaign, project):
    name = begun(project)
    write_export(project, name)
    opened, _ = open_export_file(project, name, "manifest.json")
    opened.close()
    assert open_export_file(make_project("other"), name, "manifest.json") is None


def test_empty_page_says_what_has_to_come_first(office, project, url):
    assert b"There is no gold yet" in office.get(url).content


def test_interrupted_download_is_resumed_and_whole(office, campaign, project):
    name = begun(project)
    write_export(project, name)
    [one] = exports_of(project)
    facts = next(file for file in one.files if file.name.endswith(".gold.csv"))
    address = reverse("dashboard:export_file", args=[project.slug, name, facts.name])
    begin = office.get(address, headers={"range": "bytes=0-99"})
    tag = begin.headers["ETag"]
    rest = office.get(address, headers={"range": "bytes=100-", "if-range": tag})
    assert (begin.status_code, rest.status_code) == (206, 206)
    body = begin.getvalue() + rest.getvalue()
    assert hashlib.sha256(body).hexdigest() == facts.sha256
    assert office.head(address).headers["Content-Length"] == str(facts.bytes)
    assert office.get(address, headers={"range": f"bytes={facts.bytes}-"}).status_code == 416


def test_changed_export_has_another_etag_and_no_half_of_it_is_resumed(office, campaign, project):
    name = begun(project)
    write_export(project, name)
    address = reverse("dashboard:export_file", args=[project.slug, name, "wikipedia.test.gold.csv"])
    before = office.get(address)
    tag, _ = before.headers["ETag"], before.getvalue()
    gold = campaign.items[3].gold.get()
    content = {"questions": gold.content["questions"][:1]}
    type(gold).objects.create(
        item=gold.item,
        source="consolidated",
        version=2,
        content=content,
        schema_version=1,
        provenance=gold.provenance[:1],
        case=gold.case,
        created_at=gold.created_at,
    )
    write_export(project, name)
    after = office.get(address, headers={"range": "bytes=5-", "if-range": tag})
    assert after.status_code == 200
    assert after.headers["ETag"] != tag
    assert len(after.getvalue()) == int(after.headers["Content-Length"])


def test_file_is_not_to_be_had_while_its_export_is_written_anew(campaign, project):
    name = begun(project)
    write_export(project, name)
    opened, _ = open_export_file(project, name, "README.md")
    opened.close()
    (exports_of(project)[0].folder / "manifest.json").unlink()
    assert open_export_file(project, name, "README.md") is None


def test_second_export_is_shown_to_be_the_same_in_every_byte(office, campaign, project, url):
    first = begun(project)
    write_export(project, first)
    assert b"Every byte is the same" not in office.get(url).content
    second = begun(project)
    write_export(project, second)
    assert office.get(url).content.count(b"Every byte is the same") == 1
    [page] = {
        office.get(reverse("dashboard:export_details", args=[project.slug, name])).content
        for name in (first, second)
        if b"Every byte"
        in office.get(reverse("dashboard:export_details", args=[project.slug, name])).content
    }
    other = first if second.encode() in page.partition(b"Every byte")[0] else second
    assert other.encode() in page.partition(b"Every byte")[2]


def test_details_show_checksums_data_card_and_manifest(office, campaign, project):
    name = begun(project)
    write_export(project, name)
    [one] = exports_of(project)
    page = office.get(reverse("dashboard:export_details", args=[project.slug, name])).content
    for file in one.files:
        assert file.sha256.encode() in page
        assert hashlib.sha256((one.folder / file.name).read_bytes()).hexdigest() == file.sha256
    assert b"annotations_creators" in page
    assert b"&quot;worker_ids&quot;: &quot;pseudonyms&quot;" in page
    assert b"<h2 id=" in page


def test_details_of_an_export_that_is_not_there_are_not_found(office, campaign, project):
    for name in ("nothing", "..", "latest"):
        url = reverse("dashboard:export_details", args=[project.slug, name])
        assert office.get(url).status_code == 404


def test_export_of_one_partition_with_a_licence(office, campaign, project):
    form = {"source": "consolidated", "fmt": "jsonl", "partition": "test", "licence": "CC-BY-4.0"}
    office.post(reverse("dashboard:export", args=[project.slug]), form)
    [one] = exports_of(project)
    write_export(project, one.name)
    [one] = exports_of(project)
    assert one.manifest["filters"] == {"domain": None, "partition": "test"}
    assert one.manifest["licence"] == "CC-BY-4.0"


@pytest.mark.parametrize("bad", [{"partition": "prod"}, {"domain": "x"}, {"licence": "<b>"}])
def test_filter_that_names_nothing_begins_no_export(office, campaign, project, bad):
    form = {"source": "consolidated", "fmt": "jsonl", **bad}
    response = office.post(reverse("dashboard:export", args=[project.slug]), form)
    assert response.status_code == 422
    assert exports_of(project) == []


def test_full_disk_is_told_on_the_page_and_nothing_half_can_be_had(
    office, campaign, project, url, monkeypatch
):
    """A full disk, as a program meets it: writing the data card fails after the gold is there."""

    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    name = begun(project)
    monkeypatch.setattr("consolidation.domain.export_gold.write_data_card", full)
    write_export(project, name)
    [one] = exports_of(project)
    assert (one.is_finished, one.error) == (False, "[Errno 28] No space left on device")
    assert not connection.allow_thread_sharing  # nobody reads ahead any more
    assert not (one.folder / "README.md").exists()
    assert not list(one.folder.glob(".*"))
    assert b"No space left on device" in office.get(url).content
    assert open_export_file(project, name, "wikipedia.test.gold.csv") is None
    monkeypatch.undo()
    write_export(project, name)
    [one] = exports_of(project)
    assert (one.is_finished, one.error) == (True, "")


# --- exports whose process ended


def die_at(moment: str, project: Project, name: str) -> None:
    """Write the export in a process that is killed: as it begins, in a file, or before the manifest."""

    def killing(source, target, **more):
        if str(target).endswith({"in a file": ".gold.csv", "at its end": "manifest.json"}[moment]):
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target, **more)

    def dying() -> None:
        os.replace = killing
        write_export(project, name)

    replace = os.replace
    assert os.WTERMSIG(in_fork(dying)) == signal.SIGKILL


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", ["in a file", "at its end"])
def test_export_whose_process_was_killed_is_written_anew(campaign, project, export_dir, moment):
    name = begun(project)
    die_at(moment, project, name)
    folder = export_dir / project.slug / name
    [cut] = exports_of(project)
    assert (cut.is_finished, cut.error, cut.tries) == (False, "", 1)
    assert list(folder.glob(".*.part"))
    assert restart_cut_export(now=timezone.now()) == 1
    [whole] = exports_of(project)
    assert (whole.is_finished, whole.tries) == (True, 2)
    assert not list(folder.glob(".*.part"))
    plain = export_gold(
        project=project,
        options=ExportOptions(fmt="qasrl-csv", source="consolidated"),
        folder=export_dir / "elsewhere",
    )
    assert whole.manifest == plain.manifest
    assert restart_cut_export(now=timezone.now()) == 0


@pytest.mark.django_db(transaction=True)
def test_export_that_kills_its_process_each_time_is_given_up_with_a_reason(
    office, campaign, project, url
):
    name = begun(project)
    for _ in range(MOST_TRIES):
        die_at("in a file", project, name)
    assert b"Begun anew (try 3)" in office.get(url).content
    assert restart_cut_export(now=timezone.now()) == 1
    [given_up] = exports_of(project)
    assert given_up.error.startswith("The process that wrote it ended 3 times before it was done")
    page = office.get(url).content.decode()
    assert "This export failed: The process that wrote it ended 3 times" in page
    assert "Being written" not in page
    assert restart_cut_export(now=timezone.now()) == 0


def test_export_that_is_being_written_is_left_alone(campaign, project):
    name = begun(project)
    later = timezone.now() + 2 * PATIENCE
    with exports._writing(exports._folder_of(project) / name) as mine:
        assert mine
        assert restart_cut_export(now=later) == 0
        write_export(project, name)  # its message, delivered twice
        assert not exports_of(project)[0].is_finished
    assert restart_cut_export(now=later) == 1
    assert exports_of(project)[0].is_finished


def test_export_whose_message_was_lost_is_begun_after_a_while(campaign, project):
    begun(project)
    assert restart_cut_export(now=timezone.now() + PATIENCE - timedelta(minutes=1)) == 0
    assert restart_cut_export(now=timezone.now() + PATIENCE + timedelta(minutes=1)) == 1
    assert exports_of(project)[0].is_finished
