"""The semantic role that a question asks for, by its slots (He et al. 2015, table 7).

QANom's evaluation compares questions by these roles (Klein et al. 2020). They ignore the modal, the
negation and the tense of a question.
"""

from functools import lru_cache

from schemes.qasrl.slots import Slots

# The role of all questions outside the table
UNGRAMMATICAL = "ungrammatical"
_CORE = frozenset({"who", "what"})
_ADJUNCT = frozenset({"how", "how long", "how much", "when", "where", "why"})


def role_of_question(question: str, slots: Slots | None, *, verb: str) -> str:
    """Return the role of a question in a file.

    It comes from the slot columns if they are filled, else from reading the question with the forms
    of `verb`.
    """
    if slots is None or not slots.wh:
        slots = _read_slots(question, verb)
    return UNGRAMMATICAL if slots is None else semantic_role(slots)


def semantic_role(slots: Slots) -> str:
    """Return R0, R1, R2, "R2 with", the question word, or "where from".

    R0 is the agent, which active questions ask for in the subject, and passive ones after "by". R1 is
    what happens to. R2 is a further object, with its preposition. Questions about when, where and so
    on have their question word as role, with a dangling preposition.
    UNGRAMMATICAL is the role of other question words, such as "in what circumstances", and of active
    questions that leave no gap. Two such questions have the same role.
    """
    if slots.wh in _ADJUNCT:
        return slots.wh if slots.obj2 else f"{slots.wh} {slots.prep}".strip()
    if slots.wh not in _CORE:
        return UNGRAMMATICAL
    if not slots.subj:
        return "R1" if slots.is_passive else "R0"
    if slots.is_passive:
        return "R0" if slots.prep == "by" else f"R2 {slots.prep}".strip()
    if not slots.obj:
        return "R1"
    return UNGRAMMATICAL if _fills_gap(slots.obj2) else f"R2 {slots.prep}".strip()


def _fills_gap(obj2: str) -> bool:
    return obj2 not in ("", "do", "doing")


@lru_cache(maxsize=1 << 16)
def _read_slots(question: str, verb: str) -> Slots | None:
    # Imported here because the grammar and lemminflect are slow to load.
    from schemes.english.verbs import candidate_forms  # noqa: PLC0415
    from schemes.qasrl.walker import parse_question  # noqa: PLC0415

    return parse_question(question, *candidate_forms(verb)) if verb else None
