"""A model from its registration to the measured effect of its help, in real browsers.

A requester registers a model, lets it take a training round, reads that it would pass, lets it annotate
the corpus, and publishes a batch in which 30 % of the items are pre-annotated. A worker annotates items
of both arms by keyboard, and the requester reads the report.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.axe import axe_findings
from tests.browser.conftest import ROOT
from tests.browser.requester import Requester, create_first_account
from tests.browser.test_own_scheme import invite
from tests.browser.test_whole_campaign import accept, reload_until
from tests.browser.work import press
from tests.fakes.chat_server import ChatServer, Reply, Request, chat_server

pytestmark = [pytest.mark.browser, pytest.mark.system]

DEFINITION = """\
title: Praise
item: {one: review, many: reviews}
instructions: Does the author praise the place?
language: en
fields:
  - key: overall
    type: choice
    label: The review as a whole
    options: [praise, complaint]
"""
TRAINING = {"r1": "praise", "r2": "complaint"}
ITEMS = 10
PREANNOTATED = "A program has prepared this annotation"


def answer(request: Request) -> Reply:
    """Find the expert's answers in training, and call everything else a complaint."""
    text = json.dumps(request["messages"][-1])
    praised = "number 1 " in text
    return Reply(json.dumps({"answers": {"overall": "praise" if praised else "complaint"}}))


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with chat_server(answer) as server:
        yield server


@pytest.fixture
def embedded_site(embedded_site: dict[str, str], model: ChatServer) -> dict[str, str]:
    return {**embedded_site, "MODEL_HOSTS": model.host}


@pytest.mark.timeout(600)
def test_model_is_registered_tried_used_and_measured(
    first_link: str,
    empty_site: dict[str, str],
    model: ChatServer,
    open_page: Callable[[], Page],
    tmp_path: Path,
):
    site = empty_site["SITE_URL"]
    set_up(empty_site, tmp_path)
    requester = Requester(open_page())
    create_first_account(requester.page, first_link, heading="Projects")
    requester.page.goto(f"{site}/projects/opinions/")
    register(requester, model)
    take_round(requester)
    annotate_corpus(requester)
    publish(requester, site)
    pages = {"kim": open_page()}
    invite(requester, pages, site)
    annotate_both_arms(pages["kim"], site)
    read_effect(requester, site)


def set_up(env: dict[str, str], folder: Path) -> None:
    """Create a project with a training round by commands."""
    corpus, gold, rounds = folder / "reviews.csv", folder / "gold.jsonl", folder / "rounds.csv"
    definition = folder / "praise.yaml"
    definition.write_text(DEFINITION)
    texts = {f"r{at}": f"This is review number {at} of the place." for at in range(1, ITEMS + 3)}
    corpus.write_text("id,text\n" + "".join(f"{key},{text}\n" for key, text in texts.items()))
    lines = [
        json.dumps({"id": key, "text": texts[key], "answers": {"overall": overall}})
        for key, overall in TRAINING.items()
    ]
    gold.write_text("".join(f"{line}\n" for line in lines))
    rounds.write_text("item,round\n" + "".join(f"{key},1\n" for key in TRAINING))
    for arguments in (
        ["create_project", "opinions", "--scheme", "custom", "--definition", definition],
        ["import_corpus", "opinions", corpus, "--strict"],
        ["import_gold", "opinions", gold, "--format", "custom-jsonl", "--source", "expert"],
        ["set_up_rounds", "opinions", rounds],
    ):
        command = [sys.executable, "manage.py", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=ROOT, env=env, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def register(requester: Requester, model: ChatServer) -> None:
    page = requester.page
    requester.menu("People", "Models")
    requester.fill("Name", "Small model")
    requester.fill("Address", "http://127.0.0.1:1/v1")
    requester.fill("Model", "small")
    requester.fill("Cap in dollars", "5")
    requester.click("button", "Register")
    expect(page.locator("main")).to_contain_text("This site may not call 127.0.0.1:1.")
    requester.fill("Address", model.url)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Small model")).to_be_visible()
    assert axe_findings(page) == []


def take_round(requester: Requester) -> None:
    page = requester.page
    page.get_by_label("Items", exact=True).select_option(index=1)
    requester.click("button", "Start")
    requester.wait_for_text("2 of 2 items answered")
    requester.wait_for_text("It would pass, because it meets all thresholds of the round.")
    assert axe_findings(page) == []


def annotate_corpus(requester: Requester) -> None:
    requester.fill("Number of unpublished items", str(ITEMS))
    requester.click("button", "Start")
    requester.wait_for_text(f"{ITEMS} of {ITEMS} items answered")


def publish(requester: Requester, site: str) -> None:
    page = requester.page
    page.goto(f"{site}/projects/opinions/publish/")
    page.get_by_text("Compare kinds of help").press("Enter")
    page.get_by_label("Arm 1", exact=True).select_option("project")
    requester.fill("Percent 1", "70")
    page.get_by_label("Arm 2", exact=True).select_option("pre-annotation:Small model")
    requester.fill("Percent 2", "20")
    assert axe_findings(page) == []
    requester.click("button", "Preview cost")
    expect(page.locator("main")).to_contain_text("add up to 100 %")
    requester.fill("Percent 2", "30")
    requester.click("button", "Preview cost")
    expect(page.locator("main")).to_contain_text(
        "30 % of the items, drawn at random: pre-annotation by Small model."
    )
    requester.click("button", f"Publish {ITEMS} HITs")
    expect(page.locator("main")).to_contain_text(f"{ITEMS} HITs are being created")


def annotate_both_arms(page: Page, site: str) -> None:
    """Annotate every item, without a mouse once a task is open."""
    seen = {True: 0, False: 0}
    for _ in range(ITEMS):
        frame = accept(page, site)
        is_helped = frame.get_by_text(PREANNOTATED).count() > 0
        seen[is_helped] += 1
        expect_start(frame, is_helped=is_helped)
        press(page, "j", "1")
        expect(frame.get_by_role("radio", name="praise")).to_be_checked()
        if seen[is_helped] == 1:
            assert axe_findings(frame) == []
        before = page.url
        press(page, "Control+Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    assert seen == {True: 3, False: 7}


def expect_start(frame: Frame, *, is_helped: bool) -> None:
    """Expect the model's answer on the page, or none."""
    chosen = frame.get_by_role("radio", name="complaint")
    if is_helped:
        expect(chosen).to_be_checked()
    else:
        expect(chosen).not_to_be_checked()


def read_effect(requester: Requester, site: str) -> None:
    page = requester.page
    page.goto(f"{site}/projects/opinions/assistance/")
    reload_until(page, lambda page: re.search(r"Small model\t30 %\t3\t3", page.inner_text("main")))
    expect(page.locator("main")).to_contain_text("too few items with blind expert gold")
    table = page.get_by_role("table", name="What became of pre-annotated units")
    expect(table.get_by_role("row").last).to_contain_text("pre-annotation by Small model")
    assert axe_findings(page) == []
