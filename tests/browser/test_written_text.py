"""Sentences on workers' pages as they were written, in both directions of writing."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.models import Item
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.models import Project
from tests.annotation.factories import NOW, make_project, make_task, task_url
from tests.axe import axe_findings
from tests.browser.frames import make_frames_project
from tests.browser.work import ask, chips, expect_submitted, open_task, press, submit, token

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUOTE = "He said: “I can't.”"
QUOTED_CSV = "qasrl_id,tokens,sentence\nq1,He said : `` I ca n't . '',He said: “I can't.”\n"
# "The company announced new phones in New York on Sunday." The city is in Latin letters.
ARABIC = "أعلنت الشركة هواتف جديدة في New York يوم الأحد."
JOINED = "# sent_id = d1\n# text = Sie ging zum Arzt.\n" + "".join(
    f"{number}\t{form}\t_\t{tag}\t_\t_\t0\troot\t_\t_\n"
    for number, form, tag in [
        ("1", "Sie", "PRON"),
        ("2", "ging", "VERB"),
        ("3-4", "zum", "_"),
        ("3", "zu", "ADP"),
        ("4", "dem", "DET"),
        ("5", "Arzt", "NOUN"),
        ("6", ".", "PUNCT"),
    ]
)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Yield a page and check that its scripts raise no error."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


@pytest.fixture
def contents(page: Page, settings) -> list[dict[str, dict]]:
    """Return the list of the contents that the marketplace receives."""
    contents: list[dict[str, dict]] = []

    def receive(route: Route) -> None:
        fields = parse_qs(route.request.post_data or "")
        contents.append(json.loads(fields["content"][0]))
        thanks = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
        route.fulfill(body=thanks, content_type="text/html")

    page.route(f"{settings.MTURK_WORKER_ORIGINS[0]}/**", receive)
    return contents


@pytest.fixture
def open_item(page: Page, contents, live_server: LiveServer, settings) -> Callable[[Item], Page]:
    def open_item(item: Item) -> Page:
        address = task_url(make_task([item]), submit_to=settings.MTURK_WORKER_ORIGINS[0])
        return open_task(page, f"{live_server.url}{address}")

    return open_item


def imported(project: Project, folder: Path, text: str, fmt: str, verb: int = -1) -> Item:
    """Import a file with a sentence, and return its item, or the one of the verb."""
    path = folder / f"corpus.{fmt}"
    path.write_text(text, encoding="utf-8")
    options = CorpusOptions(fmt=fmt)
    if verb >= 0:
        items = folder / "items.csv"
        items.write_text(f"qasrl_id,verb_idx,verb\nq1,{verb},\n", encoding="utf-8")
        options = CorpusOptions(fmt=fmt, items=[items])
    report = Import(project=project, options=options).run([path])
    assert (report.error_count, report.warning_count) == (0, 0)
    return project.items.get()


def sentence_text(page: Page) -> str:
    return page.locator("#sentence").evaluate("(box) => box.innerText")


def export(project: Project, folder: Path, fmt: str) -> None:
    options = ExportOptions(fmt=fmt, source=GoldSource.EXPERT)
    export_gold(project=project, options=options, folder=folder)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_sentence_is_shown_as_written_and_its_answer_exported(open_item, contents, tmp_path):
    project = make_project()
    item = imported(project, tmp_path, QUOTED_CSV, "qasrl-csv", verb=1)
    page = open_item(item)
    assert sentence_text(page) == QUOTE
    ask(page, 1, "What did someone say?", (4, 7))
    assert chips(page) == ["I can't."]
    assert axe_findings(page) == []
    submit(page)
    expect_submitted(page)
    [content] = contents
    add_gold(
        item=item,
        source=GoldSource.EXPERT,
        content=content[str(item.pk)],
        provenance=[{}],
        now=NOW,
    )
    export(project, tmp_path / "csv", "qasrl-csv")
    [gold] = rows_of(tmp_path / "csv" / "news.all.gold.csv")
    assert (gold["answer_range"], gold["answer"]) == ("4:8", "I ca n't .")
    [sentence] = rows_of(tmp_path / "csv" / "news.all.sentences.csv")
    assert (sentence["tokens"], sentence["sentence"]) == ("He said : `` I ca n't . ''", QUOTE)
    export(project, tmp_path / "jsonl", "jsonl")
    row = json.loads((tmp_path / "jsonl" / "news.all.gold.jsonl").read_text())
    [[start, end]] = row["content"]["questions"][0]["answers"]
    first, last = row["offsets"][start][0], row["offsets"][end - 1][1]
    assert row["text"][first:last] == "I can't."


def test_answer_is_selected_by_keyboard_in_the_written_text(open_item, tmp_path):
    page = open_item(imported(make_project(), tmp_path, QUOTED_CSV, "qasrl-csv", verb=1))
    ask(page, 1, "What did someone say?")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "i", "Shift+ArrowRight", "Shift+ArrowRight", "Enter")
    assert chips(page) == ["I can't"]
    names = ["He", "said, ", ":", "“", "I", "ca", "n't", r"\.", "”"]
    for at, name in enumerate(names):
        expect(page.get_by_role("option").nth(at)).to_have_accessible_name(re.compile(f"^{name}"))


@pytest.mark.parametrize("width", [360, 1280])
def test_right_to_left_sentence_is_laid_out_and_selected_visually(open_item, tmp_path, width):
    tokens = ARABIC.replace(".", " .")
    text = f"qasrl_id,tokens,sentence\nq1,{tokens},{ARABIC}\n"
    page = open_item(imported(make_project(), tmp_path, text, "qasrl-csv", verb=0))
    page.set_viewport_size({"width": width, "height": 800})
    assert sentence_text(page) == ARABIC
    box = page.locator("#sentence")
    assert box.evaluate("(box) => getComputedStyle(box).direction") == "rtl"
    first, second, new, york, stop = (token(page, at).bounding_box() for at in (0, 1, 5, 6, 9))
    assert first["x"] > second["x"]
    if abs(new["y"] - york["y"]) < 5:
        assert new["x"] < york["x"]
    assert stop["x"] < token(page, 8).bounding_box()["x"]
    box.focus()
    press(page, "Home", "ArrowLeft")
    expect(token(page, 1).locator("..")).to_have_class("token token--cursor")
    press(page, "ArrowRight")
    expect(token(page, 0).locator("..")).to_have_class("token token--target token--cursor")
    ask(page, 1, "What did someone announce?", (2, 3))
    assert chips(page) == ["هواتف جديدة"]


def test_arrow_keys_cross_latin_words_of_an_arabic_sentence_visually(open_item, tmp_path):
    text = f"qasrl_id,tokens,sentence\nq1,{ARABIC.replace('.', ' .')},{ARABIC}\n"
    page = open_item(imported(make_project(), tmp_path, text, "qasrl-csv", verb=0))
    page.locator("#sentence").focus()
    press(page, "Home")
    places = []
    for _ in range(9):
        press(page, "ArrowLeft")
        places.append(page.locator(".token--cursor").bounding_box()["x"])
    assert places == sorted(places, reverse=True)
    visited = page.locator(".token--cursor").get_attribute("data-token")
    assert visited == "9"


def test_words_of_one_written_word_are_shown_once_and_selected_alone(open_item, tmp_path):
    page = open_item(imported(make_frames_project(), tmp_path, JOINED, "conllu"))
    assert sentence_text(page) == "Sie ging zum Arzt."
    assert token(page, 2).inner_text() == "zu"
    assert token(page, 3).inner_text() == "m"
    expect(page.get_by_role("option", name="dem", exact=True)).to_be_visible()
    assert axe_findings(page) == []


def test_letters_of_arabic_clitics_join(open_item, tmp_path):
    """Letters that join take less room than letters that stand alone."""
    words = [("1-2", "وقال", "_"), ("1", "و", "CCONJ"), ("2", "قال", "VERB"), ("3", ".", "PUNCT")]
    lines = [f"{number}\t{form}\t_\t{tag}\t_\t_\t0\troot\t_\t_" for number, form, tag in words]
    text = "\n".join(["# sent_id = a1", "# text = وقال.", *lines, ""])
    page = open_item(imported(make_frames_project(), tmp_path, text, "conllu"))
    assert sentence_text(page) == "وقال."
    clitic, verb = (token(page, at).bounding_box() for at in (0, 1))
    assert abs(verb["x"] + verb["width"] - clitic["x"]) < 1
