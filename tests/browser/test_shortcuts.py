"""Shortcuts of a single key act only in the focused component, and can be switched off."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Site
from tests.browser.work import (
    card,
    expect_names_without_keys,
    expect_single_keys_can_be_off,
    expect_single_keys_need_focus,
    open_task,
    press,
)

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("case", ["identified-shortcuts", "validation-shortcuts"])
def test_letters_on_a_case_need_a_focused_card(cases: Site, context: BrowserContext, case: str):
    page = open_task(context.new_page(), cases.address(case))
    expect_single_keys_need_focus(page)
    press(page, "ArrowDown")
    expect(page.locator(".card").first).to_be_focused()
    expect_names_without_keys(page)
    expect_single_keys_can_be_off(page)


def test_setting_is_kept_for_the_next_page(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-shortcuts", worker="kept"))
    page.locator("summary", has_text="Keyboard shortcuts").click()
    page.get_by_role("switch", name="Single-key shortcuts").uncheck()
    page = open_task(context.new_page(), cases.address("validation-shortcuts", worker="kept"))
    page.locator(".card").first.focus()
    press(page, "i")
    expect(page.locator("[data-undo]")).to_be_disabled()
    page.locator("summary", has_text="Keyboard shortcuts").click()
    page.get_by_role("switch", name="Single-key shortcuts").check()
    page.locator(".card").first.focus()
    press(page, "i")
    expect(page.locator("[data-undo]")).to_be_enabled()


def test_names_of_verdicts_are_free_of_letters(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-shortcuts", worker="names"))
    keep = card(page, "A1").get_by_role("button", name="Keep", exact=True)
    expect(keep).to_have_attribute("aria-keyshortcuts", "k")
    expect(keep.locator("kbd")).to_have_text("k")
