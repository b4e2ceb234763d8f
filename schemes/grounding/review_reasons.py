"""Reasons why a person should check boxes before their bonus is paid.

`tests/schemes/grounding/test_review_reasons.py` measures how many captions of people have one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from schemes.contract.content import CheckedWork, ReviewReason
from schemes.contract.items import ItemContext
from schemes.contract.texts import Translatable
from schemes.contract.values import Box, Image, Json, Noun
from schemes.grounding.content import distinct_boxes, phrase_text, phrases_by_id
from schemes.grounding.noun_phrases import number_of
from schemes.review_reasons import more_than_others

BOX = Noun("box", "boxes")
# The share of the picture below which a box is tiny: 5 x 6 pixels of 640 x 480.
TINY = 0.0001
HUGE = 0.95
SEVERAL_TINY, SEVERAL_HUGE = 2, 2
# Boxes of a phrase that cover each other by this IoU show the same thing. Phrases may share things.
SAME_IOU = 0.7
SEVERAL_SAME = 2
EQUAL_SIZES = 6  # boxes of exactly the same width and height, which nobody draws by hand
IN_A_ROW = 5  # boxes at equal distances
# The most boxes of a phrase: of one that names a single thing, of one that names a number of things
# (as a factor, and more), and of a plural without a number.
MAX_OF_SINGULAR, TIMES_NUMBER, MORE_THAN_NUMBER, MAX_OF_PLURAL = 3, 2, 1, 12


def review_reasons(work: CheckedWork) -> list[ReviewReason]:
    """Return the reasons to review the boxes that the person drew or merged. Validators draw none."""
    if work.role == "validator":
        return []
    boxes = sorted(distinct_boxes(work.content))
    return [
        *_sizes(boxes, work.context.image),
        *_same_places(work.content, work.context),
        *_equal_sizes(boxes),
        *_rows(work.content),
        *_numbers(work.content, work.context),
        *more_than_others(
            len(boxes), (_boxes_of_the_same(work.content, other) for other in work.others), BOX
        ),
    ]


def _sizes(boxes: Sequence[Box], image: Image | None) -> Iterator[ReviewReason]:
    if image is None:
        return
    shares = [_area(box) / (image.width * image.height) for box in boxes]
    tiny, huge = sum(share < TINY for share in shares), sum(share > HUGE for share in shares)
    if tiny >= SEVERAL_TINY:
        text = Translatable(
            "%(count)s boxes are too small to surround anything that can be seen.", count=tiny
        )
        yield ReviewReason("tiny", text)
    if huge >= SEVERAL_HUGE:
        text = Translatable("%(count)s boxes cover nearly the whole picture.", count=huge)
        yield ReviewReason("huge", text)


def _same_places(content: Json, context: ItemContext) -> Iterator[ReviewReason]:
    texts = {phrase["id"]: phrase_text(phrase, context) for phrase in context.target["phrases"]}
    for phrase in content["phrases"]:
        pairs = combinations(map(tuple, phrase["boxes"]), 2)
        same = {second for first, second in pairs if _iou(first, second) >= SAME_IOU}
        if len(same) >= SEVERAL_SAME:
            text = Translatable(
                "%(count)s boxes for “%(phrase)s” cover nearly the same as another.",
                count=len(same),
                phrase=texts[phrase["id"]],
            )
            yield ReviewReason("same-place", text)
            return


def _equal_sizes(boxes: Sequence[Box]) -> Iterator[ReviewReason]:
    sizes = Counter((box[2] - box[0], box[3] - box[1]) for box in boxes)
    for (width, height), count in sizes.most_common(1):
        if count >= EQUAL_SIZES:
            text = Translatable(
                "%(count)s boxes are exactly %(width)s x %(height)s pixels.",
                count=count,
                width=width,
                height=height,
            )
            yield ReviewReason("equal-sizes", text)


def _rows(content: Json) -> Iterator[ReviewReason]:
    """Report boxes of a phrase whose corners are at equal distances."""
    for phrase in content["phrases"]:
        corners = [(box[0], box[1]) for box in sorted(phrase["boxes"])]
        steps = {(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(corners)}
        if len(corners) >= IN_A_ROW and len(steps) == 1:
            text = Translatable(
                "%(count)s boxes are in a row, at exactly equal distances.", count=len(corners)
            )
            yield ReviewReason("row", text)
            return


def _numbers(content: Json, context: ItemContext) -> Iterator[ReviewReason]:
    answers = phrases_by_id(content)
    for phrase in context.target["phrases"]:
        count = len(answers[phrase["id"]]["boxes"]) if phrase["id"] in answers else 0
        if count <= MAX_OF_SINGULAR:
            continue
        most, named = _likely(*_number_of(phrase, context))
        if count > most:
            text = Translatable(
                "%(count)s boxes for “%(phrase)s”, which names %(number)s.",
                count=count,
                phrase=phrase_text(phrase, context),
                number=named,
            )
            yield ReviewReason("number", text)
            return


def _likely(is_plural: bool, number: int | None) -> tuple[int, str]:
    """Return the largest likely number of boxes, and what the phrase names."""
    if number is not None and number > 1:
        return TIMES_NUMBER * number + MORE_THAN_NUMBER, f"{number}"
    if is_plural:
        return MAX_OF_PLURAL, Translatable("several")
    return MAX_OF_SINGULAR, Translatable("one")


def _number_of(phrase: Json, context: ItemContext) -> tuple[bool, int | None]:
    """Return whether the phrase is plural, and the number that it names. Files may not have them."""
    if phrase["plural"] is None:
        return number_of(context.tokens[phrase["start"] : phrase["end"]])
    return phrase["plural"], phrase["cardinality"]


def _boxes_of_the_same(content: Json, other: Json) -> int:
    """Return the other's number of boxes, if individuals are boxed in the same phrases.

    Where one person boxes a group and the other its members, the numbers can't be compared.
    """
    of_other = phrases_by_id(other)
    is_same = all(
        of_other.get(phrase["id"], {}).get("state") == phrase["state"]
        for phrase in content["phrases"]
        if phrase["state"] == "boxes"
    )
    return len(distinct_boxes(other)) if is_same else 0


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _iou(first: Box, second: Box) -> float:
    """Return the IoU. Unlike that of the metrics, it is not exact, but fast."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (_area(first) + _area(second) - width * height)
