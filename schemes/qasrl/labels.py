"""The label of a question: equal for two questions that ask for the same role."""

from collections.abc import Hashable

from schemes.qasrl.slots import Slots, strict_match_key

Label = Hashable


def question_label(question: str, slots: Slots | None) -> Label:
    """The STRICT-MATCH key of its slots; without slots its words, whatever their case."""
    if slots is not None:
        return strict_match_key(slots)
    return " ".join(question.lower().rstrip(" ?").split())
