"""Answers of several workers as one answer per item, without a consolidator.

Each field is aggregated on its own. A choice is a vote for an option, and so is a rating. Each option of
`choices`, each span, relation, question and box is a vote of everyone who annotated the item: for it or
against it. Votes become posteriors by a method:

- `majority`: the share of votes.
- `dawid-skene`: Dawid and Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
  Algorithm", 1979, which estimates a confusion matrix per worker.
- `mace`: Hovy et al., "Learning Whom to Trust with MACE", NAACL 2013, which estimates how often each
  worker guesses.

Numbers are the median, and texts the most frequent text. Parts are
in the answer if their posterior is above one half.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any

from metrics.annotator_models import dawid_skene, mace
from metrics.component_matching import box_iou
from schemes.contract.aggregation import AggregatedContent, Aggregation, WorkerContent
from schemes.contract.values import Json
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Field,
    NumberField,
    PairwiseField,
    PartsField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
)
from schemes.custom.form import Form, meets

MAJORITY, DAWID_SKENE, MACE_METHOD = "majority", "dawid-skene", "mace"
RULES = {method: f"custom.aggregate.{method}.v1" for method in (MAJORITY, DAWID_SKENE, MACE_METHOD)}
HALF = 0.5
DIGITS = 6
SAME_BOX = 0.5
SKIPPED = "skipped"
_FOR, _AGAINST = "for", "against"

Task = tuple[Any, ...]
# A task, a worker and a label
Vote = tuple[Task, str, Any]
# The probability of each label of each task
Posteriors = dict[Task, dict[Any, float]]


@dataclass(slots=True)
class _Item:
    """The answers about an item by worker, and the aggregated ones."""

    given: dict[str, Json] = field(default_factory=dict)
    answers: Json = field(default_factory=dict)
    posteriors: Json = field(default_factory=dict)
    # The parts of fields with spans, by which relations name them
    spans: dict[str, list[Task]] = field(default_factory=dict)


def aggregate(
    form: Form, answered: Iterable[WorkerContent], *, method: str = MAJORITY
) -> dict[str, AggregatedContent]:
    """Return the aggregated content of each item, in the order of the first answers.

    Of a worker's several answers about an item, the last one counts.
    """
    given: dict[str, dict[str, Json]] = {}
    for answer in answered:
        given.setdefault(answer.item, {})[answer.worker] = answer.content
    skipped = {item: reason for item, by in given.items() if (reason := _skipped(by.values()))}
    items = {
        item: _Item(
            {
                worker: content["answers"]
                for worker, content in by.items()
                if not content.get(SKIPPED)
            }
        )
        for item, by in given.items()
        if item not in skipped
    }
    for kind in form.in_order:
        _aggregate_field(kind.field, items, method)
    return {
        item: _skipped_item(skipped[item], by)
        if item in skipped
        else _aggregated_item(form, items[item], by)
        for item, by in given.items()
    }


def _aggregated_item(form: Form, item: _Item, by: Mapping[str, Json]) -> AggregatedContent:
    posteriors = form.sorted(item.posteriors)
    shares: list[float] = []
    for key, posterior in posteriors.items():
        if form.by_key[key].field.has_parts:
            shares += posterior
        else:
            shares.append(min(posterior) if isinstance(posterior, list) else posterior)
    return AggregatedContent(
        content={"answers": form.sorted(item.answers)},
        posteriors=posteriors,
        provenance=[{"posterior": round(share, DIGITS)} for share in shares],
        workers=len(by),
    )


def _skipped(contents: Iterable[Json]) -> tuple[str, float] | None:
    """Return the most frequent reason with the share of skips, if most workers skipped the item."""
    listed = list(contents)
    reasons = [content[SKIPPED] for content in listed if content.get(SKIPPED)]
    if len(reasons) <= HALF * len(listed):
        return None
    return _most_frequent(reasons), len(reasons) / len(listed)


def _skipped_item(skipped: tuple[str, float], by: Mapping[str, Json]) -> AggregatedContent:
    reason, share = skipped
    return AggregatedContent(
        content={SKIPPED: reason, "answers": {}},
        posteriors={SKIPPED: share},
        provenance=[],
        workers=len(by),
    )


def _most_frequent(values: Iterable[Any]) -> Any:
    """Return the most frequent value, or the first of several."""
    return Counter(values).most_common(1)[0][0]


def _aggregate_field(each: Field, items: Mapping[str, _Item], method: str) -> None:
    """Add the field's answers to the items in which it is shown."""
    shown = {name: item for name, item in items.items() if meets(each.show_if, item.answers)}
    match each:
        case ChoicesField():
            _choices(each, shown, method)
        case ChoiceField() | PairwiseField() | RatingField():
            _single(each, shown, method)
        case PartsField():
            _parts(each, shown, method)
        case NumberField():
            for item in shown.values():
                _number(each, item)
        case _:
            for item in shown.values():
                _text(each, item)


def _voters(item: _Item, each: Field) -> dict[str, Any]:
    """Return the answers of those who answered the field.

    To those who saw a field that may be empty, no answer is an empty list.
    """
    is_list = isinstance(each, PartsField | ChoicesField)
    return {
        worker: given.get(each.key, [])
        for worker, given in item.given.items()
        if each.key in given or (is_list and meets(each.show_if, given))
    }


def _single(each: Field, items: Mapping[str, _Item], method: str) -> None:
    votes: list[Vote] = [
        ((name,), worker, value)
        for name, item in items.items()
        if _is_answered(each, item)
        for worker, value in _voters(item, each).items()
    ]
    order = _order(each)
    for (name,), posterior in posteriors_of(votes, method).items():
        best = max(posterior, key=lambda value: (posterior[value], -order(value)))
        items[name].answers[each.key] = best
        items[name].posteriors[each.key] = posterior[best]


def _is_answered(each: Field, item: _Item) -> bool:
    """Return True unless most of those who could answer an optional field left it out."""
    voters = len(_voters(item, each))
    return voters > 0 and (each.required or voters > HALF * len(item.given))


def _order(each: Field) -> Callable[[Any], int]:
    """Return the place of each value, by which ties are decided."""
    match each:
        case ChoiceField():
            places = {leaf.key: at for at, leaf in enumerate(each.leaves)}
        case PairwiseField():
            # A tie is between both.
            places = {"tie": 0, **{key: at for at, key in enumerate(each.between, start=1)}}
        case _:
            return int
    return lambda value: places.get(value, len(places))


def _choices(each: ChoicesField, items: Mapping[str, _Item], method: str) -> None:
    keys = [leaf.key for leaf in each.leaves]
    answered = {name: item for name, item in items.items() if _voters(item, each)}
    votes: list[Vote] = [
        ((name, key), worker, _FOR if key in chosen else _AGAINST)
        for name, item in answered.items()
        for worker, chosen in _voters(item, each).items()
        for key in keys
    ]
    posteriors = posteriors_of(votes, method)
    for name, item in answered.items():
        shares = {key: posteriors[name, key].get(_FOR, 0.0) for key in keys}
        # The sort is stable, so that earlier options win ties.
        best = sorted(keys, key=lambda key: -shares[key])
        count = sum(share > HALF for share in shares.values())
        chosen = best[: min(max(count, each.min), each.max)]
        if chosen:
            item.answers[each.key] = [key for key in keys if key in chosen]
            item.posteriors[each.key] = [shares[key] for key in keys if key in chosen]


def _number(each: Field, item: _Item) -> None:
    values = list(_voters(item, each).values())
    if values and _is_answered(each, item):
        value = median_low(values)
        item.answers[each.key] = value
        item.posteriors[each.key] = values.count(value) / len(values)


def _text(each: Field, item: _Item) -> None:
    texts = list(_voters(item, each).values())
    if texts and _is_answered(each, item):
        text, share = _common_text(texts)
        item.answers[each.key] = text
        item.posteriors[each.key] = share


def _common_text(texts: Sequence[str]) -> tuple[str, float]:
    """Return the most frequent text, in its most frequent spelling, and its share."""
    same = _most_frequent(map(plain_text, texts))
    spellings = [text for text in texts if plain_text(text) == same]
    return _most_frequent(spellings), len(spellings) / len(texts)


def plain_text(text: str) -> str:
    """Return the text without differences of case, blanks and compatible characters."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


# --- Fields with several parts


def _parts(each: PartsField, items: Mapping[str, _Item], method: str) -> None:
    proposed = {name: _proposals(each, item) for name, item in items.items()}
    votes: list[Vote] = [
        ((name, identity), worker, _FOR if worker in by else _AGAINST)
        for name, item in items.items()
        for identity, by in proposed[name].items()
        for worker in _voters(item, each)
    ]
    posteriors = posteriors_of(votes, method)
    for name, item in items.items():
        if not _voters(item, each):
            continue
        shares = {
            identity: posteriors[name, identity].get(_FOR, 0.0) for identity in proposed[name]
        }
        chosen = [identity for identity in _chosen(each, shares) if _has_ends(each, item, identity)]
        built = [
            (_part(each, item, identity, proposed[name][identity]), shares[identity], identity)
            for identity in chosen
        ]
        if not isinstance(each, QuestionsField):
            built.sort(key=lambda made: _sort_key(made[0]))
        if built:
            item.answers[each.key] = [part for part, _, _ in built]
            item.posteriors[each.key] = [share for _, share, _ in built]
        if isinstance(each, SpansField):
            item.spans[each.key] = [identity for _, _, identity in built]


def _sort_key(part: Json) -> Task:
    if "box" in part:
        return (part["label"], *part["box"])
    if "start" in part:
        return part["start"], part["end"], part["label"]
    return part["label"], part["from"], part["to"]


def _proposals(each: PartsField, item: _Item) -> dict[Task, dict[str, Json]]:
    """Return each part that somebody has, by its identity, with the part of each worker who has it."""
    proposals: dict[Task, dict[str, Json]] = defaultdict(dict)
    for worker, parts in _voters(item, each).items():
        for part in parts:
            identity = _identity(each, part, item.given[worker], proposals)
            proposals[identity].setdefault(worker, part)
    return proposals


def _identity(each: PartsField, part: Json, given: Json, known: Mapping[Task, Any]) -> Task:
    """Return what two workers' parts have in common if they are the same part."""
    match each:
        case SpansField():
            return part["start"], part["end"], part["label"]
        case RelationsField():
            spans = given[each.spans]
            ends = (spans[part[name]] for name in ("from", "to"))
            return part["label"], *((end["start"], end["end"], end["label"]) for end in ends)
        case BoxesField():
            own = (part["label"], *part["box"])
            return next((box for box in known if _are_same_boxes(box, own)), own)
        case QuestionsField(questions=fixed) if fixed:
            return (part["question"],)
    answers = tuple(sorted(map(tuple, part["answers"])))
    return next(
        (entry for entry in known if entry[0] == answers),
        (answers, plain_text(part["question"])),
    )


def _are_same_boxes(box: Task, other: Task) -> bool:
    return box[0] == other[0] and box_iou(box[1:], other[1:]) >= SAME_BOX


def _chosen(each: PartsField, shares: Mapping[Task, float]) -> Iterator[Task]:
    """Yield the parts with a posterior above one half, the most probable first.

    Spans don't overlap more probable ones if the field forbids it.
    """
    best = sorted((task for task in shares if shares[task] > HALF), key=lambda task: -shares[task])
    if not isinstance(each, SpansField) or each.overlap:
        yield from best[: each.max]
        return
    taken: list[Task] = []
    for start, end, label in best:
        if all(end <= other[0] or other[1] <= start for other in taken) and len(taken) < each.max:
            taken.append((start, end, label))
            yield start, end, label


def _has_ends(each: PartsField, item: _Item, identity: Task) -> bool:
    if not isinstance(each, RelationsField):
        return True
    spans = item.spans.get(each.spans, [])
    return identity[1] in spans and identity[2] in spans


def _part(each: PartsField, item: _Item, identity: Task, by: Mapping[str, Json]) -> Json:
    """Return the part on which workers agree, with what most of them say about it."""
    parts = list(by.values())
    match each:
        case SpansField():
            span: Json = dict(zip(("start", "end", "label"), identity, strict=True))
            if each.attributes:
                span["attributes"] = _attributes(each, parts)
            return span
        case RelationsField():
            spans = item.spans[each.spans]
            first, last = (spans.index(end) for end in identity[1:])
            return {"label": identity[0], "from": first, "to": last}
        case BoxesField():
            sides = zip(*(part["box"] for part in parts), strict=True)
            return {"label": identity[0], "box": [round(sum(side) / len(parts)) for side in sides]}
    question, _ = _common_text([part["question"] for part in parts])
    votes = Counter(tuple(span) for part in parts for span in part["answers"])
    answers = sorted(span for span, count in votes.items() if count > HALF * len(parts))
    return {"question": question, "answers": [list(span) for span in answers]}


def _attributes(each: SpansField, parts: Sequence[Json]) -> Json:
    """Return the most frequent value of each attribute that most workers gave."""
    attributes: Json = {}
    for attribute in each.attributes:
        given = [part["attributes"] for part in parts]
        values = [values[attribute.key] for values in given if attribute.key in values]
        if not values or (not attribute.required and len(values) <= HALF * len(parts)):
            continue
        match attribute:
            case ChoicesField():
                attributes[attribute.key] = list(_most_frequent(map(tuple, values)))
            case NumberField():
                attributes[attribute.key] = median_low(values)
            case _:
                attributes[attribute.key] = _most_frequent(values)
    return attributes


# --- Posteriors


def posteriors_of(votes: Sequence[Vote], method: str) -> Posteriors:
    """Return the probability of each label that a task may have.

    With fewer than two labels in all votes there is nothing to estimate, and they are certain.
    """
    labels = {label for _, _, label in votes}
    if method == MAJORITY or len(labels) < 2:
        return _shares(votes)
    estimated: Any = dawid_skene(votes) if method == DAWID_SKENE else mace(votes)
    posteriors: Posteriors = estimated
    return posteriors


def _shares(votes: Sequence[Vote]) -> Posteriors:
    counts: dict[Task, Counter[Any]] = defaultdict(Counter)
    for task, _, label in votes:
        counts[task][label] += 1
    return {
        task: {label: number / count.total() for label, number in count.items()}
        for task, count in counts.items()
    }


class CustomAggregation(Aggregation):
    """Aggregation of the answers to a definition's fields."""

    rules = RULES

    def __init__(self, form: Form) -> None:
        self._form = form

    def aggregate(
        self, contents: Iterable[WorkerContent], *, method: str
    ) -> Mapping[str, AggregatedContent]:
        return aggregate(self._form, contents, method=method)
