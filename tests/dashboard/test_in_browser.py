"""Browser tests of the pages: accessibility, width, htmx updates and use without scripts."""

import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from annotation.models import Batch, Submission
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.index_gold import rebuild_index
from crowd.models import Hit, Payment
from datasets.domain.quality.certainty import fit_certainty
from tests.annotation.onboarding import AGE, publish_fields
from tests.axe import LOOKS, axe_findings
from tests.crowd.factories import make_empty_session
from tests.dashboard.campaign import CONTENT, START, Campaign, make_project
from tests.forced_colors import force_colors, forced_look
from tests.model_annotators.factories import model_of
from tests.view_names import VIEW_NAMES

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NARROW, WIDE = {"width": 360, "height": 800}, {"width": 1280, "height": 900}


@pytest.fixture
def site(live_server, office, campaign, settings):
    settings.ALLOWED_HOSTS = ["*"]
    rebuild_index(project=campaign.project)
    expert = {"questions": [*CONTENT["questions"][:2], {"question": "Why?", "answers": [[8, 9]]}]}
    item = campaign.items[3]
    add_gold(item=item, source="expert", content=expert, provenance=[], now=START)
    Hit.objects.filter(pk=Hit.objects.first().pk).update(state="failed", error="Too long a title.")
    Payment.objects.filter(pk=Payment.objects.first().pk).update(state="held", confirmed_at=None)
    return live_server.url


@pytest.fixture
def open_context(chromium: Browser, site, office):
    """Open contexts signed in as the requester.

    Fail on console errors and on violations of the content security policy.
    """
    opened: list[BrowserContext] = []
    complaints: list[str] = []

    def complain(message: ConsoleMessage) -> None:
        # The console logs all error responses, and these two are expected.
        if not message.location["url"].endswith(("/no-such-page/", "/projects/demo/")):
            complaints.append(message.text)

    def new(**options) -> BrowserContext:
        context = chromium.new_context(base_url=site, **options)
        context.add_cookies(
            [{"name": "sessionid", "value": office.cookies["sessionid"].value, "url": site}]
        )
        context.on("console", complain)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        opened.append(context)
        return context

    yield new
    for context in opened:
        context.close()
    assert complaints == []


def addresses(campaign: Campaign, *, empty: bool) -> list[str]:
    """Return the addresses of pages. With `empty`, add those of a project without rows."""
    pages = [
        "project",
        "publish",
        "items",
        "gold",
        "submissions",
        "batches",
        "rejections",
        "workers",
        "inbox",
        "quality",
        "log",
        "agreement",
        "costs",
        "ledger",
        "exports",
        "releases",
        "new_release",
        "systems",
        "jobs",
        "settings",
        "corpus",
        "guidelines",
        "consent_and_questionnaire",
        "pay",
        "dry_run",
        "models",
        "assistance",
        "certainty",
        "adaptive",
    ]
    slug = campaign.project.slug
    fit_certainty(project=campaign.project, now=START)
    projects = [make_project("empty").slug] if empty else []
    worker = campaign.workers[0].pseudonym
    return [
        "/",
        "/no-such-page/",
        reverse("projects:project_new"),
        reverse("releases:import_release"),
        "/account/tokens/",
        "/search/?q=number",
        "/help/how-to/trainer.md",
        "/help/reference/settings.md",
        *(reverse(VIEW_NAMES[page_name], args=[slug]) for page_name in pages),
        reverse("consolidation:item", args=[slug, campaign.items[3].pk]),
        reverse("datasets:gold_sentence", args=[slug, campaign.items[3].sentence_id]),
        reverse("datasets:gold", args=[slug]) + "?target=never",
        reverse("datasets:quality_item", args=[slug, campaign.items[3].pk]),
        reverse("model_annotators:model", args=[slug, model_of(campaign.project).pk]),
        reverse("qualification:worker", args=[slug, worker]),
        reverse("qualification:compensate", args=[slug, worker]),
        reverse("qualification:thread", args=[slug, worker]),
        reverse("consolidation:batch", args=[slug, campaign.batches["generator"].pk]),
        reverse("consolidation:copies", args=[slug, campaign.items[1].submissions.last().pk]),
        reverse(
            "consolidation:decide_session",
            args=[slug, make_empty_session(campaign.project.budget, campaign.workers[0]).pk],
        ),
        reverse("consolidation:items", args=[slug]) + "?state=generating&text=zebra",
        *(reverse(VIEW_NAMES[name], args=[slug]) for slug in projects for name in pages),
    ]


def overflow(page: Page) -> int:
    page.wait_for_load_state()
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(open_context, campaign, requester, look):
    width, scheme = look
    viewport = {"width": width, "height": 800}
    # Pages without rows are checked in only one look, to save time.
    urls = addresses(campaign, empty=look != (360, "dark"))
    requester.is_superuser = True
    requester.save()
    page = open_context(viewport=viewport, color_scheme=scheme).new_page()
    findings = []
    for url in urls:
        page.goto(url)
        findings += [(url, finding) for finding in axe_findings(page)]
        findings += [(url, "too wide by", overflow(page))] if overflow(page) > 0 else []
    assert findings == []


def test_header_is_compact_on_a_narrow_screen_and_its_menus_open_by_keyboard(
    open_context, campaign
):
    page = open_context(viewport=NARROW, has_touch=True).new_page()
    page.goto(reverse("consolidation:batches", args=["demo"]))
    assert page.locator(".header").bounding_box()["height"] < 120
    menu = page.get_by_role("navigation", name=campaign.project.title)
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu").press("Enter")
    expect(menu.get_by_role("link", name="Batches")).to_have_attribute("aria-current", "page")
    assert axe_findings(page) == []
    menu.get_by_role("link", name="Costs").press("Enter")
    page.wait_for_url("**/costs/")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="rita").press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert axe_findings(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_search_opens_by_shortcut_from_any_page(open_context, campaign):
    page = open_context(viewport=WIDE).new_page()
    page.goto(reverse("datasets:costs", args=["demo"]))
    page.keyboard.press("Control+k")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type(campaign.items[3].key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name=campaign.items[3].key, exact=True).click()
    expect(page).to_have_url(re.compile(rf"/items/{campaign.items[3].pk}/$"))


def test_axe_reports_low_contrast(chromium):
    page = chromium.new_page()
    page.set_content("<main><p style='color: #bbb; background: #fff'>faint words</p></main>")
    assert "color-contrast" in str(axe_findings(page))
    page.close()


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["360", "1280"])
def test_sign_in_page_is_accessible(chromium, live_server, viewport, requester):
    context = chromium.new_context(base_url=live_server.url, viewport=viewport)
    page = context.new_page()
    page.goto("/login/")
    assert axe_findings(page) == []
    page.get_by_role("button", name="Sign in").press("Enter")
    context.close()


def test_overview_refreshes_in_place(open_context, campaign):
    page = open_context().new_page()
    page.clock.install()
    page.goto(reverse("dashboard:project", args=["demo"]))
    link = page.get_by_role("link", name="submissions to review")
    link.focus()
    page.evaluate("document.querySelector('.step .figure b').kept = true")
    row = page.get_by_role("row", name="submissions to review")
    expect(row).to_contain_text("3")
    Submission.objects.filter(item=campaign.items[1], state="submitted").update(problem="")
    page.clock.fast_forward(5_000)
    expect(row).to_contain_text("2", timeout=15_000)
    # The nodes are updated and not replaced, so the page does not flicker and keeps the focus.
    assert page.evaluate("document.querySelector('.step .figure b').kept")
    expect(link).to_be_focused()


def test_overview_shows_a_failed_refresh(open_context, campaign):
    page = open_context().new_page()
    page.clock.install()
    page.goto(reverse("dashboard:project", args=["demo"]))
    broken = {"status": 500, "content_type": "text/html", "body": render_to_string("500.html")}
    page.route("**/projects/demo/", lambda route: route.fulfill(**broken))
    page.clock.fast_forward(5_000)
    expect(page.get_by_role("status")).to_contain_text(
        "could not complete the request", timeout=15_000
    )
    expect(page.get_by_role("list", name="Protocol steps")).to_be_visible()


def test_filter_updates_rows_and_address_and_supports_back(open_context, campaign):
    page = open_context().new_page()
    page.goto(reverse("consolidation:items", args=["demo"]))
    rows = page.locator("#rows tbody tr")
    expect(rows).to_have_count(12)
    page.get_by_label("State").select_option("consolidated")
    expect(rows).to_have_count(3)
    assert "state=consolidated" in page.url
    page.go_back()
    expect(rows).to_have_count(12)


def test_all_rows_of_a_page_or_all_matches_are_selected(open_context, campaign):
    campaign.add(80)
    Batch.objects.update(description="Ask questions about verbs.")
    page = open_context(viewport=WIDE).new_page()
    page.goto(reverse("consolidation:batch", args=["demo", campaign.batches["generator"].pk]))
    boxes, count = page.locator("[data-select-row]"), page.locator("[data-selection-count]")
    of_page = page.get_by_role("columnheader", name="Selected").get_by_role("checkbox")
    total = page.locator(".list-bar__total").inner_text().split("·")[0].strip()
    boxes.nth(0).check()
    boxes.nth(2).check()
    expect(count).to_have_text("2 selected")
    expect(of_page).to_have_js_property("indeterminate", True)
    of_page.check()
    expect(count).to_have_text("50 selected")
    of_page.uncheck()
    expect(count).to_have_text("")
    page.get_by_role("button", name=f"Select all {total}").press("Enter")
    expect(count).to_have_text(f"All {total} selected")
    expect(boxes.nth(1)).to_be_checked()
    assert axe_findings(page) == []
    with page.expect_response(lambda response: "hx-request" in response.request.headers):
        pass  # the list refreshes itself
    expect(count).to_have_text(f"All {total} selected")
    page.get_by_label("Which").select_option("live")
    expect(count).to_have_text("")
    page.get_by_role("button", name="Select all").press("Enter")
    expect(count).to_have_text(re.compile(r"All \d+ HITs selected"))
    page.get_by_label("Action for the selected HITs").select_option("expire")
    page.get_by_role("button", name="Continue").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text(re.compile(r"End\s+all \d+ affected HITs"))


def test_selection_follows_its_rows_when_the_list_changes(open_context, campaign):
    campaign.add(20)
    page = open_context(viewport=WIDE).new_page()
    page.goto(reverse("consolidation:batch", args=["demo", campaign.batches["generator"].pk]))
    failed = Hit.objects.get(state="failed")
    row = page.locator(f"[data-select-row][value='{failed.pk}']")
    first_live = page.locator("[data-select-row]").filter(visible=True).nth(2)
    row.check()
    first_live.check()
    count = page.locator("[data-selection-count]")
    expect(count).to_have_text("2 selected")
    page.get_by_label("Which").select_option("failed")
    expect(page.locator("[data-select-row]")).to_have_count(1)
    expect(row).to_be_checked()
    expect(count).to_have_text("1 selected")
    page.get_by_label("Which").select_option("live")
    expect(page.locator("[data-select-row]:checked")).to_have_count(0)
    expect(count).to_have_text("")


def test_cards_are_selected_together_and_explain_their_labels(open_context, campaign):
    page = open_context(viewport=NARROW).new_page()
    page.goto(reverse("qualification:workers", args=["demo"]))
    page.get_by_label("Select all on this page").filter(visible=True).check()
    boxes = page.locator("[data-select-row]")
    expect(page.locator("[data-select-row]:checked")).to_have_count(boxes.count())
    expect(page.locator("[data-selection-count]")).to_have_text(f"{boxes.count()} selected")
    page.get_by_text("Definitions").press("Enter")
    expect(page.get_by_text("Active time per submission.").filter(visible=True)).to_have_count(1)
    assert axe_findings(page) == []
    assert overflow(page) <= 0


def test_controls_of_the_selection_are_hidden_without_scripts(open_context, campaign):
    page = open_context(java_script_enabled=False).new_page()
    page.goto(reverse("qualification:workers", args=["demo"]))
    expect(page.get_by_label("Select all on this page")).to_have_count(2)
    for control in page.get_by_label("Select all on this page").all():
        expect(control).to_be_hidden()
    page.get_by_role("checkbox", name="Select").filter(visible=True).first.check()
    page.get_by_role("button", name="Message").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 worker")


def test_publishing_works_by_keyboard(open_context, campaign):
    page = open_context().new_page()
    page.goto(reverse("dashboard:project", args=["demo"]))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Publish 3 more items")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("Number of HITs").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Publish 2 HITs for $").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("2 HITs are being created")


def test_pages_work_without_scripts(open_context, campaign):
    page = open_context(java_script_enabled=False).new_page()
    page.goto(reverse("consolidation:items", args=["demo"]))
    page.get_by_label("State").select_option("consolidated")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#rows tbody tr")).to_have_count(3)
    page.goto(reverse("consolidation:submissions", args=["demo"]))
    page.get_by_text("Reject …").first.click()
    page.get_by_label("Reason", exact=True).first.fill("Nothing here is in the sentence.")
    page.get_by_role("button", name="Reject work").first.click()
    expect(page.locator(".messages")).to_contain_text("Rejected.")


@pytest.mark.parametrize("scripts", [True, False], ids=["htmx", "no JavaScript"])
def test_list_is_filtered_sorted_and_saved(campaign, open_context, scripts):
    campaign.add(220)
    page = open_context(viewport=WIDE, java_script_enabled=scripts).new_page()
    page.goto(reverse("consolidation:items", args=["demo"]))
    expect(page.locator(".list-bar__total")).to_contain_text("232 items")
    page.get_by_label("Domain").select_option("wikinews")
    if not scripts:
        page.get_by_role("button", name="Show").click()
    expect(page.locator(".list-bar__total")).to_contain_text("116 items")
    page.get_by_role("link", name="Key").press("Enter")
    expect(page.get_by_role("columnheader", name="Key")).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("domain=wikinews.*sort=key"))
    # A changed filter keeps the sort.
    page.get_by_label("State").select_option("not-published")
    if not scripts:
        page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("sort=key"))
    expect(page.locator(".list-bar__total")).to_contain_text("58 items")
    page.get_by_role("link", name="Page 2").click()
    expect(page.locator("#rows tbody tr")).to_have_count(8)
    page.get_by_text("Save filter").click()
    page.get_by_label("Name").fill("To publish")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="To publish")).to_have_attribute("aria-current", "true")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert len(download.value.path().read_text().splitlines()) == 59


def test_rows_are_cards_on_a_narrow_screen(campaign, open_context):
    page = open_context(viewport=NARROW).new_page()
    page.goto(reverse("qualification:worker", args=["demo", campaign.workers[0].pseudonym]))
    row = page.locator("#rows tbody tr").first
    for label in ("Role", "State", "Active time", "Submitted"):
        expect(row.locator(f'[data-label="{label}"]')).to_be_visible()
    page.get_by_text("Sort", exact=True).click()
    page.locator(".list-bar__sort").get_by_role("link", name="Active time").click()
    expect(page).to_have_url(re.compile("sort=active-time"))


def test_several_submissions_are_decided_by_keyboard(campaign, open_context):
    Submission.objects.filter(state="submitted").update(other_version=None)
    page = open_context(viewport=NARROW).new_page()
    page.goto(reverse("consolidation:submissions", args=["demo"]))
    for box in page.get_by_role("checkbox").all()[:2]:
        box.press("Space")
    page.get_by_role("button", name="Continue …").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Accept and pay 2 assignments?")
    assert axe_findings(page) == []
    page.get_by_role("button", name="Pay $").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Accepted: 2 assignments.")


@pytest.mark.parametrize("scripts", [True, False], ids=["htmx", "no JavaScript"])
def test_guidelines_preview_by_keyboard_saves_nothing(campaign, open_context, scripts):
    written = campaign.project.guidelines.filter(role="generator")
    before = written.count()
    page = open_context(viewport=NARROW, java_script_enabled=scripts).new_page()
    page.goto(reverse("projects:guidelines", args=[campaign.project.slug]))
    page.get_by_label("Guidelines, in Markdown").fill("Ask about the **marked** verb.")
    page.get_by_role("button", name="Preview").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#preview")).to_have_text("Ask about the marked verb.")
    expect(page.get_by_label("Guidelines, in Markdown")).to_have_value(
        "Ask about the **marked** verb."
    )
    assert written.count() == before
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_role("link", name=f"Version {before + 1}")).to_be_visible()


def test_current_page_and_main_action_are_visible_in_forced_colours(open_context, campaign):
    page = open_context(viewport=WIDE).new_page()
    force_colors(page)
    page.goto(reverse("consolidation:batches", args=[campaign.project.slug]))
    menu = page.locator(".header__menu")
    current, other = menu.locator("a[aria-current]"), menu.locator("li a:not([aria-current])")
    assert forced_look(current) != forced_look(other)
    page.goto(reverse("annotation:publish", args=[campaign.project.slug]))
    main_action, plain = page.locator("main button.primary"), page.locator("header button")
    assert forced_look(main_action) != forced_look(plain)


@pytest.mark.parametrize("scripts", [True, False], ids=["htmx", "no JavaScript"])
def test_questionnaire_is_edited_and_published(campaign, open_context, requester, scripts):
    requester.is_superuser = True
    requester.save()
    publish_fields(campaign.project, AGE)
    page = open_context(viewport=NARROW, java_script_enabled=scripts).new_page()
    page.goto(reverse("annotation:consent_and_questionnaire", args=[campaign.project.slug]))
    page.get_by_role("button", name="Add field").click()
    added = page.get_by_role("group", name="Field 2")
    added.get_by_label("Wording").fill("Native language")
    added.get_by_label("Answer").select_option("language")
    page.get_by_role("button", name="Move up field 2").press("Enter")
    first = page.get_by_role("group", name="Field 1").get_by_label("Wording")
    expect(first).to_have_value("Native language")
    expect(page.get_by_role("button", name="Move up field 1")).to_be_focused()
    page.locator("#questionnaire").get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview of the questionnaire")
    expect(preview.get_by_label("Native language")).to_be_visible()
    assert campaign.project.questionnaires.count() == 1
    page.get_by_role("button", name="Publish questionnaire").click()
    expect(page.get_by_role("status").first).to_contain_text("questionnaire, version 2")
    newest = campaign.project.questionnaires.get(version=2)
    assert [field["label"] for field in newest.fields] == ["Native language", "Year of birth"]


def test_search_has_room_at_320_pixels(open_context, campaign):
    page = open_context(viewport={"width": 320, "height": 640}).new_page()
    page.goto(reverse("datasets:quality", args=[campaign.project.slug]))
    page.get_by_role("button", name="Search").press("Enter")
    field = page.get_by_role("searchbox", name="Search")
    expect(field).to_be_focused()
    box = field.bounding_box()
    assert box
    assert box["width"] >= 200
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()


def test_wide_table_has_a_shade_where_it_goes_on(open_context, campaign):
    page = open_context(viewport=NARROW).new_page()
    page.goto(reverse("datasets:quality", args=[campaign.project.slug]))
    table = page.locator(".table-scroll").filter(visible=True).first
    table.scroll_into_view_if_needed()
    # The shades are painted below the table, so nothing may cover them.
    backgrounds = table.evaluate(
        "each => [getComputedStyle(each).backgroundImage, "
        "getComputedStyle(each.querySelector('table')).backgroundColor]"
    )
    assert backgrounds[0].count("linear-gradient") == 4
    assert backgrounds[1] == "rgba(0, 0, 0, 0)"


UNNAMED_TABLES = """() => [...document.querySelectorAll("table")]
    .filter((each) => !each.ariaLabel && !each.caption && !each.hasAttribute("aria-labelledby"))
    .map((each) => each.outerHTML.slice(0, 100))"""


def test_every_table_has_a_name(open_context, campaign):
    page = open_context(viewport=WIDE).new_page()
    names = ["project", "quality", "costs", "items", "workers", "log", "pay"]
    pages = [reverse(VIEW_NAMES[name], args=[campaign.project.slug]) for name in names]
    unnamed = []
    for url in [*pages, "/help/how-to/trainer.md", "/help/reference/settings.md"]:
        page.goto(url)
        unnamed += [(url, table) for table in page.evaluate(UNNAMED_TABLES)]
    assert unnamed == []
