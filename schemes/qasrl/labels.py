"""The label of a question: equal for two questions that ask for the same role."""

from collections.abc import Hashable
from functools import lru_cache

from schemes.qasrl.slots import Slots, strict_match_key

Label = Hashable


def question_label(question: str, slots: Slots | None) -> Label:
    """The STRICT-MATCH key of its slots; outside the template only the same text is the same."""
    if slots is not None:
        return strict_match_key(slots)
    return "text", question.casefold()


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
