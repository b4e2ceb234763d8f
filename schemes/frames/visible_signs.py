"""What a reader sees of a record without knowing the right one: signs of odd frames and heads."""

from collections.abc import Iterator, Sequence

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Tokens
from schemes.english.function_words import is_function_word

_ROLES = ("Agent", "Theme", "Patient", "Goal", "Instrument")


def content_words(tokens: Tokens) -> Iterator[int]:
    """Yield the positions of words that are neither function words nor punctuation."""
    for at, token in enumerate(tokens):
        if any(map(str.isalnum, token)) and not is_function_word(token):
            yield at


def frames_of_lemma(lemma: str, context: ItemContext) -> list[str]:
    """Return the frames that the lexicon has for a verb."""
    lexicon = context.resources.get("lexicon")
    unit = f"{lemma.replace('_', ' ')}.v"
    frames = lexicon["frames"] if lexicon else {}
    return [name for name, frame in frames.items() if unit in frame["units"]]


def known_roles(context: ItemContext) -> list[str]:
    """Return the usual roles that the lexicon has, or all that it has."""
    lexicon = context.resources.get("lexicon")
    known = {role["name"] for role in lexicon["roles"]} if lexicon else set(_ROLES)
    return [role for role in _ROLES if role in known] or sorted(known)


def usual_role(context: ItemContext) -> str:
    """Return the role of an argument about which nothing else is known, or "" without roles."""
    known = known_roles(context)
    return "Theme" if "Theme" in known else next(iter(known), "")


def is_doubtful_frame(record: Json, context: ItemContext) -> bool:
    """Return True if the lexicon has other frames for the verb, and not this one."""
    known = frames_of_lemma(record["lemma"], context)
    return bool(known) and record["frame"] not in known


def is_doubtful_head(head: Sequence[int], context: ItemContext) -> bool:
    """Return True for a head without a content word."""
    content = set(content_words(context.tokens))
    return content.isdisjoint(head)
