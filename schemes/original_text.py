"""The text of a sentence as it was written, and the place of each token in it.

Offsets are half-open ranges of characters, one per token. Tokens follow one another in the text, with
nothing but blanks and invisible characters between them. Words of one written word share its range,
such as "zu" and "dem" in "zum".
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

Offset = tuple[int, int]
Offsets = Sequence[Sequence[int]]

# What a token of the Penn Treebank may stand for, beside itself.
_ESCAPES = {
    "-LRB-": ("(",),
    "-RRB-": (")",),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "``": ('"', "“", "„", "«", "”", "''"),
    "''": ('"', "”", "“", "»", "``"),
    '"': ("“", "”", "„", "«", "»", "``", "''"),
    "`": ("‘", "'", "‚"),
    "'": ("’", "‘", "`"),
    "--": ("–", "—", "-"),
    "...": ("…",),
}
_FOLDED = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "–": "-", "—": "-"})
# Embeddings, overrides and isolates change the direction of all that follows.
# Categories of unassigned and private characters
_WITHOUT_NAME = {"Cn", "Co"}
_DIRECTION_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def align(tokens: Sequence[str], text: str) -> list[Offset] | None:
    """Return the offsets of the tokens in the text, or None if they do not spell it.

    Blanks and invisible characters do not count, and neither do different encodings of a letter with
    accents. Escapes of the Penn Treebank such as -LRB- stand for their characters.
    """
    offsets: list[Offset] = []
    end = 0
    find = text.find
    for token in tokens:
        start = find(token, end)
        # Tokens with nothing or one blank between them are the most frequent ones.
        if start != end and (start != end + 1 or text[end] != " "):
            start = _next_visible(text, end)
            if not text.startswith(token, start):
                return _align_letters(tokens, text)
        end = start + len(token)
        offsets.append((start, end))
    if _next_visible(text, end) < len(text):
        return _align_letters(tokens, text)
    return offsets


def align_words(surfaces: Sequence[tuple[str, Sequence[str]]], text: str) -> list[Offset] | None:
    """Return the offsets of the words of written words, or None if these do not spell the text.

    `surfaces` has the form of each written word with the words that it consists of. Words that do not
    spell the written word share its range.
    """
    written = align([surface for surface, _ in surfaces], text)
    if written is None:
        return None
    offsets: list[Offset] = []
    for (start, end), (_, words) in zip(written, surfaces, strict=True):
        within = align(words, text[start:end]) if len(words) > 1 else None
        if within is None:
            offsets += [(start, end)] * len(words)
        else:
            offsets += [(start + first, start + last) for first, last in within]
    return offsets


def known_text(text: object, tokens: Sequence[str]) -> str:
    """Return a text that a file has beside its tokens, or "" if it is only the tokens with blanks.

    Writers without the original text write such a text.
    """
    if not isinstance(text, str) or text.strip() == " ".join(tokens):
        return ""
    return text.strip()


def span_text(tokens: Sequence[str], text: str, offsets: Offsets, start: int, end: int) -> str:
    """Return the text of the tokens from `start` to before `end` as it was written.

    Without offsets, the tokens are joined with blanks. All blanks in the result are plain ones, and
    controls of the direction are left out, because they may be opened here and closed elsewhere.
    """
    if not offsets or not 0 <= start < min(end, len(tokens)):
        return " ".join(tokens[start:end])
    written = text[offsets[start][0] : offsets[min(end, len(tokens)) - 1][1]]
    return " ".join(written.translate(_DIRECTION_CONTROLS).split())


def words_text(
    tokens: Sequence[str],
    text: str,
    offsets: Offsets,
    positions: Sequence[int],
    separator: str = " ",
) -> str:
    """Return the text of tokens in ascending order. `separator` is between those not adjacent."""
    runs = (list(run) for _, run in groupby(enumerate(positions), lambda at: at[1] - at[0]))
    spans = ((run[0][1], run[-1][1] + 1) for run in runs)
    return separator.join(span_text(tokens, text, offsets, start, end) for start, end in spans)


def shown_ranges(tokens: Sequence[str], text: str, offsets: Offsets) -> list[Offset]:
    """Return the part of the text that shows each token, so that every part is shown once.

    A range that several words share is divided among them. A word for which nothing is left has an
    empty range.
    """
    ranges: list[Offset] = []
    for (start, end), words in groupby(zip(offsets, tokens, strict=True), lambda pair: pair[0]):
        ranges += _divided(text, start, end, [word for _, word in words])
    return ranges


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as pages show it. `gap` is what stands before it, which is "" for the first."""

    text: str
    gap: str


def shown_tokens(tokens: Sequence[str], text: str, offsets: Offsets) -> list[ShownToken]:
    """Return the tokens as they were written, or with blanks between them if that is unknown."""
    if not offsets:
        return [ShownToken(token, " " if at else "") for at, token in enumerate(tokens)]
    shown = []
    last = offsets[0][0]
    for start, end in shown_ranges(tokens, text, offsets):
        shown.append(ShownToken(text[start:end], text[last:start].translate(_DIRECTION_CONTROLS)))
        last = end
    return shown


def excerpt(shown: Sequence[ShownToken], *, marked: Sequence[int], around: int) -> str:
    """Return the marked tokens in brackets, with up to `around` tokens before and after them."""
    start, end = max(0, marked[0] - around), marked[-1] + around + 1
    words = [
        ("" if at == start else token.gap) + (f"[{token.text}]" if at in marked else token.text)
        for at, token in enumerate(shown)
        if start <= at < end
    ]
    text = " ".join("".join(words).split())
    return f"{'… ' if start else ''}{text}{' …' if end < len(shown) else ''}"


def _divided(text: str, start: int, end: int, words: Sequence[str]) -> Iterator[Offset]:
    for number, word in enumerate(words, start=1):
        rest = len(words) - number
        cut = end
        if rest:
            common = 0
            own = text[start : min(start + len(word), end)]
            pairs = zip(_letters(word), _letters(own), strict=False)
            for letter, other in pairs:
                if letter != other:
                    break
                common += 1
            cut = min(start + max(common, 1), max(end - rest, start + 1), end)
            while cut < end and unicodedata.combining(text[cut]):
                cut += 1
        yield start, cut
        start = cut


def _letters(text: str) -> list[str]:
    """Return the characters in lower case without accents."""
    return [unicodedata.normalize("NFD", character)[0].lower() for character in text]


def _next_visible(text: str, at: int) -> int:
    length = len(text)
    while at < length and not _is_visible(text[at]):
        at += 1
    return at


def _is_visible(character: str) -> bool:
    """Return False for blanks, controls and characters without a width, such as joiners.

    Newer emoji and private characters, which Python can't name, are visible.
    """
    if character.isprintable():
        return character != " "
    return unicodedata.category(character) in _WITHOUT_NAME


def _align_letters(tokens: Sequence[str], text: str) -> list[Offset] | None:
    """Align letter by letter, for texts that differ from the tokens in their encoding."""
    letters, origins = _decomposed(text)
    offsets: list[Offset] = []
    at = 0
    for token in tokens:
        end = _end_of(token, letters, at)
        if end is None:
            return None
        if end == at:  # an invisible token
            place = origins[at - 1][1] if at else 0
            offsets.append((place, place))
            continue
        offsets.append((origins[at][0], origins[end - 1][1]))
        at = end
    return offsets if at == len(letters) else None


def _end_of(token: str, letters: str, at: int) -> int | None:
    """Return the end of the token among the letters from `at`, or None if it is not there."""
    own = _decomposed(token)[0]
    if letters.startswith(own, at):
        return at + len(own)
    for escape in _ESCAPES.get(token, ()):
        if letters.startswith(escape, at):
            return at + len(escape)
    own = own.replace("\\/", "/").replace("\\*", "*").translate(_FOLDED)
    if own and letters[at : at + len(own)].translate(_FOLDED) == own:
        return at + len(own)
    return None


def _decomposed(text: str) -> tuple[str, list[Offset]]:
    """Return the visible characters decomposed, with the range in the text of each.

    A base character and its accents are decomposed together, because their order may change.
    """
    letters: list[str] = []
    origins: list[Offset] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        cluster = text[start:end]
        plain = unicodedata.normalize("NFD", cluster)
        for number, letter in enumerate(plain):
            if _is_visible(letter):
                letters.append(letter)
                own = start + number
                origins.append((own, own + 1) if plain == cluster else (start, end))
        start = end
    return "".join(letters), origins
