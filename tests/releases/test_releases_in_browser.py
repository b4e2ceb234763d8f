"""Releases in a real browser: made by keyboard, compared, and read on a phone in dark mode."""

from datetime import timedelta
from zipfile import ZipFile

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from consolidation.domain.gold.add_gold import add_gold
from jobs.tasks import run_jobs
from projects.enums import MemberRole
from projects.models import Project
from tests.axe import LOOKS, axe_findings
from tests.consolidation.test_experts_in_browser import NARROW, signed_in
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["signed_in"]


@pytest.fixture
def project(job_files, tmp_path) -> Project:
    return make_sample_project("frames", tmp_path)


@pytest.fixture
def requester(project):
    return make_user("rita", project, MemberRole.REQUESTER)


def check(page: Page) -> None:
    page.wait_for_load_state()
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_release_is_made_by_keyboard_and_downloaded(signed_in, project, requester, tmp_path):
    with signed_in(requester) as page:
        page.goto(reverse("releases:releases", args=[project.slug]))
        page.get_by_role("link", name="New release").press("Enter")
        expect(page.get_by_label("Version")).to_have_value("1.0")
        page.get_by_label("Gold", exact=True).focus()
        expect(page.get_by_label("train")).to_be_checked()
        page.get_by_label("test", exact=True).press("Space")
        page.get_by_label("Authors", exact=True).fill("Doe, Jane; 0000-0002-1825-0097")
        page.get_by_text("Answers for the data statement").press("Enter")
        page.get_by_label("Biases").fill("None are known.")
        page.get_by_role("button", name="Release", exact=True).press("Enter")
        expect(page.get_by_text("The release has started.")).to_be_visible()
        run_jobs()
        page.reload()
        page.get_by_role("link", name="1.0", exact=True).press("Enter")
        expect(page.get_by_role("heading", name="Dataset card")).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download ZIP").press("Enter")
        archive = tmp_path / download.value.suggested_filename
        download.value.save_as(archive)
    folder = f"{project.slug}-1.0"
    with ZipFile(archive) as files:
        assert f"{folder}/data/train.parquet" in files.namelist()
        assert f"{folder}/data/test.parquet" not in files.namelist()
        assert "None are known." in files.read(f"{folder}/DATASHEET.md").decode()


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(signed_in, project, requester, look):
    make_release(project, notes="The first version.")
    for item in project.items.order_by("pk")[:3]:
        gold = item.gold.get()
        content = {**gold.content, "arguments": gold.content["arguments"][:1]}
        add_gold(item=item, source="expert", content=content, provenance=[], now=NOW)
    make_release(project, "1.1", now=NOW + timedelta(days=2), partitions=["train", "dev"])
    width, scheme = look
    with signed_in(requester) as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        for name, *version in (
            ("releases",),
            ("new_release",),
            ("release_details", "1.1"),
            ("release_differences", "1.1"),
        ):
            page.goto(reverse(f"releases:{name}", args=[project.slug, *version]))
            check(page)


def test_differences_are_read_on_a_phone(signed_in, project, requester):
    make_release(project)
    make_release(project, "1.1", now=NOW + timedelta(days=2), partitions=["train", "dev"])
    with signed_in(requester) as page:
        page.set_viewport_size(NARROW)
        page.goto(reverse("releases:release_details", args=[project.slug, "1.1"]))
        page.get_by_role("link", name="Compare with 1.0").click()
        expect(page.get_by_role("heading", name="From 1.0 to 1.1")).to_be_visible()
        expect(page.get_by_text("Not in the released partitions").first).to_be_visible()
        check(page)
