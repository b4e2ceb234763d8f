"""A requester's first campaign in a real browser, from an empty site to an export, without a command.

It begins with the link that `serve` prints. The campaign has a project, a corpus and expert gold by drag
and drop, two training rounds and a rehearsal. A worker does a HIT on the marketplace by keyboard and is
paid, and the gold is exported. Clicks are counted.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Frame, Page, expect

from tests.axe import axe_findings
from tests.browser.requester import PASSWORD, TIMEOUT_SECONDS, Requester, create_first_account
from tests.browser.work import ready

pytestmark = [pytest.mark.browser, pytest.mark.system]

MAX_CLICKS = 60
VERBS = ["rejected", "visited", "praised", "sold", "repaired", "watched", "painted", "missed"]
SENTENCES = [
    f"The old committee {verb} the famous house in spring {2000 + at} ."
    for at, verb in enumerate(VERBS)
]
GOLD = "Sentence,Verb_idx,question,answer_range\n" + "".join(
    f"spring:{line}:0,3,Who {verb} something?,0:3\n" for line, verb in enumerate(VERBS, start=1)
)


@pytest.fixture
def site(first_link: str) -> str:
    """Return the address of the site."""
    return first_link.partition("/first-account/")[0]


@pytest.mark.timeout(900)
def test_first_campaign_needs_no_command_and_few_clicks(
    site: str,
    first_link: str,
    open_page: Callable[[], Page],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    page = open_page()
    requester = Requester(page)
    create_first_account(page, first_link)

    create_project(requester)
    upload_corpus(requester)
    upload_gold(requester)
    keep_the_defaults(requester)
    rehearse(requester)
    set_up_rounds(requester)
    publish(requester)
    address = invite_worker(requester)
    worker = open_page()
    work(worker, site, address)
    page.goto(f"{site}/projects/spring/")
    pay_waiting_work(requester)
    worker.goto(f"{site}/hits/history/")
    reload_until(worker, lambda: "Approved" in worker.locator("tbody tr").inner_text())
    check_paid_work(requester)
    export = export_gold(requester)

    path = tmp_path / "gold.csv"
    export.save_as(path)
    rows = path.read_text().splitlines()
    assert len(rows) == 1 + len(VERBS)
    with capsys.disabled():
        sys.stdout.write(f"\nThe first campaign took {requester.clicks} clicks.\n")
    assert requester.clicks < MAX_CLICKS
    page.goto(site)
    check_other_files(page)


def create_project(requester: Requester, title: str = "Spring") -> None:
    requester.click("link", "New project")
    requester.fill("Title", title)
    expect(requester.page.get_by_label("Title")).to_be_focused()
    button = requester.page.get_by_role("button", name="Create project")
    expect(button).to_be_in_viewport()
    assert axe_findings(requester.page) == []
    requester.click("button", "Create project")
    # Once the page has loaded, its modules have run.
    requester.page.wait_for_url(f"**/projects/{title.lower()}/corpus/")


def upload_corpus(requester: Requester) -> None:
    page = requester.page
    assert axe_findings(page) == []
    requester.drop("spring.txt", "\n".join([*SENTENCES[:3], "", *SENTENCES[3:]]))
    # A worker process reads the file, and loads the tagger first.
    expect(page.locator("main")).to_contain_text("8 of 8 sentences", timeout=TIMEOUT_SECONDS * 1000)
    expect(page.locator("main")).to_contain_text("Line 4 is empty and is skipped.")
    expect(page.locator("main")).to_contain_text("Estimated cost")
    assert axe_findings(page) == []
    requester.click("button", "Discard")  # the upload is repeated without the empty line
    requester.drop("spring.txt", "\n".join(SENTENCES))
    requester.click("button", "Import 8 sentences")
    # The list of imports brings the next step with it, without a reload.
    expect(page.get_by_role("link", name="Add expert gold")).to_be_visible(
        timeout=TIMEOUT_SECONDS * 1000
    )
    assert "Required" not in page.locator("main").inner_text()


def upload_gold(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Add expert gold")
    assert axe_findings(page) == []
    requester.drop("expert.csv", GOLD)
    # The header differs in two names, and one of them is similar.
    requester.choose("qasrl_id", "Sentence")
    requester.click("button", "Read again")
    expect(page.locator("main")).to_contain_text("8 of 8", timeout=TIMEOUT_SECONDS * 1000)
    assert axe_findings(page) == []
    requester.click("button", "Import gold of 8")
    expect(page.locator("#gold-state")).to_contain_text("8 verbs", timeout=TIMEOUT_SECONDS * 1000)


def keep_the_defaults(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Check the guidelines")
    assert axe_findings(page) == []
    requester.click("button", "Keep these guidelines")
    expect(page.get_by_role("heading", name="Pay", exact=True)).to_be_visible()
    requester.click("button", "Keep this pay")
    expect(page.get_by_role("heading", name="Rehearsal", exact=True)).to_be_visible()


def set_up_rounds(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Set up a training round")
    for number in (1, 2):
        requester.click("link", "Add a round")
        expect(page.get_by_label("Title")).to_have_value(f"Training {number}")
        requester.fill("Number of items", "2")
        requester.click("button", "Show items")
        expect(page.locator("main")).to_contain_text("2 items are chosen, and 2 of them")
        assert axe_findings(page) == []
        requester.click("button", "Set up the round")
        expect(page.get_by_role("link", name=f"Training {number}", exact=True)).to_be_visible()


def rehearse(requester: Requester) -> None:
    page = requester.page
    requester.click("button", "Start rehearsal")
    link = page.get_by_role("link", name="Set up a training round")
    expect(link).to_be_visible(timeout=TIMEOUT_SECONDS * 1000)


def publish(requester: Requester) -> None:
    page = requester.page
    expect(page.get_by_role("link", name="Invite workers to Training 1")).to_be_visible()
    requester.click("button", "Work without training")
    expect(page.get_by_role("heading", name="Publish HITs")).to_be_visible()
    requester.fill("Number of HITs", "1")
    requester.click("button", "Preview cost")
    requester.click("button", "Publish 1 HIT")
    expect(page.locator("main")).to_contain_text("1 HIT is being created")


def invite_worker(requester: Requester) -> str:
    """Return the address at which a worker joins the marketplace."""
    page = requester.page
    requester.click("button", "fay")
    requester.click("link", "Marketplace operator")
    requester.click("link", "Workers")
    requester.click("button", "Create invitations")
    return page.locator("code", has_text="/hits/join/").first.inner_text()


def work(page: Page, site: str, address: str) -> None:
    """Join, accept the HIT and annotate it by keyboard."""
    page.goto(address)
    answers = {"username": "rosa", "email": "rosa@example.org", "password": PASSWORD}
    for name, value in answers.items():
        page.locator(f"[name={name}]").fill(value)
    country = page.locator("[name=country]")
    if country.evaluate("field => field.tagName") == "SELECT":
        country.select_option("US")
    else:
        country.fill("US")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/hits/")
    accept = page.get_by_role("button", name="Accept one for $0.05")
    reload_until(page, lambda: accept.count() == 1)
    accept.press("Enter")
    frame = page.locator("iframe#task").element_handle().content_frame()
    assert frame
    ready(frame)
    expect(frame.get_by_text("Your work is accepted when the item is")).to_be_visible()
    skip_tutorial(frame)
    verb = frame.locator("h1 [data-verb]").inner_text()
    question = frame.get_by_role("combobox").first
    question.focus()
    keys = page.keyboard
    keys.type(f"Who {verb} something?")
    keys.press("Enter")
    expect(frame.locator("#sentence")).to_be_focused()
    for _ in range(2):
        keys.press("Shift+ArrowRight")
    keys.press("Enter")
    expect(frame.locator(".answer-chip__text")).to_have_text(["The old committee"])
    frame.locator("[data-submit]").press("Enter")
    page.wait_for_url(f"{site}/hits/")


def skip_tutorial(frame: Frame) -> None:
    skip = frame.get_by_role("button", name="Skip", exact=True)
    if skip.count():
        skip.press("Enter")


def reload_until(page: Page, condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end, f"Timed out on {page.url}"
        time.sleep(0.5)
        page.reload()


def pay_waiting_work(requester: Requester) -> None:
    """Pay the work at once, which would wait for two more workers."""
    page = requester.page
    requester.menu("Publishing", "Held bonuses")
    reload_until(page, lambda: page.get_by_text("Pay all now …").count() == 1)
    page.get_by_text("Pay all now …").click()
    requester.click("button", "Pay $0.05 and bonuses in full")
    expect(page.locator("main")).to_contain_text("1 submission will be paid in full.")


def check_paid_work(requester: Requester) -> None:
    page = requester.page
    requester.menu("Costs", "Ledger")
    expect(page.locator("main")).to_contain_text("settled")


def export_gold(requester: Requester) -> Download:
    """Check the gold, export it and return the file."""
    page = requester.page
    requester.menu("Data")
    expect(page.locator("main")).to_contain_text("The old committee")
    requester.menu("Exports")
    requester.click("button", "Export", within="main")
    requester.wait_for(lambda: page.locator(".state--finished"))
    requester.click("link", "Expert gold with annotations as qasrl-csv", within="main")
    files = page.get_by_role("link").filter(has_text=".csv")
    expect(files.first).to_be_visible()
    names = files.all_inner_texts()
    gold = next(name for name in names if name.endswith(".gold.csv"))
    with page.expect_download() as download:
        requester.click("link", gold)
    return download.value


def check_other_files(page: Page) -> None:
    """Check that a file dropped beside the form does not replace the page.

    Files can also be chosen by keyboard with the plain field.
    """
    create_project(Requester(page), "Autumn")
    prevented = page.evaluate(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["x"], "x.txt"));
          const options = {bubbles: true, cancelable: true, dataTransfer: transfer};
          return !document.querySelector("h1").dispatchEvent(new DragEvent("drop", options));
        }"""
    )
    assert prevented
    page.get_by_label("Sentences").set_input_files(
        {
            "name": "spring.txt",
            "mimeType": "text/plain",
            "buffer": "Zürich sold it .".encode("latin-1"),
        }
    )
    page.get_by_role("button", name="Preview").press("Enter")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("is not UTF-8 text", timeout=TIMEOUT_SECONDS * 1000)
    page.get_by_label("Text encoding").focus()
    page.get_by_label("Text encoding").select_option("iso-8859-1")
    button = page.get_by_role("button", name="Import 1 sentence")
    expect(button).to_be_visible(timeout=TIMEOUT_SECONDS * 1000)
    expect(page.locator("#preview")).to_contain_text("Zürich sold it .")
    assert page.evaluate("document.activeElement.id") == "id_encoding"
