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


def changes_factuality(slots: Slots) -> bool:
    """Return True if the question has a modal such as "might", which makes the event uncertain."""
    return slots.aux.lower() in _FACTUALITY_CHANGING


def _argument(filler: str) -> str:
    lowered = filler.lower()
    return "something" if lowered == "it" else lowered
