"""The consolidation page and the server agree on which content can be submitted."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord
from schemes.contract.values import Json
from schemes.english.verbs import verb_forms
from schemes.qasrl.grammar import item_table
from schemes.registry import get_scheme
from tests.consolidation.factories import CONTAIN, SURVEY
from tests.schemes.qasrl.checking_walker import CheckingWalker
from tests.schemes.qasrl.generated_texts import ODD, texts

pytestmark = pytest.mark.browser

STATIC = Path(__file__).resolve().parents[2] / "static"
ORIGIN = "http://127.0.0.1:9"  # no server listens there, because the test answers all requests
SCHEME = get_scheme("qasrl")
RECORD = ItemRecord("s", str(CONTAIN), {"verb_idx": CONTAIN})
TARGET = SCHEME.corpus.complete_item(RECORD, ItemContext(SURVEY)).target
CONTEXT = ItemContext(SURVEY, TARGET)

# Applies the moves as the page does, and returns the content and the problems after each move.
PLAY = """([sources, size, moves]) => {
    const { state: S, words: W } = window.modules;
    const beginning = S.begin({ sources, size });
    let state = beginning;
    const steps = [];
    const see = (changed) => {
        const content = S.contentOf(state, sources);
        const broken = state.questions.filter((each) =>
            each.verdict === "redundant" && S.find(state, each.sameAs)?.verdict !== "keep");
        steps.push({
            content, changed,
            kinds: S.problems(state, W.keyOf).map((each) => each.kind),
            broken: broken.map((each) => each.id),
            resumed: S.contentOf(S.resume(JSON.parse(JSON.stringify(content)), beginning), sources),
        });
    };
    see(true);
    for (const { type, a, b, span, answer, text } of moves) {
        const ids = state.questions.map((each) => each.id);
        const [id, of] = ids.length ? [ids[a % ids.length], ids[b % ids.length]] : ["0.0", "0.0"];
        const own = S.find(state, id)?.answers ?? [];
        const chosen = own.length ? own[answer % own.length] : span;
        const isFree = ["mark", "cut"].includes(type);
        const next = S.apply(state, {
            type, id, of, groups: [[id, of]], question: W.cleaned(text), answers: [span],
            span: isFree ? span : chosen, other: own.at(-1) ?? span, at: span[0],
            to: answer % 2 ? of : null,
        });
        const changed = next !== state;
        state = next;
        see(changed);
    }
    return steps;
}"""


def serve_static(route: Route) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/":
        route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
    else:
        route.fulfill(path=STATIC / path.lstrip("/"), content_type="text/javascript")


@pytest.fixture(scope="module")
def modules(chromium: Browser) -> Iterator[Page]:
    """Return a page with the state module and the words module in `window.modules`."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.route(f"{ORIGIN}/**", serve_static)
        page.goto(f"{ORIGIN}/")
        page.evaluate(
            """async () => {
                const load = (name) => import(`/js/schemes/qasrl/${name}.js`);
                window.modules = {
                    state: await load("case-state"), words: await load("consolidation-text"),
                };
            }"""
        )
        yield page


# --- moves and sources -------------------------------------------------------------------------

_walker = CheckingWalker(item_table(verb_forms("contain"), SURVEY))
TYPED = [
    *("Who contains something?", "who  contains something", "WHO contains Something ?", "", "?"),
    *(
        "What didn't contain something?",
        "What didn\u2019t contain something?",
        "straße",
        "STRASSE?",
    ),
    *("x" * 199, "x" * 200, "x" * 201, *ODD),
    *texts(_walker, random.Random(20200705), 200),
]
TYPES = [
    *("keep", "invalid", "unjudge", "redundant", "merge", "settle", "add", "remove", "rewrite"),
    *("mark", "unmark", "split", "cut", "join", "move"),
]


@st.composite
def sources(draw: st.DrawFn) -> list[Json]:
    """Return the parsed work of one to three annotators on the sentence."""
    works = []
    for _ in range(draw(st.integers(1, 3))):
        cuts = sorted(draw(st.sets(st.integers(0, len(SURVEY)), max_size=8)))
        spans = [list(pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
        questions = draw(
            st.lists(
                st.sampled_from(["What contains something?", "What might contain something?"])
                | st.sampled_from(TYPED[-200:]).filter(lambda text: text.strip(" ?\0")),
                min_size=len(spans),
                max_size=len(spans),
            )
        )
        works.append(_parsed(questions, spans))
    return works


def _parsed(texts: list[str], spans: list[list[int]]) -> Json:
    questions: list[Json] = []
    for text, span in zip(texts, spans, strict=True):
        content = {"questions": [*questions, {"question": text, "answers": [span]}]}
        try:
            questions = SCHEME.content.parse_generation(content, CONTEXT)["questions"]
        except ContentError:
            continue  # a duplicate question, or an invalid character
    return {"questions": questions, "no_question": "" if questions else "nothing to ask"}


@st.composite
def spans(draw: st.DrawFn) -> list[int]:
    start = draw(st.integers(0, len(SURVEY) - 1))
    return [start, draw(st.integers(start + 1, min(start + 4, len(SURVEY))))]


places = st.integers(0, 11)
moves = st.fixed_dictionaries(
    {
        "type": st.sampled_from(TYPES),
        "a": places,
        "b": places,
        "span": spans(),
        "answer": st.integers(0, 3),
        "text": st.sampled_from(TYPED) | st.text(max_size=12),
    }
)


def refusal(content: Json, given_sources: list[Json]) -> str:
    try:
        SCHEME.get_merging().parse(content, CONTEXT, given_sources)
    except ContentError as error:
        return str(error)
    return ""


def play(page: Page, given_sources: list[Json], sequence: list[Json]) -> list[Any]:
    # A value that JSON can't represent (half a surrogate pair) can't be typed either.
    arguments = json.loads(json.dumps([given_sources, len(SURVEY), sequence]))
    return page.evaluate(PLAY, arguments)


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(given_sources=sources(), sequence=st.lists(moves, max_size=30))
def test_page_and_server_agree_after_every_move(modules, given_sources, sequence):
    for step in play(modules, given_sources, sequence):
        refused = refusal(step["content"], given_sources)
        assert bool(step["kinds"]) == bool(refused), (step, refused)
        assert step["broken"] == []
        assert step["resumed"] == step["content"]


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(given_sources=sources(), sequence=st.lists(moves, max_size=20), first=st.booleans())
def test_judged_content_is_accepted_unless_the_page_shows_a_problem(
    modules, given_sources, sequence, first
):
    """All questions are judged first, because most random moves leave some unjudged."""
    count = sum(len(source["questions"]) for source in given_sources)
    judge = [{"type": "keep" if first else "invalid", "a": place} for place in range(count)]
    full = [{"b": 0, "span": [0, 1], "answer": 0, "text": "", **move} for move in judge]
    step = play(modules, given_sources, [*full, *sequence])[-1]
    refused = refusal(step["content"], given_sources)
    assert bool(step["kinds"]) == bool(refused), (step, refused)


@pytest.mark.parametrize("answers", [60, 61])
def test_answers_are_counted_as_on_the_server(modules, answers):
    tokens = ["word"] * 200
    content = {"question": "Who contains something?", "answers": [], "source": None}
    spans_given = [[2 * place, 2 * place + 1] for place in range(answers)]
    written = {
        "questions": [{**content, "answers": spans_given, "verdict": "keep", "same_as": None}]
    }
    kinds = modules.evaluate(
        """([content, size]) => {
            const { state: S, words: W } = window.modules;
            const state = S.resume(content, S.begin({ sources: [], size }));
            return S.problems(state, W.keyOf).map((each) => each.kind);
        }""",
        [written, len(tokens)],
    )
    try:
        SCHEME.get_merging().parse(written, ItemContext(tokens, TARGET), [])
        accepted = True
    except ContentError:
        accepted = False
    assert (kinds == []) == accepted == (answers == 60)


@pytest.mark.parametrize("new", [60, 61])
def test_questions_are_counted_as_on_the_server(modules, new):
    """Sources may have more than 240 questions, but a consolidator may add at most 60."""
    shared = [{"question": f"Which {at}?", "answers": [[0, 1]], "slots": None} for at in range(50)]
    given_sources = [{"questions": shared, "no_question": ""} for _ in range(5)]
    judged = [
        {**question, "source": {"submission": at, "question": place}, "verdict": "invalid"}
        for at in range(5)
        for place, question in enumerate(shared)
    ]
    own = [
        {"question": f"What {at}?", "answers": [[at, at + 1]], "source": None, "verdict": "keep"}
        for at in range(new)
    ]
    tokens = ["word"] * 100
    kinds = modules.evaluate(
        """([content, sources, size]) => {
            const { state: S, words: W } = window.modules;
            const state = S.resume(content, S.begin({ sources, size }));
            return S.problems(state, W.keyOf).map((each) => each.kind);
        }""",
        [{"questions": [*judged, *own]}, given_sources, len(tokens)],
    )
    content = {"questions": [{**question, "same_as": None} for question in [*judged, *own]]}
    try:
        SCHEME.get_merging().parse(content, ItemContext(tokens, TARGET), given_sources)
        accepted = True
    except ContentError:
        accepted = False
    assert (kinds == []) == accepted == (new == 60)


@pytest.mark.parametrize(
    ("first", "second", "accepted"),
    [
        ("Who contains something?", "who  contains SOMETHING", False),
        ("What contains something?", "What might contain something?", True),
        ("What didn\u2019t contain something?", "What didn't contain something?", False),
        ("What zapped\u2019t it?", "What zapped't it?", False),
        ("Stra\u00dfe?", "STRASSE", False),
        ("\u0130stanbul", "i\u0307stanbul?", False),
        ("Who contains something ? ?", "Who contains something", False),
        ("Who contains something?", "\ufeffWho\u2003contains\u0085something", False),
        ("Who contains something?", "x" * 200, True),
        ("Who contains something?", "x" * 201, False),
        ("Who contains something?", "\U0001f600" * 200, True),
        ("Who contains something?", " ? ", False),
    ],
)
def test_texts_are_validated_as_on_the_server(modules, first, second, accepted):
    step = {"type": "add", "a": 0, "b": 0, "answer": 0}
    sequence = [
        {**step, "text": first, "span": [0, 1]},
        {**step, "text": second, "span": [1, 2]},
    ]
    last = play(modules, [], sequence)[-1]
    assert (last["kinds"] == []) == (refusal(last["content"], []) == "") == accepted
