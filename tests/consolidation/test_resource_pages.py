"""Tests of the pages of a project's resources."""

import csv
import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.factories import make_project as make_qasrl_project
from tests.annotation.uploads import run_jobs
from tests.dashboard.campaign import make_user
from tests.schemes.frames.lexicon_files import large_release, write_zip
from tests.schemes.frames.projects import (
    SAMPLE,
    import_sample,
    make_frames_project,
    make_record,
    submit,
    write_lexicon,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(job_files) -> Project:
    return make_frames_project()


@pytest.fixture
def client(project) -> Client:
    return member(project, MemberRole.REQUESTER)


def member(project: Project, role: MemberRole) -> Client:
    client = Client()
    client.force_login(make_user(f"{role}", project, role))
    return client


def address(name: str = "resource", *more: str) -> str:
    return reverse(f"consolidation:{name}", args=["frames", "lexicon", *more])


def upload(client: Client, content: bytes, *, name: str = "lexicon.json", **fields: str):
    file = SimpleUploadedFile(name, content)
    return save(client, {"file": file, "fmt": "json", **fields})


def save(client: Client, form: dict[str, object]):
    """Import a form's file with a worker process, and return the page that shows the result."""
    response = client.post(address("import_resource"), form)
    if response.status_code != 302:
        return response
    run_jobs()
    return client.get(response.url)


def names(html: str) -> list[str]:
    return re.findall(r'entries/([^/"]+)/">\1</a>', html)


def test_empty_page_explains_the_import(client):
    response = client.get(address())
    assert response.status_code == 200
    assert "No version yet" in response.text
    assert "import_lexicon frames FILE" in response.text


def test_upload_becomes_a_version_with_counts(client, project):
    page = upload(client, SAMPLE.read_bytes(), **{"switch-core_only": "on"})
    assert "Version 1 was imported and is current." in page.text
    assert "All annotations fit the current version." in page.text
    assert page.context["counts"][0] == ("Frames", "65")
    assert project.resources.get().value["core_only"] is True


def test_lexicon_is_imported_by_a_job_only(client, project):
    file = SimpleUploadedFile("lexicon.json", SAMPLE.read_bytes())
    response = client.post(address("import_resource"), {"file": file, "fmt": "json"})
    page = client.get(response.url)
    assert "Importing lexicon.json." in page.text
    assert "No version yet" in page.text
    fragment = {"HX-Request": "true"}
    state = client.get(f"{address()}?import", headers=fragment)
    assert "<html" not in state.text
    assert "HX-Refresh" not in state.headers
    run_jobs()
    assert client.get(f"{address()}?import", headers=fragment).headers["HX-Refresh"] == "true"
    assert "Version 1 was imported and is current." in client.get(response.url).text
    assert "Version 1 was imported" not in client.get(address()).text


def test_preset_of_roles_creates_a_version(client, project):
    import_sample(project)
    page = client.get(address())
    assert '<option value="semeval-2019">semeval-2019</option>' in page.text
    save(client, {"fmt": "json", "preset-roles": "verbnet"})
    newest = project.resources.get(version=2).value
    assert {"Cognizer", "Content"} < {role["name"] for role in newest["roles"]}
    assert newest["frames"] == project.resources.get(version=1).value["frames"]


def test_changed_checkbox_creates_a_version(client, project):
    import_sample(project)
    save(client, {"fmt": "json"})
    assert project.resources.order_by("-version").first().value["core_only"] is False


@pytest.mark.parametrize(
    ("content", "fmt", "message"),
    [
        (b'{"frames":\n{', "json", "cut.json, line 2: is not complete JSON"),
        (b"{}", "framenet", "cut.json: is neither a folder nor a complete zip file."),
        (b"{}", "yaml", "yaml is not one of the available choices"),
    ],
)
def test_refused_upload_shows_the_reason_and_changes_nothing(
    client, project, content, fmt, message
):
    import_sample(project)
    response = upload(client, content, name="cut.json", fmt=fmt)
    assert response.status_code == (422 if fmt == "yaml" else 200)
    assert message in response.text
    assert project.resources.count() == 1


def test_page_lists_versions_with_their_submissions(client, project, tmp_path):
    import_sample(project)
    item = make_record(project)
    submit(item)
    submit(item)
    page = client.get(address())
    rows = [(version.version, count) for version, count in page.context["versions"]]
    assert rows == [(1, 2)]
    upload(client, write_lexicon(tmp_path, ["Giving"]).read_bytes())
    page = client.get(f"{address()}?check=1")
    assert "The frame Commerce_sell does not exist. 2 annotations" in page.text
    assert "s1/3" in page.text


def test_frames_are_searched_and_paged(client, project):
    import_sample(project)
    first = client.get(address())
    assert "65 frames" in first.text
    assert len(names(first.text)) == 25
    last = client.get(f"{address()}?page=3")
    assert len(names(last.text)) == 15
    for page_number in ("0", "-1", "x", "99999999999999", "7"):
        assert client.get(f"{address()}?page={page_number}").status_code == 200
    results = client.get(f"{address()}?query=come+from", headers={"HX-Request": "true"})
    assert names(results.text)[0] == "Origin"
    assert "<html" not in results.text
    assert "No matches" in client.get(f"{address()}?query=zzz").text
    paged = client.get(f"{address()}?query=a&page=1").text
    assert "query=a&amp;page=2" in paged


def test_frames_are_sorted_and_downloaded(client, project):
    import_sample(project)

    def rows(**query) -> list[dict[str, str]]:
        response = client.get(address(), {"format": "csv", **query})
        return list(csv.DictReader(io.StringIO(response.getvalue().decode())))

    everything = rows()
    assert len(everything) == 65
    assert "buy.v" in next(row for row in everything if row["Name"] == "Commerce_buy")["Details"]
    ranked = [row["Name"] for row in rows(query="come from")]
    assert ranked[0] == "Origin"
    by_name = sorted(ranked, key=str.lower)
    assert [row["Name"] for row in rows(query="come from", sort="name")] == by_name
    assert [row["Name"] for row in rows(query="come from", sort="-name")] == by_name[::-1]
    assert (
        names(client.get(address(), {"sort": "-name"}).text)
        == sorted((row["Name"] for row in everything), key=str.lower, reverse=True)[:25]
    )


def test_list_after_an_invalid_upload_leads_to_the_list(client, project):
    import_sample(project)
    page = upload(client, b"{", fmt="yaml").text
    assert f'href="{address()}?page=2"' in page


def test_frame_page_shows_everything_and_links_relations(client, project):
    import_sample(project)
    html = client.get(address("resource_entry", "Commerce_buy")).text
    for text in ("buy back.v", "core", "peripheral", "Inherits from", "Who wants the"):
        assert text in html
    assert f'href="{address("resource_entry", "Getting")}"' in html
    assert re.search(r'<mark class="role-word role--\d">The city<sub[^>]*>Buyer</sub></mark>', html)
    assert "Is inherited by" in client.get(address("resource_entry", "Getting")).text


def test_texts_of_a_lexicon_are_escaped(client, project):
    evil = "<script>alert(1)</script>"
    frame = {
        "definition": f"{evil} {{Seller|{evil}}}",
        "examples": [f"{{Seller|{evil}}}"],
        "elements": [{"name": "Seller", "definition": evil}],
        "units": ["<b>.v"],
    }
    lexicon = {"frames": {"<b>Odd</b>": frame}}
    upload(client, json.dumps(lexicon).encode())
    for url in (address(), address("resource_entry", "<b>Odd</b>")):
        html = client.get(url).text
        assert "&lt;script&gt;alert(1)" in html
        assert evil not in html
        assert "<b>" not in html


def test_unknown_names_lead_back(client, project):
    import_sample(project)
    response = client.get(address("resource_entry", "Lost"), follow=True)
    assert response.redirect_chain == [(address(), 302)]
    assert "There is no entry Lost in the current version." in response.text
    everything = reverse("consolidation:resources", args=["frames"])
    other = reverse("consolidation:resource", args=["frames", "other"])
    assert client.get(everything).url == address()
    assert client.get(other).url == everything
    assert client.post(f"{other}import/").url == everything


def test_members_read_and_only_staff_import(project):
    import_sample(project)
    expert = member(project, MemberRole.EXPERT)
    page = expert.get(address())
    assert "Save as new version" not in page.text
    assert expert.get(address("resource_entry", "Giving")).status_code == 200
    assert upload(expert, b"{}").status_code == 403


def test_menu_has_the_resource_only_where_the_scheme_has_one(client, project):
    overview = reverse("dashboard:project", args=["frames"])
    link = reverse("consolidation:resources", args=["frames"])
    assert re.search(
        rf'href="{link}"\s*>Lexicon</a>',
        client.get(reverse("annotation:corpus", args=["frames"])).text,
    )
    assert client.get(overview).status_code == 200
    news = make_qasrl_project("news")
    other = member(news, MemberRole.ADMIN)
    corpus = other.get(reverse("annotation:corpus", args=["news"]))
    assert "/resources/" not in corpus.text
    page = other.get(reverse("consolidation:resources", args=["news"]))
    assert "Projects with this annotation scheme don't need resources." in page.text


def test_queries_do_not_depend_on_the_size(client, project, tmp_path):
    def queries(url: str) -> int:
        client.get(url)  # loads the value into the process
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url).status_code == 200
        return len(captured)

    def counts() -> list[int]:
        entry = address("resource_entry", "Frame_1")
        return [queries(url) for url in (address(), f"{address()}?query=verb", entry)]

    for size in (3, 300):
        release = write_zip(tmp_path / f"{size}.zip", large_release(size, 3 * size))
        upload(client, release.read_bytes(), name="release.zip", fmt="framenet")
        item = make_record(project)
        for _ in range(size // 10):
            submit(item)
        if size == 3:
            few = counts()
    assert counts() == few
