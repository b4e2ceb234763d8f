"""What a record of frames takes by keyboard: keys, seconds of the page, and milliseconds a key.

The driver knows the record and the page, so it takes the shortest way: a digit if the page has one for
what it wants, else arrows, `/` and letters. Seconds don't include a person's reading. Ten records of the
sample corpus are annotated, after the others are finished.
"""

import json
import statistics
import time

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, Route, expect

from annotation.models import Item
from consolidation.models import Gold
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import make_task, task_url
from tests.browser.work import expect_submitted, open_task
from tests.consolidation.factories import make_generation
from tests.environment import ROOT
from tests.schemes.frames.projects import import_sample, make_frames_project, settle

pytestmark = [
    pytest.mark.browser,
    pytest.mark.bench,
    pytest.mark.django_db(transaction=True),
]

SAMPLES = ROOT / "schemes/frames/samples"
RECORDS = 10
SLOWER = 4
LIMIT_MS = 100
# From a key to the layout that it leads to.
MEASURE = """() => {
    window.keys = [];
    let start = 0;
    window.addEventListener("keydown", () => { start = performance.now(); }, true);
    window.addEventListener("keydown", () => {
        document.body.offsetHeight;
        window.keys.push(performance.now() - start);
    });
}"""


@pytest.fixture
def project() -> Project:
    project = make_frames_project("effort")
    import_sample(project)
    tasks = [str(SAMPLES / f"expert.task-{task}.txt") for task in ("a", "b1", "b2")]
    sentences = str(SAMPLES / "sentences.conllu")
    call_command("import_corpus", project.slug, sentences, "--items", tasks[0])
    call_command("import_gold", project.slug, *tasks, "--source", "expert")
    return project


class Typist:
    """Presses keys on a record's page, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.keys = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.keys += len(keys)

    def annotate(self, content: Json) -> None:
        self.press("Enter")
        self.choose_frame(content["frame"])
        for argument in content["arguments"]:
            self.mark(argument)
        self.press("Shift+Enter", "4")

    def choose_frame(self, name: str) -> None:
        radios = self.page.locator("[data-frames] input")
        radios.first.wait_for()
        names = radios.evaluate_all("each => each.map(({value}) => value)")
        if name not in names:
            self.press("/", *name.lower().replace("_", " "), "Enter")
            names = radios.evaluate_all("each => each.map(({value}) => value)")
        digit = radios.nth(names.index(name)).get_attribute("aria-keyshortcuts")
        self.press(*([digit] if digit else ["ArrowDown"] * names.index(name) + ["Enter"]))
        self.press("Enter")
        expect(self.page.locator("#sentence")).to_be_focused()

    def mark(self, argument: Json) -> None:
        first, *others = argument["head"]
        self.go_to(first)
        self.press("Enter")
        for other in others:
            self.press("Escape")
            self.go_to(other)
            self.press(" ")
            self.go_to(first)
            self.press("Enter")
        option = self.page.locator(f".argument--active [value='{argument['element']}']").first
        self.press(option.get_attribute("aria-keyshortcuts") or "")
        select = self.page.locator(".argument--active select")
        if select.input_value() != argument["role"]:
            self.choose_role(argument["role"])
        assert select.input_value() == argument["role"]

    def choose_role(self, role: str) -> None:
        keys = self.page.locator(f".argument--active .role-keys [value='{role}']")
        if keys.count():
            self.press(keys.get_attribute("aria-keyshortcuts") or "")
            return
        select = self.page.locator(".argument--active select")
        self.press("Enter")
        while not select.evaluate("each => each === document.activeElement"):
            self.press("Tab")
        for letter in role:
            if select.input_value() == role:
                break
            self.press(letter)
        self.press("Escape")

    def go_to(self, token: int) -> None:
        box = self.page.locator("#sentence")
        expect(box).to_be_focused()
        active = box.get_attribute("aria-activedescendant") or ""
        at = int(active.rpartition("-")[2])
        self.press(*["ArrowRight" if token > at else "ArrowLeft"] * abs(token - at))


def gold_of(item: Item) -> Json:
    content: Json = Gold.objects.get(item=item).content
    return content


def receive(route: Route) -> None:
    thanks = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
    route.fulfill(body=thanks, content_type="text/html")


def test_keys_and_seconds_of_ten_records(project, context, live_server, settings):
    items = list(project.items.select_related("sentence").order_by("key"))
    chosen = items[:: len(items) // RECORDS][:RECORDS]
    for item in items:
        if item not in chosen:
            make_generation(item, {**gold_of(item), "understood": True, "confidence": 4})
            settle(item)
    origin = settings.MTURK_WORKER_ORIGINS[0]
    keys, seconds, milliseconds = [], [], []
    for at, item in enumerate(chosen):
        page = context.new_page()
        page.route(f"{origin}/**", receive)
        address = task_url(make_task([item]), worker=f"W{at}", submit_to=origin)
        open_task(page, f"{live_server.url}{address}")
        page.locator("[data-frames] input").first.wait_for(state="attached")
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.evaluate(MEASURE)
        page.locator("[data-understand]").focus()
        typist, start = Typist(page), time.perf_counter()
        typist.annotate(gold_of(item))
        milliseconds += page.evaluate("window.keys")
        typist.press("Control+Enter")
        expect_submitted(page)
        seconds.append(time.perf_counter() - start)
        keys.append(typist.keys)
        page.close()
    p95 = statistics.quantiles(milliseconds, n=20)[-1]
    figures = {
        "keys": keys,
        "keys per record": round(statistics.mean(keys), 1),
        "seconds per record": round(statistics.mean(seconds), 2),
        "milliseconds a key, p95": round(p95, 1),
    }
    print(json.dumps(figures))  # noqa: T201
    assert p95 <= LIMIT_MS
