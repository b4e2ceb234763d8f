"""Comparison of a record with a reference: frames, heads, elements and roles.

The module is the part `comparison` of the scheme.

Arguments are aligned by their heads: equal heads first, then heads that share the most words. A
decision of a person overrides the comparison: an accepted frame, head, element or role counts as the
reference's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from metrics.matching import lexicographic_matching
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
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.figures import Figure, Total, f1_figure
from schemes.label_figures import kappa_and_alpha, share_figure

# Stored with every figure. Changed definitions get a new name.
rule = "frames.records.v1"
FRAME_KEY = "frame"
# The share of the words of two heads that is common in an argument that is kept. A phrase of three
# words in place of its head is.
MIN_COMMON = 1 / 3

states: Mapping[str, StateText] = {
    "found": StateText("found", "You and the expert agree."),
    "extent-differs": StateText(
        "head differs",
        "The right argument, with another word, or more or fewer words, as its head.",
    ),
    "label-differs": StateText(
        "other label", "The right words, with another frame, element or role than the expert's."
    ),
    "missed": StateText("missed", "The expert marked this argument, but you didn't."),
    "extra": StateText("extra", "You marked this argument, but the expert didn't."),
    "approved": StateText(
        "accepted", "The expert didn't mark this argument, but a reviewer accepted it."
    ),
}
decisions: Sequence[DecisionKind] = (
    DecisionKind("label-accepted", "also correct", "Accept the labels", "label"),
    DecisionKind("pair-accepted", "the same argument", "Accept as a match", "pair", pairs=True),
    DecisionKind("pair-refused", "not the same argument", "Not the same argument", "pair"),
    DecisionKind(
        "argument-accepted",
        "correct, although the expert didn't mark it",
        "Mark as correct",
        "argument",
    ),
)
categories = CATEGORIES
value_texts: Sequence[str] = ()
Head = tuple[int, ...]


@dataclass(slots=True)
class _Pair:
    """A reference argument and a predicted one. One of them may be missing."""

    reference: Json | None
    predicted: Json | None
    is_accepted: bool = False

    @property
    def is_matched(self) -> bool:
        return self.reference is not None and self.predicted is not None

    @property
    def has_equal_heads(self) -> bool:
        return self.is_matched and head_of(self.reference) == head_of(self.predicted)


@dataclass(slots=True)
class _Aligned:
    pairs: list[_Pair] = field(default_factory=list)
    is_frame_accepted: bool = False


def head_of(argument: Json | None) -> Head:
    return tuple(argument["head"]) if argument else ()


def key_of(head: Sequence[int]) -> str:
    return "_".join(map(str, head))


def align(first: Sequence[Json], second: Sequence[Json]) -> list[tuple[int, int]]:
    """Return pairs of arguments with equal or overlapping heads, as positions, ascending.

    The pairs have the most equal heads, then the most pairs, then the most common words.
    """
    edges = {}
    for at, argument in enumerate(first):
        for other_at, other in enumerate(second):
            common = len(set(argument["head"]) & set(other["head"]))
            if common:
                equal = int(head_of(argument) == head_of(other))
                edges[at, other_at] = (equal, 1, common)
    return lexicographic_matching(edges) if edges else []


def compare(
    reference: Json,
    predicted: Json,
    context: ItemContext,
    decisions: Iterable[RowDecision] = (),
) -> Compared:
    """Compare two records.

    The row of the frame has the key "frame", and an argument's row that of its head. Raise ValueError
    for a decision on an unknown row.
    """
    reference, predicted = _record(reference), _record(predicted)
    aligned = _aligned(reference, predicted, decisions)
    rows = [_frame_row(reference, predicted, aligned)]
    rows += [_argument_row(pair, context) for pair in aligned.pairs]
    return Compared(_measures(reference, predicted, aligned), [row for row in rows if row])


def measure(
    reference: Json, predicted: Json, target: Json, decisions: Iterable[RowDecision] = ()
) -> Mapping[str, Json]:
    """Return the measures of `compare` without its rows."""
    reference, predicted = _record(reference), _record(predicted)
    return _measures(reference, predicted, _aligned(reference, predicted, decisions))


def count_kept(reference: Json, predicted: Json) -> int:
    """Return how many arguments the reference has with the same element or role.

    Elements are those of a frame, so that they are the same only in the same frame. A head that is a
    whole sentence shares words with any other, so at least a third of the words must be common.
    """
    expected, given = _arguments(reference), _arguments(predicted)
    named = ["element", "role"] if reference["frame"] == predicted["frame"] else ["role"]
    return sum(
        any(expected[at][name] and expected[at][name] == given[own_at][name] for name in named)
        and _have_common_head(expected[at], given[own_at])
        for at, own_at in align(expected, given)
    )


def _have_common_head(first: Json, second: Json) -> bool:
    first_words, second_words = set(first["head"]), set(second["head"])
    return len(first_words & second_words) >= MIN_COMMON * len(first_words | second_words)


def _record(content: Json) -> Json:
    """Return the record, which of a verification is that of the verifier."""
    record: Json = content.get("record", content)
    return record


def _arguments(content: Json) -> list[Json]:
    return list(content.get("arguments", ()))


def _aligned(reference: Json, predicted: Json, decisions: Iterable[RowDecision]) -> _Aligned:
    references, predictions = _arguments(reference), _arguments(predicted)
    matches = dict(align(references, predictions))
    aligned = _Aligned()
    reference_at = {key_of(argument["head"]): at for at, argument in enumerate(references)}
    predicted_at = {key_of(argument["head"]): at for at, argument in enumerate(predictions)}
    accepted_labels: set[int] = set()
    accepted_extra: set[int] = set()
    for decision in decisions:
        if decision.predicted == FRAME_KEY:
            aligned.is_frame_accepted = decision.kind == "label-accepted"
            continue
        if decision.predicted not in predicted_at:
            raise ValueError(f"there is no argument {decision.predicted!r}")
        at = predicted_at[decision.predicted]
        if decision.kind == "argument-accepted":
            accepted_extra.add(at)
            continue
        if decision.reference not in reference_at:
            raise ValueError(f"there is no argument {decision.reference!r} in the reference")
        reference_index = reference_at[decision.reference]
        if decision.kind == "label-accepted":
            accepted_labels.add(at)
        elif decision.kind == "pair-refused":
            if matches.get(reference_index) == at:
                del matches[reference_index]
        else:
            matches = {left: right for left, right in matches.items() if right != at}
            matches[reference_index] = at
    matched = {right: left for left, right in matches.items()}
    for reference_index, argument in enumerate(references):
        predicted_index = matches.get(reference_index)
        other = None if predicted_index is None else predictions[predicted_index]
        aligned.pairs.append(_Pair(argument, other, predicted_index in accepted_labels))
    for at, argument in enumerate(predictions):
        if at not in matched:
            aligned.pairs.append(_Pair(None, argument, at in accepted_extra))
    aligned.pairs.sort(key=lambda pair: head_of(pair.reference or pair.predicted))
    return aligned


def _same(pair: _Pair, name: str) -> bool:
    assert pair.reference
    assert pair.predicted
    return pair.is_accepted or bool(pair.reference[name] == pair.predicted[name])


def _measures(reference: Json, predicted: Json, aligned: _Aligned) -> Mapping[str, Json]:
    frames = _frame_label(reference), _frame_label(predicted)
    if aligned.is_frame_accepted:
        frames = frames[0], frames[0]
    same_frame = frames[0] == frames[1]
    matched = [pair for pair in aligned.pairs if pair.is_matched]
    exact = [pair for pair in matched if pair.has_equal_heads]
    # An extra argument that a person accepted is neither an error nor found.
    extra = [p for p in aligned.pairs if p.reference is None and not p.is_accepted]
    references = sum(pair.reference is not None for pair in aligned.pairs)
    predictions = len(matched) + len(extra)
    right = [p for p in exact if same_frame and _same(p, "element") and _same(p, "role")]
    pairs = {name: [_labels(pair, name) for pair in matched] for name in ("element", "role")}
    return {
        "frame": {"correct": int(same_frame), "total": 1},
        "heads": _counts(len(exact), references, predictions),
        "overlap": _counts(len(matched), references, predictions),
        "elements": _correct(pairs["element"]),
        "roles": _correct(pairs["role"]),
        "labelled": _counts(len(right), references, predictions),
        "frame-kappa": {"pairs": [list(frames)]},
        "frame-alpha": {"pairs": [list(frames)]},
        "role-kappa": {"pairs": pairs["role"]},
        "role-alpha": {"pairs": pairs["role"]},
    }


def _labels(pair: _Pair, name: str) -> list[str]:
    """Return the labels of a matched pair. Those that a person accepted are the reference's."""
    assert pair.reference
    assert pair.predicted
    label = pair.reference[name]
    return [label, label if pair.is_accepted else pair.predicted[name]]


def _frame_label(content: Json) -> str:
    """Return the frame, or the skip as a label of its own."""
    return "(skipped)" if content.get("skip") else str(content.get("frame", ""))


def _counts(correct: int, references: int, predictions: int) -> dict[str, int]:
    return {"tp": correct, "fp": predictions - correct, "fn": references - correct}


def _correct(pairs: Sequence[Sequence[str]]) -> dict[str, int]:
    labelled = [(a, b) for a, b in pairs if a or b]
    return {"correct": sum(a == b for a, b in labelled), "total": len(labelled)}


def _frame_row(reference: Json, predicted: Json, aligned: _Aligned) -> AlignedRow:
    reference_frame, predicted_frame = _frame_label(reference), _frame_label(predicted)
    is_same = reference_frame == predicted_frame
    state = "found" if is_same or aligned.is_frame_accepted else "label-differs"
    if not predicted_frame and not is_same:
        state = "missed"
    return AlignedRow(
        state=state,
        label=_FRAME_LABELS[state],
        reference=RowSide(FRAME_KEY, [reference_frame], _lemma(reference)),
        predicted=RowSide(FRAME_KEY, [predicted_frame], _lemma(predicted))
        if predicted_frame or is_same
        else None,
        detail="" if state != "label-differs" else Translatable("other frame"),
        decisions=("label-accepted",) if state == "label-differs" else (),
    )


_FRAME_LABELS = {
    "found": Translatable("same frame"),
    "label-differs": Translatable("other frame"),
    "missed": Translatable("no frame"),
}


def _lemma(content: Json) -> str:
    return str(content.get("lemma", "")).replace("_", " ")


def _argument_row(pair: _Pair, context: ItemContext) -> AlignedRow:
    state, detail = _state(pair)
    return AlignedRow(
        state=state,
        label=states[state].label,
        reference=_side(pair.reference, context),
        predicted=_side(pair.predicted, context),
        detail=detail,
        decisions=_possible(pair, state),
    )


_OTHER = {"element": Translatable("other element"), "role": Translatable("other role")}


def _state(pair: _Pair) -> tuple[str, str]:
    if pair.predicted is None:
        return "missed", ""
    if pair.reference is None:
        return ("approved" if pair.is_accepted else "extra"), ""
    details = [text for name, text in _OTHER.items() if not _same(pair, name)]
    if not pair.has_equal_heads:
        return "extent-differs", ", ".join([_extent(pair), *details])
    return ("label-differs", ", ".join(details)) if details else ("found", "")


def _extent(pair: _Pair) -> str:
    reference_head, predicted_head = set(head_of(pair.reference)), set(head_of(pair.predicted))
    if reference_head < predicted_head:
        return Translatable("head too long")
    if predicted_head < reference_head:
        return Translatable("head too short")
    return Translatable("other head")


def _possible(pair: _Pair, state: str) -> Sequence[str]:
    if state == "missed":
        return ("pair-accepted",)
    if state == "extra":
        return ("argument-accepted",)
    if state == "approved":
        return ()
    has_other_label = not (_same(pair, "element") and _same(pair, "role"))
    return ("label-accepted", "pair-refused") if has_other_label else ("pair-refused",)


def _side(argument: Json | None, context: ItemContext) -> RowSide | None:
    if argument is None:
        return None
    labels = [label for label in (argument["element"], argument["role"]) if label]
    return RowSide(key_of(argument["head"]), labels, context.words_text(argument["head"]))


def _frame_feedback(total: Total) -> list[str]:
    return [
        Translatable(
            "You chose the expert's frame for %(correct)s of %(total)s verbs.",
            correct=total["correct"],
            total=total["total"],
        )
    ]


def _heads_feedback(total: Total) -> list[str]:
    return [
        Translatable(
            "You found %(correct)s of the %(total)s arguments that the expert marked.",
            correct=total["tp"],
            total=total["tp"] + total["fn"],
        ),
        Translatable(
            "%(number)s of your arguments are not in the expert's record, or have another head.",
            number=total["fp"],
        ),
    ]


def _elements_feedback(total: Total) -> list[str]:
    if not total["total"]:
        return []
    return [
        Translatable(
            "%(correct)s of %(total)s frame elements are the same as the expert's.",
            correct=total["correct"],
            total=total["total"],
        )
    ]


def _roles_feedback(total: Total) -> list[str]:
    if not total["total"]:
        return []
    return [
        Translatable(
            "%(correct)s of %(total)s roles are the same as the expert's.",
            correct=total["correct"],
            total=total["total"],
        )
    ]


# Suggestions of this project.
round_thresholds: Mapping[int, Mapping[str, float]] = {
    0: {"frame": 0.5},
    1: {"frame": 0.6, "overlap": 0.6},
    2: {"frame": 0.7, "overlap": 0.7, "labelled": 0.5},
    3: {"frame": 0.75, "labelled": 0.55},
}


figures: Sequence[Figure] = (
    share_figure(
        key="frame",
        label="Frame accuracy",
        explanation="Verbs with the reference's frame.",
        feedback=_frame_feedback,
    ),
    f1_figure(
        key="heads",
        label="Arguments F1",
        heading="Arguments",
        explanation="Arguments with exactly the reference's head.",
        feedback=_heads_feedback,
    ),
    f1_figure(
        key="overlap",
        label="Arguments F1 (overlap)",
        heading="Overlap",
        explanation="Arguments whose head shares a word with the reference's.",
    ),
    share_figure(
        key="elements",
        label="Frame elements",
        explanation="Aligned arguments with the reference's frame element.",
        feedback=_elements_feedback,
    ),
    share_figure(
        key="roles",
        label="Roles",
        explanation="Aligned arguments with the reference's generic role.",
        feedback=_roles_feedback,
    ),
    f1_figure(
        key="labelled",
        label="Labelled F1",
        heading="Labelled",
        explanation="Arguments with the reference's frame, head, element and role.",
    ),
    *kappa_and_alpha("frame", "frames"),
    *kappa_and_alpha("role", "roles of aligned arguments"),
)


def hints(compared: Compared, context: ItemContext) -> list[tuple[str, str]]:
    """Return no remarks. The rows have the differences."""
    return []


def section(code: str, role: str) -> str:
    """Return "", because there are no remarks."""
    return ""
