"""Words that people never read on the site: archaic, vague or translated ones.

`faults_in` finds them in the text that a page, an email or the API shows. Guidelines and corpora quote
other people's sentences, so the phrases below are long enough not to occur there.
"""

import html
import re
from collections.abc import Iterator

# Phrases anywhere in a text, as regular expressions.
PHRASES = (
    # Spellings and terms
    r"e-mails?",
    r"user names?",
    r"log in to",
    r"forgotten your password",
    r"(the|your|their) second factor",
    r"budget cap",
    r"re-offers?",
    # Archaic, vague or translated
    r"anew",
    r"whoever",
    r"nobody",
    r"somebody",
    r"so many",
    r"for good",
    r"for how long",
    r"all the same",
    r"as it stands",
    r"begun",
    r"by itself",
    r"by hand",
    r"hasten",
    r"errand",
    r"storey",
    r"tall(y|ies)",
    r"in the mean ?time",
    # Figures with a wrong plural
    r"(?<![\d.,-])1 (hits|items|workers|days|hours|minutes|rehearsals|trainees|questions|annotations)",
)
_BANNED = re.compile(rf"(?<![\w-])(?:{'|'.join(PHRASES)})(?![\w-])", re.IGNORECASE)
# Scripts, styles, and the text of others: guidelines, quotations and code.
_QUOTED = re.compile(
    r"<(script|style|pre|code|blockquote|q|textarea)\b.*?</\1>"
    r'|<div class="guidelines__text".*?</aside>'
    r'|<details class="panel" id="guidelines".*?</details>'
    r'|<(section|div)[^>]*class="[^"]*prose.*?</\2>'
    r'|<(p|div)[^>]*class="[^"]*sentence.*?</\3>',
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r'\s(?:aria-label|title|placeholder|alt|data-label)="([^"]*)"')


def texts_of(page: str) -> Iterator[str]:
    """Yield the texts of a page's elements and of the attributes that are read out."""
    page = _QUOTED.sub(" ", page)
    for text in [*re.split(r"<[^>]*>", page), *_ATTRIBUTE.findall(page)]:
        if plain := " ".join(html.unescape(text).split()):
            yield plain


def faults_in(texts: Iterator[str] | list[str]) -> list[str]:
    """Return the texts that contain a banned phrase, each with the phrase."""
    faults = []
    for text in texts:
        if found := _BANNED.search(text):
            faults.append(f"{found.group()!r} in {text[:120]!r}")
    return faults
