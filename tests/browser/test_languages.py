"""Workers' pages of all schemes in German and in pseudo-locales, which reveal untranslated texts."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page

from annotation.models import Item
from consolidation.models import Case
from marketplace.domain.accounts.accounts import COOKIE, start_session
from projects.domain.choose_protocol import choose_protocol
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from tests.annotation.factories import NOW, make_item, make_project, make_task, task_url
from tests.annotation.onboarding import AGE, LANGUAGE, STUDIES, publish_fields, publish_text
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
from tests.dashboard.campaign import make_user
from tests.marketplace.conftest import make_worker
from tests.pseudo import CUT, LONG, RIGHT_TO_LEFT, UNTRANSLATED, write_pseudo_locales
from tests.qualification.factories import make_evaluated
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
# The units of the annotations
FEEDBACK_OWN = ".feedback-item h2, .side-labels"
# Names of languages, countries and people
MARKET_OWN = "option, .languages, .market-worker"
# Texts of the corpus, of the lexicon and of definitions, and parts of translated texts that name them
OWN_TEXTS = re.compile(
    r"""two\ women|a\ red\ car|a\ race|their\ dogs|wine|france|came|come|origin|entity|time|theme
    |agent|recipient|asset|source|goal|something\ has|example\ of\ this|and\ another\ one
    |names|person|organisation|mark\ every|jobs|works\ for|founded|knows|text|sentence|span
    |arriving|becoming|another\ state|training\ 1|well\ done|^ann$|ann@example
    |might\ contain|wh[oatyenr]+\ (…|did|carried)|how\ …""",
    re.IGNORECASE | re.VERBOSE,
)


def is_own(text: str) -> bool:
    return bool(OWN_TEXTS.search(text))


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
) -> Iterator[Callable[..., Page]]:
    """Return a function that opens an address in a language, and check that no script fails."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def open_in(language: str, address: str, cookie: str = "", *, is_task: bool = True) -> Page:
        context = chromium.new_context(
            viewport={"width": request.param, "height": 800},
            extra_http_headers={"Accept-Language": language},
        )
        contexts.append(context)
        if cookie:
            context.add_cookies([{"name": COOKIE, "value": cookie, "url": live_server.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        if is_task:
            return open_task(page, f"{live_server.url}{address}")
        page.goto(f"{live_server.url}{address}")
        return page

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


def check(open_in: Callable[..., Page], address: str, own: str = OWN, **options: Any) -> None:
    long = open_in(LONG, address, **options)
    texts = [text for text in long.evaluate(UNTRANSLATED, own) if not is_own(text)]
    assert (texts, long.evaluate(CUT)) == ([], []), address
    mirrored = open_in(RIGHT_TO_LEFT, address, **options)
    assert mirrored.locator("html").get_attribute("dir") == "rtl"
    assert (mirrored.evaluate(CUT), axe_findings(mirrored)) == ([], []), address
    german = open_in("de", address, **options)
    assert (german.evaluate(CUT), axe_findings(german)) == ([], []), address


@pytest.mark.parametrize("scheme", ITEMS)
def test_annotators_pages_are_translated(open_in, settings, scheme):
    check(open_in, generation_address(scheme, settings))


@pytest.mark.parametrize("name", CASES)
def test_pages_of_cases_are_translated(open_in, settings, name):
    check(open_in, case_address(name, settings))


def test_practice_is_translated(open_in):
    check(open_in, reverse("annotation:practice", args=["qasrl", 1]))


def test_onboarding_is_translated(open_in, settings):
    item = ITEMS["qasrl"]()
    publish_text(item.project)
    publish_fields(item.project, AGE, STUDIES, LANGUAGE)
    address = task_url(make_task([item]), submit_to=settings.MTURK_WORKER_ORIGINS[0])
    check(open_in, address, "[lang], label", is_task=False)


def test_feedback_is_translated(open_in):
    enrolment = make_evaluated()
    feedback = send_feedback(
        enrolment=enrolment,
        trainer=make_user("tina"),
        notes=Notes(text="Well done"),
        now=timezone.now(),
    )
    address = urlsplit(link_of(feedback)).path
    check(open_in, address, FEEDBACK_OWN, is_task=False)


def test_broken_links_are_explained_in_the_language(open_in):
    for address in ("/feedback/nonsense/", "/practice/nothing/1/", "/bonus/nonsense/"):
        check(open_in, address, is_task=False)


@pytest.mark.parametrize(
    "name",
    [
        *("login", "groups", "account", "change-email", "close-account", "history", "earnings"),
        *("payment-details", "messages", "qualifications"),
    ],
)
def test_marketplace_is_translated(open_in, name):
    worker = make_worker()
    cookie = "" if name == "login" else start_session(worker=worker, now=timezone.now())
    check(open_in, reverse(f"marketplace:{name}"), MARKET_OWN, cookie=cookie, is_task=False)
