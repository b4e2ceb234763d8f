"""A requester's first campaign in a real browser, from an empty site to an export, without a command.

It has a project, a corpus and expert gold by drag and drop, two training rounds and a rehearsal. A worker
does a HIT on the marketplace by keyboard and is paid, and the gold is exported. Clicks are counted.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Download, Frame, Locator, Page, expect

from rehearsal.domain.site import process_commands, wait_until_up
from tests.axe import axe_findings
from tests.browser.work import ready
from tests.conftest import Migrate
from tests.environment import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.system]

# Sweeps and a rehearsal are slow on a busy machine.
PATIENCE = 240
MOST_CLICKS = 60
PASSWORD = "nine green horses"
FOUNDER = f"""
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("fay", password="{PASSWORD}")
"""
VERBS = ["rejected", "visited", "praised", "sold", "repaired", "watched", "painted", "missed"]
SENTENCES = [
    f"The old committee {verb} the famous house in spring {2000 + at} ."
    for at, verb in enumerate(VERBS)
]
GOLD = "Sentence,Verb_idx,question,answer_range\n" + "".join(
    f"spring:{line}:0,3,Who {verb} something?,0:3\n" for line, verb in enumerate(VERBS, start=1)
)
DROP = """
(form, {name, text}) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  for (const type of ["dragover", "drop"]) {
    const options = {bubbles: true, cancelable: true, dataTransfer: transfer};
    form.querySelector("input[type=file]").dispatchEvent(new DragEvent(type, options));
  }
}
"""


class Requester:
    """A requester whose clicks in the browser are counted. A drop counts as one click."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, role: str, name: str, *, within: str = "body") -> None:
        self.clicks += 1
        scope = self.page.locator(within)
        scope.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]

    def choose(self, label: str, value: str) -> None:
        self.clicks += 1
        self.page.get_by_label(label).select_option(value)

    def fill(self, label: str, value: str) -> None:
        self.clicks += 1
        self.page.get_by_label(label, exact=True).fill(value)

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the form, which shows a preview."""
        self.clicks += 1
        with self.page.expect_navigation():
            self.page.locator("[data-drop-zone]").evaluate(DROP, {"name": name, "text": text})

    def menu(self, *names: str) -> None:
        """Open a page of the project's menu."""
        for name in names:
            self.click("link", name, within=".header__menu")

    def wait_for(self, find: Callable[[], Locator]) -> None:
        """Reload until the element is on the page. Lists refresh themselves, so reloads do not count."""
        end = time.monotonic() + PATIENCE
        while find().count() == 0:
            assert self.page.locator(".state--failed").count() == 0, self.page.inner_text("main")
            assert time.monotonic() < end, f"Timed out on {self.page.url}"
            time.sleep(0.5)
            self.page.reload()


@pytest.fixture
def empty_site(
    embedded_site: dict[str, str], free_port: int, migrate: Migrate, collected: str
) -> dict[str, str]:
    """Return the environment of an empty site with one account."""
    env = {
        **embedded_site,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "SWEEP_SECONDS": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    migrate(env)
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", FOUNDER]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return env


@pytest.fixture
def site(
    empty_site: dict[str, str],
    free_port: int,
    start_process: Callable[..., object],
    tmp_path: Path,
) -> str:
    """Return the address of the site, served as in production."""
    for name, process in process_commands("127.0.0.1", free_port).items():
        start_process(process, env=empty_site, log=tmp_path / f"{name}.log")
    wait_until_up(empty_site["SITE_URL"], seconds=PATIENCE)
    return empty_site["SITE_URL"]


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Return a function that opens a page in a new browser context."""
    contexts: list[BrowserContext] = []

    def open_context_page() -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        contexts.append(context)
        return context.new_page()

    yield open_context_page
    for context in contexts:
        context.close()


@pytest.mark.timeout(900)
def test_first_campaign_needs_no_command_and_few_clicks(
    site: str,
    open_page: Callable[[], Page],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    page = open_page()
    requester = Requester(page)
    page.goto(f"{site}/login/")
    page.locator("[name=login]").fill("fay")
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")

    create_project(requester)
    upload_corpus(requester)
    upload_gold(requester)
    set_up_rounds(requester)
    rehearse(requester)
    publish(requester)
    address = invite_worker(requester)
    work(open_page(), site, address)
    page.goto(f"{site}/projects/spring/")
    check_paid_work(requester)
    export = export_gold(requester)

    path = tmp_path / "gold.csv"
    export.save_as(path)
    rows = path.read_text().splitlines()
    assert len(rows) == 1 + len(VERBS)
    with capsys.disabled():
        sys.stdout.write(f"\nThe first campaign took {requester.clicks} clicks.\n")
    assert requester.clicks < MOST_CLICKS


def create_project(requester: Requester) -> None:
    requester.click("link", "New project")
    requester.fill("Title", "Spring")
    requester.choose("Annotation scheme", "qasrl")
    requester.click("button", "Create project")
    # Once the page has loaded, its modules have run.
    requester.page.wait_for_url("**/projects/spring/corpus/")


def upload_corpus(requester: Requester) -> None:
    page = requester.page
    assert axe_findings(page) == []
    requester.drop("spring.txt", "\n".join([*SENTENCES[:3], "", *SENTENCES[3:]]))
    expect(page.locator("main")).to_contain_text("8 of 8 sentences")
    expect(page.locator("main")).to_contain_text("Line 4 is empty and is skipped.")
    expect(page.locator("main")).to_contain_text("Estimated cost")
    assert axe_findings(page) == []
    requester.click("button", "Discard")  # the upload is repeated without the empty line
    requester.drop("spring.txt", "\n".join(SENTENCES))
    requester.click("button", "Import 8 sentences")
    requester.wait_for(lambda: page.get_by_role("link", name="upload expert gold"))


def upload_gold(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "upload expert gold")
    assert axe_findings(page) == []
    requester.drop("expert.csv", GOLD)
    # The header differs in two names, and one of them is similar.
    requester.choose("qasrl_id", "Sentence")
    requester.click("button", "Read again")
    expect(page.locator("main")).to_contain_text("8 of 8")
    assert axe_findings(page) == []
    requester.click("button", "Import gold of 8")
    requester.wait_for(lambda: page.locator(".state--finished"))
    requester.wait_for(lambda: page.get_by_role("link", name="Set up training rounds"))


def set_up_rounds(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Set up training rounds")
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
    requester.menu("Publishing", "Rehearsal")
    requester.click("button", "Start rehearsal")
    requester.wait_for(lambda: page.locator(".state--finished"))


def publish(requester: Requester) -> None:
    page = requester.page
    requester.click("link", "Publish", within=".setup")
    requester.fill("Number of HITs", "1")
    requester.click("button", "Preview cost")
    requester.click("button", "Publish 1 HIT")
    expect(page.locator("main")).to_contain_text("1 HITs are being created")


def invite_worker(requester: Requester) -> str:
    """Return the address at which a worker joins the marketplace."""
    page = requester.page
    requester.click("button", "fay")
    requester.click("link", "Marketplace operator")
    requester.click("link", "Workers")
    requester.click("button", "Create invitations")
    return page.locator("code", has_text="/hits/join/").first.inner_text()


def work(page: Page, site: str, address: str) -> None:
    """Join, accept the HIT, annotate it by keyboard and check that it is paid."""
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
    page.goto(f"{site}/hits/history/")
    reload_until(page, lambda: "Approved" in page.locator("tbody tr").inner_text())


def skip_tutorial(frame: Frame) -> None:
    skip = frame.get_by_role("button", name="Skip", exact=True)
    if skip.count():
        skip.press("Enter")


def reload_until(page: Page, condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"Timed out on {page.url}"
        time.sleep(0.5)
        page.reload()


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
    requester.click("button", "Export gold")
    requester.wait_for(lambda: page.locator(".state--finished"))
    requester.click("link", "Expert gold as qasrl-csv", within="main")
    files = page.get_by_role("link").filter(has_text=".csv")
    expect(files.first).to_be_visible()
    names = files.all_inner_texts()
    gold = next(name for name in names if "sentences" not in name)
    with page.expect_download() as download:
        requester.click("link", gold)
    return download.value


def test_file_dropped_beside_the_form_does_not_replace_the_page(
    site: str, open_page: Callable[[], Page]
):
    """Files can also be chosen by keyboard with the plain field."""
    page = open_page()
    page.goto(f"{site}/login/")
    page.locator("[name=login]").fill("fay")
    page.locator("[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    requester = Requester(page)
    create_project(requester)
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
    expect(page.locator("#preview")).to_contain_text("is not UTF-8 text")
    page.get_by_label("Text encoding").focus()
    page.get_by_label("Text encoding").select_option("iso-8859-1")
    expect(page.get_by_role("button", name="Import 1 sentence")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("Zürich sold it .")
    assert page.evaluate("document.activeElement.id") == "id_encoding"
