"""The validation page and the server agree on which content can be submitted."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.qasrl.content import parse_validation
from tests.browser.test_consolidation_moves import ORIGIN, serve_static
from tests.schemes.qasrl.test_validating import ASKED, TOKENS, VECTORS

pytestmark = pytest.mark.browser

TEXTS = [question["question"] for question in ASKED["questions"]]
# Resumes the content of a draft as the page does, and returns the content to send and the problems.
READ = """([asked, size, content]) => {
    const S = window.validation;
    const state = S.resume(content, S.begin({ asked, size }));
    return { content: S.contentOf(state), kinds: S.problems(state).map((each) => each.kind) };
}"""
PLAY = """([asked, size, moves]) => {
    const S = window.validation;
    const beginning = S.begin({ asked, size });
    let state = beginning;
    return moves.map(({ type, a, b, span }) => {
        const ids = state.questions.map((each) => each.id);
        const own = state.questions[a].answers;
        const chosen = type === "unmark" && own.length ? own[b % own.length] : span;
        state = S.apply(state, { type, id: ids[a], of: ids[b], span: chosen, at: span[0] });
        const content = S.contentOf(state);
        const resumed = S.resume(JSON.parse(JSON.stringify(content)), beginning);
        const kinds = S.problems(state).map((each) => each.kind);
        return { content, resumed: S.contentOf(resumed), kinds };
    });
}"""


@pytest.fixture(scope="module")
def modules(chromium: Browser) -> Iterator[Page]:
    """Return a page with the state module in `window.validation`."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.route(f"{ORIGIN}/**", serve_static)
        page.goto(f"{ORIGIN}/")
        page.evaluate(
            "async () => { window.validation = await import('/js/schemes/qasrl/validation-state.js'); }"
        )
        yield page


def is_accepted(content: Any) -> bool:
    try:
        parse_validation(content, ItemContext(TOKENS), [ASKED])
    except ContentError:
        return False
    return True


@pytest.mark.parametrize(
    "case",
    [case for case in VECTORS["cases"] if "server_only" not in case],
    ids=lambda case: case["name"],
)
def test_page_agrees_with_the_server_on_each_vector(modules, case):
    read = modules.evaluate(READ, [TEXTS, len(TOKENS), {"questions": case["questions"]}])
    assert (read["kinds"] == []) == (case["path"] is None)
    assert is_accepted(read["content"]) == (case["path"] is None)


@pytest.mark.parametrize(
    "case",
    [case for case in VECTORS["cases"] if "server_only" in case],
    ids=lambda case: case["name"],
)
def test_page_and_server_agree_on_foreign_content(modules, case):
    """The content that the page would send is accepted exactly if the page shows no problem."""
    read = modules.evaluate(READ, [TEXTS, len(TOKENS), {"questions": case["questions"]}])
    assert (read["kinds"] == []) == is_accepted(read["content"])


@st.composite
def spans(draw: st.DrawFn) -> list[int]:
    start = draw(st.integers(0, len(TOKENS) - 1))
    return [start, draw(st.integers(start + 1, min(start + 4, len(TOKENS))))]


TYPES = ["keep", "invalid", "unjudge", "redundant", "mark", "unmark", "split", "cut"]
places = st.integers(0, len(TEXTS) - 1)
moves = st.fixed_dictionaries(
    {"type": st.sampled_from([*TYPES, "mark", "mark"]), "a": places, "b": places, "span": spans()}
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(played=st.lists(moves, min_size=1, max_size=14))
def test_content_after_moves_is_accepted_if_it_has_no_problem(modules, played):
    for step in modules.evaluate(PLAY, [TEXTS, len(TOKENS), played]):
        assert (step["kinds"] == []) == is_accepted(step["content"]), step
        assert step["resumed"] == step["content"]


def test_moves_lead_to_both_outcomes(modules):
    """The previous test needs moves that lead to a submittable state."""
    judge = [{"type": "mark", "a": at, "b": 0, "span": [2 * at, 2 * at + 1]} for at in range(3)]
    steps = modules.evaluate(PLAY, [TEXTS, len(TOKENS), judge])
    assert [step["kinds"] == [] for step in steps] == [False, False, True]
    assert sorted(TYPES) == sorted(modules.evaluate("() => window.validation.MOVE_TYPES"))
