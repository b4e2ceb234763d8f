"""A browser test of an export with individual annotations, from the form to the ZIP file."""

from zipfile import ZipFile

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from jobs.tasks import run_jobs
from projects.enums import MemberRole
from tests.axe import axe_findings
from tests.consolidation.gold import make_gold_item
from tests.consolidation.test_experts_in_browser import NARROW, signed_in
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["signed_in"]


def test_everything_is_downloaded_as_one_file(signed_in, job_files, tmp_path):
    project = make_gold_item().item.project
    with signed_in(make_user("rita", project, MemberRole.REQUESTER)) as page:
        page.goto(reverse("datasets:exports", args=[project.slug]))
        expect(page.get_by_label("With individual annotations")).to_be_checked()
        page.get_by_role("button", name="Export", exact=True).click()
        expect(page.get_by_text("The export has started.")).to_be_visible()
        run_jobs()
        page.reload()
        page.get_by_role("link", name="Consolidated gold with annotations as").click()
        page.set_viewport_size(NARROW)
        assert axe_findings(page) == []
        with page.expect_download() as download:
            page.get_by_role("link", name="Download all as ZIP").click()
        archive = tmp_path / download.value.suggested_filename
        download.value.save_as(archive)
    assert archive.name == f"{project.slug}.zip"
    names = set(ZipFile(archive).namelist())
    assert f"{project.slug}/manifest.json" in names
    assert [name for name in names if "/annotations/" in name]
