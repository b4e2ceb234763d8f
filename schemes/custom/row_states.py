"""The states of aligned rows, and the decisions that people make about them."""

from collections.abc import Mapping, Sequence

from schemes.contract.comparison import DecisionKind, StateText

STATES: Mapping[str, StateText] = {
    "found": StateText("found", "You and the expert agree."),
    "extent-differs": StateText("other extent", "The right part, but with another extent."),
    "label-differs": StateText("other answer", "The expert chose another answer here."),
    "missed": StateText("missed", "The expert has this answer, but you don't."),
    "extra": StateText("extra", "You gave this answer, but the expert didn't."),
    "approved": StateText("accepted", "A reviewer accepted this answer."),
}
DECISIONS: Sequence[DecisionKind] = (
    DecisionKind("value-accepted", "also correct", "Accept this answer", "value"),
    DecisionKind("match-accepted", "also correct", "Accept this answer", "pair"),
    DecisionKind("pair-accepted", "the same part", "Accept as a match", "pair", pairs=True),
    DecisionKind("pair-refused", "not the same part", "Not a match", "pair"),
    DecisionKind(
        "part-accepted", "correct, although the expert didn't mark it", "Mark as correct", "part"
    ),
)


def row_label(state: str) -> str:
    """Return the label of a state."""
    return STATES[state].label
