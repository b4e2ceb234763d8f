"""The labels of a question: two questions that share one ask for the same role.

A question has the label of its slots (STRICT-MATCH), and that of its words: the same words ask for
the same role even where a file's slot columns hold a slip on one of the two sides.
"""

from collections.abc import Hashable
from functools import lru_cache

from schemes.qasrl.slots import Slots, strict_match_key

Label = Hashable


def question_label(question: str, slots: Slots | None) -> Label:
    """The STRICT-MATCH key of its slots; outside the template only the same text is the same."""
    if slots is not None:
        return strict_match_key(slots)
    return "text", question.casefold()


def question_labels(question: str, slots: Slots | None) -> set[Label]:
    """All labels of a question."""
    return {question_label(question, slots), question_label(question, None)}


def labels_in_file(question: str, slots: Slots | None, *, verb: str) -> set[Label]:
    """All labels of a question of a file (see `label_in_file`)."""
    return {label_in_file(question, slots, verb=verb), question_label(question, None)}


def label_in_file(question: str, slots: Slots | None, *, verb: str) -> Label:
    """The same for a question of a file: from its slot columns where they are there and filled,
    else from the question as the template reads it with the forms of `verb`."""
    if slots is not None and slots.wh:
        return strict_match_key(slots)
    return _label_by_reading(question, verb)


@lru_cache(maxsize=1 << 16)
def _label_by_reading(question: str, verb: str) -> Label:
    # Inline: the grammar and lemminflect take longer to load than most files take to score.
    from schemes.qasrl.verbs import candidate_forms  # noqa: PLC0415
    from schemes.qasrl.walker import parse_question  # noqa: PLC0415

    for forms in candidate_forms(verb) if verb else ():
        if slots := parse_question(question, forms):
            return strict_match_key(slots)
    return question_label(question, None)
