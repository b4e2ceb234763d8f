"""The order in which frames are suggested for a verb.

static/js/schemes/frames/lexicon.js has the same order. Frames that others chose for the whole lemma
come first, the most frequent first, and among equally frequent ones those whose records share more words
of arguments with the sentence. Then come frames with the lemma as a lexical unit, and those of a noun
that is part of the verb ("make a decision"). What is known of the first word of the lemma follows in the
same order, then frames of the noun that depends on a light verb, and extra lexical units, by their
scores.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemes.contract.items import ItemContext
from schemes.contract.values import Json

# Verbs that say little by themselves. The noun that depends on them often evokes the frame.
LIGHT_VERBS = frozenset(
    {"do", "get", "give", "have", "hold", "keep", "make", "pay", "put", "set", "take"}
)
_OBJECTS = frozenset({"obj", "dobj", "obl", "nmod", "nsubj:pass", "compound:lvc"})
# Without dependencies, the noun is one of the next words after the verb.
_NEXT = 6
VERB, NOUN = ".v", ".n"

Scores = Mapping[str, float]


@dataclass(slots=True)
class UnitIndex:
    """The frames of a lexicon by their lexical units in lower case. Extra units have scores from 1."""

    names: Collection[str] = ()
    verbs: dict[str, list[str]] = field(default_factory=dict)
    nouns: dict[str, list[str]] = field(default_factory=dict)
    extra: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, lexicon: Json) -> "UnitIndex":
        index = cls(names=lexicon["frames"].keys())
        for name, frame in lexicon["frames"].items():
            for unit in frame["units"]:
                by_kind = index.verbs if unit.endswith(VERB) else index.nouns
                if unit.endswith((VERB, NOUN)):
                    by_kind.setdefault(unit[: -len(VERB)].lower(), []).append(name)
        ranked = sorted(lexicon["extra_units"], key=lambda unit: float(unit[2]))
        for place, (lemma, name, _) in enumerate(ranked, start=1):
            index.extra.setdefault(lemma.lower(), {})[name] = place
        return index


def nouns_of_light_verb(context: ItemContext) -> list[str]:
    """Return the lower-case lemmas of the words that may be the noun of a light verb, or []."""
    verb: Sequence[int] = context.target["verb"]
    if context.target["lemma"].split("_")[0].lower() not in LIGHT_VERBS:
        return []
    heads, relations = context.metadata.get("heads"), context.metadata.get("deprels")
    words = range(verb[-1] + 1, min(verb[-1] + 1 + _NEXT, len(context.tokens)))
    if heads and relations:
        words = [  # type: ignore[assignment]  # positions either way
            at for at, head in enumerate(heads) if head in verb and relations[at] in _OBJECTS
        ]
    return [lemma_at(at, context) for at in words]


def lemma_at(at: int, context: ItemContext) -> str:
    """Return the lower-case lemma of a token, or the token if the lemma is unknown."""
    lemmas = context.metadata.get("lemmas") or context.tokens
    return str(context.tokens[at] if lemmas[at] == "_" else lemmas[at]).lower()


def rank_frames(
    lemma: str,
    *,
    units: UnitIndex,
    precedents: Sequence[Json],
    words: Collection[str],
    nouns: Sequence[str],
) -> list[str]:
    """Return the suggested frames for a lemma with blanks, the best first.

    `precedents` are counts of precedents.py, `words` the lower-case words and lemmas of the sentence, and
    `nouns` those of a light verb.
    """
    lemma = lemma.lower()
    head, *others = lemma.split(" ")
    counts: defaultdict[str, dict[str, Json]] = defaultdict(dict)
    for precedent in precedents:
        counts[precedent["lemma"].lower().replace("_", " ")][precedent["frame"]] = precedent
    most: Counter[str] = Counter()
    for precedent in precedents:
        most[precedent["frame"]] = max(most[precedent["frame"]], precedent["count"])
    scores: list[Scores] = [
        *_scores_of(lemma, units, counts[lemma], words),
        _all_of(units.nouns.get(others[-1], ()) if others else ()),
        *_scores_of(head, units, counts[head], words),
        _all_of(name for noun in nouns for name in units.nouns.get(noun, ())),
        units.extra.get(lemma, {}),
        units.extra.get(head, {}),
        most,
    ]
    names = {name for of_kind in scores for name in of_kind if name in units.names}
    return sorted(names, key=lambda name: ([-of_kind.get(name, 0) for of_kind in scores], name))


def _scores_of(
    lemma: str, units: UnitIndex, chosen: Mapping[str, Json], words: Collection[str]
) -> list[Scores]:
    """Return what is known of a lemma, the most important first."""
    return [
        {name: precedent["count"] for name, precedent in chosen.items()},
        {name: len({*precedent["words"]} & {*words}) for name, precedent in chosen.items()},
        _all_of(units.verbs.get(lemma, ())),
    ]


def _all_of(names: Iterable[str]) -> Scores:
    return dict.fromkeys(names, 1)
