"""Gold for detectors that ground phrases, such as MDETR, GLIP and Grounding DINO.

The file is in COCO's form, with an entry of `images` per caption. `tokens_positive` of a box has the
half-open range of characters of its phrase in `caption`, and `tokens_positive_eval` of a caption those of
its phrases with boxes, in their order. `phrase_ids` of a box is the index there. A box is
`[x, y, width, height]`, 0-based, and a box that phrases share has an entry for each of them.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.grounding.captions import Caption, CaptionPhrase, caption_of, image_of
from schemes.grounding.spooled import spooled_array, write_object

MDETR = "mdetr"
DATASET = "touchstone"


def write(rows: Iterable[ExportRow], path: Path) -> int:
    """Write a file, and return the number of captions. The captions of an image count apart."""
    with ExitStack() as stack:
        images, annotations, categories = (
            stack.enter_context(spooled_array()) for _ in ("images", "annotations", "categories")
        )
        categories.append({"supercategory": "object", "id": 1, "name": "object"})
        numbers: dict[str, int] = {}
        for row in rows:
            image = image_of(row)
            original = numbers.setdefault(image.name, len(numbers) + 1)
            for caption in _captions(caption_of(row)):
                number = images.count + 1
                images.append(
                    {
                        "file_name": image.name,
                        "height": image.height,
                        "width": image.width,
                        "id": number,
                        "original_img_id": original,
                        "sentence_id": caption.external_id,
                        "caption": caption.text,
                        "dataset_name": DATASET,
                        "tokens_negative": [[0, len(caption.text)]],
                        "tokens_positive_eval": [[span] for span, _ in caption.phrases],
                    }
                )
                for annotation in _annotations(caption):
                    numbered = {"id": annotations.count + 1, "image_id": number}
                    annotations.append({**numbered, **annotation})
        with path.open("w", encoding="utf-8") as file:
            arrays = {"images": images, "annotations": annotations, "categories": categories}
            write_object(file, arrays)
        return images.count


@dataclass(frozen=True, slots=True)
class _PlainCaption:
    """A single caption, and its phrases with boxes by the ranges of their characters."""

    external_id: str
    text: str
    phrases: list[tuple[list[int], CaptionPhrase]]


def _captions(caption: Caption) -> Iterator[_PlainCaption]:
    """Yield the captions of a joined one, with their number in the id, or a caption as it is."""
    spans = caption.metadata.get("captions") or [[0, len(caption.tokens)]]
    for number, (start, end) in enumerate(spans):
        first, last = _characters(caption, start, end)
        phrases = [phrase for phrase in caption.phrases or () if start <= phrase.start < end]
        external_id = caption.external_id if len(spans) == 1 else f"{caption.external_id}#{number}"
        yield _PlainCaption(
            external_id,
            _text(caption)[first:last],
            [
                ([at - first for at in _characters(caption, phrase.start, phrase.end)], phrase)
                for phrase in phrases
                if phrase.boxes
            ],
        )


def _text(caption: Caption) -> str:
    return caption.text if caption.offsets else " ".join(caption.tokens)


def _characters(caption: Caption, start: int, end: int) -> tuple[int, int]:
    """Return the range of characters of tokens."""
    if caption.offsets:
        return caption.offsets[start][0], caption.offsets[end - 1][1]
    first = sum(len(token) + 1 for token in caption.tokens[:start])
    return first, first + len(" ".join(caption.tokens[start:end]))


def _annotations(caption: _PlainCaption) -> Iterator[Json]:
    for at, (span, phrase) in enumerate(caption.phrases):
        for x1, y1, x2, y2 in phrase.boxes:
            yield {
                "bbox": [x1, y1, x2 - x1, y2 - y1],
                "area": (x2 - x1) * (y2 - y1),
                "iscrowd": 0,
                "category_id": 1,
                "tokens_positive": [span],
                "phrase_ids": at,
                **({} if phrase.complete else {"complete": False}),
            }
