"""Cues about which preposition a question will use."""

from collections.abc import Iterator

from schemes.contract.values import Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.grammar import item_table

USES = tuple(
    f"{use}{voice}" for use in ("asked", "filled", "particle", "do") for voice in ("", " passive")
)
_PLACES = ((1, "next"), (3, "near"), (8, "later"))


def offered(tokens: Tokens, forms: VerbForms) -> list[str]:
    """Return the prepositions and pairs that the page offers."""
    item = item_table(forms, tokens)
    pairs = item["pairs"].items()
    return [
        *item["prepositions"],
        "to",
        *(f"{first} {second}" for first, seconds in pairs for second in seconds),
    ]


def cues_of_preposition(tokens: Tokens, verb_idx: int, phrase: str) -> Iterator[str]:
    place = place_of(tokens, verb_idx, phrase)
    yield f"place {place}"
    yield f"word {phrase}"
    if " " in phrase:
        yield f"pair {place}"


def place_of(tokens: Tokens, verb_idx: int, phrase: str) -> str:
    """Return where the phrase stands relative to the verb, at its nearest place."""
    parts = phrase.split(" ")
    words = [token.lower() for token in tokens]
    starts = [at for at in range(len(words)) if words[at : at + len(parts)] == parts]
    after = [at - verb_idx for at in starts if at > verb_idx]
    if not after:
        return "before" if starts else "absent"
    return next((name for limit, name in _PLACES if after[0] <= limit), "far")
