"""Pseudo-locales: catalogues in which every translated text can be recognised.

`LONG` has accents, brackets and 40 % more characters. `RIGHT_TO_LEFT` is written from right to left.
Both are codes of languages that Django has no texts for. Tests import the fixtures `pseudo_folder` and
`pseudo`, which adds both languages to the site.
"""

import re
from pathlib import Path

import pytest

from scripts.write_messages import compiled, extracted

LONG, RIGHT_TO_LEFT = "kw", "ps"
_KEPT = re.compile(r"(%\(\w+\)s|%%|\{\w*\}|<[^>]*>|\n)")
_ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "àƀçďéƒĝĥíĵķĺɱñóþǫŕšţúṽŵẋýžÀƁÇĎÉƑĜĤÍĴĶĹṀÑÓÞǪŔŠŢÚṼŴẊÝŽ",
)
HEADER = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""
# Plain English words in texts and names that workers see, outside of the project's own texts.
UNTRANSLATED = """(own) => {
    const found = new Set();
    const isOwn = (element) => element.closest(
        `script, style, template, noscript, kbd, code, datalist, [lang]:not(html), ${own}`);
    const note = (text, element) => {
        if (/[A-Za-z]{3,}/.test(text) && !isOwn(element)) found.add(text.trim().slice(0, 400));
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) note(walker.currentNode.data, walker.currentNode.parentElement);
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
        for (const name of ["aria-label", "title", "placeholder", "alt"])
            note(element.getAttribute(name) ?? "", element);
    return [...found];
}"""
# Texts that their box cuts, and pages that scroll sideways
CUT = """() => {
    const cut = [...document.querySelectorAll("body *")]
        .filter((element) => element.checkVisibility())
        .filter((element) => !element.closest(
            "svg, .visually-hidden, .skip-link, .undo__label, .phrase__progress"))
        .filter((element) => {
            const style = getComputedStyle(element);
            const hides = style.overflowX === "hidden" || style.overflowX === "clip";
            const isText = [...element.childNodes]
                .some((node) => node.nodeType === 3 && node.data.trim());
            return hides && isText && element.scrollWidth > element.clientWidth + 1;
        })
        .map((element) => `cut: ${element.outerHTML.slice(0, 90)}`);
    const wide = document.documentElement.scrollWidth - window.innerWidth;
    return wide > 0 ? [...cut, `${wide} pixels too wide`] : cut;
}"""


@pytest.fixture(scope="module")
def pseudo_folder(tmp_path_factory) -> Path:
    """Return a folder with both catalogues."""
    folder: Path = tmp_path_factory.mktemp("locale")
    write_pseudo_locales(folder)
    return folder


@pytest.fixture
def pseudo(settings, pseudo_folder: Path) -> None:
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, pseudo_folder]
    settings.LANGUAGES = [*settings.LANGUAGES, (LONG, "Long"), (RIGHT_TO_LEFT, "Mirrored")]
    settings.LANGUAGES_BIDI = [RIGHT_TO_LEFT]


def write_pseudo_locales(folder: Path) -> None:
    """Write both catalogues below the folder."""
    for language, change in ((LONG, lengthened), (RIGHT_TO_LEFT, mirrored)):
        messages = [
            message.with_translations(*map(change, filter(None, (message.text, message.plural))))
            for message in extracted().values()
        ]
        path = folder / language / "LC_MESSAGES" / "django.mo"
        path.parent.mkdir(parents=True)
        path.write_bytes(compiled(HEADER, messages))


def lengthened(text: str) -> str:
    core = text.strip(" ")
    # No longer words than those of German
    more = " ".join(["·" * 8] * max(0, round((0.4 * len(core) - 2) / 8)))
    longer = f"⟦{_accented(core)}{more and f' {more}'}{'·' * (not more) * 2}⟧"
    return text.replace(core, longer, 1)


def mirrored(text: str) -> str:
    core = text.strip(" ")
    return text.replace(core, f"\u200f{_accented(core)}\u200f", 1)


def _accented(text: str) -> str:
    parts = _KEPT.split(text)
    return "".join(part if at % 2 else part.translate(_ACCENTS) for at, part in enumerate(parts))
