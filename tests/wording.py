"""Words that people never read on the site: archaic, vague or translated ones.

`faults_in` finds them in the text that a page, an email or the API shows. Guidelines and corpora quote
other people's sentences, so the phrases below are long enough not to occur there.
"""

import html
import re
from collections.abc import Iterator

# Phrases anywhere in a text, as regular expressions.
PHRASES = (
    # Spellings
    r"e-mails?",
    r"user names?",
    r"log in to",
    # Archaic or translated
    r"anew",
    r"whoever",
    r"nobody",
    r"somebody",
    r"so many",
    r"for good",
    r"all the same",
    r"begun",
    r"what waits",
    r"whose turn",
    r"by itself",
    r"by hand",
    r"let go",
    r"throw (it )?away",
    r"hasten",
    r"errand",
    r"storey",
    r"tall(y|ies)",
    r"in the mean ?time",
    r"put right",
    r"stands? (in|where|at)",
    r"can.?t stand here",
    r"settle (it|them|what)",
    r"waits? for",
    r"is there\. now",
    r"known already",
    r"right all the same",
    r"as it stands",
    r"learns? of",
    r"goes by",
    r"ask back",
    r"to decide$",
    r"the office",
    r"the books",
    r"map of the house",
    r"house decides",
    r"a word to the people",
    r"last word;",
    r"part of the reward",
    r"the rest repeats",
    r"in conflict",
    r"outside the (question )?template",
    r"how to mark",
    r"take “",
    r"out of reach",
    r"not yours",
    r"have no part in",
    r"forgotten your password",
    r"password now",
    r"make the token",
    r"kept nowhere",
    r"for how long",
    r"it is off",
    r"what people call it",
    r"renewed every",
    r"left to reserve",
    r"nothing was finished",
    r"least approval",
    r"two capitals",
    r"blanks between",
    r"hits that are out",
    r"named? the items",
    r"look at it",
    r"still to come",
    r"95 % certainty",
    r"sound work",
    r"(person|people).?s look",
    r"needs? a look",
    r"has refused nothing",
    r"who may enter",
    r"for a seat",
    r"pool at work",
    r"decide and tell",
    r"asks too little",
    r"in hands of",
    r"leave production",
    r"left production",
    r"not acknowledged yet",
    r"what the words mean",
    r"keep my judgment",
    r"word is kept",
    r"wilson's",
    r"held against",
    r"done again by",
    r"disjoint teams",
    r"whose work",
    r"download the (drawing|chart)",
    r"figures as a table",
    r"how good it is",
    r"write it down",
    r"has been written to",
    r"forget this person",
    r"no hit can pay",
    r"invite a person",
    r"open groups",
    r"what you need",
    r"see what that means",
    r"more for each further",
    r"quality figures mean nothing",
    r"is made up",
    r"undecided work",
    r"(the|your|their) second factor",
    r"budget cap",
    r"re-offers?",
    r"offered? again",
    # Figures with a wrong plural
    r"(?<![\d.,-])1 (hits|items|workers|days|hours|minutes|rehearsals|trainees|questions|annotations)",
)
# Labels that are only faults if they are the whole text of an element.
LABELS = frozenset(
    (
        *("begun", "cap", "drawn", "how many", "left", "left out", "not finished", "to decide"),
        *("together", "trouble", "undecided", "what is left", "with gold", "whom"),
    )
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
        elif text.lower().strip(":. ") in LABELS:
            faults.append(f"the label {text!r}")
    return faults
