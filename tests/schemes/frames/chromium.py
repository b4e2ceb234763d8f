"""Browser pages with a single module of the frames page, which is loaded as a blob without a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[3] / "static/js/schemes/frames"


@contextmanager
def page_with_module(chromium: Browser, name: str) -> Iterator[Page]:
    """Yield a page whose `window.module` has the module's exports. The module must not import another."""
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
