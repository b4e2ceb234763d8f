"""A lab's own scheme in real browsers: written in the editor, annotated, merged, exported and read again.

A requester writes a definition of five fields on an empty site. Two workers annotate a review, one by
keyboard alone and one by touch on a small screen. A third merges, by one key for each difference. The
gold is exported as CoNLL, and a second project that reads the file exports the same.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from tests.axe import axe_findings
from tests.browser.requester import PASSWORD, TIMEOUT_SECONDS, Requester, create_first_account
from tests.browser.test_whole_campaign import accept, reload_until
from tests.browser.work import press
from tests.operations.manage import manage

pytestmark = [pytest.mark.browser, pytest.mark.system]

DEFINITION = """\
title: Opinions in reviews
item: {one: review, many: reviews}
instructions: Mark everything that the author praises or criticises.
language: en
unit: targets
fields:
  - key: targets
    type: spans
    label: Praised or criticised
    labels:
      - {key: praised, label: Praised, key_hint: p}
      - {key: criticised, label: Criticised, key_hint: c}
  - key: overall
    type: choice
    label: The review as a whole
    options: [positive, negative, mixed]
  - key: reason
    type: text
    label: Why is it mixed?
    pattern: "[a-z ]+"
    show_if: {field: overall, is: [mixed]}
  - key: topics
    type: choices
    label: Topics
    options: [food, service, rooms]
  - key: stars
    type: rating
    label: Stars
    min: 1
    max: 5
examples:
  - texts: {text: "Friendly staff, but the soup was cold."}
    answers:
      targets:
        - {start: 1, end: 2, label: praised}
        - {start: 5, end: 6, label: criticised}
      overall: mixed
      reason: nice but cold
      topics: [food, service]
      stars: 3
"""
REVIEW = "Lovely garden, slow waiters."
CORPUS = f'id,text\nr1,"{REVIEW}"\n'
SMALL = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
FORMAT = "conll-bio"
TAGS = [
    ("Lovely", "O"),
    ("garden", "B-praised"),
    (",", "O"),
    ("slow", "O"),
    ("waiters", "B-criticised"),
    (".", "O"),
]


@pytest.fixture
def open_small(chromium: Browser):
    """Return a function that opens a page on a small touch screen."""
    contexts: list[BrowserContext] = []

    def open_small() -> Page:
        context = chromium.new_context(**SMALL)
        context.set_default_timeout(60_000)
        contexts.append(context)
        return context.new_page()

    yield open_small
    for context in contexts:
        context.close()


@pytest.mark.timeout(600)
def test_own_scheme_from_an_empty_editor_to_gold_that_is_read_again(
    first_link: str,
    empty_site: dict[str, str],
    open_page: Callable[[], Page],
    open_small: Callable[[], Page],
    tmp_path: Path,
):
    site = empty_site["SITE_URL"]
    requester = Requester(open_page())
    create_first_account(requester.page, first_link)
    create_project(requester, "Opinions")
    write_definition(requester)
    try_it(requester.page)
    save_and_compare(requester)
    import_corpus(requester)
    publish(requester)
    pages = {"kim": open_page(), "tom": open_small(), "merle": open_page()}
    invite(requester, pages, site)
    annotate_by_keyboard(pages["kim"], site)
    annotate_by_touch(pages["tom"], site)
    merge(pages["merle"], site)
    path = export(requester, tmp_path)
    assert re.findall(r"^(\S+)\t(\S+)$", path.read_text(), re.MULTILINE) == TAGS
    assert read_again(path, tmp_path, empty_site) == path.read_text()


# --- the requester -----------------------------------------------------------------------------


def create_project(requester: Requester, title: str) -> None:
    page = requester.page
    requester.click("link", "New project")
    requester.fill("Title", title)
    page.get_by_role("radio", name="Custom").check()
    requester.click("button", "Create project")
    page.wait_for_url(f"**/projects/{title.lower()}/corpus/")


def write_definition(requester: Requester) -> None:
    """Write the definition with two mistakes, which the editor shows with line and field."""
    page = requester.page
    requester.menu("Scheme definition")
    box = page.get_by_role("textbox", name="Definition in YAML")
    state = page.locator("[data-state]")
    expect(state).to_have_text("No mistakes.")
    box.focus()
    press(page, "Control+a", "Delete")
    expect(state).to_contain_text("1 mistake")
    keys = page.keyboard
    wrong = DEFINITION.replace("type: rating", "type: ratings")
    keys.insert_text(wrong)
    expect_mistake(page, wrong, "type: ratings", "fields.4.type")
    fix(page, "type: ratings", "type: rating")
    expect(state).to_have_text("No mistakes.")
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("heading", name="Opinions in reviews")).to_be_visible()
    expect(frame.locator("[data-field]")).to_have_count(5)
    # The condition of another field has the option that is gone.
    fix(page, "[positive, negative, mixed]", "[positive, negative]")
    expect_mistake(page, box.input_value(), "show_if: ", "fields.2.show_if.is.0")
    press(page, "Control+z")
    expect(state).to_have_text("No mistakes.")
    assert box.input_value() == DEFINITION
    assert axe_findings(page) == []


def expect_mistake(page: Page, text: str, part: str, path: str) -> None:
    line = text[: text.index(part)].count("\n") + 1
    row = page.locator("[data-mistakes] li").first
    expect(row).to_contain_text(f"Line {line}")
    expect(row.locator("code").first).to_have_text(path)
    row.get_by_role("button").press("Enter")
    box = page.get_by_role("textbox", name="Definition in YAML")
    expect(box).to_be_focused()
    selected = box.evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)")
    assert selected.strip().removeprefix("- ").startswith(part)


def fix(page: Page, old: str, new: str) -> None:
    """Select a part of the text and type over it."""
    box = page.get_by_role("textbox", name="Definition in YAML")
    start = box.input_value().index(old)
    box.evaluate(
        "(box, [start, end]) => { box.focus(); box.setSelectionRange(start, end); }",
        [start, start + len(old)],
    )
    page.keyboard.insert_text(new)


def try_it(page: Page) -> None:
    """Annotate the example in the preview, where nothing is saved."""
    frame = page.frame_locator("[data-frame]")
    word(frame, 1).click()
    frame.get_by_role("button", name="Praised").click()
    frame.get_by_role("radio", name="positive").check()
    frame.get_by_role("checkbox", name="service").check()
    frame.get_by_role("radio", name="4").check()
    frame.get_by_role("button", name="Submit").click()
    content = frame.get_by_role("region", name="The content of a submission")
    expect(content).to_contain_text('"stars": 4')


def save_and_compare(requester: Requester) -> None:
    page = requester.page
    requester.click("button", "Save as new version")
    expect(page.get_by_text("Version 2 saved.")).to_be_visible()
    requester.click("link", "Compare with version 1")
    expect(page.locator("ins", has_text="title: Opinions in reviews")).to_be_visible()
    assert page.locator("del").count() > 0
    assert axe_findings(page) == []


def import_corpus(requester: Requester) -> None:
    page = requester.page
    requester.menu("Corpus")
    requester.drop("reviews.csv", CORPUS)
    button = page.get_by_role("button", name="Import 1 review")
    expect(button).to_be_visible(timeout=TIMEOUT_SECONDS * 1000)
    button.click()
    requester.wait_for(lambda: page.get_by_role("link", name="Add expert gold"))


def publish(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Publish", within=".setup")
    expect(page.get_by_role("heading", name="Publish HITs")).to_be_visible()
    requester.click("button", "Preview cost")
    requester.click("button", "Publish 1 HIT")
    expect(page.locator("main")).to_contain_text("1 HIT is being created")


def invite(requester: Requester, pages: dict[str, Page], site: str) -> None:
    """Invite people to the marketplace, who join."""
    page = requester.page
    requester.click("button", "fay")
    requester.click("link", "Marketplace operator")
    requester.click("link", "Workers")
    requester.fill("Number of invitations", str(len(pages)))
    requester.click("button", "Create invitations")
    links = page.locator("code", has_text="/hits/join/").all_inner_texts()
    for (name, person), link in zip(pages.items(), links, strict=True):
        person.goto(link)
        answers = {"username": name, "email": f"{name}@example.org", "password": PASSWORD}
        for field, value in answers.items():
            person.locator(f"[name={field}]").fill(value)
        person.locator("[name=country]").select_option("US")
        person.keyboard.press("Enter")
        person.wait_for_url(f"{site}/hits/")
    page.goto(f"{site}/projects/opinions/")


def export(requester: Requester, folder: Path) -> Path:
    """Export the gold as CoNLL, which has the spans."""
    page = requester.page
    page.reload()
    requester.wait_for(lambda: page.locator(".header__menu").get_by_role("link", name="Data"))
    requester.menu("Data", "Exports")
    requester.wait_for(lambda: page.locator("option", has_text="Consolidated gold"))
    page.get_by_label("Format").select_option(FORMAT)
    requester.click("button", "Export", within="main")
    requester.wait_for(lambda: page.locator(".state--finished"))
    requester.click("link", f"as {FORMAT}", within="main")
    link = page.get_by_role("link").filter(has_text=re.compile(r"\.gold\."))
    with page.expect_download() as download:
        link.first.click()
    path = folder / "opinions.conll"
    download.value.save_as(path)
    return path


def read_again(path: Path, folder: Path, env: dict[str, str]) -> str:
    """Import the file as gold of a second project, and return the project's own export."""
    definition = folder / "opinions.yaml"
    definition.write_text(DEFINITION)
    corpus = folder / "reviews.csv"
    corpus.write_text(CORPUS)
    out = folder / "again"
    for arguments in (
        ["create_project", "again", "--scheme", "custom", "--definition", definition],
        ["import_corpus", "again", corpus, "--strict"],
        ["import_gold", "again", path, "--format", FORMAT, "--source", "expert"],
        ["export_gold", "again", "--format", FORMAT, "--source", "expert", "--out", out],
    ):
        manage(env, *arguments)
    [exported] = out.glob("*.gold.*")
    return exported.read_text()


# --- the workers -------------------------------------------------------------------------------


def word(page, at: int):
    return page.locator("[data-texts] [role=option]").nth(at)


def annotate_by_keyboard(page: Page, site: str) -> None:
    """Praise the garden and criticise the waiters, without a click."""
    frame = accept_by_keyboard(page, site)
    frame.locator(".sentence").focus()
    press(page, "Home", "ArrowRight", "Enter", "p", "ArrowRight", "ArrowRight", "ArrowRight")
    press(page, "Enter", "c")
    expect(frame.locator(".spans__text")).to_have_text(["garden", "waiters"])
    press(page, "Escape", "n", "3")
    reason = frame.get_by_role("textbox", name="Why is it mixed?")
    expect(reason).to_be_focused()
    page.keyboard.type("Nice")
    press(page, "Enter", "2", "3", "n", "3", "Control+Enter")
    # The page leads to what is wrong.
    frame.get_by_role("button", name="Why is it mixed?: this doesn't have").press("Enter")
    press(page, "Control+a")
    page.keyboard.type("nice but slow")
    before = page.url
    press(page, "Control+Enter")
    page.wait_for_url(lambda url: url != before)


def accept_by_keyboard(page: Page, site: str) -> Frame:
    page.goto(f"{site}/hits/")
    button = page.get_by_role("button", name=re.compile("^Accept one"))
    reload_until(page, lambda _: button.count() > 0)
    button.first.press("Enter")
    page.wait_for_url("**/hits/work/**")
    frame = page.locator("iframe#task").element_handle().content_frame()
    assert frame
    expect(frame.locator("html[data-ready]")).to_be_attached()
    frame.get_by_role("button", name="Skip", exact=True).press("Enter")
    return frame


def annotate_by_touch(page: Page, site: str) -> None:
    """Praise the garden only, on a small screen."""
    frame = accept(page, site)
    word(frame, 1).tap()
    frame.get_by_role("button", name="Praised").tap()
    frame.get_by_role("radio", name="positive").tap()
    frame.get_by_role("checkbox", name="service").tap()
    frame.get_by_role("checkbox", name="rooms").tap()
    frame.get_by_role("radio", name="5").tap()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert frame.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    before = page.url
    frame.get_by_role("button", name="Submit").tap()
    page.wait_for_url(lambda url: url != before)


def merge(page: Page, site: str) -> None:
    """Decide the differences by a key each. What both chose is chosen already."""
    frame = accept(page, site)
    different, same = frame.locator(".merge__group").all()
    expect(different.locator(".field-card__title:visible")).to_contain_text(
        ["Praised or criticised", "The review as a whole", "Stars"]
    )
    expect(same.locator(".field-card__title:visible")).to_have_text(["Topics"])
    expect(same.locator(".merge__result:visible")).to_have_text("service, rooms")
    expect(frame.locator("[data-summary]")).to_have_text("3 fields to decide")
    expect(different.locator(".merge__part[aria-pressed=true]")).to_have_text(
        ["garden – Praised"] * 2
    )
    kim, tom = sides(frame)
    press(page, kim, kim)
    expect(frame.locator("[data-field=stars]")).to_be_focused()
    press(page, tom)
    expect(frame.locator("[data-summary]")).to_have_text("Everything is decided.")
    expect(frame.locator("[data-field=reason] .merge__result")).to_have_text("nice but slow")
    before = page.url
    press(page, "Control+Enter")
    page.wait_for_url(lambda url: url != before)


def sides(frame: Frame) -> tuple[str, str]:
    """Return the keys that take the answers of the first and of the second worker."""
    first = frame.locator("[data-field=targets] .merge__source").first
    return ("1", "2") if first.locator(".merge__part").count() == 2 else ("2", "1")
