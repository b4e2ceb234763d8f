"""Workers' pages of all schemes in German and in pseudo-locales, which reveal untranslated texts."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page

from annotation.domain.decisions.appeal_bonus import appeal_bonus
from annotation.domain.decisions.appeal_links import appeal_url
from annotation.domain.decisions.review_bonus import decline_bonus
from annotation.domain.publishing.publish import publish_batch
from annotation.models import Item
from consolidation.models import Case
from crowd.models import HitType, Study
from marketplace.domain.accounts.accounts import COOKIE, invite, set_language, start_session
from marketplace.domain.notifications.worker_messages import write_to_requester
from marketplace.models import Requester
from projects.domain.choose_protocol import choose_protocol
from projects.domain.create_project import create_project
from projects.enums import BonusTiming
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
from tests.browser.test_sessions import campaign, server
from tests.browser.work import open_task
from tests.consolidation.factories import CONTAIN, SURVEY, make_case, make_case_of, source
from tests.consolidation.waiting import QUESTIONS
from tests.dashboard.campaign import make_user
from tests.marketplace.conftest import (
    accept,
    log_in,
    make_requester,
    make_worker,
    mturk,
    publish,
    site,
    submit,
)
from tests.prolific.campaign import Person
from tests.pseudo import CUT, LONG, RIGHT_TO_LEFT, UNTRANSLATED, pseudo, pseudo_folder
from tests.qualification.factories import make_evaluated
from tests.qualification.test_languages_of_messages import hold
from tests.signed import signed

__all__ = ["campaign", "mturk", "pseudo", "pseudo_folder", "publish", "server", "site"]
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
# The name of the work
APPEAL_OWN = "h1 + p"
# Names of languages, countries and people
MARKET_OWN = "option, .languages, .market-worker"
# Texts of the corpus, of the lexicon and of definitions, and parts of translated texts that name them
OWN_TEXTS = re.compile(
    r"""two\ women|a\ red\ car|a\ race|their\ dogs|wine|france|came|come|origin|entity|time|theme
    |agent|recipient|asset|source|goal|something\ has|example\ of\ this|and\ another\ one
    |names|person|organisation|mark\ every|jobs|works\ for|founded|knows|text|sentence|span
    |arriving|becoming|another\ state|training\ 1|well\ done|^ann$|ann@example
    |^[A-Z][a-z]+\ \d{4}$|might\ contain|wh[oatyenr]+\ (…|did|carried)|how\ …""",
    re.IGNORECASE | re.VERBOSE,
)


# Names and ids within translated texts
PROPER_NAMES = re.compile("Prolific|USD|UTC|[A-Z0-9]{20,}")


def is_own(text: str) -> bool:
    has_words = re.search("[A-Za-z]{3,}", PROPER_NAMES.sub("", text))
    return not has_words or bool(OWN_TEXTS.search(text))


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


@pytest.fixture
def requester(db) -> tuple[Requester, str, str]:
    return make_requester("--")


def generation_address(scheme: str, settings) -> str:
    return task_url(make_task([ITEMS[scheme]()]), submit_to=settings.MTURK_WORKER_ORIGINS[0])


def case_address(name: str, settings) -> str:
    role, case = CASES[name]()
    assert case.task
    origin = settings.MTURK_WORKER_ORIGINS[0]
    query = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={origin}"
    return signed(f"{reverse(f'consolidation:{role}', args=[case.task.public_id])}?{query}")


def check(open_in: Callable[..., Page], address: str, own: str = OWN, **options: Any) -> None:
    for language in (LONG, RIGHT_TO_LEFT, "de"):
        assert problems(open_in(language, address, **options), language, own) == [], address


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


def walk(open_in: Callable[..., Page], addresses: Sequence[str], **options: Any) -> None:
    """Check the pages in one tab of each language."""
    for language in (LONG, RIGHT_TO_LEFT, "de"):
        page = open_in(language, addresses[0], is_task=False, **options)
        found = {}
        for address in addresses:
            page.goto(urljoin(page.url, address))
            found[address] = problems(page, language, MARKET_OWN)
        assert {address: texts for address, texts in found.items() if texts} == {}, language


def problems(page: Page, language: str, own: str = OWN) -> list[str]:
    """Return what is wrong with the open page in its language."""
    is_mirrored = page.locator("html").get_attribute("dir") == "rtl"
    assert is_mirrored == (language == RIGHT_TO_LEFT)
    found: list[str] = page.evaluate(CUT)
    if language == LONG:
        return found + [text for text in page.evaluate(UNTRANSLATED, own) if not is_own(text)]
    return found + axe_findings(page)


def test_marketplace_is_translated(open_in, mturk, publish, requester):
    worker = make_worker()
    set_language(worker=worker, language=LONG)
    browser = log_in(worker)
    done = []
    for number in range(3):
        hit = publish(Title=f"{number}{number}", Description="--", MaxAssignments=2)
        done.append(accept(browser, hit))
        if number < 2:
            submit(browser, done[-1], **{"--": "--"})
    mturk.reject_assignment(AssignmentId=done[0], RequesterFeedback="--")
    mturk.notify_workers(Subject="--", MessageText="--", WorkerIds=[worker.code])
    write_to_requester(worker=worker, requester=requester[0], text="--", now=timezone.now())
    kind = mturk.create_qualification_type(
        Name="--", Description="--", QualificationTypeStatus="Active"
    )
    names = (
        *("groups", "account", "change-email", "close-account", "history", "earnings"),
        *("payment-details", "messages", "qualifications"),
    )
    of_work = [
        ("preview", hit["HITTypeId"]),
        ("work", done[2]),
        ("work", done[1]),
        ("ask", done[1]),
        ("answer", done[1]),
        ("appeal", done[0]),
        ("requester", requester[0].code),
        ("thread", requester[0].code),
        ("request-qualification", kind["QualificationType"]["QualificationTypeId"]),
    ]
    addresses = [reverse(f"marketplace:{name}") for name in names]
    addresses += [reverse(f"marketplace:{name}", args=[code]) for name, code in of_work]
    cookie = start_session(worker=worker, now=timezone.now())
    walk(open_in, addresses, cookie=cookie)


def test_first_pages_of_the_marketplace_are_translated(open_in):
    [invitation] = invite(count=1, now=timezone.now())
    walk(
        open_in, [reverse("marketplace:login"), reverse("marketplace:join", args=[invitation.code])]
    )


@pytest.mark.parametrize("language", [LONG, RIGHT_TO_LEFT])
@pytest.mark.usefixtures("pseudo")
def test_sessions_are_translated(language, chromium, server, campaign):
    project = create_project(
        slug="news", scheme="qasrl", provider="prolific", bonus_timing=BonusTiming.AT_ONCE, now=NOW
    )
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = 30
    project.save()
    publish_text(project)
    for _ in range(3):
        make_item(project)
    publish_batch(project=project, now=server.clock())
    campaign.sweep(times=3)
    HitType.objects.update(title="--", description="--")
    person = Person(server, lambda task, item: {"questions": QUESTIONS})
    with chromium.new_context(
        viewport={"width": 360, "height": 740},
        extra_http_headers={"Accept-Language": language},
        bypass_csp=True,  # the form policy uses the SITE_URL of the import time
    ) as context:
        page = context.new_page()
        visit_session(page, person, Study.objects.get().external_id, language)


def follow(page: Page, selector: str) -> None:
    with page.expect_navigation():
        page.locator(selector).click()


def visit_session(page: Page, person: Person, study: str, language: str) -> None:
    """Visit all pages of a session, from a broken link to the end."""
    address = person.participant.take(study)
    page.goto(address.partition("?")[0])
    assert problems(page, language) == []
    page.goto(address)
    assert problems(page, language, ".prose") == []
    follow(page, "[formaction]")
    assert problems(page, language) == []
    page.goto(address)
    page.locator("[name=accepts]").check()
    follow(page, "form button:not([formaction])")
    assert problems(page, language) == []
    session = urlsplit(page.url).path
    person.work(str(person.next_task(session)))
    page.reload()
    assert problems(page, language) == []
    follow(page, "form[action$='/finish/'] button")
    assert problems(page, language) == []
    while task := person.next_task(session):
        person.work(task)
    page.goto(address)
    assert problems(page, language) == []
    # It would open the provider at once.
    page.route("**/session-finished*.js", lambda route: route.fulfill(body=""))
    follow(page, "form[action$='/finish/'] button")
    assert problems(page, language) == []
    page.goto(address)
    assert problems(page, language) == []


def test_appeal_of_a_bonus_is_translated(open_in):
    held = hold(seconds=2)
    decline_bonus(held=held, reason="--", actor="rita", now=timezone.now())
    address = urlsplit(appeal_url(held)).path
    check(open_in, address, APPEAL_OWN, is_task=False)
    held.refresh_from_db()
    appeal_bonus(held=held, text="--", now=timezone.now())
    check(open_in, address, APPEAL_OWN, is_task=False)
