"""Features of two questions whose answers match, from which their equivalence can be learned.

The module is the part `equivalence` of the scheme. STRICT-MATCH is strict: "What was discussed?" and
"What did someone discuss?" have other slots, although they ask for the same role.
"""

from collections.abc import Mapping, Sequence

from metrics.alignment import align
from metrics.spans import Span, span_iou
from schemes.contract.equivalence import LabelPair
from schemes.contract.values import Json
from schemes.qasrl.comparison import labelled_spans
from schemes.qasrl.labels import question_labels
from schemes.qasrl.semantic_roles import UNGRAMMATICAL, semantic_role
from schemes.qasrl.slots import ADVERBS, Slots, changes_factuality
from schemes.qasrl.span_keys import key_of

__all__ = [
    "accepted",
    "alternatives",
    "automatic",
    "features",
    "figure",
    "pairs",
    "refused",
    "rule",
]

rule = "qasrl.equivalence.v1"
figure, automatic = "LA", "STRICT-MATCH"
accepted, refused = "label-accepted", "label-refused"
ROLES = "roles"
alternatives: Mapping[str, str] = {ROLES: "Roles of He et al. 2015"}
_COMPARED = ("wh", "subj", "obj", "obj2", "prep", "is_passive", "is_negated")
features: Sequence[str] = (
    "strict match",
    "same role",
    *(f"same {name}" for name in _COMPARED),
    "same modality",
    "same text",
    "both who or what",
    "same adverb",
    "one adverb",
    "one outside the template",
    "overlap of the answers",
    "same answers",
)
# A question with its slots, or None outside the template
_Question = tuple[str, Slots | None]


def pairs(reference: Json, predicted: Json) -> list[LabelPair]:
    """Return the matched answers with the features of their most similar questions."""
    of_reference, of_predicted = _questions(reference), _questions(predicted)
    alignment = align(labelled_spans(reference), labelled_spans(predicted))
    return [
        _pair(pair.reference, pair.predicted, of_reference, of_predicted, is_same=pair.same_label)
        for pair in alignment.pairs
    ]


def _questions(content: Json) -> dict[Span, list[_Question]]:
    by_span: dict[Span, list[_Question]] = {}
    for question in content["questions"]:
        slots = question.get("slots")
        asked = question["question"], Slots(**slots) if slots else None
        for start, end in question["answers"]:
            by_span.setdefault((start, end), []).append(asked)
    return by_span


def _pair(
    reference: Span,
    predicted: Span,
    of_reference: Mapping[Span, Sequence[_Question]],
    of_predicted: Mapping[Span, Sequence[_Question]],
    *,
    is_same: bool,
) -> LabelPair:
    candidates = [
        (first, second) for first in of_reference[reference] for second in of_predicted[predicted]
    ]
    compared = [_features_of_questions(first, second) for first, second in candidates]
    best = max(compared, key=lambda row: (row[0], sum(row)))
    return LabelPair(
        reference=key_of(reference),
        predicted=key_of(predicted),
        is_same=is_same,
        texts=(
            [text for text, _ in of_reference[reference]],
            [text for text, _ in of_predicted[predicted]],
        ),
        features=(*best, float(span_iou(reference, predicted)), float(reference == predicted)),
        alternatives={ROLES: any(_same_role(*pair) for pair in candidates)},
    )


def _features_of_questions(first: _Question, second: _Question) -> tuple[float, ...]:
    (text, slots), (other_text, other) = first, second
    same_text = text.casefold() == other_text.casefold()
    strict = bool(question_labels(text, slots) & question_labels(other_text, other))
    if slots is None or other is None:
        unknown = [0.0] * (len(_COMPARED) + 1)
        shared = [float(strict), float(same_text), *unknown, float(same_text), 0.0, 0.0, 0.0]
        return (*shared, float((slots is None) != (other is None)))
    adverbs = [side.wh in ADVERBS or side.wh.startswith("how") for side in (slots, other)]
    return tuple(
        map(
            float,
            (
                strict,
                _same_role(first, second),
                *(getattr(slots, name) == getattr(other, name) for name in _COMPARED),
                changes_factuality(slots) == changes_factuality(other),
                same_text,
                not any(adverbs),
                all(adverbs) and slots.wh == other.wh,
                adverbs[0] != adverbs[1],
                False,
            ),
        )
    )


def _same_role(first: _Question, second: _Question) -> bool:
    """Return True if both questions ask for the same role. Outside the template, texts decide."""
    if first[0].casefold() == second[0].casefold():
        return True
    if first[1] is None or second[1] is None:
        return False
    role = semantic_role(first[1])
    return role != UNGRAMMATICAL and role == semantic_role(second[1])
