"""Captions with phrases and boxes, and their pictures."""

from pathlib import Path

from PIL import Image as Picture

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.contract.values import Image
from schemes.grounding.captions import Caption, CaptionPhrase
from schemes.grounding.corpus import CORPUS

# Two pictures have the same size, and one is another turned.
SIZES = {
    "1000092795.jpg": (60, 40),
    "10002456.jpg": (60, 40),
    "1000268201.jpg": (40, 60),
    "1000344755.jpg": (33, 57),
}
_MAN = (2, 5, 20, 38)
_GUYS = ((4, 3, 18, 37), (24, 2, 40, 39))
# By image: captions, with phrases as words, chain, type, state and boxes.
_CAPTIONS = {
    "1000092795.jpg": (
        (
            "Two young guys with shaggy hair look at their hands .",
            ("Two young guys", "101", "people", "boxes", _GUYS),
            ("shaggy hair", "102", "bodyparts", "boxes", ((6, 3, 12, 8),)),
            ("their hands", "103", "bodyparts", "absent", ()),
        ),
        (
            "Two men stand in the café garden .",
            ("Two men", "101", "people", "boxes", _GUYS),
            ("the café garden", "104", "scene", "scene", ()),
        ),
    ),
    "10002456.jpg": (
        (
            "Several workers operate a giant pulley .",
            ("Several workers", "201", "people", "boxes", ((1, 1, 9, 20), (30, 2, 44, 31))),
            ("a giant pulley", "202", "other", "boxes", ((10, 10, 50, 39),)),
        ),
        (
            "Workers look down from a crane .",
            ("Workers", "201", "people", "boxes", ((1, 1, 9, 20), (30, 2, 44, 31))),
            ("a crane", "203", "vehicles", "boxes", ((0, 0, 60, 40),)),
        ),
    ),
    "1000268201.jpg": (
        (
            "A girl climbs the stairs to her playhouse .",
            ("A girl", "301", "people", "boxes", ((8, 20, 22, 55),)),
            ("the stairs", "302", "other", "boxes", ((0, 30, 39, 60),)),
            ("her playhouse", "303", "scene", "scene", ()),
        ),
    ),
    "1000344755.jpg": (
        (
            "A man in a blue shirt cleans a window of the hôtel .",
            ("A man", "401", "people", "boxes", (_MAN,)),
            ("a blue shirt", "402", "clothing", "boxes", ((4, 12, 18, 24),)),
            ("a window", "403", "other", "boxes", ((1, 1, 32, 50),)),
        ),
        (
            "A worker washes windows .",
            ("A worker", "401", "people", "boxes", (_MAN,)),
            ("windows", "403", "other", "boxes", ((1, 1, 32, 50),)),
        ),
    ),
}  # fmt: skip


def make_captions() -> list[Caption]:
    return [
        _caption(image, number, spec)
        for image, of_image in _CAPTIONS.items()
        for number, spec in enumerate(of_image)
    ]


def _caption(image: str, number: int, spec: tuple) -> Caption:
    joined, *described = spec
    tokens = tuple(joined.split())
    phrases = []
    for at, (words, chain, kind, state, boxes) in enumerate(described):
        wanted = tuple(words.split())
        start = next(i for i in range(len(tokens)) if tokens[i : i + len(wanted)] == wanted)
        phrases.append(
            CaptionPhrase(
                start=start,
                end=start + len(wanted),
                id=f"p{at}",
                plural=len(boxes) > 1,
                cardinality=len(boxes) or None,
                chain=chain,
                types=(kind,),
                state=state,
                boxes=boxes,
            )
        )
    return Caption(f"{image}#{number}", tokens, image, phrases, image_size=SIZES[image])


def caption_rows() -> list[ExportRow]:
    """Return a gold row for each caption, as an export reads them."""
    rows = []
    for caption in make_captions():
        sentence, gold = caption.sentence(), caption.gold()
        context = ItemContext(sentence.tokens, metadata=sentence.metadata)
        [item] = CORPUS.find_items(sentence.external_id, context)
        item = CORPUS.complete_item(item, context)
        rows.append(
            ExportRow(
                caption.external_id,
                caption.tokens,
                item.target,
                gold.content,
                gold.provenance,
                metadata=sentence.metadata,
                image=Image(caption.image, *SIZES[caption.image]),
            )
        )
    return rows


def draw_pictures(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for number, (name, size) in enumerate(SIZES.items()):
        Picture.new("RGB", size, (50 * number, 90, 120)).save(folder / name)
