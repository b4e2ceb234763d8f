"""Search in a lexicon, and the index with which workers' pages search."""

from collections.abc import Iterator, Sequence

from schemes.contract.values import Json
from schemes.frames.content import CORE
from schemes.frames.lexicon.markup import text_of
from schemes.frames.lexicon.relation_labels import relation_labels

# Ranks of matches, the best first.
_EXACT_NAME, _EXACT_UNIT, _NAME_START, _UNIT_START, _IN_NAME, _IN_DEFINITION = range(6)


def look_up(value: Json, query: str) -> list[Json]:
    """Return the frame of this name with all its details, or else a ranked search.

    Details include the roles that reference records give to its elements, the most frequent first.
    Results of a search have a name, a definition and lexical units.
    """
    frame = value["frames"].get(query)
    if frame is not None:
        return [{"name": query, **frame, "element_roles": _reference_roles(value, query)}]
    return [_summary(name, value["frames"][name]) for name in search(value, query)]


def _reference_roles(value: Json, name: str) -> dict[str, list[str]]:
    rows = [row[1:] for row in value.get("element_roles", ()) if row[0] == name]
    roles: dict[str, list[str]] = {}
    for element, role, _ in sorted(rows, key=lambda row: (-row[2], row[1])):
        roles.setdefault(element, []).append(role)
    return roles


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
    """Return what workers' pages search in: frames by name, definition and lexical units.

    Each row of `frames` has the name, the definition, the verbs without part of speech, the elements
    that annotators mark, and the nouns. `relations` has rows of a type and the
    positions of the specific and the general frame, which `labels` (see RELATION_LABELS) describe, and
    `chosen` counts the frames that reference records have for a lemma.
    """
    names = sorted(value["frames"])
    return {
        "frames": [_index_row(name, value["frames"][name]) for name in names],
        "extra": value["extra_units"],
        "relations": _index_relations(value["frames"], names),
        "chosen": value.get("verb_frames", []),
        "labels": [[kind, *relation_labels(kind)] for kind in _relation_types(value["frames"])],
    }


def _index_row(name: str, frame: Json) -> list[str | list[str]]:
    core = [element["name"] for element in frame["elements"] if element["core"] in CORE]
    units = {kind: [*units_of(frame, kind)] for kind in (".v", ".n")}
    return [name, text_of(frame["definition"]), units[".v"], core, units[".n"]]


def _index_relations(frames: Json, names: Sequence[str]) -> list[list[int]]:
    types = _relation_types(frames)
    places = {name: at for at, name in enumerate(names)}
    # Each relation is listed by both of its frames.
    return [
        [types.index(relation["type"]), places[name], places[relation["frame"]]]
        for name in names
        for relation in frames[name]["relations"]
        if relation["is_parent"]
    ]


def _relation_types(frames: Json) -> list[str]:
    return sorted({r["type"] for frame in frames.values() for r in frame["relations"]})


def units_of(frame: Json, kind: str) -> Iterator[str]:
    """Return the frame's lexical units of a part of speech, such as ".v", without it."""
    return (unit[: -len(kind)] for unit in frame["units"] if unit.endswith(kind))


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
