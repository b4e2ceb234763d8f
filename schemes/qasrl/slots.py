"""The slots of a question, named as in the published files, and their equivalence."""

from dataclasses import dataclass, fields
from functools import lru_cache

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


@lru_cache(maxsize=1 << 14)
def strict_match_key(slots: Slots) -> StrictMatchKey:
    """Return a key that is equal for equivalent questions, cached because slots recur.

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
    """Return a sentence about a slot whose words are not in the question, or "".

    Empty slots are not compared, and neither is the order of slots, because published files lack some
    auxiliaries and have other orders. Neither are two adverbs, such as when and where, because a
    published question has the other one.
    """
    left = question_words(question)
    if slots.wh in ADVERBS and left and left[0] in ADVERBS:
        left[0] = slots.wh
    for name in _TEXT_SLOTS:
        text = str(getattr(slots, name)).replace("~!~", " ")
        if "?" in text:
            return f"{name} is “{text}”, which is no word of a question."
        for word in question_words(text):
            if word == _NOT and name in ("aux", "verb_prefix"):
                continue  # see is_negated
            if word not in left:
                return f"{name} is “{text}”, but the question is “{question}”."
            left.remove(word)
    if (_NOT in left) != slots.is_negated:
        return f"is_negated is {slots.is_negated}, but the question is “{question}”."
    return ""


def are_in_order(question: str, slots: Slots) -> bool:
    """Return True if the question has the words of the slots in their order, around its verb.

    Only the auxiliary may be missing in the slots, as it is in some published files.
    Objects and prepositions are compared together, because published files put some of them into the
    next column. Adverbs such as when and where may differ, because a published question has the other.
    """
    words = question_words(question)
    before = question_words(slots.wh)
    after = [word for text in (slots.obj, slots.prep, slots.obj2) for word in question_words(text)]
    middle = words[len(before) : len(words) - len(after)]
    same_wh = words[: len(before)] == before or (slots.wh in ADVERBS and words[0] in ADVERBS)
    subjects = [word for word in middle if word in ("someone", "something")]
    others = words_of_no_slot(" ".join([*before, *words[len(before) :]]), slots)
    lacks_auxiliary = not slots.aux and len(others) == 2 and others[0] in AUXILIARIES
    return (
        same_wh
        and (len(others) == 1 or lacks_auxiliary)
        and middle[-1:] == others[-1:]
        and words[len(words) - len(after) :] == after
        and subjects == question_words(slots.subj)
    )


def words_of_no_slot(question: str, slots: Slots) -> list[str]:
    """Return the words of a question that are in none of its slots, such as its verb."""
    left = [word for word in question_words(question) if word != _NOT]
    for name in _TEXT_SLOTS:
        for word in question_words(str(getattr(slots, name)).replace("~!~", " ")):
            if word in left:
                left.remove(word)
    return left


def question_words(text: str) -> list[str]:
    """Return the words of a question or slot for comparisons, with negations as words of their own."""
    words = []
    for word in text.lower().replace("\u2019", "'").rstrip("? ").split():
        if word == "cannot" or word.endswith("n't"):
            words += [_POSITIVE.get(word, word[:-3]), _NOT]
        else:
            words.append(_argument(word))
    return words


AUXILIARIES = frozenset(
    [
        *("is", "was", "does", "did", "has", "had", "can", "could"),
        *("may", "might", "must", "shall", "should", "will", "would"),
    ]
)
ADVERBS = ("when", "where", "why", "how")
_TEXT_SLOTS = ("wh", "aux", "subj", "verb_prefix", "obj", "prep", "obj2")
_NOT = "not"
_POSITIVE = {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall"}


def changes_factuality(slots: Slots) -> bool:
    """Return True if the question has a modal such as "might", which makes the event uncertain."""
    return slots.aux.lower() in _FACTUALITY_CHANGING


def _argument(filler: str) -> str:
    lowered = filler.lower()
    return "something" if lowered == "it" else lowered
