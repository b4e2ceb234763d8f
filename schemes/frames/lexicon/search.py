"""Search in a lexicon, and the index with which workers' pages search."""

from collections.abc import Iterator

from schemes.contract.values import Json
from schemes.frames.content import CORE
from schemes.frames.lexicon.markup import text_of

# Ranks of matches, the best first.
_EXACT_NAME, _EXACT_UNIT, _NAME_START, _UNIT_START, _IN_NAME, _IN_DEFINITION = range(6)


def look_up(value: Json, query: str) -> list[Json]:
    """Return the frame of this name with all its details, or else a ranked search.

    Results of a search have a name, a definition and lexical units.
    """
    frame = value["frames"].get(query)
    if frame is not None:
        return [{"name": query, **frame}]
    return [_summary(name, value["frames"][name]) for name in search(value, query)]


def search(value: Json, query: str) -> list[str]:
    """Return the frames whose name, lexical units or definition match, the best first.

    An empty query matches every frame.
    """
    words = " ".join(query.lower().replace("_", " ").split())
    ranked = [
        (rank, name)
        for name, frame in value["frames"].items()
        if (rank := _rank(name, frame, words)) is not None
    ]
    return [name for _, name in sorted(ranked)]


def index_of(value: Json) -> Json:
    """Return what workers' pages search in: frames by name, definition and verbs.

    Each row has the name, the definition, the verbs without part of speech, and 1 if the frame has an
    element that annotators mark, else 0.
    """
    return {
        "frames": [
            [name, text_of(frame["definition"]), list(verbs_of(frame)), int(_has_core(frame))]
            for name, frame in sorted(value["frames"].items())
        ],
        "extra": value["extra_units"],
    }


def verbs_of(frame: Json) -> Iterator[str]:
    return (unit[: -len(".v")] for unit in frame["units"] if unit.endswith(".v"))


def _has_core(frame: Json) -> bool:
    return any(element["core"] in CORE for element in frame["elements"])


def _summary(name: str, frame: Json) -> Json:
    return {"name": name, "definition": text_of(frame["definition"]), "units": frame["units"]}


def _rank(name: str, frame: Json, words: str) -> int | None:
    plain = name.lower().replace("_", " ")
    if plain == words:
        return _EXACT_NAME
    lemmas = [unit.lower().rpartition(".")[0] or unit.lower() for unit in frame["units"]]
    if words in lemmas:
        return _EXACT_UNIT
    if plain.startswith(words):
        return _NAME_START
    if any(lemma.startswith(words) for lemma in lemmas):
        return _UNIT_START
    if words in plain:
        return _IN_NAME
    return _IN_DEFINITION if words in text_of(frame["definition"]).lower() else None
