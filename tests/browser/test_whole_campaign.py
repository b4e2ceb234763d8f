"""A lab's whole campaign in real browsers, from an empty site to gold, without a command or mail server.

The founder is requester, trainer, expert and operator. Four people join the marketplace and do all
tasks of two training rounds, of generation and of consolidation. The money is checked by hand.
"""

import io
import re
import sys
import time
import zipfile
from collections.abc import Callable

import openpyxl
import pytest
from playwright.sync_api import Frame, Page, expect

from tests.axe import axe_findings
from tests.browser.requester import PASSWORD, TIMEOUT_SECONDS, Requester, create_first_account
from tests.browser.work import ask, card, ready

pytestmark = [pytest.mark.browser, pytest.mark.system]

MAX_CLICKS = 80
VERBS = {
    "rejected": "reject",
    "visited": "visit",
    "praised": "praise",
    "sold": "sell",
    "repaired": "repair",
    "watched": "watch",
    "painted": "paint",
    "missed": "miss",
}
WORKERS = ("rosa", "ben", "chen", "dora")
ROUNDS, ROUND_ITEMS, ITEMS = 2, 2, 4
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

# Cents by hand. A generator has a reward of 30, and 8 for the third question. A consolidator has 5, and
# 3 for each of the 5 questions judged. Fees are 20 %, rounded up to a cent for each payment.
TRAINING = len(WORKERS) * ROUNDS * ROUND_ITEMS * 30
EARNED = {
    "rosa": ROUNDS * ROUND_ITEMS * 30 + ITEMS * 30,
    "ben": ROUNDS * ROUND_ITEMS * 30 + ITEMS * (30 + 8),
    "chen": ROUNDS * ROUND_ITEMS * 30 + ITEMS * (5 + 5 * 3),
    "dora": ROUNDS * ROUND_ITEMS * 30,
}
FEES = 16 * 6 + 8 * 6 + 4 * 2 + 4 * 1 + 4 * 3
HELD = ITEMS * 8 + ITEMS * 15


@pytest.mark.timeout(900)
def test_whole_campaign_needs_no_command_and_few_clicks(
    first_link: str,
    empty_site: dict[str, str],
    open_page: Callable[[], Page],
    capsys: pytest.CaptureFixture[str],
):
    site = empty_site["SITE_URL"]
    requester = Requester(open_page())
    create_first_account(requester.page, first_link)
    create_project(requester)
    write_expert_gold(requester)
    set_pay(requester)
    people = invite_people(requester, open_page, site)
    train(requester, people, site)
    produce(requester, people, site)
    accept_held_bonuses(requester, people, site)
    check_costs(requester.page, site)
    correct_gold(requester)
    files = export(requester)
    pay_out(requester, people, site)

    gold = files["spring/spring.all.gold.csv"].splitlines()
    # Three roles an item, of which the correction removed one.
    assert len(gold) == 1 + ITEMS * 3 - 1
    assert sum(",expert," in row for row in gold) == 2
    annotations = files["spring/annotations/spring.generator.csv"].splitlines()
    assert len(annotations) == 1 + ITEMS * (2 + 3)
    with capsys.disabled():
        sys.stdout.write(f"\nThe whole campaign took {requester.clicks} clicks.\n")
    assert requester.clicks < MAX_CLICKS


# --- the requester -----------------------------------------------------------------------------


def create_project(requester: Requester) -> None:
    """Create a project and import a workbook with columns of its own."""
    page = requester.page
    requester.click("link", "New project")
    requester.fill("Title", "Spring")
    requester.click("button", "Create project")
    page.wait_for_url("**/projects/spring/corpus/")
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet
    sheet.append(["No", "Satz", "Source"])
    for number, verb in enumerate(VERBS, start=1):
        text = f"The old committee {verb} the famous house in spring {1999 + number}."
        sheet.append([f"s{number}", text, "diary"])
    content = io.BytesIO()
    book.save(content)
    file = {"name": "spring.xlsx", "mimeType": XLSX, "buffer": content.getvalue()}
    requester.clicks += 1
    page.get_by_label("Sentences").set_input_files(file)  # type: ignore[arg-type]
    requester.click("button", "Preview")
    expect(page.locator("main")).to_contain_text("8 of 8 sentences", timeout=TIMEOUT_SECONDS * 1000)
    requester.click("button", "Import 8 sentences")
    requester.wait_for(lambda: page.get_by_role("link", name="Add expert gold"))


def write_expert_gold(requester: Requester) -> None:
    """Tick four items for a queue, and annotate them as the expert, whose work is not counted."""
    page = requester.page
    requester.menu("Items")
    for number in range(ROUNDS * ROUND_ITEMS):
        requester.clicks += 1
        page.locator("main table tbody input[type=checkbox]").nth(number).check()
    requester.click("button", "Add ticked items")
    requester.fill("Title of the new queue", "Gold for training")
    requester.click("button", "Add the items")
    requester.click("button", "Next item")
    for _ in range(ROUNDS * ROUND_ITEMS):
        ready(page)
        annotate(page, questions=3)
        submit(page, page)
    expect(page.locator("main")).to_contain_text("All finished items have expert gold.")


def set_pay(requester: Requester) -> None:
    page = requester.page
    requester.menu("Guidelines")
    requester.click("button", "Keep these guidelines")
    terms = page.get_by_role("group", name="For generators")
    for label, dollars in {
        "Reward, in dollars": "0.30",
        "Bonus for the first additional": "0.08",
        "Increase per additional": "0",
    }.items():
        requester.clicks += 1
        terms.get_by_label(label).fill(dollars)
    requester.click("button", "Save changes")
    expect(page.locator("main")).to_contain_text("reward of generators: $0.05 -> $0.30")


def invite_people(
    requester: Requester, open_page: Callable[[], Page], site: str
) -> dict[str, Page]:
    """Invite people to the marketplace, who join. Return a page of each."""
    page = requester.page
    requester.click("button", "fay")
    requester.click("link", "Marketplace operator")
    requester.click("link", "Workers")
    requester.fill("Number of invitations", str(len(WORKERS)))
    requester.click("button", "Create invitations")
    links = page.locator("code", has_text="/hits/join/").all_inner_texts()
    people = {}
    for name, link in zip(WORKERS, links, strict=True):
        person = people[name] = open_page()
        person.goto(link)
        answers = {"username": name, "email": f"{name}@example.org", "password": PASSWORD}
        for field, value in answers.items():
            person.locator(f"[name={field}]").fill(value)
        person.locator("[name=country]").select_option("US")
        person.get_by_role("button", name="Create account").click()
        person.wait_for_url(f"{site}/hits/")
    return people


def train(requester: Requester, people: dict[str, Page], site: str) -> None:
    page = requester.page
    page.reload()
    ids = re.findall(r"\bA[A-Z0-9]{12,}\b", page.inner_text("main"))
    assert len(ids) == len(WORKERS)
    page.goto(f"{site}/projects/spring/")
    requester.menu("People", "Training")
    for _ in range(ROUNDS):
        requester.click("link", "Add a round")
        requester.fill("Number of items", str(ROUND_ITEMS))
        requester.click("button", "Show items")
        requester.click("button", "Set up the round")
    requester.click("link", "Invite workers to Training 1")
    expect(page.locator("h1")).to_have_text("Publish Training 1")
    requester.click("link", "Invite workers", within="main")
    requester.fill("Worker ids", "\n".join(ids))
    requester.click("button", "Invite by id")
    for number in range(1, ROUNDS + 1):
        requester.click("button", f"Publish {ROUND_ITEMS} HITs")
        expect(page.locator("h1")).to_contain_text(f"Publish Training {number}?")
        requester.click("button", f"Publish {ROUND_ITEMS} HITs")
        for person in people.values():
            generate(person, site, count=ROUND_ITEMS, questions=2)
        finished = f"finished, awaiting decision {len(WORKERS)} workers"
        requester.wait_for_text(finished)
        requester.tick("Select all on this page")
        requester.tick("Send feedback with the decision")
        requester.click("button", "Decide")
        requester.click("button", f"Pass: {len(WORKERS)} workers")
        expect(page.locator("main")).to_contain_text(f"Decided on {len(WORKERS)} workers.")
        if number < ROUNDS:
            requester.click("link", f"Publish Training {number + 1} for")
    expect(page.locator(".setup")).to_contain_text(f"{len(WORKERS)} in the pool")


def produce(requester: Requester, people: dict[str, Page], site: str) -> None:
    page = requester.page
    requester.click("link", "Publish", within=".setup")
    assert axe_findings(page) == []
    requester.fill("Number of HITs", str(ITEMS))
    requester.click("button", "Preview cost")
    expect(page.locator("main")).to_contain_text(
        f"Only the {len(WORKERS)} workers of the trained pool can accept them."
    )
    requester.click("button", f"Publish {ITEMS} HITs")
    generate(people["rosa"], site, count=ITEMS, questions=2)
    generate(people["ben"], site, count=ITEMS, questions=3)
    consolidate(people["chen"], site, count=ITEMS)


def accept_held_bonuses(requester: Requester, people: dict[str, Page], site: str) -> None:
    """Scripts are fast, so all bonuses are held. Workers read that they are in review."""
    page = requester.page
    people["ben"].goto(f"{site}/hits/earnings/")
    reload_until(
        people["ben"], lambda page: f"Bonuses in review\n{dollars(ITEMS * 8)}" in text_of(page)
    )
    requester.menu("Publishing", "Held bonuses")
    requester.wait_for_text(f"{2 * ITEMS} held bonuses")
    requester.tick("Select all on this page")
    requester.click("button", "Continue")
    requester.click("button", f"Pay {dollars(HELD)} for {2 * ITEMS} held bonuses")
    expect(page.locator("main")).to_contain_text(f"Accepted: {2 * ITEMS} held bonuses.")


def check_costs(page: Page, site: str) -> None:
    page.goto(f"{site}/projects/spring/costs/")
    earned = sum(EARNED.values())
    totals = f"Total\t{dollars(earned)}\t{dollars(FEES)}\t{dollars(earned + FEES)}"
    reload_until(page, lambda page: totals in text_of(page))
    assert f"Training rounds\t{dollars(TRAINING)}" in text_of(page)


def correct_gold(requester: Requester) -> None:
    """Remove a question from consolidated gold, which becomes an expert's new version."""
    page = requester.page
    requester.menu("Data")
    requester.click("link", "praised")
    requester.click("button", "Review this item")
    ready(page)
    requester.clicks += 1
    card(page, "A3").get_by_role("button", name="Invalid", exact=True).click()
    requester.click("button", "Submit")
    expect(page.locator("main")).to_contain_text("Your correction is saved as the new gold.")


def export(requester: Requester) -> dict[str, str]:
    """Export consolidated gold with the individual annotations as a ZIP file, and return its texts."""
    page = requester.page
    requester.menu("Data", "Exports")
    expect(page.get_by_label("With individual annotations")).to_be_checked()
    requester.click("button", "Export")
    requester.wait_for(lambda: page.locator(".state--finished"))
    with page.expect_download() as download:
        requester.click("link", "Download ZIP")
    with zipfile.ZipFile(download.value.path()) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def pay_out(requester: Requester, people: dict[str, Page], site: str) -> None:
    """Record that the operator paid the workers, who read the reference."""
    page = requester.page
    requester.click("button", "fay")
    requester.click("link", "Marketplace operator")
    requester.click("link", "Statement")
    expect(page.locator("main")).to_contain_text(dollars(sum(EARNED.values())))
    requester.tick("All workers to whom money is due")
    requester.fill("Reference", "SEPA 2026-11")
    requester.click("button", "Continue")
    requester.click("button", "Record")
    page.goto(f"{site}/hits/operator/statement/")
    assert "Due for this period (UTC)\n$0.00" in text_of(page)
    for name, person in people.items():
        person.goto(f"{site}/hits/earnings/")
        assert f"SEPA 2026-11\t{EARNED[name] / 100:.2f}" in text_of(person)


# --- the workers -------------------------------------------------------------------------------


def generate(page: Page, site: str, *, count: int, questions: int) -> None:
    for _ in range(count):
        frame = accept(page, site)
        annotate(frame, questions=questions)
        submit(page, frame)


def consolidate(page: Page, site: str, *, count: int) -> None:
    """Keep the questions that both asked, and the third, which one asked."""
    for _ in range(count):
        frame = accept(page, site, title="Merge")
        frame.get_by_role("button", name="Accept the 2 roles").click()
        alone = next(name for name in ("A3", "B3") if card(frame, name).count())
        card(frame, alone).get_by_role("button", name="Keep", exact=True).click()
        submit(page, frame)


def accept(page: Page, site: str, *, title: str = "") -> Frame:
    """Return the frame of the next task. After a submission, the marketplace offers it itself."""
    if "/hits/work/" not in page.url:
        page.goto(f"{site}/hits/")
        button = page.get_by_role("button", name=re.compile(f"^Accept one.*{title}", re.DOTALL))
        reload_until(page, lambda _: button.count() > 0)
        button.first.click()
        page.wait_for_url("**/hits/work/**")
    frame = page.locator("iframe#task").element_handle().content_frame()
    assert frame
    ready(frame)
    skip = frame.get_by_role("button", name="Skip", exact=True)
    if skip.count():
        skip.click()
    return frame


def annotate(page: Page | Frame, *, questions: int) -> None:
    verb = page.locator("h1 [data-verb]").inner_text()
    stem = VERBS[verb]
    answers = {
        f"Who {verb} something?": (0, 2),
        f"What did someone {stem}?": (4, 6),
        f"When did someone {stem} something?": (7, 9),
    }
    for number, (question, words) in enumerate(list(answers.items())[:questions], start=1):
        ask(page, number, question, words)


def submit(page: Page, frame: Page | Frame) -> None:
    before = page.url
    frame.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: url != before)


def reload_until(page: Page, condition: Callable[[Page], bool]) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition(page):
        assert time.monotonic() < end, text_of(page)
        time.sleep(0.5)
        page.reload()


def text_of(page: Page) -> str:
    return page.inner_text("main")


def dollars(cents: int) -> str:
    return f"${cents / 100:.2f}"
