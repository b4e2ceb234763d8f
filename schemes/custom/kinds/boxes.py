"""Labelled boxes in the image of an item."""

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from metrics.component_matching import box_iou
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.custom.alignment import Alignment, Pairs
from schemes.custom.definition import BoxesField
from schemes.custom.error_rates import RATES
from schemes.custom.figures import f1_of
from schemes.custom.kinds.base import (
    Answers,
    Parsing,
    Part,
    check_count,
    checked_key,
    checked_list,
    checked_object,
    checked_whole,
    refuse,
)
from schemes.custom.kinds.parts import HALF, PartsKind
from schemes.custom.kinds.values import other_of
from schemes.figures import Figure
from schemes.simulated_person import Person

MAX_SIDE = 100_000
# The largest shift of a careless box, as a share of its side
_SHIFT = 0.5
_ANY_SIZE = (400, 300)


class BoxesKind(PartsKind[BoxesField]):
    """Labelled boxes."""

    noun = Noun("box", "boxes")
    same_extent = Fraction(3, 4)

    def parse(self, value: object, path: str, parsing: Parsing) -> list[Json] | None:
        rows = [
            self._parsed(row, f"{path}.{at}", parsing.context)
            for at, row in enumerate(checked_list(value, path, self.field.max))
        ]
        seen: list[Json] = []
        for at, row in enumerate(rows):
            if row in seen:
                raise refuse(f"{path}.{at}", "is there twice.")
            seen.append(row)
        if rows or self.field.required:
            check_count(len(rows), self.field, path, is_complete=parsing.is_complete)
        return self.sorted(rows) or None

    def _parsed(self, row: object, path: str, context: ItemContext) -> Json:
        given = checked_object(row, path, ("label", "box"))
        label = checked_key(given.get("label"), f"{path}.label", self.label_texts)
        corners = given.get("box")
        if not isinstance(corners, list | tuple) or len(corners) != 4:
            raise refuse(f"{path}.box", "must be [left, top, right, bottom].")
        box = [checked_whole(side, f"{path}.box.{at}") for at, side in enumerate(corners)]
        width, height = _size(context) or (MAX_SIDE, MAX_SIDE)
        left, top, right, bottom = box
        if left >= right or top >= bottom:
            raise refuse(f"{path}.box", "has no area.")
        if left < 0 or top < 0 or right > width or bottom > height:
            raise refuse(
                f"{path}.box",
                "is not inside the image of %(width)s x %(height)s.",
                width=width,
                height=height,
            )
        return {"label": label, "box": box}

    def sorted(self, parts: Sequence[Part]) -> list[Part]:
        return sorted(parts, key=lambda part: (part["box"], part["label"]))

    def identity(self, part: Part) -> Json:
        return dict(part)

    def closeness(self, ours: Part, theirs: Part) -> Fraction:
        return box_iou(ours["box"], theirs["box"])

    def detail(self, ours: Part, theirs: Part) -> str:
        return f"IoU {float(self.closeness(ours, theirs)):.2f}"

    def side_text(self, part: Part, context: ItemContext) -> tuple[list[str], str]:
        left, top, right, bottom = part["box"]
        text = f"{right - left} x {bottom - top} at {left}, {top}"
        return [self.label_texts.get(part["label"], part["label"])], text

    def shown(self, part: Part, context: ItemContext) -> ShownUnit:
        (label,), text = self.side_text(part, context)
        return ShownUnit(self.field.label, [f"{label}: {text}"], boxes=[part["box"]])

    @cached_property
    def figures(self) -> Sequence[Figure]:
        explanation = "Boxes with the same label, matched one to one at an IoU of at least 0.5."
        return (f1_of(self.field, "f1", "F1", explanation),)

    def part_measures(self, alignment: Alignment) -> tuple[dict[str, Json], Pairs]:
        pairs = alignment.matched(HALF, labelled=True)
        return {f"{self.key}_f1": alignment.counts(pairs)}, pairs

    # Simulation

    def fits(self, part: Part, others: Sequence[Part], answers: Answers) -> bool:
        return part not in others

    def changed(self, part: Part, context: ItemContext, person: Person, rng: random.Random) -> Part:
        box, label = part["box"], part["label"]
        if person.errs(RATES.other_extent, rng):
            box = _shifted(box, _size(context) or (MAX_SIDE, MAX_SIDE), rng)
        if person.errs(RATES.other_label, rng):
            label = other_of(list(self.label_texts), label, rng)
        return {"label": label, "box": box}

    def invented_part(self, answers: Answers, context: ItemContext, rng: random.Random) -> Part:
        width, height = _size(context) or _ANY_SIZE
        left, top = rng.randrange(width), rng.randrange(height)
        right, bottom = rng.randint(left + 1, width), rng.randint(top + 1, height)
        return {"label": rng.choice(list(self.label_texts)), "box": [left, top, right, bottom]}

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        width, height = _size(context) or _ANY_SIZE
        label = next(iter(self.label_texts))
        number = min(max(1, self.field.min), width)
        return [{"label": label, "box": [at, 0, width, height]} for at in range(number)] or None


def _size(context: ItemContext) -> tuple[int, int] | None:
    image = context.image
    return (image.width, image.height) if image and image.width and image.height else None


def _shifted(box: Sequence[int], size: tuple[int, int], rng: random.Random) -> list[int]:
    """Return the box off its place, inside the image and with the same size."""
    moved = []
    for start, end, limit in ((box[0], box[2], size[0]), (box[1], box[3], size[1])):
        reach = max(1, round(_SHIFT * (end - start)))
        place = min(max(start + rng.randint(-reach, reach), 0), limit - (end - start))
        moved.append((place, place + end - start))
    (left, right), (top, bottom) = moved
    return [left, top, right, bottom]
