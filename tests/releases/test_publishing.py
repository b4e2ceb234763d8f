"""Releases on the Hugging Face Hub and Zenodo: dry runs, uploads by the real client, repetitions."""

import json
import logging
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from audit.models import StateChange
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from projects.models import Project
from releases.domain.build_release import delete_archive
from releases.domain.citation import citation_cff, datacite_json, zenodo_json
from releases.domain.publishing.plan import Plan, PublishingError, Target
from releases.domain.publishing.tokens import forget_token, store_token
from releases.domain.publishing.upload import plan_upload, publish_release, queue_upload
from releases.domain.release_files import unpacked
from releases.domain.released import Released
from releases.enums import Service
from releases.models import Publication, Release, ServiceToken
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project
from tests.fakes.huggingface import Dataset, FakeHub, File
from tests.fakes.stand_in import StandIn, running
from tests.fakes.zenodo import FakeZenodo, Record
from tests.releases.projects import make_release

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
HF_TOKEN, ZENODO_TOKEN = "hf_secret", "zenodo-secret"
HUB = Target(Service.HUGGINGFACE, "lab/wikinews")
ZENODO = Target(Service.ZENODO)
TOKENS = {Service.HUGGINGFACE: HF_TOKEN, Service.ZENODO: ZENODO_TOKEN}


@pytest.fixture
def hub(settings):
    with running(FakeHub(HF_TOKEN)) as service:
        settings.HUGGINGFACE_URL = service.url
        yield service
    assert service.unknown == []


@pytest.fixture
def zenodo(settings):
    with running(FakeZenodo(ZENODO_TOKEN)) as service:
        settings.ZENODO_URL = service.url
        yield service
    assert service.unknown == []


@pytest.fixture
def project() -> Project:
    """Return a project with gold in two partitions."""
    project = make_project("wikinews")
    Campaign(project, 8)
    first = project.items.filter(gold__isnull=False).first().sentence
    first.partition = "train"
    first.save()
    return project


@pytest.fixture
def release(project) -> Release:
    return release_of(project, text_licence="CC0-1.0")


def release_of(project: Project, version: str = "1.0", **details) -> Release:
    return make_release(project, version, source="", **details)


def plan(release: Release, target: Target = HUB) -> Plan:
    return plan_upload(release=release, target=target, token=TOKENS[target.service])


def publish(release: Release, target: Target = HUB) -> Publication:
    return publish_release(
        release=release, target=target, token=TOKENS[target.service], actor="ada", now=NOW
    )


def contents(release: Release) -> dict[str, bytes]:
    with unpacked(release) as files:
        return {name: path.read_bytes() for name, path in files.paths().items()}


def on_hub(service: FakeHub, name: str = "lab/wikinews") -> dict[str, bytes]:
    files = service.datasets[name].files
    return {path: content for path, content in files.items() if path != ".gitattributes"}


# Dry runs -----------------------------------------------------------------------------------------


def test_dry_run_names_the_files_and_sends_nothing(hub, release):
    found = plan(release)
    assert {file.name: file.bytes for file in found.files} == {
        name: len(content) for name, content in contents(release).items()
    }
    assert {file.change for file in found.files} == {"new"}
    assert not found.problems
    assert found.summary == "A new public dataset lab/wikinews."
    assert found.place == f"{hub.url}/datasets/lab/wikinews"
    assert ("Licence", "Creative Commons Attribution 4.0 (cc-by-4.0)") in found.shown
    assert hub.writes == []
    assert not Publication.objects.exists()


def test_dry_run_of_zenodo_shows_the_record_and_sends_nothing(zenodo, release):
    found = plan(release, ZENODO)
    assert [file.name for file in found.files] == ["wikinews-1.0.zip", "README.md"]
    assert found.total_bytes == sum(file.bytes for file in found.files) > release.archive["bytes"]
    assert not found.problems
    assert ("Authors", "Jane Doe") in found.shown
    assert found.summary == "A new public record."
    assert found.notes == ["Zenodo does not delete published records."]
    assert zenodo.writes == []
    assert zenodo.requests


def test_name_without_an_owner_is_in_the_account_of_the_token(hub, release):
    assert plan(release, Target(Service.HUGGINGFACE)).confirmation == "lab/wikinews"
    assert plan(release, Target(Service.HUGGINGFACE, "other")).confirmation == "lab/other"
    assert not plan(release, Target(Service.HUGGINGFACE, "lab-group/other")).problems


@pytest.mark.parametrize(
    ("repository", "problem"),
    [("elsewhere/wikinews", "The token is not for elsewhere. It can upload to lab, lab-group.")],
)
def test_dry_run_names_an_owner_that_the_token_is_not_for(hub, release, repository, problem):
    assert plan(release, Target(Service.HUGGINGFACE, repository)).problems == [problem]


@pytest.mark.parametrize("repository", ["a/b/c", "lab/ä", "lab/", "../x", "lab/a b"])
def test_impossible_names_are_refused(hub, release, repository):
    with pytest.raises(PublishingError, match="is no name of a dataset"):
        plan(release, Target(Service.HUGGINGFACE, repository))


def test_dataset_with_other_content_is_a_problem_and_stays(hub, release):
    hub.datasets["lab/wikinews"] = other = make_dataset(hub, {"README.md": b"mine"})
    [problem] = plan(release).problems
    assert "exists with other content (1 files)" in problem
    with pytest.raises(PublishingError, match="other content"):
        publish(release)
    assert len(other.commits) == 1
    assert Publication.objects.get().state == "failed"


def make_dataset(hub: FakeHub, files: dict[str, bytes]):
    dataset = Dataset(private=True)
    dataset.add("initial commit", {name: File(content) for name, content in files.items()})
    return dataset


def test_tag_of_the_version_is_a_problem(hub, release):
    hub.datasets["lab/wikinews"] = dataset = make_dataset(hub, {".gitattributes": b""})
    dataset.tags["v1.0"] = dataset.head.oid
    assert plan(release).problems == ["lab/wikinews has a tag v1.0 with other content."]


def test_token_that_only_reads_is_a_problem(hub, release):
    hub.role = "read"
    assert "may only read" in plan(release).problems[0]


def test_licence_that_zenodo_does_not_list_is_a_problem(zenodo, project):
    for version, licence in (("1.0", "Own-1.0"), ("1.1", "PDDL-1.0")):
        release = release_of(project, version, licence=licence)
        found = plan(release, ZENODO)
        assert f"Zenodo does not list the licence {licence}." in found.problems
        with pytest.raises(PublishingError, match="does not list the licence"):
            publish(release, ZENODO)
    assert zenodo.writes == []


def test_missing_licences_of_texts_and_missing_files_are_named(hub, zenodo, project):
    release = release_of(project)
    assert "licence of the texts is not stated" in plan(release).notes[0]
    Release.objects.filter(pk=release.pk).update(archive={}, manifest={})
    unbuilt = Release.objects.get(pk=release.pk)
    for target in (HUB, ZENODO):
        assert "The files of the release have not been written." in plan(unbuilt, target).problems


# The Hub ------------------------------------------------------------------------------------------


def test_upload_to_the_hub_is_one_commit_with_a_tag(hub, release):
    publication = publish(release)
    dataset = hub.datasets["lab/wikinews"]
    assert [commit.summary for commit in dataset.commits] == ["initial commit", "Release 1.0"]
    assert on_hub(hub) == contents(release)
    assert dataset.tags == {"v1.0": dataset.head.oid}
    assert not dataset.private
    assert dataset.head.files["data/train.parquet"].is_lfs
    assert not dataset.head.files["README.md"].is_lfs
    assert publication.state == "published"
    assert publication.commit == dataset.head.oid
    assert publication.url == f"{hub.url}/datasets/lab/wikinews/tree/v1.0"
    with pytest.raises(PublishingError, match=r"Version 1\.0 is published at"):
        publish(release)


def test_private_dataset_is_created_private(hub, release):
    target = Target(Service.HUGGINGFACE, "lab/wikinews", private=True)
    assert plan(release, target).summary == "A new private dataset lab/wikinews."
    publish(release, target)
    assert hub.datasets["lab/wikinews"].private


def test_next_release_replaces_the_files_in_one_commit(hub, project, release):
    publish(release)
    second = release_of(project, "1.1", partitions=["train"])
    found = plan(second)
    changes = {file.name: file.change for file in found.files}
    assert changes["data/train.parquet"] == "replaced"
    assert changes["data/test.parquet"] == "removed"
    assert found.summary == "A new version of the public dataset lab/wikinews."
    publish(second)
    dataset = hub.datasets["lab/wikinews"]
    assert len(dataset.commits) == 3
    assert on_hub(hub) == contents(second)
    assert dataset.tags["v1.0"] == dataset.commits[1].oid
    assert dataset.tags["v1.1"] == dataset.head.oid


@pytest.mark.parametrize(
    "place",
    [
        "POST /api/repos/create",
        r"POST /api/datasets/lab/wikinews/commit",
        r"POST /api/datasets/lab/wikinews/tag",
    ],
)
def test_lost_answer_of_the_hub_is_repeated_without_a_second_commit(hub, release, place):
    hub.fail(place, after=True)
    with pytest.raises(PublishingError):
        publish(release)
    assert Publication.objects.get().state == "failed"
    assert not plan(release).problems
    publication = publish(release)
    dataset = hub.datasets["lab/wikinews"]
    assert len(dataset.commits) == 2
    assert dataset.tags == {"v1.0": dataset.head.oid}
    assert publication.state == "published"
    assert Publication.objects.count() == 1


@pytest.mark.parametrize(
    "place", ["PUT /lfs/", "POST /api/datasets/lab/wikinews/preupload", "POST .*/commit"]
)
def test_upload_that_failed_in_the_middle_is_completed(hub, release, place):
    hub.fail(place, 403)
    with pytest.raises(PublishingError):
        publish(release)
    assert "v1.0" not in hub.datasets["lab/wikinews"].tags
    publish(release)
    assert len(hub.datasets["lab/wikinews"].commits) == 2
    assert on_hub(hub) == contents(release)


def test_files_that_somebody_else_added_stay(hub, project, release):
    publish(release)
    dataset = hub.datasets["lab/wikinews"]
    dataset.add("by hand", {**dataset.head.files, "LICENSE": File(b"CC BY")})
    second = release_of(project, "1.1", partitions=["train"])
    changes = {file.name: file.change for file in plan(second).files}
    assert changes["LICENSE"] == "kept"
    assert changes["data/test.parquet"] == "removed"
    publish(second)
    assert on_hub(hub) == {**contents(second), "LICENSE": b"CC BY"}


def test_change_by_somebody_else_is_not_overwritten(hub, release):
    publish(release)
    Publication.objects.update(state="failed", published_at=None)
    dataset = hub.datasets["lab/wikinews"]
    dataset.add("by hand", {**dataset.head.files, "README.md": File(b"---\nby: hand\n---\n")})
    with pytest.raises(PublishingError, match=r"tag v1\.0 with other content"):
        publish(release)
    assert on_hub(hub)["README.md"].startswith(b"---\nby: hand")


def test_missing_package_is_named(hub, release, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PublishingError, match="extra “hub”"):
        plan(release)


# Zenodo -------------------------------------------------------------------------------------------


def test_upload_to_zenodo_is_one_published_record(zenodo, release):
    publication = publish(release, ZENODO)
    [number] = zenodo.published
    record = zenodo.records[number]
    files = contents(release)
    assert record.files.keys() == {"wikinews-1.0.zip", "README.md"}
    assert record.files["README.md"] == files["README.md"]
    assert record.metadata == json.loads(files["zenodo.json"])["metadata"]
    assert publication.state == "published"
    assert publication.doi == f"10.5281/zenodo.{number}"
    assert publication.concept_doi == f"10.5281/zenodo.{number - 1}"
    assert publication.url == f"{zenodo.url}/records/{number}"


@pytest.mark.parametrize("after", [False, True], ids=["refused", "answer lost"])
@pytest.mark.parametrize(
    "place", ["POST .*/depositions$", "PUT .*zip", "PUT .*README", "PUT .*/depositions", "/publish"]
)
def test_repeated_upload_publishes_one_record(zenodo, release, place, after):
    zenodo.fail(place, 500, after=after)
    if after and place == "/publish":
        publication = publish(release, ZENODO)
    else:
        with pytest.raises(PublishingError):
            publish(release, ZENODO)
        publication = publish(release, ZENODO)
    assert len(zenodo.published) == 1
    assert len(zenodo.records) == 1
    assert publication.record == str(zenodo.published[0])
    record = zenodo.records[zenodo.published[0]]
    assert record.files["README.md"] == contents(release)["README.md"]


def test_files_that_zenodo_has_are_not_sent_again(zenodo, release):
    zenodo.fail("PUT .*README", 500)
    with pytest.raises(PublishingError):
        publish(release, ZENODO)
    publish(release, ZENODO)
    sent = [line for line in zenodo.writes if "/api/files/" in line]
    assert [line.rpartition("/")[2] for line in sent] == [
        "wikinews-1.0.zip",
        "README.md",
        "README.md",
    ]


def test_next_release_is_a_new_version_and_names_the_doi_of_the_one_before(
    zenodo, project, release
):
    first = publish(release, ZENODO)
    second = release_of(project, "1.1")
    assert first.doi in plan(second, ZENODO).summary
    zenodo.fail("PUT .*zip", 500)
    with pytest.raises(PublishingError):
        publish(second, ZENODO)
    newest = publish(second, ZENODO)
    assert len(zenodo.published) == len(zenodo.records) == 2
    assert newest.concept_doi == first.concept_doi
    assert zenodo.records[int(newest.record)].files.keys() == {"wikinews-1.1.zip", "README.md"}
    released = Released(second)
    assert {
        "relatedIdentifier": first.doi,
        "relatedIdentifierType": "DOI",
        "relationType": "IsNewVersionOf",
    } in datacite_json(released)["relatedIdentifiers"]
    assert first.concept_doi in citation_cff(released)
    assert f"https://doi.org/{first.doi}" in contents(second)["README.md"].decode()
    assert first.doi not in str(contents(release)["datacite.json"])


@pytest.mark.parametrize("after", [False, True], ids=["refused", "answer lost"])
@pytest.mark.parametrize("place", ["/newversion", "DELETE .*/files", "PUT .*zip", "/publish"])
def test_new_version_is_published_once(zenodo, project, release, place, after):
    publish(release, ZENODO)
    second = release_of(project, "1.1")
    zenodo.fail(place, 500, after=after)
    try:
        publish(second, ZENODO)
    except PublishingError:
        publish(second, ZENODO)
    assert len(zenodo.published) == len(zenodo.records) == 2
    record = zenodo.records[zenodo.published[1]]
    assert record.metadata["version"] == "1.1"
    assert record.files.keys() == {"wikinews-1.1.zip", "README.md"}


def test_draft_that_was_deleted_is_created_again(zenodo, release):
    zenodo.fail("PUT .*zip", 500)
    with pytest.raises(PublishingError):
        publish(release, ZENODO)
    zenodo.records.clear()
    publish(release, ZENODO)
    assert len(zenodo.published) == 1


def test_draft_with_files_is_not_taken_for_a_lost_one(zenodo, release):
    mine = Record(77, 76, dict(zenodo_json(Released(release))["metadata"]), {"mine.txt": b"mine"})
    zenodo.records[77] = mine
    publish(release, ZENODO)
    assert mine.files == {"mine.txt": b"mine"}
    assert not mine.submitted


def test_validation_errors_of_zenodo_are_shown(zenodo, release):
    zenodo.fail("POST .*/publish", 400, times=1)
    with pytest.raises(PublishingError, match=r"HTTP 400\. Failed\."):
        publish(release, ZENODO)


# Tokens and limits --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [HUB, ZENODO], ids=["hub", "zenodo"])
def test_wrong_token_is_refused_and_never_shown(hub, zenodo, release, target, caplog):
    caplog.set_level(logging.DEBUG)
    for call in (plan_upload, publish_release):
        more = {} if call is plan_upload else {"actor": "ada", "now": NOW}
        with pytest.raises(PublishingError, match="refuses the token") as error:
            call(release=release, target=target, token="wrong-token", **more)
        assert "wrong-token" not in str(error.value)
        assert error.value.__cause__ is None
    assert "wrong-token" not in caplog.text
    assert "wrong-token" not in str(list(Publication.objects.values()))
    assert "wrong-token" not in str(list(StateChange.objects.values()))


@pytest.mark.parametrize("target", [HUB, ZENODO], ids=["hub", "zenodo"])
def test_token_is_stored_encrypted_and_in_no_log(hub, zenodo, release, target, caplog):
    caplog.set_level(logging.DEBUG)
    token = TOKENS[target.service]
    project = release.project
    store_token(project=project, service=target.service, token=token, actor="ada", now=NOW)
    assert token not in ServiceToken.objects.get().sealed
    queue_upload(release=release, target=target, actor="ada", now=NOW)
    with pytest.raises(PublishingError, match="is being uploaded"):
        queue_upload(release=release, target=target, actor="ada", now=NOW)
    assert run_next_job(clock=lambda: NOW)
    job = Job.objects.get(kind="release-upload")
    assert (job.state, job.problem) == ("finished", "")
    assert Publication.objects.get().state == "published"
    assert token not in str(list(Job.objects.values()))
    assert token not in str(list(StateChange.objects.values()))
    assert token not in caplog.text
    forget_token(project=project, service=target.service, actor="ada", now=NOW)
    assert ServiceToken.objects.get().sealed == ""
    with pytest.raises(PublishingError, match="has no token"):
        plan_upload(release=release, target=target)


def test_failed_job_shows_the_problem_and_can_be_repeated(zenodo, release):
    project = release.project
    with pytest.raises(PublishingError, match="has no token for Zenodo"):
        queue_upload(release=release, target=ZENODO, actor="ada", now=NOW)
    for token, state in (("wrong", "failed"), (ZENODO_TOKEN, "finished")):
        store_token(project=project, service=Service.ZENODO, token=token, actor="ada", now=NOW)
        job = queue_upload(release=release, target=ZENODO, actor="ada", now=NOW)
        assert run_next_job(clock=lambda: NOW)
        job.refresh_from_db()
        assert job.state == state
    assert Publication.objects.get().doi


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (ZENODO, "POST .*/depositions$"),
        (ZENODO, "PUT .*README"),
        (ZENODO, "/publish"),
        (HUB, "PUT /lfs/"),
        (HUB, "POST .*/commit"),
        (HUB, "POST .*/tag"),
    ],
)
def test_upload_whose_process_was_killed_continues(hub, zenodo, release, target, place):
    service, token = target.service, TOKENS[target.service]
    store_token(project=release.project, service=service, token=token, actor="ada", now=NOW)
    job = queue_upload(release=release, target=target, actor="ada", now=NOW)
    (hub if target is HUB else zenodo).fail(place, interrupts=True)
    with pytest.raises(KeyboardInterrupt):
        run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert (job.state, Publication.objects.get().state) == ("running", "uploading")
    assert run_next_job(clock=lambda: NOW + timedelta(hours=1))
    job.refresh_from_db()
    assert (job.state, Publication.objects.get().state) == ("finished", "published")
    if target is HUB:
        assert len(hub.datasets["lab/wikinews"].commits) == 2
    else:
        assert len(zenodo.published) == len(zenodo.records) == 1


def test_limit_of_requests_is_waited_for_or_named(hub, zenodo, release):
    zenodo.fail("PUT .*zip", 429, headers={"Retry-After": "1"})
    assert publish(release, ZENODO).state == "published"
    zenodo.fail("GET", 429, headers={"Retry-After": "77"})
    with pytest.raises(PublishingError, match="Upload again in 77 seconds"):
        plan(release, ZENODO)
    hub.fail("GET /api/whoami", 429, headers={"Retry-After": "88"})
    with pytest.raises(PublishingError, match="Upload again in 88 seconds"):
        plan(release)


def test_services_that_do_not_answer_are_named(settings, release):
    settings.HUGGINGFACE_URL = settings.ZENODO_URL = "http://127.0.0.1:1"
    with pytest.raises(PublishingError, match="Zenodo did not answer"):
        plan(release, ZENODO)
    with pytest.raises(PublishingError, match="The Hub did not"):
        plan(release)


def test_other_hosts_never_get_the_token(zenodo, release, settings):
    with running(StandIn()) as other:
        original = zenodo._json
        zenodo._json = lambda record: {
            **original(record),
            "links": {"bucket": f"{other.url}/api/files/bucket-1"},
        }
        with pytest.raises(PublishingError, match="another host"):
            publish(release, ZENODO)
        assert other.requests == []


def test_missing_files_of_the_release_are_named(hub, release):
    delete_archive(release)
    with pytest.raises(PublishingError, match="Build them again"):
        publish(release)


def test_authors_are_needed(zenodo, release):
    details = {**release.details, "authors": [], "licence": ""}
    Release.objects.filter(pk=release.pk).update(details=details)
    problems = plan(Release.objects.get(pk=release.pk), ZENODO).problems
    assert any("no authors" in problem for problem in problems)
    assert any("no licence" in problem for problem in problems)


# The command --------------------------------------------------------------------------------------


def run(*words: str) -> str:
    out = StringIO()
    call_command("publish_release", *words, stdout=out)
    return out.getvalue()


def test_command_is_a_dry_run_by_default(hub, release, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", HF_TOKEN)
    words = ("wikinews", "1.0", "--to", "huggingface", "--repository", "lab/wikinews")
    text = run(*words)
    assert "A new public dataset lab/wikinews." in text
    assert "data/train.parquet" in text
    assert "--yes" in text
    assert hub.writes == []
    assert HF_TOKEN not in text
    facts = json.loads(run(*words, "--yes", "--private", "--json"))
    assert facts["url"] == f"{hub.url}/datasets/lab/wikinews/tree/v1.0"
    assert hub.datasets["lab/wikinews"].private


def test_command_names_problems_and_uploads_nothing(zenodo, project, monkeypatch):
    monkeypatch.setenv("ZENODO_TOKEN", ZENODO_TOKEN)
    release_of(project, licence="Own-1.0")
    for words in ([], ["--yes"]):
        with pytest.raises(CommandError, match="does not list the licence"):
            run("wikinews", "1.0", "--to", "zenodo", *words)
    assert zenodo.writes == []


def test_command_uses_the_stored_token(zenodo, release, monkeypatch):
    monkeypatch.delenv("ZENODO_TOKEN", raising=False)
    with pytest.raises(CommandError, match="no token for Zenodo"):
        run("wikinews", "1.0", "--to", "zenodo")
    store_token(
        project=release.project, service=Service.ZENODO, token=ZENODO_TOKEN, actor="ada", now=NOW
    )
    assert "10.5281/zenodo.1001" in run("wikinews", "1.0", "--to", "zenodo", "--yes")
