"""Noun phrases of captions, with their number.

Tags are those of `schemes.english.tagger`. A phrase has an optional determiner, then adjectives,
numbers and nouns, of which the last is its head. Pronouns are left out.
"""

from collections.abc import Sequence

from schemes.base import Tokens
from schemes.english.tagger import tag_tokens

NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS, start=1)}
# Nouns and determiners that stand for two.
PAIRS = frozenset({"both", "couple", "pair", "twins"})
# Singular nouns that name several individuals.
COLLECTIVE = frozenset(
    {
        *("audience", "band", "bunch", "choir", "class", "crew", "crowd", "family", "fleet"),
        *("flock", "gang", "group", "herd", "number", "orchestra", "pack", "row", "series", "set"),
        *("squad", "team", "troop", "variety"),
    }
)
# Nouns that are plural in form and name a single thing.
_PAIRED = frozenset({"glasses", "jeans", "pants", "scissors", "shorts", "sunglasses", "trousers"})
_DETERMINERS = ("AT0", "DT0", "DPS", "DTQ")
_MODIFIERS = ("AJ", "CRD", "ORD", "NN", "NP")
_NOUNS = ("NN", "NP")


def find_noun_phrases(tokens: Tokens) -> list[tuple[int, int]]:
    """Return the half-open spans of the noun phrases, in order and without overlap."""
    tags = tag_tokens(tokens)
    spans = []
    at = 0
    while at < len(tags):
        end = _end_of_phrase(tags, at)
        if end:
            spans.append((at, end))
        at = end or at + 1
    return spans


def number_of(words: Tokens) -> tuple[bool, int | None]:
    """Return whether a phrase is plural, and how many individuals it names, or None if unknown."""
    tags = tag_tokens(words)
    heads = [at for at, tag in enumerate(tags) if tag.startswith(_NOUNS)]
    lowered = [word.lower() for word in words]
    count = _stated_number(lowered, tags)
    if count is not None:
        return count > 1, count
    if any(word in COLLECTIVE for word in lowered):
        return True, None
    # The phrase's first noun before "of" or "and" decides: "pictures of a house".
    if "and" in lowered and len(heads) > 1:
        return True, None
    head = _head(lowered, heads)
    if head is None:
        return False, 1
    is_plural = tags[head].startswith("NN2") and lowered[head] not in _PAIRED
    return is_plural, None if is_plural else 1


def _stated_number(words: Sequence[str], tags: Sequence[str]) -> int | None:
    if PAIRS & set(words):
        return 2
    for word, tag in zip(words, tags, strict=True):
        if word in NUMBERS and (tag == "CRD" or word != "one"):
            return NUMBERS[word]
        if word.isascii() and word.isdigit() and 0 < int(word) <= 1000:
            return int(word)
    return None


def _head(words: Sequence[str], nouns: Sequence[int]) -> int | None:
    """Return the position of the last noun before a preposition, or None without nouns."""
    limit = words.index("of") if "of" in words else len(words)
    before = [at for at in nouns if at < limit] or list(nouns)
    return before[-1] if before else None


def _end_of_phrase(tags: Sequence[str], start: int) -> int:
    """Return the end of the phrase that begins at a token, or 0 if none does."""
    at = start + 1 if tags[start].startswith(_DETERMINERS) else start
    end = 0
    while at < len(tags):
        if tags[at].startswith(_NOUNS):
            end = at + 1
        elif end or not _is_modifier(tags, at):
            # A modifier after a noun begins another phrase.
            break
        at += 1
    return end


def _is_modifier(tags: Sequence[str], at: int) -> bool:
    """Return True for a modifier, or an adverb before an adjective ("a very large dog")."""
    if tags[at].startswith(_MODIFIERS):
        return True
    return tags[at] == "AV0" and at + 1 < len(tags) and tags[at + 1].startswith("AJ")
