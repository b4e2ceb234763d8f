"""Noun phrases of captions, with their number.

Tags are those of `schemes.english.tagger`. A phrase has an optional determiner, then adjectives,
numbers and nouns, of which the last is its head. A phrase of a quantity includes what is counted ("a
group of friends"), and one of several nouns that share a determiner all of them ("the men and women").
Pronouns are left out, except those of persons, and so are places relative to a thing ("the top of").
"""

from collections.abc import Sequence

from schemes.contract.values import Tokens
from schemes.english.tagger import tag_tokens

NUMBER_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"),
    *("sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS, start=1)}
# Other words that state a number. "A dozen" multiplies a number before it.
COUNTS = {
    **dict.fromkeys(("both", "couple", "duo", "pair", "pairs", "twins"), 2),
    **dict.fromkeys(("threesome", "trio", "triplets"), 3),
    **dict.fromkeys(("foursome", "quartet"), 4),
    "quintet": 5,
}
GROUPS = {"dozen": 12, "hundred": 100, "thousand": 1000}
MOST = 1000
# Words between the ends of a range ("two or three", "20 - 30"), and those that leave the number open.
_RANGE = frozenset({"or", "to", "-", "–"})
_OPEN = frozenset({"fewer", "more", "so"})
_PERSONS = {
    **dict.fromkeys(("everybody", "everyone"), (True, None)),
    **dict.fromkeys(("somebody", "someone"), (False, 1)),
}
# Verbs of captions whose base form is also a noun.
_VERBS = frozenset(
    {
        *("bike", "climb", "cook", "dance", "dive", "drink", "drive", "fight", "fish", "hike"),
        *("jump", "kiss", "look", "march", "paint", "play", "race", "rest", "ride", "run"),
        *("shop", "ski", "sleep", "smile", "stand", "stroll", "surf", "swim", "talk", "wade"),
        *("wait", "walk", "watch", "work"),
    }
)
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
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(tags):
        is_verb = words[at] in _VERBS and bool(spans) and spans[-1][1] == at
        end = 0 if is_verb else _end_of_phrase(words, tags, at)
        if end and _is_followed_by_of(words, end):
            counted = _end_of_phrase(words, tags, end + 1) if end + 1 < len(tags) else 0
            if counted and _is_quantity(words[at:end]):
                end = counted
            elif words[end - 1] in _PLACES:
                at, end = end + 1, 0
                continue
        if end:
            end = _without_verb(words, tags, at, end, spans)
            end = _with_second_noun(words, tags, at, end)
            spans.append((at, end))
        at = end or at + 1
    return spans


def number_of(words: Tokens) -> tuple[bool, int | None]:
    """Return whether a phrase is plural, and how many individuals it names, or None if unknown."""
    tags, lowered = tag_tokens(words), _lowered(words)
    if len(lowered) == 1 and lowered[0] in _PERSONS:
        return _PERSONS[lowered[0]]
    limit = lowered.index("of") if "of" in lowered else len(lowered)
    quantity = lowered[:limit]
    count = _stated_number(quantity, tags)
    if "pair" in quantity and _head(lowered, tags, limit, len(lowered)) in _PAIRED:
        return False, 1
    if count is not None:
        return count > 1, count
    if _has_range(quantity, tags) or not (COLLECTIVE | MANY).isdisjoint(quantity):
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
    """Return the first number of a phrase, whose words may be several ("twenty four", "two dozen").

    A range has none.
    """
    if _has_range(words, tags):
        return None
    parts = [
        (part, tag)
        for word, tag in zip(words, tags, strict=False)
        for part in (word.split("-") if _is_compound(word) else [word])
    ]
    number = None
    is_tens = False
    for word, tag in parts:
        if word in GROUPS and (number is not None or tag == "CRD"):
            return _bounded(GROUPS[word] * (number or 1))
        if number is not None:
            if is_tens and NUMBERS.get(word, 10) < 10:
                number += NUMBERS[word]
            is_tens &= word == "-"
        elif word in COUNTS:
            number = COUNTS[word]
        elif word in TENS:
            number, is_tens = TENS[word], True
        elif word in NUMBERS and (tag == "CRD" or word != "one"):
            number = NUMBERS[word]
        elif word.isascii() and word.isdigit() and len(word) <= 4:
            number = int(word)
    return None if number is None else _bounded(number)


def _bounded(number: int) -> int | None:
    return number if 0 < number <= MOST else None


def _is_compound(word: str) -> bool:
    """Return True for a number of two words, such as "twenty-four"."""
    tens, hyphen, units = word.partition("-")
    return bool(hyphen) and tens in TENS and NUMBERS.get(units, 10) < 10


def _has_range(words: Sequence[str], tags: Sequence[str]) -> bool:
    """Return True for numbers that leave open how many there are ("two or three", "3-4")."""
    return any(
        tag == "CRD" and (_is_range(word) or _joins_numbers(words, tags, at + 1))
        for at, (word, tag) in enumerate(zip(words, tags, strict=False))
    )


def _is_range(word: str) -> bool:
    ends = word.replace("–", "-").split("-")
    return len(ends) == 2 and all(end.isdigit() or end in NUMBERS for end in ends)


def _joins_numbers(words: Sequence[str], tags: Sequence[str], at: int) -> bool:
    """Return True for a word between two numbers, or before "more" and "so", that makes a range.

    A hyphen in "twenty - four" makes none.
    """
    if not 0 < at < len(words) - 1 or words[at] not in _RANGE or tags[at - 1] != "CRD":
        return False
    if words[at] == "-" and _is_compound(f"{words[at - 1]}-{words[at + 1]}"):
        return False
    return tags[at + 1] == "CRD" or (words[at] == "or" and words[at + 1] in _OPEN)


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
    if words[start] in _PERSONS:
        return start + 1
    has_quantifier = words[start] in MANY or words[start] == "both"
    at = start + 1 if has_quantifier or tags[start].startswith(_DETERMINERS) else start
    if has_quantifier and _is_followed_by_of(words, at):
        return at  # "several of the dogs"
    end = 0
    while at < len(tags):
        if tags[at].startswith(_NOUNS) or _counts_before_of(words, at):
            end = at + 1
        elif end or not (_is_modifier(tags, at) or _is_in_number(words, tags, at)):
            # A modifier after a noun begins another phrase.
            break
        at += 1
    return end


def _counts_before_of(words: Sequence[str], at: int) -> bool:
    """Return True for a number word or quantity of any tag before "of" ("one of", "lots of")."""
    return _is_followed_by_of(words, at + 1) and _is_quantity(words[at : at + 1])


def _is_in_number(words: Sequence[str], tags: Sequence[str], at: int) -> bool:
    """Return True for the words of a number that are no numbers: "or", "to", "more", a hyphen."""
    is_hyphen = words[at] == "-" and 0 < at < len(words) - 1
    return (
        _joins_numbers(words, tags, at)
        or (words[at] in _OPEN and _joins_numbers(words, tags, at - 1))
        or (is_hyphen and _is_compound(f"{words[at - 1]}-{words[at + 1]}"))
    )


def _without_verb(
    words: Sequence[str],
    tags: Sequence[str],
    start: int,
    end: int,
    before: Sequence[tuple[int, int]],
) -> int:
    """Return the end of a phrase without a verb that was tagged as its head.

    This is the predicate of the coordination that begins a caption: "A man and a motorcycle stand".
    """
    last = end - 1
    is_coordinated = (
        len(before) == 1 and before[0][1] == start - 1 and words[start - 1 : start] == ["and"]
    )
    can_be_verb = words[last] in _VERBS and tags[last].startswith("NN1")
    has_noun = any(tags[at].startswith(_NOUNS) for at in range(start, last))
    return last if is_coordinated and can_be_verb and has_noun else end


def _with_second_noun(words: Sequence[str], tags: Sequence[str], start: int, end: int) -> int:
    """Return the end of a phrase, with the noun after "and" if that shares its determiner."""
    second = end + 1
    if second >= len(words) or words[end] != "and" or not tags[start].startswith(_DETERMINERS):
        return end
    follows = second + 1 < len(words) and (
        tags[second + 1].startswith(_NOUNS) or words[second + 1] in ("and", "of")
    )
    if follows and words[second + 1] not in _VERBS:
        return end
    are_plural = tags[end - 1].startswith("NN2") and tags[second].startswith("NN2")
    are_single = (
        words[start] in ("a", "an")
        and tags[end - 1].startswith("NN1")
        and tags[second].startswith("NN1")
    )
    return second + 1 if are_plural or are_single else end


def _is_modifier(tags: Sequence[str], at: int) -> bool:
    """Return True for a modifier, an adverb before an adjective, or "and" between adjectives."""
    if tags[at].startswith(_MODIFIERS):
        return True
    is_before_adjective = at + 1 < len(tags) and tags[at + 1].startswith("AJ")
    if tags[at] == "CJC":
        return is_before_adjective and at > 0 and tags[at - 1].startswith("AJ")
    return tags[at] == "AV0" and is_before_adjective
