"""Workers' pages of all schemes in German and in pseudo-locales, which reveal untranslated texts."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page

from annotation.models import Item
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from tests.annotation.factories import NOW, make_item, make_project, make_task, task_url
from tests.axe import axe_findings
from tests.browser.custom import NAMES, SENTENCE, make_custom_project, make_texts
from tests.browser.frames import (
    FRANCE,
    WINE,
    make_frames_project,
    make_record,
    record,
    verification_case,
)
from tests.browser.grounding import make_caption, make_grounding_project
from tests.browser.test_grounding_cases import OURS, THEIRS, validation_case
from tests.browser.work import open_task
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, make_case_of, source
from tests.pseudo import CUT, LONG, RIGHT_TO_LEFT, UNTRANSLATED, write_pseudo_locales
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def survey() -> Case:
    return make_case(
        SURVEY,
        CONTAIN,
        source(SURVEY, ("What might contain something?", ["that basin"])),
        source(SURVEY, ("What contains something?", ["that basin"])),
    )


# Controls with words of the project, of its lexicon or of the scheme's grammar
OWN = "[data-own-text]"
# Texts of the corpus, of the lexicon and of definitions, and parts of translated texts that name them
OWN_TEXTS = re.compile(
    r"""two\ women|a\ red\ car|a\ race|their\ dogs|wine|france|came|come|origin|entity|time|theme
    |agent|recipient|asset|source|goal|something\ has|example\ of\ this|and\ another\ one
    |names|person|organisation|mark\ every|jobs|works\ for|founded|knows|text|sentence|span
    |might\ contain|wh[oatyenr]+\ (…|did|carried)|how\ …""",
    re.IGNORECASE | re.VERBOSE,
)
# Texts of schemes that are in English only: levels of confidence, reasons to skip, exercises
ENGLISH = re.compile(
    r"^[1-5] |^none$|I don't understand|not a verb here|No frame fits|Another reason"
    r"|^Who, what|Several answers|only implied|may not happen|Verbs with|Ask for every participant"
)


def is_own(text: str) -> bool:
    return bool(OWN_TEXTS.search(text) or ENGLISH.search(text))


ITEMS: dict[str, Callable[[], Item]] = {
    "qasrl": lambda: make_item(make_project()),
    "frames": lambda: make_record(make_frames_project()),
    "grounding": lambda: make_caption(make_grounding_project()),
    "custom": lambda: make_texts(make_custom_project(NAMES), NAMES, SENTENCE),
}
CASES: dict[str, Callable[[], tuple[str, Case]]] = {
    "qasrl": lambda: ("consolidate", survey()),
    "frames": lambda: (
        "validate",
        verification_case(
            choose_protocol(
                project=make_frames_project(), protocol="verification", actor="test", now=NOW
            ),
            record("Origin", WINE, FRANCE),
        ),
    ),
    "grounding": lambda: (
        "consolidate",
        make_case_of(make_caption(make_grounding_project()), OURS, THEIRS),
    ),
    "grounding validation": lambda: ("validate", validation_case(make_grounding_project(), OURS)),
}


@pytest.fixture
def pseudo(settings, tmp_path: Path) -> None:
    write_pseudo_locales(tmp_path)
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, tmp_path]
    settings.LANGUAGES = [*settings.LANGUAGES, (LONG, "Long"), (RIGHT_TO_LEFT, "Mirrored")]
    settings.LANGUAGES_BIDI = [RIGHT_TO_LEFT]


@pytest.fixture(params=[360, 1280])
def open_in(
    request, pseudo, chromium: Browser, live_server, settings
) -> Iterator[Callable[[str, str], Page]]:
    """Return a function that opens an address in a language, and check that no script fails."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def open_in(language: str, address: str) -> Page:
        context = chromium.new_context(
            viewport={"width": request.param, "height": 800},
            extra_http_headers={"Accept-Language": language},
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return open_task(page, f"{live_server.url}{address}")

    yield open_in
    for context in contexts:
        context.close()
    assert errors == []


def generation_address(scheme: str, settings) -> str:
    return task_url(make_task([ITEMS[scheme]()]), submit_to=settings.MTURK_WORKER_ORIGINS[0])


def case_address(name: str, settings) -> str:
    role, case = CASES[name]()
    assert case.task
    origin = settings.MTURK_WORKER_ORIGINS[0]
    query = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={origin}"
    return signed(f"{reverse(f'consolidation:{role}', args=[case.task.public_id])}?{query}")


def check(open_in: Callable[[str, str], Page], address: str) -> None:
    long = open_in(LONG, address)
    assert [text for text in long.evaluate(UNTRANSLATED, OWN) if not is_own(text)] == []
    assert long.evaluate(CUT) == []
    mirrored = open_in(RIGHT_TO_LEFT, address)
    assert mirrored.locator("html").get_attribute("dir") == "rtl"
    assert mirrored.evaluate(CUT) == []
    assert axe_findings(mirrored) == []
    german = open_in("de", address)
    assert german.evaluate(CUT) == []
    assert axe_findings(german) == []


@pytest.mark.parametrize("scheme", ITEMS)
def test_annotators_pages_are_translated(open_in, settings, scheme):
    check(open_in, generation_address(scheme, settings))


@pytest.mark.parametrize("name", CASES)
def test_pages_of_cases_are_translated(open_in, settings, name):
    check(open_in, case_address(name, settings))


def test_practice_is_translated(open_in):
    check(open_in, reverse("annotation:practice", args=["qasrl", 1]))
