"""Modules of the frames page in a page of their own, without a server: each comes in as a blob."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[3] / "static/js/schemes/frames"


@contextmanager
def page_with_module(chromium: Browser, name: str) -> Iterator[Page]:
    """A page whose `window.module` has what the module exports. It must not import another one."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.evaluate(
            """async (source) => {
                const blob = new Blob([source], {type: "text/javascript"});
                window.module = await import(URL.createObjectURL(blob));
            }""",
            (FOLDER / name).read_text(encoding="utf-8"),
        )
        yield page
