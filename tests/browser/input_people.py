"""People and programs that work on a page in Chromium, for the measurement of signals.

An honest worker writes with a rhythm of their own and corrects mistakes. Some paste a name, dictate or
use an input method. Others paste a model's answers, retype them, type with a program, or set values by a
script.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from playwright.async_api import Browser, Page, Route, async_playwright

from tests.conftest import CHROMIUM_ARGUMENTS

TEXTS = (
    "The ferry to the northern islands stopped twice because fog covered the harbour.",
    "A baker in the old town sells bread from rye that her family has grown since the last great flood.",
)
_OWN = """
mostly about how why people often small first then there because really still quite they some kind place
story person thing happened later maybe while seems tells between again around something morning short
long simple finally perhaps together nobody everyone
"""
_MODEL = """
the passage describes an account in which overall highlighting resilience narrative illustrates theme
community underscoring significance contextual emphasis broader captures notable detail vividly
"""
OWN_WORDS, MODEL_WORDS = _OWN.split(), _MODEL.split()
SET = """(control, value) => {
    control.value = value;
    control.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
}"""


class Kind(StrEnum):
    """Who works."""

    HONEST = "honest"
    SCRIPTED = "scripted"
    PASTING = "model, pasted"
    RETYPING = "model, retyped"
    PROGRAM = "typed by a program"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with the answers that they are going to give, in the order of the items."""

    kind: Kind
    seed: int
    answers: Sequence[str]

    @property
    def name(self) -> str:
        return f"{self.kind.name}{self.seed}"


def model_answers(seed: int) -> list[str]:
    """Return what a model answers for each text."""
    rng = random.Random(f"model {seed}")
    return [" ".join(_model_words(rng, text)) for text in TEXTS]


def _model_words(rng: random.Random, text: str) -> list[str]:
    own = text.strip(".").casefold().split()
    return [rng.choice(own if rng.random() < 0.5 else MODEL_WORDS) for _ in range(14)]


def person_of(kind: Kind, seed: int, models: Sequence[Sequence[str]]) -> Person:
    """Return a worker of a kind. Those with a model's answers got them with up to half other words."""
    rng = random.Random(f"{kind} {seed}")
    answers = []
    for at, text in enumerate(TEXTS):
        if kind in (Kind.PASTING, Kind.RETYPING):
            words = rng.choice(models)[at].split()
            changed = rng.uniform(0, 0.5)
            other = _model_words(rng, text)
            words = [other[n] if rng.random() < changed else word for n, word in enumerate(words)]
        else:
            own = text.strip(".").casefold().split()
            count = rng.randint(8, 13)
            words = [rng.choice(own if rng.random() < 0.45 else OWN_WORDS) for _ in range(count)]
        answers.append(" ".join(words))
    return Person(kind, seed, answers)


def run_people(people: Mapping[str, Person], *, chromium: str, origin: str, at_once: int) -> None:
    """Let all people work, by the addresses of their pages, with up to `at_once` of them at a time."""
    asyncio.run(_run(people, chromium, origin, at_once))


async def _run(people: Mapping[str, Person], chromium: str, origin: str, at_once: int) -> None:
    places, clipboard = asyncio.Semaphore(at_once), asyncio.Lock()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=CHROMIUM_ARGUMENTS
        )
        works = [
            _Work(person, clipboard).finish(browser, address, origin, places)
            for address, person in people.items()
        ]
        await asyncio.gather(*works)
        await browser.close()


async def _thank(route: Route) -> None:
    html = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
    await route.fulfill(body=html, content_type="text/html")


class _Work:
    """A person's work on a page. The clipboard is that of the whole browser."""

    def __init__(self, person: Person, clipboard: asyncio.Lock) -> None:
        self.person = person
        self.clipboard = clipboard
        self.rng = random.Random(f"work of {person.name}")
        # A person's median interval in seconds, and the spread of its logarithm.
        self.pace = self.rng.lognormvariate(-1.8, 0.3)
        self.spread = self.rng.uniform(0.35, 0.6)
        self.habit = self.rng.choices(
            ["types", "pastes a name", "dictates", "input method"], [60, 28, 7, 5]
        )[0]

    async def finish(
        self, browser: Browser, address: str, origin: str, places: asyncio.Semaphore
    ) -> None:
        """Open the page, answer all items and submit them."""
        async with places:
            context = await browser.new_context(permissions=["clipboard-read", "clipboard-write"])
            page = await context.new_page()
            page.set_default_timeout(60_000)
            await page.route(f"{origin}/**", _thank)
            await page.goto(address)
            await page.locator("html[data-ready]").wait_for(state="attached")
            for at, answer in enumerate(self.person.answers):
                await self.answer(page, answer)
                last = at == len(self.person.answers) - 1
                await self.press(page, "Submit" if last else "Next")
            await page.get_by_role("heading", name="Thank you").wait_for()
            await context.close()

    async def press(self, page: Page, name: str) -> None:
        button = page.get_by_role("button", name=name)
        if self.person.kind is Kind.SCRIPTED:
            await button.evaluate("button => button.click()")
        else:
            await button.click()

    async def answer(self, page: Page, text: str) -> None:
        radio = page.get_by_role("radio", name=self.rng.choice(["good", "bad"]))
        box = page.get_by_role("textbox", name="Summary")
        if self.person.kind is Kind.SCRIPTED:
            await radio.evaluate("radio => radio.click()")
            await box.evaluate(SET, text)
            return
        await radio.click()
        await box.click()
        match self.person.kind:
            case Kind.PASTING:
                await asyncio.sleep(self.rng.uniform(1, 4))
                await self.paste(page, text)
                if self.rng.random() < 0.3:
                    await self.type(page, " too")
            case Kind.PROGRAM:
                await page.keyboard.type(text, delay=self.rng.uniform(20, 60))
            case Kind.RETYPING:
                await asyncio.sleep(self.rng.uniform(1, 4))
                await self.type(page, text)
            case _:
                await self.write(page, text)

    async def write(self, page: Page, text: str) -> None:
        """Write as an honest person: read first, then write in the way that is theirs."""
        await asyncio.sleep(self.rng.uniform(1, 4))
        words = text.split()
        if self.habit == "dictates":
            for start in range(0, len(words), 4):
                await page.keyboard.insert_text(" ".join(words[start : start + 4]) + " ")
                await asyncio.sleep(self.rng.uniform(0.6, 1.5))
        elif self.habit == "input method":
            await self.compose(page, words)
        elif self.habit == "pastes a name" and self.rng.random() < 0.6:
            await self.type(page, " ".join(words[:-2]) + " ")
            await self.paste(page, " ".join(words[-2:]))
        else:
            await self.type(page, text)

    async def type(self, page: Page, text: str) -> None:
        for character in text:
            if self.rng.random() < 0.02:
                await page.keyboard.press("x")
                await self.wait(0.0)
                await page.keyboard.press("Backspace")
                await self.wait(0.3)
            await page.keyboard.press("Space" if character == " " else character)
            await self.wait(0.4 if character == " " and self.rng.random() < 0.3 else 0.0)

    async def wait(self, pause: float) -> None:
        seconds = self.rng.lognormvariate(0, self.spread) * self.pace
        await asyncio.sleep(seconds + self.rng.expovariate(1) * pause)

    async def compose(self, page: Page, words: Sequence[str]) -> None:
        session = await page.context.new_cdp_session(page)
        for word in words:
            for end in range(1, len(word) + 1):
                position = {"selectionStart": end, "selectionEnd": end}
                await session.send("Input.imeSetComposition", {"text": word[:end], **position})
                await self.wait(0.0)
            await session.send("Input.insertText", {"text": f"{word} "})

    async def paste(self, page: Page, text: str) -> None:
        async with self.clipboard:
            await page.evaluate("text => navigator.clipboard.writeText(text)", text)
            await page.keyboard.press("Control+v")
