"""A release as the corpus of another project, of each scheme, and files that are no release."""

import hashlib
import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from consolidation.models import Gold
from projects.domain.schemes import definition_of, scheme_of
from projects.enums import MemberRole
from projects.models import Project
from releases.domain.import_release import ReleaseImportError, import_release
from releases.domain.release_archive import open_release
from schemes.contract.errors import FileError
from tests.annotation.uploads import run_jobs
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_project, make_user
from tests.releases.projects import SCHEME_NAMES, archive_in, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.fixture
def archive(tmp_path) -> Path:
    return archive_in(make_release(make_sample_project("qasrl", tmp_path)), tmp_path)


def imported(path: Path, slug: str = "extended"):
    return import_release(path=path, slug=slug, actor="rita", now=NOW)


def corpus_of(project: Project) -> list[tuple]:
    """Return all that a project has of its items."""
    fields = (
        "external_id",
        "tokens",
        "text",
        "offsets",
        "domain",
        "partition",
        "group",
        "position",
    )
    return [
        (
            item.key,
            item.target,
            *(getattr(item.sentence, field) for field in fields),
            item.sentence.metadata,
            item.sentence.image and item.sentence.image.digest,
            item.gold.get().content,
        )
        for item in project.items.select_related("sentence__image").order_by("key")
    ]


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_import_restores_the_corpus_and_the_gold(scheme, tmp_path):
    project = make_sample_project(scheme, tmp_path)
    path = archive_in(make_release(project), tmp_path)
    report = imported(path)
    assert (report.gold, report.known) == (project.items.count(), 0)
    copy = report.project
    assert corpus_of(copy) == corpus_of(project)
    assert set(Gold.objects.filter(item__project=copy).values_list("source", flat=True)) == {
        "imported"
    }
    assert scheme_of(copy).title == scheme_of(project).title
    resources = [
        {row.name: row.value for row in each.resources.order_by("version")}
        for each in (copy, project)
    ]
    assert resources[0] == resources[1]
    again = imported(path)
    assert (again.gold, again.known) == (0, project.items.count())
    assert corpus_of(copy) == corpus_of(project)


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_release_of_an_imported_release_has_the_same_items(scheme, tmp_path):
    first = make_release(make_sample_project(scheme, tmp_path))
    copy = imported(archive_in(first, tmp_path)).project
    second = make_release(copy, source="imported")
    facts = [list(release.items.values_list("key", "digest")) for release in (first, second)]
    assert facts[0] == facts[1]


def test_command_imports_a_release(archive):
    out = StringIO()
    call_command("import_release", archive, "extended", "--title", "Extended", stdout=out)
    project = Project.objects.get(slug="extended")
    sentences, items = project.sentences.count(), project.items.count()
    assert out.getvalue() == (
        f"Imported version 1.0 into extended: {sentences} sentences, {items} items, {items} with new "
        "gold, 0 known.\n"
    )


def test_other_scheme_is_refused(archive, tmp_path):
    other = make_sample_project("frames", tmp_path, slug="other")
    with pytest.raises(ReleaseImportError, match="has the scheme frames, and the release qasrl"):
        imported(archive, other.slug)
    with pytest.raises(CommandError, match="has the scheme frames"):
        call_command("import_release", archive, "other")


def test_other_definition_is_refused(tmp_path):
    path = archive_in(make_release(make_sample_project("custom", tmp_path)), tmp_path)
    project = imported(path).project
    value = {**definition_of(project).value, "title": "Changed"}
    changed = rewritten(path, tmp_path / "changed.zip", {"resources.json": {"definition": value}})
    with pytest.raises(ReleaseImportError, match="extended has another definition"):
        imported(changed)


def test_other_tokens_of_a_known_sentence_are_refused(archive, tmp_path):
    imported(archive)
    lines = read_lines(archive)
    lines[0]["tokens"][0] = "Other"
    changed = rewritten(archive, tmp_path / "changed.zip", {"items.jsonl": lines})
    with pytest.raises(FileError, match=r"items\.jsonl, line 1: .* has other tokens"):
        imported(changed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"partition": "all"}, "line 1: partition"),
        ({"tokens": []}, "line 1: "),
        ({"offsets": [[5, 1]]}, "offsets: is no range"),
        ({"content": {"questions": "none"}}, "line 1: questions"),
        ({"key": "k" * 300}, "line 1: key: is too long"),
        ({"position": -1}, "line 1: position"),
        ({"key": "another/2"}, "line 1: another/2 is no item of"),
        ({"position": 2**70}, "line 1: position"),
        ({"target": {}}, "line 1: target: is not one of the scheme qasrl"),
        ({"target": {"verb": "made"}}, "line 1: target: is not one of the scheme qasrl"),
    ],
)
def test_bad_line_is_named_and_nothing_is_imported(archive, tmp_path, changes, message):
    lines = read_lines(archive)
    lines[0] |= changes
    changed = rewritten(archive, tmp_path / "changed.zip", {"items.jsonl": lines})
    with pytest.raises(FileError, match=message):
        imported(changed)
    assert not Project.objects.filter(slug="extended").exists()


def test_repeated_item_is_refused(archive, tmp_path):
    lines = read_lines(archive)
    changed = rewritten(archive, tmp_path / "changed.zip", {"items.jsonl": [*lines, lines[0]]})
    with pytest.raises(FileError, match=f"line {len(lines) + 1}: .* is there more than once"):
        imported(changed)


def test_target_outside_the_sentence_is_refused(tmp_path):
    archive = archive_in(make_release(make_sample_project("frames", tmp_path)), tmp_path)
    lines = read_lines(archive)
    lines[0]["target"]["verb"] = [len(lines[0]["tokens"])]
    changed = rewritten(archive, tmp_path / "changed.zip", {"items.jsonl": lines})
    with pytest.raises(FileError, match="line 1: target: has words that the sentence lacks"):
        imported(changed)


@pytest.mark.parametrize(
    ("scheme", "resources", "message"),
    [
        ("custom", {"definition": {}}, "definition: .*title: is missing"),
        ("custom", {"definition": 5}, "must be an object"),
        ("frames", {"lexicon": []}, "lexicon: must be an object"),
        ("qasrl", {"definition": {}}, "has 'definition', which the scheme qasrl lacks"),
    ],
)
def test_bad_resource_is_named(tmp_path, scheme, resources, message):
    archive = archive_in(make_release(make_sample_project(scheme, tmp_path)), tmp_path)
    changed = rewritten(archive, tmp_path / "changed.zip", {"resources.json": resources})
    with pytest.raises(FileError, match=rf"resources\.json: .*{message}"):
        imported(changed)
    assert not Project.objects.filter(slug="extended").exists()


def test_file_that_the_manifest_does_not_describe_is_refused(archive, tmp_path):
    lines = read_lines(archive)
    lines[0]["content"] = {"questions": []}
    changed = rewritten(
        archive, tmp_path / "changed.zip", {"items.jsonl": lines}, with_checksums=False
    )
    with pytest.raises(FileError, match=r"items\.jsonl is not the file that manifest\.json"):
        imported(changed)
    assert not Project.objects.filter(slug="extended").exists()


def test_other_layout_is_refused(archive, tmp_path):
    changed = rewritten(archive, tmp_path / "changed.zip", {}, layout=2)
    with pytest.raises(ReleaseImportError, match="another version of Touchstone"):
        imported(changed)


def test_release_without_the_images_of_its_items_is_refused(tmp_path):
    release = make_release(make_sample_project("grounding", tmp_path), images=False)
    with pytest.raises(FileError, match="but the release has no images"):
        imported(archive_in(release, tmp_path))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"text"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "file.zip"
    path.write_bytes(content)
    with pytest.raises(FileError, match="is no ZIP file"):
        imported(path)


def test_damaged_archives_are_refused(archive, tmp_path):
    """No byte of the directory or of a compressed file ends in another error."""
    content = archive.read_bytes()
    directory = content.rindex(b"PK\x05\x06")
    starts = [directory + at for at in range(4, 20)] + list(range(30, 200, 10))
    path = tmp_path / "file.zip"
    for at in starts:
        path.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        try:
            with open_release(path) as opened:
                for name in opened.files:
                    opened.read(name, 1 << 28)
        except FileError:
            continue


def test_archive_that_lists_too_few_files_is_refused(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 8 : end + 12] = b"\x50\x00\x50\x00"
    path = tmp_path / "file.zip"
    path.write_bytes(content)
    with pytest.raises(FileError, match="is damaged: it lists"):
        imported(path)


def test_archive_without_a_manifest_is_refused(tmp_path):
    path = tmp_path / "file.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/readme.md", "text")
    with pytest.raises(FileError, match="is no release"):
        imported(path)


def test_long_line_is_refused_before_it_is_read(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("releases.domain.release_archive.MAX_LINE", 100)
    with pytest.raises(FileError, match="line 1: is longer than"):
        imported(archive)


def read_lines(path: Path) -> list[dict]:
    with zipfile.ZipFile(path) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/items.jsonl")]
        return [json.loads(line) for line in archive.read(name).splitlines()]


def rewritten(
    path: Path, target: Path, files: dict, *, with_checksums: bool = True, **manifest_fields
) -> Path:
    """Copy a release with other contents of some files, and a manifest that fits them."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        [at] = [name for name in source.namelist() if name.endswith("/manifest.json")]
        manifest = json.loads(source.read(at)) | manifest_fields
        for name in source.namelist():
            short = name.partition("/")[2]
            content = source.read(name)
            if short in files:
                value = files[short]
                lines = value if isinstance(value, list) else [value]
                content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
                if with_checksums:
                    digest = hashlib.sha256(content).hexdigest()
                    manifest["files"][short] |= {"sha256": digest, "bytes": len(content)}
            if name != at:
                copy.writestr(name, content)
        copy.writestr(at, json.dumps(manifest))
    return target


@pytest.fixture
def founder(client) -> Client:
    user = make_user("fay", make_project("elsewhere"), MemberRole.ADMIN)
    user.user_permissions.add(Permission.objects.get(codename="add_project"))
    client.force_login(user)
    return client


def send(client: Client, content: bytes, **changes: str):
    file = SimpleUploadedFile("release.zip", content)
    form = {"title": "Extended", "file": file, **changes}
    return client.post(reverse("releases:import_release"), form)


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_uploaded_release_becomes_a_project(scheme, tmp_path, founder, job_files):
    original = make_sample_project(scheme, tmp_path)
    path = archive_in(make_release(original), tmp_path)
    response = send(founder, path.read_bytes())
    assert response.status_code == 302, response.content
    copy = Project.objects.get(slug="extended")
    assert copy.scheme == scheme
    assert copy.memberships.get().user.username == "fay"
    run_jobs()
    assert corpus_of(copy) == corpus_of(original)
    page = founder.get(reverse("dashboard:jobs", args=["extended"])).content.decode()
    assert "Import of release 1.0" in page
    assert "items with gold" in page
    # The upload is not kept.
    assert not any((job_files / "uploads").rglob("*.zip"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no ZIP file"])
def test_uploads_that_are_no_release_create_no_project(founder, content, job_files):
    response = send(founder, content)
    assert response.status_code == 422
    assert not Project.objects.filter(slug="extended").exists()
    assert not any((job_files / "uploads").rglob("*.zip"))


def test_taken_and_wrong_names_are_refused_at_the_field(founder, archive):
    for slug, text in (("elsewhere", "already"), ("new", "called"), ("A b", "Use at most")):
        response = send(founder, archive.read_bytes(), slug=slug)
        assert response.status_code == 422, slug
        assert text in response.content.decode(), response.content.decode()
    assert Project.objects.count() == 2


def test_changed_release_fails_in_the_job_and_adds_nothing(founder, archive, tmp_path):
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(changed, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename.endswith("items.jsonl"):
                content = content.replace(b"dev", b"tes")
            target.writestr(info.filename, content)
    assert send(founder, changed.read_bytes()).status_code == 302
    run_jobs()
    copy = Project.objects.get(slug="extended")
    assert not copy.items.exists()
    page = founder.get(reverse("dashboard:jobs", args=["extended"])).content.decode()
    assert "release.zip" in page or "items.jsonl" in page


def test_only_people_who_may_create_projects_import_releases(client, archive):
    client.force_login(make_user("rita", make_project("elsewhere"), MemberRole.REQUESTER))
    assert client.get(reverse("releases:import_release")).status_code == 403
    assert send(client, archive.read_bytes()).status_code == 403
