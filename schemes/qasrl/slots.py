"""The slots of a question, named as in the published files, and their equivalence."""

from dataclasses import dataclass, fields

StrictMatchKey = tuple[str, str, str, bool, bool, bool]

# "will" is absent because it does not make the event uncertain (DESIGN.md, section 8).
_MODALS = frozenset({"can", "could", "may", "might", "must", "shall", "should", "would"})
_NEGATED_MODALS = frozenset(
    [
        "can't",
        "cannot",
        "couldn't",
        "mayn't",
        "mightn't",
        "mustn't",
        "shan't",
        "shouldn't",
        "wouldn't",
    ]
)
_FACTUALITY_CHANGING = _MODALS | _NEGATED_MODALS


@dataclass(frozen=True, slots=True)
class Slots:
    """A question's slots, spelled as in the published columns: lower case, "" if empty.

    `verb_prefix` is the text between subject and main verb, joined by `~!~`. `verb_slot_inflection`
    is Stem, PresentSingular3rd, Past, PastParticiple, PresentParticiple, or "" if the verb's forms
    are unknown.
    """

    wh: str
    aux: str
    subj: str
    verb_prefix: str
    verb_slot_inflection: str
    obj: str
    prep: str
    obj2: str
    is_passive: bool
    is_negated: bool

    def by_name(self) -> dict[str, str | bool]:
        """Return the slots keyed as the published columns."""
        return {name: getattr(self, name) for name in SLOT_NAMES}


SLOT_NAMES = tuple(field.name for field in fields(Slots))


def strict_match_key(slots: Slots) -> StrictMatchKey:
    """Return a key that is equal for equivalent questions.

    STRICT-MATCH (Roit et al. 2020, section 3.2) compares WH, SUBJ, OBJ, negation, voice and the
    presence of a factuality-changing modal. `it` equals something, because the template treats them
    alike.
    """
    return (
        slots.wh.lower(),
        _argument(slots.subj),
        _argument(slots.obj),
        slots.is_negated,
        slots.is_passive,
        changes_factuality(slots),
    )


def contradiction(question: str, slots: Slots) -> str:
    """Return a sentence about slots that the text of the question contradicts, or "".

    The verb phrase is not compared in full, because some published questions have another one.
    """
    words = [_argument(word) for word in question.lower().rstrip("? ").split()]
    before = slots.wh.split()
    after = [
        _argument(word) for slot in (slots.obj, slots.prep, slots.obj2) for word in slot.split()
    ]
    middle = words[len(before) : len(words) - len(after)]
    if words[: len(before)] != before:
        return f"wh is “{slots.wh}”, but the question is “{question}”."
    if words[len(words) - len(after) :] != after or not middle:
        texts = " ".join(filter(None, (slots.obj, slots.prep, slots.obj2)))
        return f"obj, prep and obj2 are “{texts}”, but the question is “{question}”."
    subject = [_argument(word) for word in slots.subj.split()]
    if subject != [word for word in middle if word in _SUBJECTS]:
        return f"subj is “{slots.subj}”, but the question is “{question}”."
    is_negated = any(word in ("not", "cannot") or word.endswith("n't") for word in middle)
    if is_negated != slots.is_negated:
        return f"is_negated is {slots.is_negated}, but the question is “{question}”."
    return ""


def changes_factuality(slots: Slots) -> bool:
    """Return True if the question has a modal such as "might", which makes the event uncertain."""
    return slots.aux.lower() in _FACTUALITY_CHANGING


_SUBJECTS = ("someone", "something")


def _argument(filler: str) -> str:
    lowered = filler.lower()
    return "something" if lowered == "it" else lowered
