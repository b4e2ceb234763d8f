"""Noun phrases of captions, with their number.

Tags are those of `schemes.english.tagger`. A phrase has an optional determiner, then adjectives,
numbers and nouns, of which the last is its head. A phrase of a quantity includes what is counted ("a
group of friends"). Pronouns are left out, and so are places relative to a thing ("the top of").
"""

from collections.abc import Sequence

from schemes.contract.values import Tokens
from schemes.english.tagger import tag_tokens

NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS, start=1)}
# Other words that state a number. "A dozen" multiplies a number before it.
COUNTS = {
    **dict.fromkeys(("both", "couple", "duo", "pair", "pairs", "twins"), 2),
    **dict.fromkeys(("threesome", "trio", "triplets"), 3),
    **dict.fromkeys(("foursome", "quartet"), 4),
    "quintet": 5,
}
DOZEN = 12
# Singular nouns that name several individuals.
COLLECTIVE = frozenset(
    {
        *("array", "assortment", "audience", "band", "bunch", "choir", "class", "cluster"),
        *("collection", "crew", "crowd", "family", "fleet", "flock", "gang", "group", "herd"),
        *("litter", "number", "orchestra", "pack", "pile", "row", "series", "set", "squad"),
        *("stack", "swarm", "team", "troop", "variety"),
    }
)
# Words for several individuals whose number is unknown.
MANY = frozenset(
    {
        *("dozens", "few", "groups", "hundreds", "loads", "lots", "many", "multiple", "numerous"),
        *("several", "these", "thousands", "those", "various"),
    }
)
# Nouns that are plural in form and name a single thing.
_PAIRED = frozenset(
    {
        *("binoculars", "glasses", "goggles", "headphones", "jeans", "overalls", "pajamas"),
        *("pants", "scissors", "shorts", "sunglasses", "tights", "tongs", "trousers"),
    }
)
_ALWAYS_PLURAL = frozenset({"cattle", "people", "police"})
# Nouns with the same form for a single animal or thing and for several.
_SAME_FORM = frozenset({"aircraft", "bison", "deer", "fish", "moose", "sheep"})
_PLACES = frozenset(
    {"back", "background", "bottom", "edge", "end", "foreground", "front", "middle", "side", "top"}
)
_SINGULAR_WORDS = frozenset({"a", "an", "another", "each", "every", "one", "that", "the", "this"})
_DETERMINERS = ("AT0", "DT0", "DPS", "DTQ")
_MODIFIERS = ("AJ", "CRD", "ORD", "NN", "NP")
_NOUNS = ("NN", "NP")


def find_noun_phrases(tokens: Tokens) -> list[tuple[int, int]]:
    """Return the half-open spans of the noun phrases, in order and without overlap."""
    tags, words = tag_tokens(tokens), _lowered(tokens)
    spans = []
    at = 0
    while at < len(tags):
        end = _end_of_phrase(words, tags, at)
        if end and _is_followed_by_of(words, end):
            counted = _end_of_phrase(words, tags, end + 1) if end + 1 < len(tags) else 0
            if counted and _is_quantity(words[at:end]):
                end = counted
            elif words[end - 1] in _PLACES:
                at, end = end + 1, 0
                continue
        if end:
            spans.append((at, end))
        at = end or at + 1
    return spans


def number_of(words: Tokens) -> tuple[bool, int | None]:
    """Return whether a phrase is plural, and how many individuals it names, or None if unknown."""
    tags, lowered = tag_tokens(words), _lowered(words)
    limit = lowered.index("of") if "of" in lowered else len(lowered)
    quantity = lowered[:limit]
    count = _stated_number(quantity, tags)
    if "pair" in quantity and _head(lowered, tags, limit, len(lowered)) in _PAIRED:
        return False, 1
    if count is not None:
        return count > 1, count
    if not (COLLECTIVE | MANY).isdisjoint(quantity):
        return True, None
    nouns = [tag for tag in tags if tag.startswith(_NOUNS)]
    if "and" in lowered and len(nouns) > 1:
        return True, None
    # The head before a preposition decides: "pictures of a house".
    is_plural = _is_plural(lowered, tags, limit)
    return is_plural, None if is_plural else 1


def _lowered(words: Tokens) -> list[str]:
    return [word.lower() for word in words]


def _stated_number(words: Sequence[str], tags: Sequence[str]) -> int | None:
    number = None
    for word, tag in zip(words, tags, strict=False):
        if word == "dozen":
            return DOZEN * (number or 1)
        if number is not None:
            continue
        if word in COUNTS:
            number = COUNTS[word]
        elif word in NUMBERS and (tag == "CRD" or word != "one"):
            number = NUMBERS[word]
        elif word.isascii() and word.isdigit() and 0 < int(word) <= 1000:
            number = int(word)
    return number


def _head(words: Sequence[str], tags: Sequence[str], start: int, end: int) -> str:
    """Return the last noun between two positions, or "" without nouns."""
    nouns = [at for at in range(start, end) if tags[at].startswith(_NOUNS)]
    return words[nouns[-1]] if nouns else ""


def _is_plural(words: Sequence[str], tags: Sequence[str], limit: int) -> bool:
    nouns = [at for at, tag in enumerate(tags) if tag.startswith(_NOUNS)]
    before = [at for at in nouns if at < limit] or nouns
    if not before:
        return False
    head = before[-1]
    if words[head] in _ALWAYS_PLURAL:
        return True
    if words[head] in _SAME_FORM:
        return _SINGULAR_WORDS.isdisjoint(words[:head])
    return tags[head].startswith("NN2") and words[head] not in _PAIRED


def _is_followed_by_of(words: Sequence[str], end: int) -> bool:
    return end < len(words) and words[end] == "of"


def _is_quantity(words: Sequence[str]) -> bool:
    """Return True for words that count what follows, such as "a group" and "two dozen"."""
    last = words[-1]
    return (
        last in COLLECTIVE
        or last in MANY
        or last in COUNTS
        or last in NUMBERS
        or last in ("dozen", "groups")
    )


def _end_of_phrase(words: Sequence[str], tags: Sequence[str], start: int) -> int:
    """Return the end of the phrase that begins at a token, or 0 if none does."""
    has_quantifier = words[start] in MANY or words[start] == "both"
    at = start + 1 if has_quantifier or tags[start].startswith(_DETERMINERS) else start
    if has_quantifier and _is_followed_by_of(words, at):
        return at  # "several of the dogs"
    end = 0
    while at < len(tags):
        if tags[at].startswith(_NOUNS) or _counts_before_of(words, at):
            end = at + 1
        elif end or not _is_modifier(tags, at):
            # A modifier after a noun begins another phrase.
            break
        at += 1
    return end


def _counts_before_of(words: Sequence[str], at: int) -> bool:
    """Return True for a number word or quantity of any tag before "of" ("one of", "lots of")."""
    return _is_followed_by_of(words, at + 1) and _is_quantity(words[at : at + 1])


def _is_modifier(tags: Sequence[str], at: int) -> bool:
    """Return True for a modifier, an adverb before an adjective, or "and" between adjectives."""
    if tags[at].startswith(_MODIFIERS):
        return True
    is_before_adjective = at + 1 < len(tags) and tags[at + 1].startswith("AJ")
    if tags[at] == "CJC":
        return is_before_adjective and at > 0 and tags[at - 1].startswith("AJ")
    return tags[at] == "AV0" and is_before_adjective
