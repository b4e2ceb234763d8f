"""A release is published from a real browser: a token, a check, a confirmation, an upload."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from jobs.tasks import run_jobs
from projects.enums import MemberRole
from tests.axe import LOOKS
from tests.consolidation.test_experts_in_browser import signed_in
from tests.dashboard.campaign import make_user
from tests.releases.test_publishing import HF_TOKEN, hub, project, release
from tests.releases.test_releases_in_browser import check

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("job_files"),
]
__all__ = ["hub", "project", "release", "signed_in"]


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_release_is_published_by_keyboard(signed_in, hub, release, look):
    ada = make_user("ada", release.project, MemberRole.ADMIN)
    width, scheme = look
    with signed_in(ada) as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        page.goto(reverse("releases:release_details", args=[release.project.slug, "1.0"]))
        page.get_by_role("link", name="Hugging Face Hub").press("Enter")
        check(page)
        page.get_by_label("Token").fill(HF_TOKEN)
        page.get_by_role("button", name="Store the token").press("Enter")
        page.get_by_label("Dataset", exact=True).fill("lab/wikinews")
        page.get_by_label("Create it as a private dataset").press("Space")
        page.get_by_role("button", name="Check").press("Enter")
        expect(page.get_by_text("A new private dataset lab/wikinews.")).to_be_visible()
        page.locator("summary", has_text="files").press("Enter")
        expect(page.get_by_role("rowheader", name="README.md", exact=True)).to_be_visible()
        check(page)
        page.get_by_label("to confirm").fill("lab/wikinews")
        page.get_by_role("button", name="Upload").press("Enter")
        expect(page.get_by_text("The upload has started.")).to_be_visible()
        assert hub.writes == []
        run_jobs()
        page.reload()
        expect(page.get_by_role("link", name="/datasets/lab/wikinews/tree/v1.0")).to_be_visible()
        check(page)
    assert hub.datasets["lab/wikinews"].private
