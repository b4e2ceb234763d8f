"""Consolidation: the boxes of several annotators become one grounding of the caption.

The module is the part `merging` of the scheme.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from metrics.boxes import box_sets_from_lists, component_overlap
from metrics.component_matching import box_iou, match_components
from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Share, Trace, without_order
from schemes.contract.values import Json
from schemes.grounding.content import parse_consolidation, phrase_text, phrases_by_id

# Stored with every figure. Changed definitions get a new name.
rule = "grounding.trace.v1"
summary: Sequence[tuple[str, str]] = (
    ("phrases", "phrases"),
    ("phrases_edited", "phrases with other boxes or another state"),
    ("phrases_new", "phrases that no annotator grounded like this"),
    ("boxes", "boxes"),
)
outcomes: Sequence[tuple[str, str]] = (
    ("phrases", "phrases"),
    ("kept", "kept"),
    ("edited", "edited"),
    ("dropped", "dropped"),
)
shares: Sequence[Share] = (
    Share("phrases_survived", "phrases survived", ("kept", "edited"), "phrases"),
)
parse = parse_consolidation
comparable = without_order
union = None
STATE_TEXTS = {
    "boxes": "boxes",
    "group": "one box for the group",
    "scene": "nothing to box",
    "absent": "not in the picture",
}


def lay_out(sources: Sequence[Json], context: ItemContext) -> Json:
    """Align the sources' boxes, phrase by phrase.

    Return `{"phrases": [{"id", "rows": [{"boxes": [index or None per source], "iou"}]}]}` with a row
    per individual. Boxes share a row if they match by IoU. `iou` is the lowest of the row's pairs,
    or None if the row lacks a source's box.
    """
    by_id = [phrases_by_id(source) for source in sources]
    return {
        "phrases": [
            {
                "id": phrase["id"],
                "rows": aligned_boxes([_boxes_of(of, phrase["id"]) for of in by_id]),
            }
            for phrase in context.target["phrases"]
        ]
    }


def aligned_boxes(boxes: Sequence[Sequence[Sequence[int]]]) -> list[Json]:
    """Return rows of indices into the boxes of each source, from left to right.

    A row has the boxes of an individual: those that match the first of them by `match_components`. See
    `lay_out`.
    """
    rows: list[list[int | None]] = []
    for at, own in enumerate(boxes):
        heads = [_first(row, boxes) for row in rows]
        place = {there: here for here, there in match_components(heads, own).pairs}
        rows = [[*row, None] for row in rows]
        for there in range(len(own)):
            if there in place:
                rows[place[there]][at] = there
            else:
                rows.append([None] * at + [there])
    rows.sort(key=lambda row: tuple(_first(row, boxes)))
    return [{"boxes": row, "iou": _lowest_iou(row, boxes)} for row in rows]


def as_source(content: Json) -> Json:
    """Return the phrases with the same fields for every origin."""
    return {
        "phrases": [
            {"id": phrase["id"], "state": phrase["state"], "boxes": phrase["boxes"]}
            for phrase in content["phrases"]
        ]
    }


def keep_all(source: Json) -> Json:
    """Return the phrases, which are a consolidation of their only source."""
    return dict(source)


def gold_of(consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
    """Return the grounding and the provenance of its phrases: `{"source", "state"}`."""
    return consolidation, [_origin(phrase, sources) for phrase in consolidation["phrases"]]


def trace(consolidation: Json, sources: Sequence[Json]) -> Trace:
    """Return the origin of each phrase's boxes, and what became of each source's phrases."""
    provenance = [_origin(phrase, sources) for phrase in consolidation["phrases"]]
    merged = phrases_by_id(consolidation)
    outcomes: list[Mapping[str, int]] = []
    for source in sources:
        states = Counter(_outcome(phrase, merged.get(phrase["id"])) for phrase in source["phrases"])
        outcomes.append(
            {
                "phrases": len(source["phrases"]),
                "kept": states["kept"],
                "edited": states["edited"],
                "dropped": states["invalid"],
            }
        )
    states = Counter(origin["state"] for origin in provenance)
    summary = {
        "phrases": len(provenance),
        "phrases_edited": states["edited"],
        "phrases_new": states["new"],
        "boxes": sum(len(phrase["boxes"]) for phrase in consolidation["phrases"]),
    }
    return Trace(provenance=provenance, outcomes=outcomes, summary=summary)


def judged(
    consolidation: Json | None, sources: Sequence[Json], context: ItemContext
) -> list[JudgedUnit]:
    """Return the sources' phrases with their outcomes."""
    merged = phrases_by_id(consolidation or {})
    texts = {phrase["id"]: phrase_text(phrase, context) for phrase in context.target["phrases"]}
    units = []
    for at, source in enumerate(sources):
        for unit, phrase in enumerate(source["phrases"]):
            result = merged.get(phrase["id"])
            state = _outcome(phrase, result) if consolidation is not None else ""
            units.append(
                JudgedUnit(
                    source=at,
                    unit=unit,
                    label=texts[phrase["id"]],
                    values=[values_text(phrase)],
                    state=state,
                    into=values_text(result) if result and state == "edited" else "",
                )
            )
    return units


def values_text(phrase: Json) -> str:
    """Return the boxes as text, or the state of a phrase without individual boxes."""
    boxes = ", ".join(box_text(box) for box in phrase["boxes"])
    if phrase["state"] == "boxes":
        return boxes
    text = STATE_TEXTS[phrase["state"]]
    return f"{text}: {boxes}" if boxes else text


def box_text(box: Sequence[int]) -> str:
    """Return a box as text with its corner, for example "48 x 61 (12, 20)"."""
    x1, y1, x2, y2 = box
    return f"{x2 - x1} x {y2 - y1} ({x1}, {y1})"


def method(generators: int) -> str:
    """Describe consolidation for a data card."""
    return (
        f"{generators} trained workers grounded each caption independently: a box per individual, one "
        "box for a group, nothing to box, or not in the picture. Another worker, who had grounded "
        "neither, merged their boxes. A phrase is absent only if an annotator and that worker agree."
    )


def _boxes_of(phrases: Mapping[str, Json], phrase_id: str) -> list[list[int]]:
    return phrases[phrase_id]["boxes"] if phrase_id in phrases else []


def _first(row: Sequence[int | None], boxes: Sequence[Sequence[Sequence[int]]]) -> Sequence[int]:
    return next(boxes[at][index] for at, index in enumerate(row) if index is not None)


def _lowest_iou(
    row: Sequence[int | None], boxes: Sequence[Sequence[Sequence[int]]]
) -> float | None:
    members = [boxes[at][index] for at, index in enumerate(row) if index is not None]
    if len(members) < max(len(boxes), 2):
        return None
    return float(
        min(box_iou(box, other) for at, box in enumerate(members) for other in members[at + 1 :])
    )


def _origin(phrase: Json, sources: Sequence[Json]) -> Json:
    """Return the source that the phrase equals, else the closest one that it shares an area with."""
    candidates = [
        (at, own)
        for at, source in enumerate(sources)
        if (own := phrases_by_id(source).get(phrase["id"])) is not None
    ]
    for at, own in candidates:
        if _is_same(phrase, own):
            return {"source": at, "state": "kept"}
    overlap, closest = max(
        ((_overlap(phrase, own), -at) for at, own in candidates), default=(Fraction(0), 0)
    )
    if overlap:
        return {"source": -closest, "state": "edited"}
    return {"source": None, "state": "new"}


def _outcome(original: Json, merged: Json | None) -> str:
    if merged is None:
        return "invalid"
    if _is_same(original, merged):
        return "kept"
    return "edited" if _overlap(original, merged) else "invalid"


def _is_same(first: Json, second: Json) -> bool:
    return (first["state"], first["boxes"]) == (second["state"], second["boxes"])


def _overlap(first: Json, second: Json) -> Fraction:
    """Return the c-IoU of two phrases' boxes."""
    if not first["boxes"] or not second["boxes"]:
        return Fraction(0)
    areas = component_overlap(
        box_sets_from_lists([first["boxes"]]), box_sets_from_lists([second["boxes"]])
    )
    return Fraction(int(areas.intersection[0]), int(areas.union[0]))
