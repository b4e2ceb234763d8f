"""The problems that the page of a custom scheme finds, compared with those of the parser."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.custom.items import item_of_texts
from schemes.custom.parse_definition import parse_definition
from schemes.custom.patterns import matches
from schemes.custom.scheme import scheme_of_definition
from tests.browser.custom import BOXES, NAMES, PAIR, PAIR_TEXTS, QUESTIONS, REVIEW, SENTENCE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CASES = 200
TEXTS = ["", " ", "abc", "Ab", "a  b", "a\tb", "x" * 21, "é", "a" * 20]
NUMBERS = [1, 2.5, -3, 12, 0, 10]
SPACES = [
    (NAMES, {"text": SENTENCE}),
    (REVIEW, {"text": SENTENCE}),
    (QUESTIONS, {"text": SENTENCE}),
    (PAIR, PAIR_TEXTS),
    (BOXES, {"text": SENTENCE}),
]
EVALUATE = """async (states) => {
    const {loadPatterns, problemsOf, submissionOf, countUnits} =
        await import("/static/js/schemes/custom/answers.js");
    for (const {definition} of states) await loadPatterns(definition.fields);
    return states.map(({definition, answers}) => {
        const state = {answers, skipped: null};
        return {
            paths: problemsOf(definition, state).map(({path}) => path),
            content: submissionOf(definition, state),
            units: countUnits(definition, state),
        };
    });
}"""


def leaves(options: Sequence[Json]) -> list[str]:
    return [
        key
        for option in options
        for key in (leaves(option["options"]) if option["options"] else [option["key"]])
    ]


class Drawing:
    """Random answers to the fields of a definition, many of them invalid."""

    def __init__(self, scheme: Scheme, context: ItemContext, seed: int) -> None:
        self.rng = random.Random(seed)
        self.texts = {
            text["key"]: (text["start"], text["end"])
            for text in scheme.pages.item(context)["texts"]
        }
        self.spans: dict[str, list[Json]] = {}

    def answers(self, fields: Sequence[Json]) -> Json:
        drawn = {field["key"]: self.value(field) for field in fields if self.rng.random() < 0.85}
        return {key: value for key, value in drawn.items() if value is not None}

    def value(self, field: Json) -> Any:  # noqa: PLR0911 - one case per type
        rng = self.rng
        match field["type"]:
            case "choice":
                return rng.choice(leaves(field["options"]))
            case "choices":
                keys = leaves(field["options"])
                return rng.sample(keys, rng.randint(0, len(keys)))
            case "rating":
                return rng.randint(field["min"], field["max"])
            case "pairwise":
                return rng.choice([*field["between"], "tie"])
            case "text":
                return rng.choice(TEXTS)
            case "number":
                return rng.choice(NUMBERS)
            case "spans":
                self.spans[field["key"]] = self.span_list(field)
                return self.spans[field["key"]]
            case "relations":
                return self.relations(field)
            case "questions":
                return self.questions(field)
        label = rng.choice(field["labels"])["key"]
        return [{"label": label, "box": [1, 2, 30, 40]}][: rng.randint(0, 1)]

    def ranges(self, text: str, most: int) -> list[list[int]]:
        """Return spans of a text that don't overlap."""
        first, last = self.texts[text]
        cuts = sorted(self.rng.sample(range(first, last + 1), 2 * min(most, (last - first) // 2)))
        return [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=True)]

    def span_list(self, field: Json) -> list[Json]:
        spans = []
        for start, end in self.ranges(field["text"], self.rng.randint(0, 3)):
            label = self.rng.choice(field["labels"])["key"]
            span = {"start": start, "end": end, "label": label}
            if field["attributes"]:
                span["attributes"] = self.answers(field["attributes"])
            spans.append(span)
        return spans

    def relations(self, field: Json) -> list[Json]:
        count = len(self.spans.get(field["spans"], []))
        if count < 2:
            return []
        start, end = self.rng.sample(range(count), 2)
        return [{"label": self.rng.choice(field["labels"])["key"], "from": start, "to": end}]

    def questions(self, field: Json) -> list[Json]:
        known = ["Who?", "who?", "Who ?", "What?", "When?"]
        asked = known if field["question"] == "free" else field["question"]
        rows = []
        for question in asked:
            answers = self.ranges(field["text"], self.rng.randint(0, 3))
            if self.rng.random() < 0.5:
                rows.append({"question": question, "answers": answers, "none": not answers})
        return rows


def test_page_finds_a_problem_exactly_where_the_parser_refuses(
    context: BrowserContext, live_server
):
    drawn: list[tuple[Scheme, ItemContext]] = []
    states: list[Json] = []
    for value, texts in SPACES:
        definition = parse_definition(value)
        scheme = scheme_of_definition(definition)
        has_picture = definition.image != "none"
        item = item_of_texts(definition, texts, "1.png" if has_picture else "")
        page_definition = scheme.pages.shared([item])["definition"]
        for seed in range(CASES):
            answers = Drawing(scheme, item, seed).answers(page_definition["fields"])
            drawn.append((scheme, item))
            states.append(
                {
                    "definition": {**page_definition, "hasPicture": has_picture},
                    "answers": answers,
                }
            )
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    found = page.evaluate(EVALUATE, states)
    accepted = 0
    for (scheme, item), state, (paths, content, units) in zip(
        drawn, states, (tuple(row.values()) for row in found), strict=True
    ):
        refused = refusal(scheme, content, item)
        if refused is None:
            parsed = scheme.content.parse_generation(content, item)
            assert (paths, parsed) == ([], content), state
            assert scheme.content.count_units(parsed, "generator") == units
            accepted += 1
        else:
            assert any(_is_around(path, refused.path) for path in paths), (refused, paths, state)
    assert len(drawn) / 10 < accepted < len(drawn) * 0.9


def refusal(scheme: Scheme, content: Json, item: ItemContext) -> ContentError | None:
    try:
        scheme.content.parse_generation(content, item)
    except ContentError as error:
        return error
    return None


def _is_around(path: str, other: str) -> bool:
    # Incomplete questions are reported and not submitted, so the questions of the two sides differ.
    path, other = (re.sub(r"^(answers\.(?:qa|fixed))\..*", r"\1", at) for at in (path, other))
    return other == path or other.startswith(f"{path}.") or path.startswith(f"{other}.")


# --- patterns

PARTS = ["a", "é", ".", "[a-c]", "[^a]", r"\d", r"\w", r"\.", "[a-c.]", "-"]
REPEATS = ["", "", "?", "*", "+", "{2}", "{1,3}", "{2,}"]
ALPHABET = "aab1.é-B"
MATCH = """async (pairs) => {
    const {matches} = await import("/static/js/schemes/custom/patterns.js");
    return pairs.map(([pattern, text]) => {
        const start = performance.now();
        const outcome = matches(pattern, text);
        return [outcome, performance.now() - start];
    });
}"""


def test_pattern_matches_in_the_page_as_in_the_engine_of_the_server(
    context: BrowserContext, live_server
):
    rng = random.Random(7)
    pairs = []
    for _ in range(2000):
        pattern = "".join(rng.choice(PARTS) + rng.choice(REPEATS) for _ in range(rng.randint(1, 4)))
        pairs.append((pattern, "".join(rng.choices(ALPHABET, k=rng.randint(0, 8)))))
    outcomes = [outcome for outcome, _ in match_in_page(context, live_server, pairs)]
    assert outcomes == [matches(pattern, text) for pattern, text in pairs]
    assert 100 < sum(outcomes) < 1900


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * 60),
        ("(a|a)*b", "a" * 60),
        ("(.*)(.*)(.*)b", "a" * 10_000),
        (".*.*.*.*b", "a" * 10_000),
        ("a?" * 40 + "a{40}", "a" * 39),
        ("[a-z]{0,999}" * 3 + "9", "a" * 10_000),
        ("a{1,2}" * 40 + "b", "a" * 60),
    ],
)
def test_pattern_that_a_browser_could_try_forever_is_left_to_the_server(
    context: BrowserContext, live_server, pattern: str, text: str
):
    [(outcome, milliseconds)] = match_in_page(context, live_server, [(pattern, text)])
    assert outcome is None
    assert milliseconds < 50
    assert not matches(pattern, text)


def match_in_page(
    context: BrowserContext, live_server, pairs: Sequence[tuple[str, str]]
) -> list[tuple[bool | None, float]]:
    """Return the page's outcome of each pattern and text, and its milliseconds."""
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    found: list[tuple[bool | None, float]] = page.evaluate(MATCH, pairs)
    return found
