"""Draw the sample pictures, and derive the boxes of what they show.

The same scenes always give the same pictures. A box surrounds the visible part of a thing, which is
what things drawn later do not cover.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from schemes.contract.values import Json
from schemes.grounding.samples.scenes import SCENES
from schemes.grounding.samples.shapes import BACKGROUNDS, SHAPES, SUPERSAMPLING, Pen

SIZE = (480, 320)
# The greatest width of a shape of height 1, with a margin.
_WIDEST = 2.6
TYPES = {
    **dict.fromkeys(("person", "child"), "people"),
    **dict.fromkeys(("dog", "cat", "sheep", "bird"), "animals"),
    **dict.fromkeys(("car", "bus", "boat"), "vehicles"),
}
_PHRASE = re.compile(r"\[([^|\]]+)\|([^|\]]+)\|([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Thing:
    """A shape in a scene, at the middle of its foot in pixels. `name` may be that of several things."""

    name: str
    shape: str
    x: int
    y: int
    size: int
    colour: str


def draw_samples(folder: Path) -> None:
    """Draw all pictures into a folder, as PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, background, things, _ in SCENES:
        picture, _ = draw_scene(background, [Thing(*thing) for thing in things])
        picture.save(folder / f"{name}.png", optimize=True)


def draw_scene(background: str, things: Sequence[Thing]) -> tuple[Image.Image, list[list[int]]]:
    """Return the picture, and the box of each thing's visible part."""
    picture = _background(background).copy()
    masks: list[Image.Image] = []
    for thing in things:
        layer, place = _layer(thing)
        picture.paste(layer, place, layer)
        mask = Image.new("L", SIZE)
        mask.paste(layer.getchannel("A").point(lambda alpha: 255 * (alpha >= 128)), place)
        masks = [ImageChops.subtract(earlier, mask) for earlier in masks] + [mask]
    boxes = []
    for thing, mask in zip(things, masks, strict=True):
        box = mask.getbbox()
        if box is None:
            raise ValueError(f"{thing.name} is hidden")
        boxes.append(list(box))
    return picture, boxes


@cache
def _background(name: str) -> Image.Image:
    width, height = (SUPERSAMPLING * side for side in SIZE)
    canvas = Image.new("RGB", (width, height))
    BACKGROUNDS[name](ImageDraw.Draw(canvas), (width, height))
    return canvas.resize(SIZE, Image.Resampling.BOX)


def _layer(thing: Thing) -> tuple[Image.Image, tuple[int, int]]:
    """Return a picture of the thing alone, and its place in the scene."""
    side = round(_WIDEST * thing.size)
    canvas = Image.new("RGBA", (SUPERSAMPLING * side, SUPERSAMPLING * side))
    left, top = thing.x - side // 2, thing.y - round(1.1 * thing.size)
    pen = Pen(ImageDraw.Draw(canvas), thing.x - left, thing.y - top, thing.size)
    SHAPES[thing.shape](pen, thing.colour)
    return canvas.resize((side, side), Image.Resampling.BOX), (left, top)


def gold() -> Iterator[Json]:
    """Yield the captions with their phrases, answers and boxes, in the format phrases-jsonl."""
    for name, background, things, captions in SCENES:
        placed = [Thing(*thing) for thing in things]
        _, boxes = draw_scene(background, placed)
        for number, caption in enumerate(captions):
            tokens, phrases = _parsed(caption, placed, boxes)
            image = f"{name}.png"
            yield {"id": f"{image}#{number}", "image": image, "tokens": tokens, "phrases": phrases}


def records() -> Iterator[Json]:
    """Yield the captions with their phrases alone, in the format captions-jsonl."""
    for record in gold():
        phrases = [
            {name: value for name, value in phrase.items() if name not in ("state", "boxes")}
            for phrase in record["phrases"]
        ]
        yield {**record, "phrases": phrases}


def _parsed(
    caption: str, things: Sequence[Thing], boxes: Sequence[list[int]]
) -> tuple[list[str], list[Json]]:
    """Return the tokens and the phrases of a caption with marks such as `[two dogs|dog|2]`.

    The second part names the things, or is "scene" or "absent". The third part is the cardinality,
    "+" for a plural phrase without one, "group", or empty for a singular phrase.
    """
    tokens: list[str] = []
    phrases: list[Json] = []
    end = 0
    for match in _PHRASE.finditer(caption):
        tokens += caption[end : match.start()].split()
        words, what, number = match[1].split(), match[2], match[3]
        state = what if what in ("scene", "absent") else "group" if number == "group" else "boxes"
        own = sorted(box for thing, box in zip(things, boxes, strict=True) if thing.name == what)
        if state == "group":
            own = [_around(own)]
        phrases.append(
            {
                "start": len(tokens),
                "end": len(tokens) + len(words),
                "plural": bool(number),
                "cardinality": int(number) if number.isdigit() else None,
                "types": [_type(what, things)],
                "state": state,
                "boxes": own,
            }
        )
        if state in ("boxes", "group") and not own:
            raise ValueError(f"there is no {what!r} in the scene of {caption!r}")
        tokens += words
        end = match.end()
    return tokens + caption[end:].split(), phrases


def _type(what: str, things: Sequence[Thing]) -> str:
    """Return a type of Flickr30k Entities for the things of a phrase."""
    shape = next((thing.shape for thing in things if thing.name == what), "")
    return "scene" if what == "scene" else TYPES.get(shape, "other")


def _around(boxes: Sequence[Sequence[int]]) -> list[int]:
    left, top, right, bottom = zip(*boxes, strict=True)
    return [min(left), min(top), max(right), max(bottom)]


def write_files(folder: Path) -> None:
    """Write the captions and the gold as JSON Lines."""
    for name, lines in (("captions.jsonl", records()), ("gold.jsonl", gold())):
        text = "".join(json.dumps(record) + "\n" for record in lines)
        (folder / name).write_text(text, encoding="utf-8")
