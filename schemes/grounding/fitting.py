"""Gold of a file fitted to a stored caption and its picture.

Phrases are found by their words, because the ids of phrases belong to a file. Boxes are clipped to the
picture, and boxes without area are dropped (Plummer et al. 2015).
"""

from collections import Counter
from dataclasses import replace

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import Fit, GoldRecord, PositionMap
from schemes.contract.values import Image, Json


def move_gold(record: GoldRecord, positions: PositionMap) -> GoldRecord:
    """Return the record with the positions of another tokenization. Raise ContentError."""
    phrases = []
    for at, phrase in enumerate(record.item.target["phrases"]):
        start, end = positions.span(phrase["start"], phrase["end"], f"phrases[{at}]")
        phrases.append({**phrase, "start": start, "end": end})
    return replace(record, item=replace(record.item, target={"phrases": phrases}))


def scale_gold(record: GoldRecord, across: float, down: float) -> GoldRecord:
    """Return the record with the boxes of an image of another size."""
    factors = (across, down, across, down)
    phrases = [
        {
            **phrase,
            "boxes": [
                [round(side * factor) for side, factor in zip(box, factors, strict=True)]
                for box in phrase["boxes"]
            ],
        }
        for phrase in record.content["phrases"]
    ]
    return replace(record, content={**record.content, "phrases": phrases})


def fit_gold(record: GoldRecord, context: ItemContext) -> Fit:
    """Return the record with the ids of the stored phrases and boxes within the image.

    Raise ContentError for a phrase that the caption lacks, or that has no box left.
    """
    notes: Counter[str] = Counter()
    ids = _stored_ids(record, context)
    phrases = [
        {
            **phrase,
            "id": ids[phrase["id"]],
            "boxes": _fitted_boxes(phrase, at, context.image, notes),
        }
        for at, phrase in enumerate(record.content["phrases"])
    ]
    return Fit(replace(record, content={**record.content, "phrases": phrases}), notes)


def _stored_ids(record: GoldRecord, context: ItemContext) -> dict[str, str]:
    """Return the ids of stored phrases by those of the file."""
    stored: dict[tuple[int, int], list[str]] = {}
    for phrase in context.target["phrases"]:
        stored.setdefault((phrase["start"], phrase["end"]), []).append(phrase["id"])
    answered = {phrase["id"] for phrase in record.content["phrases"]}
    ids = {}
    for at, phrase in enumerate(record.item.target["phrases"]):
        start, end = phrase["start"], phrase["end"]
        same = stored.get((start, end), [])
        if same:
            # Of several phrases with the same words, one with the same id comes first.
            chosen = phrase["id"] if phrase["id"] in same else same[0]
            same.remove(chosen)
            ids[phrase["id"]] = chosen
        elif phrase["id"] in answered:
            words = context.span_text(start, end)
            message = f"{start}:{end} “{words}” is not a phrase of this caption."
            raise ContentError(f"phrases[{at}]", message)
    return ids


def _fitted_boxes(
    phrase: Json, at: int, image: Image | None, notes: Counter[str]
) -> list[list[float]]:
    boxes: list[list[float]] = []
    for box in phrase["boxes"]:
        x1, y1, x2, y2 = box
        if image:
            x1, x2 = max(x1, 0), min(x2, image.width)
            y1, y2 = max(y1, 0), min(y2, image.height)
        if x1 >= x2 or y1 >= y2:
            notes["boxes_without_area_dropped"] += 1
            continue
        notes["boxes_clipped"] += [x1, y1, x2, y2] != list(box)
        boxes.append([x1, y1, x2, y2])
    if phrase["boxes"] and not boxes:
        raise ContentError(f"phrases[{at}].boxes", "has no box with an area in the picture.")
    return boxes
