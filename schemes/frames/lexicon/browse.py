"""Frames as the staff's pages show them."""

from collections.abc import Iterable, Mapping

from schemes.contract.resources import ResourceEntry
from schemes.contract.values import Json
from schemes.frames.content import CORE
from schemes.frames.lexicon.markup import Run, text_of
from schemes.frames.lexicon.relation_labels import relation_labels
from schemes.frames.lexicon.search import search

COLOURS = 6
CORE_LABELS = {
    "Core": "core",
    "Core-Unexpressed": "core, seldom expressed",
    "Peripheral": "peripheral",
    "Extra-Thematic": "extra-thematic",
}


def entries(value: Json, query: str) -> list[ResourceEntry]:
    """Return the frames that match a query, the best first."""
    frames = value["frames"]
    return [
        ResourceEntry(name, text_of(frames[name]["definition"]), ", ".join(frames[name]["units"]))
        for name in search(value, query)
    ]


def describe(value: Json, name: str) -> Json | None:
    """Return a frame with the colours of its elements, and its relations by label."""
    frame = value["frames"].get(name)
    if frame is None:
        return None
    accepted = [*value.get("from_annotations", ())]
    ordered = sorted(frame["elements"], key=lambda element: element["core"] not in CORE)
    colours = {element["name"]: at % COLOURS + 1 for at, element in enumerate(ordered)}
    return {
        "name": name,
        "definition": _coloured(frame["definition"], colours),
        "examples": [_coloured(example, colours) for example in frame["examples"]],
        "elements": [
            {
                "name": element["name"],
                "colour": colours[element["name"]],
                "core": CORE_LABELS[element["core"]],
                "definition": _coloured(element["definition"], colours),
            }
            for element in ordered
        ],
        "units": frame["units"],
        "extra": [
            {"lemma": lemma, "score": score, "is_accepted": [lemma, name] in accepted}
            for lemma, unit_frame, score in value["extra_units"]
            if unit_frame == name
        ],
        "relations": _relations(frame),
    }


def _coloured(runs: Iterable[Run], colours: Mapping[str, int]) -> list[Json]:
    return [{"text": text, "mark": mark, "colour": colours.get(mark, 0)} for text, mark in runs]


def _relations(frame: Json) -> list[Json]:
    groups: dict[str, list[str]] = {}
    for relation in frame["relations"]:
        as_parent, as_child = relation_labels(relation["type"])
        label = as_parent if relation["is_parent"] else as_child
        groups.setdefault(label, []).append(relation["frame"])
    return [{"label": label, "frames": sorted(names)} for label, names in groups.items()]
