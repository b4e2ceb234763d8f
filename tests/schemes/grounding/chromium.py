"""Browser pages with the modules of the grounding pages, which are loaded as blobs without a server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[3] / "static/js/schemes/grounding"
_IMPORT = re.compile(r'^import [^;]*from "\./([\w-]+\.js)";', re.MULTILINE)
_LOAD = """async ([names, sources]) => {
    const addresses = {};
    for (const name of names) {
        const source = sources[name].replace(
            /from "[.][/]([^"]+)"/g, (_, imported) => `from "${addresses[imported]}"`
        );
        addresses[name] = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
        window[name.replace(".js", "")] = await import(addresses[name]);
    }
}"""


@contextmanager
def page_with_modules(chromium: Browser, *names: str) -> Iterator[Page]:
    """Yield a page whose `window` has an object for each module and for each imported module."""
    sources: dict[str, str] = {}
    order: list[str] = []

    def add(name: str) -> None:
        if name not in order:
            sources[name] = (FOLDER / name).read_text(encoding="utf-8")
            for imported in _IMPORT.findall(sources[name]):
                add(imported)
            order.append(name)

    for name in names:
        add(name)
    with chromium.new_context() as context:
        page = context.new_page()
        page.evaluate(_LOAD, [order, sources])
        yield page
