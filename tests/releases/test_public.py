"""Public releases: off by default, the same for everybody, cacheable, searched, and complete."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from audit.models import StateChange
from consolidation.domain.gold.add_gold import add_gold
from projects.enums import MemberRole
from releases.domain.paper_tables import paper_tables
from releases.domain.public import NotBuiltError, find_items, open_to_public
from releases.domain.released import Released
from releases.models import Release
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.releases.projects import (
    SCHEME_NAMES,
    make_release,
    make_release_rows,
    make_sample_project,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
PAGES = ("public_release", "public_items", "public_statistics", "public_archive")


def url(release: Release, name: str = "public_release", *more: object) -> str:
    return reverse(f"releases:{name}", args=[release.project.slug, release.version, *more])


def make_public(scheme: str, folder, **details) -> Release:
    release = make_release(make_sample_project(scheme, folder), **details)
    open_to_public(release=release, actor="rita", now=NOW)
    return release


@pytest.fixture
def release(tmp_path):
    return make_public("qasrl", tmp_path)


def test_releases_are_private_by_default(tmp_path, client):
    release = make_release(make_sample_project("qasrl", tmp_path))
    for name in PAGES:
        assert client.get(url(release, name)).status_code == 404
    position = release.items.first().position
    assert client.get(url(release, "public_item", position)).status_code == 404
    assert (
        "No release is public yet" in client.get(reverse("releases:public_list")).content.decode()
    )


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_everything_of_a_public_release_is_read_without_an_account(tmp_path, client, scheme):
    release = make_public(scheme, tmp_path)
    assert release.facts["title"] in client.get(reverse("releases:public_list")).content.decode()
    about = client.get(url(release)).content.decode()
    assert f"{release.facts['manifest']['counts']['items']:,}" in about
    assert "Annotated with touchstone" in about  # the end of the dataset card
    statistics = client.get(url(release, "public_statistics")).content.decode()
    for table in paper_tables(Released(release)):
        assert escape(table.caption) in statistics
        assert all(escape(number.text) in statistics for _, number in table.numbers())
    items = client.get(url(release, "public_items")).content.decode()
    for row in release.items.all()[:10]:
        assert row.key in items
        page = client.get(url(release, "public_item", row.position))
        assert page.status_code == 200
        if row.row["image"]:
            source = re.search(r'<img src="([^"]+)"', page.content.decode())
            assert client.get(source[1].replace("&amp;", "&")).status_code == 200
    archive = client.get(url(release, "public_archive"))
    assert sum(map(len, archive.streaming_content)) == release.archive["bytes"]


def test_pages_are_the_same_for_everybody_and_cacheable(release, client):
    member = Client()
    member.force_login(make_user("ada", release.project, MemberRole.ADMIN))
    for address in (
        reverse("releases:public_list"),
        *(url(release, name) for name in PAGES[:3]),
        url(release, "public_item", release.items.first().position),
    ):
        ours, theirs = member.get(address), client.get(address)
        assert ours.content == theirs.content
        assert "public" in theirs["Cache-Control"]
        assert "max-age=300" in theirs["Cache-Control"]
        assert not theirs.cookies
        assert "Cookie" not in theirs.get("Vary", "")
        assert b"csrfmiddlewaretoken" not in theirs.content
        if etag := theirs.get("ETag"):
            assert client.get(address, headers={"If-None-Match": etag}).status_code == 304


def test_images_that_were_not_released_are_not_shown(tmp_path, client):
    release = make_public("grounding", tmp_path, images=False)
    row = next(row for row in release.items.all() if row.row["image"])
    for name, more in (("public_items", ()), ("public_item", (row.position,))):
        page = client.get(url(release, name, *more)).content.decode()
        assert row.key in page
        assert "<img" not in page


def test_cached_page_is_read_again_before_the_addresses_of_its_images_expire(
    tmp_path, client, monkeypatch
):
    release = make_public("grounding", tmp_path)
    row = next(row for row in release.items.all() if row.row["image"])
    address = url(release, "public_item", row.position)
    etag = client.get(address)["ETag"]
    later = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: later)
    response = client.get(address, headers={"If-None-Match": etag})
    assert response.status_code == 200
    source = re.search(r'<img src="([^"]+)"', response.content.decode())
    assert client.get(source[1].replace("&amp;", "&")).status_code == 200


def test_later_gold_changes_no_public_page(release, client):
    row = release.items.first()
    address = url(release, "public_item", row.position)
    before = client.get(address).content
    content = {**row.gold.content, "questions": row.gold.content["questions"][:1]}
    add_gold(item=row.gold.item, source="expert", content=content, provenance=[{}], now=NOW)
    row.gold.item.sentence.tokens = ["changed"]
    row.gold.item.sentence.save()
    assert client.get(address).content == before


def test_items_are_searched(release, client):
    row = release.items.first()
    words = " ".join(row.row["tokens"][:2])
    page = client.get(url(release, "public_items"), {"q": words.upper()}).content.decode()
    assert row.key in page
    assert (
        "Nothing matches"
        in client.get(url(release, "public_items"), {"q": "zebra"}).content.decode()
    )
    short = client.get(url(release, "public_items"), {"q": "a"}).content.decode()
    assert "Enter at least 3 characters" in short
    assert find_items(release=release, partition="dev").count() < release.items.count()
    chosen = client.get(url(release, "public_items"), {"partition": "dev"}).content.decode()
    assert row.key in chosen or row.partition != "dev"


def test_odd_queries_get_a_page(release, client):
    for query in (
        {"page": "999"},
        {"page": "x"},
        {"page": "-1"},
        {"partition": "<script>"},
        {"q": "%_\\"},
        {"q": "a" * 5000},
        {"q": '"quoted" \\ words'},
        {"q": "<script>alert(1)</script>"},
    ):
        response = client.get(url(release, "public_items"), query)
        assert response.status_code == 200, query
        assert b"<script>alert" not in response.content
    assert client.get(url(release, "public_items"), {"q": "\x00abc"}).status_code == 400


def test_unknown_addresses_do_not_exist(release, client):
    slug = release.project.slug
    assert client.get(f"/datasets/{slug}/9.9/").status_code == 404
    assert client.get("/datasets/other/1.0/").status_code == 404
    assert client.get(url(release, "public_item", 10**9)).status_code == 404
    assert client.post(url(release)).status_code == 405


def test_staff_open_and_close_a_release(tmp_path, client):
    release = make_release(make_sample_project("qasrl", tmp_path))
    member = Client()
    member.force_login(make_user("ada", release.project, MemberRole.ADMIN))
    details = reverse("releases:release_details", args=[release.project.slug, release.version])
    assert "Make public" in member.get(details).content.decode()
    page = member.post(url(release, "open_release"), follow=True).content.decode()
    assert "Anyone can read the release now." in page
    assert client.get(url(release)).status_code == 200
    member.post(url(release, "open_release"))
    page = member.post(url(release, "close_release"), follow=True).content.decode()
    assert "no longer public" in page
    assert client.get(url(release)).status_code == 404
    log = StateChange.objects.filter(object_id=str(release.pk), new__in=["public", "private"])
    assert list(log.order_by("pk").values_list("new", flat=True)) == ["public", "private"]


def test_release_without_files_stays_private(tmp_path):
    project = make_sample_project("qasrl", tmp_path)
    make_release_rows(project, 1)
    with pytest.raises(NotBuiltError):
        open_to_public(release=project.releases.get(), actor="rita", now=NOW)


def test_deleted_project_is_no_longer_public(release, client):
    release.project.deleted_at = NOW
    release.project.save()
    assert client.get(url(release)).status_code == 404
