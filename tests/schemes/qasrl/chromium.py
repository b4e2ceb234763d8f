"""grammar.js in a page of its own, without a server: the module comes in as a blob."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

MODULE = Path(__file__).resolve().parents[3] / "static/js/schemes/qasrl/grammar.js"


@contextmanager
def page_with_grammar(chromium: Browser) -> Iterator[Page]:
    """A page whose `window.grammar` holds what the module exports."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.evaluate(
            """async (source) => {
                const blob = new Blob([source], {type: "text/javascript"});
                window.grammar = await import(URL.createObjectURL(blob));
            }""",
            MODULE.read_text(encoding="utf-8"),
        )
        yield page
