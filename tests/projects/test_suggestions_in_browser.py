"""Browser test of the setting for suggested questions."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.annotation.test_corpus_in_browser import office, project, site
from tests.axe import axe_findings
from tests.dashboard.test_in_browser import NARROW, WIDE, open_context

__all__ = ["office", "open_context", "project", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("viewport", "scheme"), [(NARROW, "dark"), (WIDE, "light")])
def test_suggestions_are_chosen_by_keyboard(open_context, project, viewport, scheme):
    page = open_context(viewport=viewport, color_scheme=scheme).new_page()
    page.goto(reverse("projects:settings", args=[project.slug]))
    choice = page.get_by_role("group", name="Suggested questions")
    expect(choice.get_by_role("radio")).to_have_count(4)
    chosen = choice.get_by_role("radio", name="By partition")
    expect(chosen).to_be_checked()
    chosen.focus()
    page.keyboard.press("ArrowDown")
    expect(choice.get_by_role("radio", name="Off")).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert axe_findings(page) == []
    choice.scroll_into_view_if_needed()
    page.keyboard.press("Enter")
    expect(page.get_by_text("suggestions: by partition")).to_be_visible()
    project.refresh_from_db()
    assert project.suggestions == "off"
