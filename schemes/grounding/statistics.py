"""Statistics of grounded captions, after Suter et al. 2021 and the tables of Flickr30k Entities.

The module is the part `statistics` of the scheme.

Plural phrases count where the gold has boxes for them. A cardinality mismatch is a phrase with another
number of boxes than its words call for. The filler of a phrase is the share of its hull that no box
covers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from metrics.counts import mean, ratio
from metrics.regions import box_area, hull, region_area
from schemes.contract.statistics import AnnotatedItem, Frequencies, StatisticsTable
from schemes.contract.values import Json
from schemes.grounding.content import STATES, distinct_boxes, has_proper_components
from schemes.grounding.merging import STATE_TEXTS

figures: Sequence[tuple[str, str]] = (
    ("captions", "Captions"),
    ("images", "Images"),
    ("tokens", "Tokens"),
    ("phrases", "Phrases"),
    ("boxes", "Boxes"),
    ("drawn", "Boxes that validators drew"),
    ("rejected", "Boxes that validators rejected, of these phrases"),
    ("plural", "Plural phrases with boxes"),
    ("boxes_per_plural", "Boxes per plural phrase"),
    ("plural_with_one_box", "Plural phrases with one box"),
    ("plural_without_components", "Plural phrases with one box or another number of boxes"),
    ("mean_filler", "Mean filler of plural phrases"),
    ("filler_over_half", "Plural phrases with a filler over one half"),
    ("cardinality_known", "Phrases that call for a number of boxes"),
    ("cardinality_mismatches", "Phrases with another number of boxes"),
    ("group", "Phrases with one box for a group"),
    ("scene", "Phrases with nothing to box"),
    ("absent", "Phrases that are not in the picture"),
)
steps: Sequence[tuple[str, str]] = ()


def filler(boxes: Sequence[Sequence[int]]) -> float:
    """Return the share of the boxes' hull that no box covers, of at least one box."""
    return 1 - region_area(boxes) / box_area(hull(boxes))


def count(items: Iterable[AnnotatedItem]) -> dict[str, int | float | None]:
    """Return the counts of a group by key."""
    numbers = Counter[str]()
    images: set[str] = set()
    fillers: list[float] = []
    for item in items:
        numbers["captions"] += 1
        numbers["tokens"] += len(item.context.tokens)
        numbers["boxes"] += len(distinct_boxes(item.content))
        for key in ("drawn", "rejected"):
            numbers[key] += sum(origin.get(key, 0) for origin in item.provenance)
        images.add(item.context.image.name if item.context.image else item.external_id)
        for target, phrase in _phrases(item):
            boxes = phrase["boxes"]
            numbers["phrases"] += 1
            numbers[phrase["state"] if phrase["state"] != "boxes" else "individuals"] += 1
            if not boxes:
                continue
            if target.get("cardinality"):
                numbers["cardinality_known"] += 1
                numbers["cardinality_mismatches"] += target["cardinality"] != len(boxes)
            if target.get("plural"):
                numbers.update(_plural_counts(len(boxes), target.get("cardinality")))
                fillers.append(filler(boxes))
    counts: dict[str, int | float | None] = {key: numbers[key] for key, _ in figures}
    return counts | {
        "images": len(images),
        "boxes_per_plural": ratio(numbers["plural_boxes"], numbers["plural"]),
        "mean_filler": mean(fillers),
        "filler_over_half": sum(share > 0.5 for share in fillers),
    }


def _plural_counts(boxes: int, cardinality: int | None) -> dict[str, int]:
    return {
        "plural": 1,
        "plural_boxes": boxes,
        "plural_with_one_box": int(boxes == 1),
        "plural_without_components": int(not has_proper_components(boxes, cardinality)),
    }


def _phrases(item: AnnotatedItem) -> Iterator[tuple[Json, Json]]:
    """Yield the phrases of the target that have an answer, with the answer."""
    targets = {phrase["id"]: phrase for phrase in item.context.target.get("phrases", ())}
    for phrase in item.content.get("phrases", ()):
        yield targets.get(phrase["id"], {}), phrase


def is_skipped(content: Json) -> bool:
    return not content.get("phrases")


def tables(items: Sequence[AnnotatedItem]) -> list[StatisticsTable]:
    """Return the answers to singular and plural phrases."""
    states = {False: Counter[str](), True: Counter[str]()}
    for item in items:
        for target, phrase in _phrases(item):
            states[bool(target.get("plural"))][phrase["state"]] += 1
    if not any(states.values()):
        return []
    rows = [
        (STATE_TEXTS[state].capitalize(), states[False][state], states[True][state])
        for state in STATES
    ]
    return [StatisticsTable("Answers", ("Answer", "Singular phrases", "Plural phrases"), rows)]


def frequencies(items: Sequence[AnnotatedItem]) -> Frequencies | None:
    """Return the number of phrases of each type, such as people or vehicles."""
    types = Counter(
        type for item in items for target, _ in _phrases(item) for type in target.get("types") or ()
    )
    counts = sorted(types.items(), key=lambda pair: (-pair[1], pair[0]))
    return Frequencies("Phrases by type", counts) if counts else None
