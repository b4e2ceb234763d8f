"""Contractions of several words that are written as one, such as "cannot" and "wanna".

Treebanks write them as two or three words: can + not, wan + na. Files may have either. For the
tagger, both are spelled out: "can not", "want to".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from schemes.contract.values import Tokens
from schemes.english.spelling import plain_spelling


@dataclass(frozen=True, slots=True)
class Contraction:
    """The words of a contraction: as a treebank writes them, and spelled out.

    `verb` is the stem of its verb, and "" if it has only auxiliaries. "gonna" and "gotta" count as
    auxiliaries, because the verb after them names the event.
    """

    parts: tuple[str, ...]
    spelling: tuple[str, ...]
    verb: str = ""


CONTRACTIONS = {
    "cannot": Contraction(("can", "not"), ("can", "not")),
    "gonna": Contraction(("gon", "na"), ("going", "to")),
    "gotta": Contraction(("got", "ta"), ("got", "to")),
    "wanna": Contraction(("wan", "na"), ("want", "to"), verb="want"),
    "gimme": Contraction(("gim", "me"), ("give", "me"), verb="give"),
    "lemme": Contraction(("lem", "me"), ("let", "me"), verb="let"),
    "dunno": Contraction(("du", "n", "no"), ("do", "n't", "know"), verb="know"),
}
_BY_PARTS = {contraction.parts: contraction for contraction in CONTRACTIONS.values()}
_FIRST_PARTS = {parts[0]: parts for parts in _BY_PARTS}
# Stems of the verbs behind spellings, which a file may tag as verbs: "gon" is a form of "go".
VERB_BY_CONTRACTION = {
    **{name: contraction.verb for name, contraction in CONTRACTIONS.items() if contraction.verb},
    **{"wan": "want", "gim": "give", "lem": "let", "du": "do", "no": "know"},
    **{"gon": "go", "gonna": "go", "gotta": "get"},
}


@dataclass(frozen=True, slots=True)
class SpelledWord:
    """A word for the tagger, with the position of its token.

    `is_auxiliary` is true for verbs of contractions that are not annotated.
    """

    text: str
    position: int
    is_auxiliary: bool = False


def spelled_out(tokens: Tokens) -> list[SpelledWord]:
    """Return the words of a sentence with its contractions spelled out."""
    return list(_spelled_out(tokens))


def _spelled_out(tokens: Tokens) -> Iterator[SpelledWord]:
    at = 0
    words = [plain_spelling(token).lower() for token in tokens]
    while at < len(tokens):
        word = words[at]
        whole = CONTRACTIONS.get(word)
        parts = _FIRST_PARTS.get(word, ())
        if whole:
            for spelling in whole.spelling:
                yield SpelledWord(spelling, at, spelling != whole.verb)
            at += 1
        elif parts and tuple(words[at : at + len(parts)]) == parts:
            contraction = _BY_PARTS[parts]
            for offset, spelling in enumerate(contraction.spelling):
                yield SpelledWord(spelling, at + offset, spelling != contraction.verb)
            at += len(parts)
        else:
            yield SpelledWord(tokens[at], at)
            at += 1
