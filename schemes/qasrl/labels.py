"""The labels of a question. Two questions that share a label ask for the same role.

A question has the label of its slots (STRICT-MATCH) and that of its text. The text label matches
equal questions even if the slot columns of a file contain an error.
"""

from collections.abc import Hashable
from functools import lru_cache

from schemes.qasrl.slots import Slots, strict_match_key

Label = Hashable


def question_label(question: str, slots: Slots | None) -> Label:
    """Return the STRICT-MATCH key of the slots, or the text outside the template."""
    if slots is not None:
        return strict_match_key(slots)
    return "text", question.casefold()


def question_labels(question: str, slots: Slots | None) -> set[Label]:
    """Return all labels of a question."""
    return {question_label(question, slots), question_label(question, None)}


def label_in_file(question: str, slots: Slots | None, *, verb: str) -> Label:
    """Return the label of a question in a file.

    It comes from the slot columns if they are filled, else from reading the question with the forms
    of `verb`.
    """
    if slots is not None and slots.wh:
        return strict_match_key(slots)
    return _label_by_reading(question, verb)


@lru_cache(maxsize=1 << 16)
def _label_by_reading(question: str, verb: str) -> Label:
    # Imported here because the grammar and lemminflect are slow to load.
    from schemes.english.verbs import candidate_forms  # noqa: PLC0415
    from schemes.qasrl.walker import parse_question  # noqa: PLC0415

    slots = parse_question(question, *candidate_forms(verb)) if verb else None
    return question_label(question, slots)
