"""Comparison of a caption's boxes with a reference, phrase by phrase and box by box.

The module is the part `comparison` of the scheme.

Phrases that the reference lacks are not compared. A phrase with boxes in the reference and none in the
prediction is incorrect. Phrases without boxes on both sides are compared by their states alone.

A person's decision overrides the comparison. An accepted state counts as the reference's answer, boxes
included. A box of an accepted pair counts as the reference's box. An accepted extra box is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metrics.component_matching import box_iou, match_components
from metrics.regions import box_area, hull_overlap, region_overlap
from schemes.contract.comparison import (
    CATEGORIES,
    AlignedRow,
    Compared,
    DecisionKind,
    RowDecision,
    RowSide,
    StateText,
)
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.figures import Figure
from schemes.grounding.content import phrase_text, phrases_by_id
from schemes.grounding.figures import FIGURES, GROUPS, accuracy_key
from schemes.grounding.merging import STATE_TEXTS, box_text
from schemes.grounding.remarks import SIZE_CODES, hints, section

__all__ = [
    "categories",
    "compare",
    "count_kept",
    "decisions",
    "figures",
    "hints",
    "measure",
    "round_thresholds",
    "rule",
    "section",
    "states",
    "value_texts",
]

# Stored with every figure. Changed definitions get a new name.
rule = "grounding.phrases.v1"
# A matched box with a lower IoU gets a row that describes the difference.
CLOSE_IOU = 0.75
# The share of a box that must be inside another box for it to be too small rather than shifted.
_INSIDE = 0.85

states: Mapping[str, StateText] = {
    "found": StateText("found", "You and the expert agree."),
    "extent-differs": StateText(
        "other extent", "The right object, but your box is too large, too small or shifted."
    ),
    "label-differs": StateText(
        "other answer",
        "You gave another kind of answer, such as one box for a group instead of one for each "
        "individual.",
    ),
    "missed": StateText(
        "missed", "The expert drew this box or answered this phrase, but you didn't."
    ),
    "extra": StateText("extra", "You drew this box, but the expert didn't."),
    "approved": StateText(
        "accepted", "The expert didn't draw this box, but a reviewer accepted it."
    ),
}
decisions: Sequence[DecisionKind] = (
    DecisionKind("state-accepted", "also correct", "Accept this answer", "state"),
    DecisionKind("pair-accepted", "the same object", "Accept as a match", "pair", pairs=True),
    DecisionKind("pair-refused", "not the same object", "Not the same object", "pair"),
    DecisionKind(
        "box-accepted", "correct, although the expert didn't mark it", "Mark as correct", "box"
    ),
)
categories = CATEGORIES
value_texts: Sequence[str] = tuple(STATE_TEXTS.values())
_MISSING: Json = {"state": "", "boxes": []}
_Box = tuple[int, ...]


@dataclass(slots=True)
class _Phrase:
    """A phrase of both annotations, with the boxes as decisions leave them.

    `pairs` are matched positions of `reference_boxes` and `predicted_boxes`.
    """

    id: str
    plural: bool
    reference_state: str
    predicted_state: str
    reference_boxes: list[_Box]
    predicted_boxes: list[_Box]
    pairs: dict[int, int] = field(default_factory=dict)
    forced: set[int] = field(default_factory=set)
    accepted: set[int] = field(default_factory=set)
    is_state_accepted: bool = False

    @property
    def missed(self) -> list[int]:
        return [at for at in range(len(self.reference_boxes)) if at not in self.pairs]

    @property
    def extra(self) -> list[int]:
        matched = set(self.pairs.values())
        return [at for at in range(len(self.predicted_boxes)) if at not in matched]

    @property
    def counted(self) -> list[_Box]:
        """Return the predicted boxes with the effect of decisions."""
        if self.is_state_accepted:
            return self.reference_boxes
        forced = {self.pairs[at]: self.reference_boxes[at] for at in self.forced}
        return [
            forced.get(at, box)
            for at, box in enumerate(self.predicted_boxes)
            if at not in self.accepted
        ]


def box_key(phrase: str, box: Sequence[int]) -> str:
    """Return the key of a box in decisions, for example "p0:12_20_60_81"."""
    return f"{phrase}:{'_'.join(map(str, box))}"


def compare(
    reference: Json,
    predicted: Json,
    context: ItemContext,
    decisions: Iterable[RowDecision] = (),
) -> Compared:
    """Compare two annotations of a caption.

    The key of a phrase's own row is the phrase's id. A box has the key of `box_key`. Raise ValueError
    for a decision on an unknown row and for contradicting decisions.
    """
    phrases = _aligned(reference, predicted, context.target, decisions)
    texts = {
        phrase["id"]: phrase_text(phrase, context) for phrase in context.target.get("phrases", ())
    }
    rows = [row for phrase in phrases for row in _rows(phrase, texts.get(phrase.id, phrase.id))]
    return Compared(_measures(phrases), rows)


def measure(
    reference: Json, predicted: Json, target: Json, decisions: Iterable[RowDecision] = ()
) -> Mapping[str, Json]:
    """Return the measures of `compare` without its rows. It also compares two validations."""
    return _measures(_aligned(reference, predicted, target, decisions))


def count_kept(reference: Json, predicted: Json) -> int:
    """Return how many distinct boxes match a box of the reference for the same phrase."""
    phrases = _aligned(reference, predicted, {}, ())
    return len({phrase.predicted_boxes[at] for phrase in phrases for at in phrase.pairs.values()})


def _answers(content: Json) -> dict[str, Json]:
    """Return the answers by phrase.

    In a validation, the verdict on the phrase is its state, and each box found valid is a box of its
    own. Two validations then overlap in the boxes that both found valid.
    """
    return {
        id: {
            "state": "valid" if phrase["valid"] else "invalid",
            "boxes": [(at, 0, at + 1, 1) for at, valid in enumerate(phrase["boxes"]) if valid],
        }
        if "valid" in phrase
        else phrase
        for id, phrase in phrases_by_id(content).items()
    }


def _aligned(
    reference: Json, predicted: Json, target: Json, decisions: Iterable[RowDecision]
) -> list[_Phrase]:
    reference_answers, predicted_answers = _answers(reference), _answers(predicted)
    plural = {phrase["id"]: phrase["plural"] for phrase in target.get("phrases", ())}
    phrases = {}
    for id, answer in reference_answers.items():
        other = predicted_answers.get(id, _MISSING)
        phrase = _Phrase(
            id=id,
            plural=plural.get(id, False),
            reference_state=answer["state"],
            predicted_state=other["state"],
            reference_boxes=[tuple(box) for box in answer["boxes"]],
            predicted_boxes=[tuple(box) for box in other["boxes"]],
        )
        phrase.pairs = dict(match_components(phrase.reference_boxes, phrase.predicted_boxes).pairs)
        phrases[id] = phrase
    for decision in decisions:
        _decide(phrases, decision)
    return list(phrases.values())


def _decide(phrases: Mapping[str, _Phrase], decision: RowDecision) -> None:
    id, _, box = decision.predicted.partition(":")
    if id not in phrases:
        raise ValueError(f"there is no phrase {id!r} in the reference")
    phrase = phrases[id]
    if not box:
        if decision.kind != "state-accepted":
            raise ValueError(f"a decision {decision.kind!r} needs a box")
        phrase.is_state_accepted = True
        return
    at = _place(phrase.id, phrase.predicted_boxes, decision.predicted)
    if decision.kind == "box-accepted":
        if at in phrase.pairs.values():
            raise ValueError(f"the box {decision.predicted!r} is matched already")
        phrase.accepted.add(at)
        return
    if (decision.reference or "").partition(":")[0] != id:
        raise ValueError("a box can only match a box of the same phrase")
    reference_at = _place(phrase.id, phrase.reference_boxes, decision.reference or "")
    if decision.kind == "pair-refused":
        if phrase.pairs.get(reference_at) == at:
            del phrase.pairs[reference_at]
            phrase.forced.discard(reference_at)
    elif decision.kind == "pair-accepted":
        if at in phrase.accepted:
            raise ValueError(f"the box {decision.predicted!r} is accepted already")
        phrase.pairs = {left: right for left, right in phrase.pairs.items() if right != at}
        phrase.pairs[reference_at] = at
        phrase.forced = {left for left in phrase.forced if left in phrase.pairs} | {reference_at}
    else:
        raise ValueError(f"a decision {decision.kind!r} is not about a box")


def _place(phrase: str, boxes: Sequence[_Box], key: str) -> int:
    keys = [box_key(phrase, box) for box in boxes]
    if key not in keys:
        raise ValueError(f"there is no box {key!r}")
    return keys.index(key)


def _measures(phrases: Sequence[_Phrase]) -> Mapping[str, Json]:
    boxed = [phrase for phrase in phrases if phrase.reference_boxes]
    groups = {
        "all": boxed,
        "singular": [phrase for phrase in boxed if not phrase.plural],
        "plural": [phrase for phrase in boxed if phrase.plural],
    }
    regions = {
        phrase.id: region_overlap(phrase.reference_boxes, phrase.counted) for phrase in boxed
    }
    hulls = {phrase.id: hull_overlap(phrase.reference_boxes, phrase.counted) for phrase in boxed}
    measures: dict[str, Json] = {}
    for metric, overlaps in (("c-iou", regions), ("iou", hulls)):
        for group in GROUPS:
            measures[accuracy_key(metric, group)] = {
                "correct": sum(_is_half(overlaps[phrase.id]) for phrase in groups[group]),
                "total": len(groups[group]),
            }
    states = [[phrase.reference_state, _counted_state(phrase)] for phrase in phrases]
    return {
        **measures,
        "mean-c-iou": {
            "sum": sum(common / union for common, union in regions.values()),
            "total": len(boxed),
        },
        "components": _component_counts(phrases),
        "count": {
            "correct": sum(len(phrase.counted) == len(phrase.reference_boxes) for phrase in boxed),
            "total": len(boxed),
        },
        "state": {"correct": sum(a == b for a, b in states), "total": len(states)},
        "state-kappa": {"pairs": states},
    }


def _is_half(overlap: tuple[int, int]) -> bool:
    common, union = overlap
    return 2 * common >= union


def _counted_state(phrase: _Phrase) -> str:
    return phrase.reference_state if phrase.is_state_accepted else phrase.predicted_state


def _component_counts(phrases: Iterable[_Phrase]) -> dict[str, int]:
    counts = {"tp": 0, "fp": 0, "fn": 0}
    for phrase in phrases:
        if phrase.is_state_accepted:
            counts["tp"] += len(phrase.reference_boxes)
            continue
        counts["tp"] += len(phrase.pairs)
        counts["fn"] += len(phrase.missed)
        counts["fp"] += len(set(phrase.extra) - phrase.accepted)
    return counts


def _rows(phrase: _Phrase, text: str) -> Iterator[AlignedRow]:
    if state_row := _state_row(phrase, text):
        yield state_row
    for reference_at, at in sorted(phrase.pairs.items()):
        yield _pair_row(phrase, reference_at, at, text)
    if phrase.is_state_accepted:
        return
    for reference_at in phrase.missed:
        yield AlignedRow(
            state="missed",
            label=states["missed"].label,
            reference=_side(phrase, phrase.reference_boxes[reference_at], text),
            predicted=None,
            decisions=("pair-accepted",),
        )
    for at in phrase.extra:
        state = "approved" if at in phrase.accepted else "extra"
        yield AlignedRow(
            state=state,
            label=states[state].label,
            reference=None,
            predicted=_side(phrase, phrase.predicted_boxes[at], text),
            decisions=("box-accepted",) if state == "extra" else (),
        )


def _state_row(phrase: _Phrase, text: str) -> AlignedRow | None:
    """Return the row of the phrase itself, or None if its boxes have rows that say enough."""
    expected, given = phrase.reference_state, phrase.predicted_state
    if expected == given and (phrase.reference_boxes or phrase.predicted_boxes):
        return None
    if expected == given:
        state = "found"
    elif not given:
        state = "missed"
    else:
        state = "approved" if phrase.is_state_accepted else "label-differs"
    return AlignedRow(
        state=state,
        label=states[state].label,
        reference=RowSide(
            phrase.id, [text], STATE_TEXTS.get(expected, expected), phrase.reference_boxes
        ),
        predicted=RowSide(phrase.id, [text], STATE_TEXTS.get(given, given), phrase.predicted_boxes)
        if given
        else None,
        detail=state_detail(expected, given) if state == "label-differs" else "",
        decisions=("state-accepted",) if state == "label-differs" else (),
    )


def state_detail(expected: str, given: str) -> str:
    """Describe that a phrase has another state."""
    if (expected, given) == ("boxes", "group"):
        return "a group instead of individuals"
    if (expected, given) == ("group", "boxes"):
        return "individuals instead of a group"
    return f"{STATE_TEXTS.get(given, given)} instead of {STATE_TEXTS.get(expected, expected)}"


def _pair_row(phrase: _Phrase, reference_at: int, at: int, text: str) -> AlignedRow:
    reference_box, predicted_box = phrase.reference_boxes[reference_at], phrase.predicted_boxes[at]
    iou = float(box_iou(reference_box, predicted_box))
    is_close = iou >= CLOSE_IOU or reference_at in phrase.forced
    state = "found" if is_close else "extent-differs"
    return AlignedRow(
        state=state,
        label=states[state].label,
        reference=_side(phrase, reference_box, text),
        predicted=_side(phrase, predicted_box, text),
        detail=f"IoU {iou:.2f}"
        if is_close
        else f"{difference(reference_box, predicted_box)}, IoU {iou:.2f}",
        decisions=("pair-refused",),
    )


def _side(phrase: _Phrase, box: _Box, text: str) -> RowSide:
    return RowSide(box_key(phrase.id, box), [text], box_text(box), [box], phrase.id)


def difference(reference: Sequence[int], predicted: Sequence[int]) -> str:
    """Describe how a box differs from the reference's: too large, too small or shifted."""
    common, _ = region_overlap([reference], [predicted])
    reference_area, predicted_area = box_area(reference), box_area(predicted)
    if predicted_area > reference_area and common >= _INSIDE * reference_area:
        return SIZE_CODES["box-too-large"]
    if predicted_area < reference_area and common >= _INSIDE * predicted_area:
        return SIZE_CODES["box-too-small"]
    return SIZE_CODES["box-shifted"]


# Suggestions of this project.
round_thresholds: Mapping[int, Mapping[str, float]] = {
    0: {"c-iou": 0.5},
    1: {"c-iou": 0.6, "components": 0.5},
    2: {"c-iou": 0.75, "components": 0.65, "state": 0.7},
    3: {"c-iou": 0.8, "components": 0.7},
}


figures: Sequence[Figure] = FIGURES
