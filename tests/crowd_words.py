"""The words of each kind of crowd provider, on the pages of a project."""

import re
from collections.abc import Collection, Iterable
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.test import Client

# A provider with studies has neither HITs nor a marketplace, and a marketplace has no studies. The
# settings name every provider.
OF_MARKETPLACES = re.compile(r"\bHITs?\b|(?<!MTurk-compatible )\bmarketplaces?\b", re.IGNORECASE)
OF_STUDIES = re.compile(r"\bstud(?:y|ies)\b|\bsessions?\b|\bProlific\b", re.IGNORECASE)
_LINK = re.compile(r'\b(?:href|hx-get)="([^"#]+)')
_MAIN = re.compile(r"<main.*?</main>", re.DOTALL)
_SHOWN = re.compile(r'\b(?:aria-label|placeholder|title|alt|data-confirm)="([^"]*)"')
_TAG = re.compile(r"<[^>]+>")


def shown_text(page: str) -> str:
    """Return the text of the page's main part, with the labels of its elements."""
    main = " ".join(_MAIN.findall(page)) if "<main" in page else page
    labels = " · ".join(_SHOWN.findall(main))
    return " ".join(unescape(f"{_TAG.sub(' ', main)} · {labels}").split())


def crawl(
    client: Client, addresses: Iterable[str], *, prefix: str, left_out: Collection[str] = ()
) -> dict[str, str]:
    """Return the text of each page under the prefix that links from the addresses lead to."""
    waiting = list(addresses)
    texts: dict[str, str] = {}
    while waiting:
        address = waiting.pop()
        path = urlsplit(address).path
        if path in texts or path in left_out or not path.startswith(prefix):
            continue
        texts[path] = ""
        response = client.get(address)
        if response.status_code != 200 or "text/html" not in response["Content-Type"]:
            if response.streaming:
                response.getvalue()  # closes the file behind the response
            continue
        page = response.getvalue().decode()
        texts[path] = shown_text(page)
        waiting += [urljoin(path, unescape(link)) for link in _LINK.findall(page)]
    return texts


def places(texts: dict[str, str], words: re.Pattern[str]) -> dict[str, str]:
    """Return the text around each of the words, with a page that shows it."""
    return {
        text[max(0, match.start() - 50) : match.end() + 30]: path
        for path, text in texts.items()
        for match in words.finditer(text)
    }
