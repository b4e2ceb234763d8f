"""A browser page with grammar.js, which is loaded as a blob without a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

MODULE = Path(__file__).resolve().parents[3] / "static/js/schemes/qasrl/grammar.js"


@contextmanager
def page_with_grammar(chromium: Browser) -> Iterator[Page]:
    """Yield a page whose `window.grammar` has the module's exports."""
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
