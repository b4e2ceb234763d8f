"""grammar.js in a page of its own, without a server: the module comes in as a blob."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

MODULE = Path(__file__).resolve().parents[3] / "static" / "js" / "qasrl" / "grammar.js"
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed")


@contextmanager
def page_with_grammar() -> Iterator[Any]:
    """A page whose `window.grammar` holds what the module exports."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        try:
            page = browser.new_page()
            page.evaluate(
                """async (source) => {
                    const blob = new Blob([source], {type: "text/javascript"});
                    window.grammar = await import(URL.createObjectURL(blob));
                }""",
                MODULE.read_text(encoding="utf-8"),
            )
            yield page
        finally:
            browser.close()
