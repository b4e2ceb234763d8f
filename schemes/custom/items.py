"""Items of texts: their tokens, and the part of the tokens that each text has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.custom.definition import Definition
from schemes.custom.tokenize import token_offsets
from schemes.original_text import Offset

TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """The texts of an item as one sentence.

    `text` has the texts on lines of their own, `offsets` the range of each token in it, and `target`
    the range of each text's tokens, if there are several texts.
    """

    tokens: tuple[str, ...]
    text: str
    offsets: tuple[Offset, ...]
    target: Json


def join_texts(definition: Definition, texts: Mapping[str, str]) -> JoinedTexts:
    """Return the texts by key as one sentence, in the order of the definition."""
    offsets: list[Offset] = []
    ranges: dict[str, list[int]] = {}
    begin = 0
    lines = [texts.get(text.key, "") for text in definition.texts]
    for text, line in zip(definition.texts, lines, strict=True):
        first = len(offsets)
        offsets += [(begin + start, begin + end) for start, end in token_offsets(line)]
        ranges[text.key] = [first, len(offsets)]
        begin += len(line) + 1
    joined = "\n".join(lines)
    return JoinedTexts(
        tokens=tuple(joined[start:end] for start, end in offsets),
        text=joined,
        offsets=tuple(offsets),
        target={TEXTS: ranges} if len(ranges) > 1 else {},
    )


def item_of_texts(definition: Definition, texts: Mapping[str, str], image: str = "") -> ItemContext:
    """Return an item of texts by key, for examples. `image` is the name of its picture."""
    joined = join_texts(definition, texts)
    return ItemContext(
        tokens=joined.tokens,
        target=joined.target,
        metadata={"image": image} if image else {},
        text=joined.text,
        offsets=joined.offsets,
    )


def text_range(definition: Definition, key: str, context: ItemContext) -> tuple[int, int]:
    """Return the half-open range of a text's tokens, which is the whole item for a single text."""
    ranges = context.target.get(TEXTS)
    if len(definition.texts) < 2 or not isinstance(ranges, Mapping) or key not in ranges:
        return 0, len(context.tokens)
    start, end = ranges[key]
    return start, end


def in_order(ranges: Mapping[str, Sequence[int]]) -> list[str]:
    """Return the keys of texts in the order of their ranges. Databases change that of JSON."""
    return sorted(ranges, key=lambda key: tuple(ranges[key]))


def has_image(context: ItemContext) -> bool:
    """Return True if the item has a picture."""
    return context.image is not None or bool(context.metadata.get("image"))
