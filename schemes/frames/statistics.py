"""Statistics of records: the rows of table 1 of SemEval-2019 Task 2, and frames by confidence.

The module is the part `statistics` of the scheme.

Counts are those of the record files. Verb forms are the distinct lemmas of verbs, with particles.
Elements and role arguments are the arguments of the tasks B.1 and B.2. An element type is a pair of
a frame and an element. Multi-word units are verbs and heads of several tokens.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from schemes.contract.statistics import AnnotatedItem, Frequencies, StatisticsTable
from schemes.contract.values import Json
from schemes.frames.suggestion_report import suggestion_tables

figures: Sequence[tuple[str, str]] = (
    ("records", "Records"),
    ("sentences", "Sentences"),
    ("tokens", "Tokens"),
    ("verb_forms", "Verb forms"),
    ("frame_types", "Frame types"),
    ("elements", "Frame elements"),
    ("element_types", "Frame element types"),
    ("role_arguments", "Role arguments"),
    ("role_types", "Role types"),
    ("multi_word_units", "Multi-word units"),
    ("mean_confidence", "Mean confidence"),
)
steps: Sequence[tuple[str, str]] = (
    ("read", "Read"),
    ("units", "Multi-word units"),
    ("frame", "Frame"),
    ("arguments", "Arguments"),
    ("rate", "Rate"),
)
LISTED = 10


def count(items: Iterable[AnnotatedItem]) -> dict[str, int | float | None]:
    """Return the figures of a group by key. Confidence is the mean of the records that have one."""
    sentences: dict[str, int] = {}
    lemmas, frames, element_types, role_types = set(), set(), set(), set()
    records = elements = roles = units = 0
    confidences: list[int] = []
    for item in items:
        content = item.content
        records += 1
        sentences[item.external_id] = len(item.context.tokens)
        lemmas.add(content.get("lemma") or item.context.target.get("lemma", ""))
        if content.get("frame"):
            frames.add(content["frame"])
        units += len(content.get("verb", ())) > 1
        for argument in content.get("arguments", ()):
            units += len(argument["head"]) > 1
            if argument["element"]:
                elements += 1
                element_types.add((content["frame"], argument["element"]))
            if argument["role"]:
                roles += 1
                role_types.add(argument["role"])
        if content.get("confidence") is not None:
            confidences.append(content["confidence"])
    return {
        "records": records,
        "sentences": len(sentences),
        "tokens": sum(sentences.values()),
        "verb_forms": len(lemmas),
        "frame_types": len(frames),
        "elements": elements,
        "element_types": len(element_types),
        "role_arguments": roles,
        "role_types": len(role_types),
        "multi_word_units": units,
        "mean_confidence": sum(confidences) / len(confidences) if confidences else None,
    }


def is_skipped(content: Json) -> bool:
    return bool(content.get("skip"))


def tables(items: Sequence[AnnotatedItem]) -> list[StatisticsTable]:
    """Return the frames by mean confidence, and how often suggestions are right."""
    return [*_by_confidence(items), *suggestion_tables(items)]


def _by_confidence(items: Sequence[AnnotatedItem]) -> list[StatisticsTable]:
    """Return the frames with the highest and the lowest mean confidence."""
    by_frame = _by_frame(item.content for item in items)
    rated = []
    for frame, records in by_frame.items():
        confidences = [
            record["confidence"] for record in records if record["confidence"] is not None
        ]
        if confidences:
            forms = len({record["lemma"] for record in records})
            rated.append((frame, sum(confidences) / len(confidences), len(records), forms))
    columns = ("Frame", "Mean confidence", "Records", "Verb forms")
    ranked = []
    for order, sign in (("highest", -1), ("lowest", 1)):
        rated.sort(key=lambda row: (sign * row[1], -row[2], row[0]))
        caption = f"Frames with the {order} mean confidence"
        ranked.append(StatisticsTable(caption, columns, rated[:LISTED]))
    return ranked if rated else []


def frequencies(items: Sequence[AnnotatedItem]) -> Frequencies | None:
    """Return the number of records of each frame."""
    by_frame = _by_frame(item.content for item in items)
    counts = [(frame, len(records)) for frame, records in by_frame.items()]
    counts.sort(key=lambda pair: (-pair[1], pair[0]))
    return Frequencies("Records by frame", counts) if counts else None


def _by_frame(records: Iterable[Json]) -> dict[str, list[Json]]:
    by_frame: dict[str, list[Json]] = defaultdict(list)
    for record in records:
        if record.get("frame"):
            by_frame[record["frame"]].append(record)
    return by_frame
