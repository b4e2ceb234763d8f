"""Browser pages with modules of workers' pages, which are loaded as blobs without a server."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[2] / "static/js"
_IMPORT = re.compile(r'^(import [^;]*from) "(\.[^"]+)";', re.MULTILINE)
_LOAD = """async (modules) => {
    const addresses = {};
    for (const [path, source] of modules) {
        const linked = source.replace(/"module:([^"]+)"/g, (_, imported) => `"${addresses[imported]}"`);
        addresses[path] = URL.createObjectURL(new Blob([linked], {type: "text/javascript"}));
        window[path.split("/").at(-1).replace(".js", "")] = await import(addresses[path]);
    }
}"""


@contextmanager
def page_with_modules(chromium: Browser, *paths: str) -> Iterator[Page]:
    """Yield a page whose `window` has an object for each module and for each imported module.

    The paths are those below `static/js`.
    """
    sources: dict[str, str] = {}

    def add(path: str) -> None:
        if path in sources:
            return
        folder = Path(path).parent
        source = (FOLDER / path).read_text(encoding="utf-8")
        for _, imported in _IMPORT.findall(source):
            add(os.path.normpath(f"{folder}/{imported}"))
        sources[path] = _IMPORT.sub(
            lambda match: f'{match[1]} "module:{os.path.normpath(f"{folder}/{match[2]}")}";', source
        )

    for path in paths:
        add(path)
    with chromium.new_context() as context:
        page = context.new_page()
        page.evaluate(_LOAD, list(sources.items()))
        yield page
