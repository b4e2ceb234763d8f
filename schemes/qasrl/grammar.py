"""The question template: a declarative grammar, compiled to a small automaton over words.

`WH AUX SUBJ VERB OBJ PREP OBJ2 ?` (He et al. 2015; FitzGerald et al. 2018). All items share the
automaton, as JSON. An item adds its verb forms and prepositions (`item_table`), and items of nouns
add two question words (Klein et al. 2020). Python and the page's script run both in the same way
(`walker.py`, `static/js/schemes/qasrl/grammar.js`).

An edge accepts any word of a class and writes it into a slot. Some questions have two readings. The
order of the edges resolves them by one rule: **the reading that fills the slot further left wins**,
and the questioned slot is also the one further left. In "What did someone do?" with the verb *do*,
"did" is the auxiliary. In "What did someone tell someone?" the question is about the object, and
the second "someone" is OBJ2, as in the published files.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from schemes.contract.values import Json, Tokens
from schemes.english.forms import FORM_NAMES, VerbForms, form_rows
from schemes.qasrl.prepositions import offered_prepositions

CLASSES: dict[str, list[str]] = {
    "who": ["who", "what"],
    "when": ["when", "why"],
    "where": ["where"],
    "how": ["how"],
    "extent": ["much", "long"],
    "be": ["is", "was"],
    "be not": ["isn't", "wasn't"],
    "do": ["does", "did"],
    "do not": ["doesn't", "didn't"],
    "have": ["has", "had"],
    "have not": ["hasn't", "hadn't"],
    "modal": ["can", "will", "might", "would", "should"],
    "modal not": ["can't", "won't", "wouldn't", "shouldn't"],
    "not": ["not"],
    "BE": ["be"],
    "BEING": ["being"],
    "BEEN": ["been"],
    "HAVE": ["have"],
    "subject": ["someone", "something", "it"],
    "noun": ["someone", "something"],
    "thing": ["something"],
    "somewhere": ["somewhere"],
    "to": ["to"],
    "DO": ["do"],
    "DOING": ["doing"],
    "WHAT": ["what"],
    "circumstances": ["circumstances"],
    "purpose": ["purpose"],
}
# Words for which the template has another, which says the same or comes nearest.
SUBSTITUTES = {
    "could": "might",
    "may": "might",
    "must": "should",
    "ought": "should",
    "shall": "will",
    "cannot": "can't",
    "couldn't": "can't",
    "mustn't": "shouldn't",
    "needn't": "shouldn't",
    "shan't": "won't",
    "are": "is",
    "were": "was",
    "aren't": "isn't",
    "weren't": "wasn't",
    "don't": "doesn't",
    "haven't": "hasn't",
    "whom": "who",
    "which": "what",
}
# Classes filled by the item: the five forms and the prepositions without "to". "second" and
# "second to" follow another preposition directly ("out" + "of"). "in" and "for" begin the question
# words of nouns, and have no word in items of verbs.
ITEM_CLASSES = (*FORM_NAMES, "preposition", "second", "second to", "in", "for")


@dataclass(frozen=True, slots=True)
class State:
    """A state with its edges `(class, slot, next)` in order. `ends` marks a final state."""

    ends: bool
    edges: tuple[tuple[str, str, "State"], ...]


class Pattern:
    """A set of word sequences. `a + b` is a sequence, `a | b` an alternative that prefers a."""

    def before(self, rest: State) -> State:
        """Return the state that accepts this pattern followed by `rest`."""
        raise NotImplementedError

    def __add__(self, other: "Pattern") -> "Pattern":
        return _Sequence(self, other)

    def __or__(self, other: "Pattern") -> "Pattern":
        return _Either(self, other)


@dataclass(frozen=True, slots=True)
class Word(Pattern):
    slot: str
    word_class: str

    def before(self, rest: State) -> State:
        return State(ends=False, edges=((self.word_class, self.slot, rest),))


class _Nothing(Pattern):
    def before(self, rest: State) -> State:
        return rest


@dataclass(frozen=True, slots=True)
class _Sequence(Pattern):
    first: Pattern
    then: Pattern

    def before(self, rest: State) -> State:
        return self.first.before(self.then.before(rest))


@dataclass(frozen=True, slots=True)
class _Either(Pattern):
    first: Pattern
    other: Pattern

    def before(self, rest: State) -> State:
        return _union(self.first.before(rest), self.other.before(rest))


def _union(first: State, other: State) -> State:
    """Merge edges with equal class and slot, so that choices are made as late as possible."""
    merged: dict[tuple[str, str], State] = {}
    for word_class, slot, target in (*first.edges, *other.edges):
        known = merged.get((word_class, slot))
        merged[word_class, slot] = target if known is None else _union(known, target)
    edges = tuple((word_class, slot, target) for (word_class, slot), target in merged.items())
    return State(first.ends or other.ends, edges)


NOTHING: Pattern = _Nothing()


def optional(pattern: Pattern) -> Pattern:
    return pattern | NOTHING


SUBJ = Word("subj", "subject")
OBJ = Word("obj", "noun")
OBJ2 = Word("obj2", "noun")
SOMEWHERE = Word("obj2", "somewhere")

STEM, PRESENT, ING, PAST, PARTICIPLE = (Word("verb", name) for name in FORM_NAMES)
BE, BEING, BEEN, HAVE = (Word("prefix", name) for name in ("BE", "BEING", "BEEN", "HAVE"))
NOT = Word("prefix", "not")

FINITE = PRESENT | PAST
VERB = {
    "be": ING | BEING + PARTICIPLE | PARTICIPLE,
    "do": STEM,
    "have": PARTICIPLE | BEEN + ING | BEEN + PARTICIPLE,
    "modal": (
        STEM | BE + (ING | PARTICIPLE) | HAVE + PARTICIPLE | HAVE + BEEN + (ING | PARTICIPLE)
    ),
}

# A preposition of one or two words. Its last word determines what may follow.
_SOME_PREP = Word("prep", "preposition") | Word("prep", "to")
TO = Word("prep", "to")
PREP = Word("prep", "preposition") | TO | _SOME_PREP + Word("prep", "second")
PAIR_WITH_TO = _SOME_PREP + Word("prep", "second to")
# `do` and `doing` are OBJ2 at the end of a question, where the verb phrase is what is asked for.
# Before "something" they are part of PREP.
DO_ASKED, DOING_ASKED = Word("obj2", "DO"), Word("obj2", "DOING")
_THING = Word("obj2", "thing")
DO_SO, DOING_SO = Word("prep", "DO") + _THING, Word("prep", "DOING") + _THING

# Any preposition may end a question ("Who was listened to?"), except a pair such as "out to".
PHRASE = PREP + (OBJ2 | DOING_SO | NOTHING) | TO + DO_SO | PAIR_WITH_TO + (OBJ2 | DO_SO)
BARE_VERB = DO_SO | DOING_SO

# After the verb, if the question is about the subject or an adverbial.
COMPLETE = OBJ + optional(OBJ2) | optional(OBJ) + (SOMEWHERE | PHRASE | BARE_VERB) | NOTHING
# `where` asks for the place in OBJ2, including a place after a pair such as "out to".
COMPLETE_WHERE = COMPLETE | optional(OBJ) + PAIR_WITH_TO
# After the verb, if who or what asks for the object ...
_OBJECT_ASKED = OBJ2 | SOMEWHERE | PHRASE | BARE_VERB | NOTHING
# ... or for OBJ2, the object of a preposition or the verb phrase of `to do` and `doing`.
_PHRASE_ASKED = PREP + optional(DOING_ASKED) | TO + DO_ASKED | PAIR_WITH_TO + optional(DO_ASKED)
_OBJ2_ASKED = _PHRASE_ASKED | DO_ASKED | DOING_ASKED
ASKING = optional(OBJ) + _OBJ2_ASKED | _OBJECT_ASKED


def _clause(subject: Pattern, then: Pattern) -> Pattern:
    """Return AUX, subject and the VERB that the auxiliary requires, with at most one `not`."""
    clause: Pattern | None = None
    for group, verb in VERB.items():
        plain = Word("aux", group) + subject + optional(NOT) + verb
        negated = Word("aux", f"{group} not") + subject + verb
        clause = plain | negated if clause is None else clause | plain | negated
    assert clause is not None
    return clause + then


_ADVERB = (
    Word("wh", "when")
    | Word("wh", "how") + optional(Word("wh", "extent"))
    | Word("wh", "in") + Word("wh", "WHAT") + Word("wh", "circumstances")
    | Word("wh", "for") + Word("wh", "WHAT") + Word("wh", "purpose")
)
QUESTION = (
    Word("wh", "who") + (_clause(SUBJ, ASKING) | _clause(NOTHING, COMPLETE) | FINITE + COMPLETE)
    | _ADVERB + _clause(SUBJ, COMPLETE)
    | Word("wh", "where") + _clause(SUBJ, COMPLETE_WHERE)
)


@cache
def automaton() -> Json:
    """Return the template as JSON, shared by all items.

    `classes` has the words by class, and `substitutes` those to use for others. `states` has
    `[ends, [[class, slot, state], ...]]`, starting with the initial state. Classes and slots are
    positions in `class_names` and `slots`.
    """
    states: dict[State, int] = {}
    _number(QUESTION.before(State(ends=True, edges=())), states)
    class_names = [*CLASSES, *ITEM_CLASSES]
    slots = ["wh", "aux", "subj", "prefix", "verb", "obj", "prep", "obj2"]
    last = len(states) - 1
    table = [
        [
            int(state.ends),
            [
                [class_names.index(word_class), slots.index(slot), last - states[target]]
                for word_class, slot, target in state.edges
            ],
        ]
        for state in reversed(states)
    ]
    return {
        "class_names": class_names,
        "classes": CLASSES,
        "substitutes": SUBSTITUTES,
        "slots": slots,
        "states": table,
    }


def _number(state: State, states: dict[State, int]) -> None:
    """Assign numbers to states, children first. Equal states share a number."""
    for _, _, target in state.edges:
        if target not in states:
            _number(target, states)
    states.setdefault(state, len(states))


def item_table(
    forms: VerbForms, tokens: Tokens, *, others: Iterable[VerbForms] = (), is_noun: bool = False
) -> Json:
    """Return an item's verb forms, its sentence's prepositions and pairs of them.

    `others` are other spellings of the verb. All are accepted. `openers` begin the question words
    of nouns.
    """
    singles, pairs = offered_prepositions(tokens)
    # Exclude forms of the verb itself, such as "given".
    own = {forms.present_participle, forms.past_participle}
    seconds: dict[str, list[str]] = {}
    for first, second in pairs:
        if not own & {first, second}:
            seconds.setdefault(first, []).append(second)
    return {
        "forms": form_rows([forms, *others]),
        "prepositions": [word for word in singles if word != "to" and word not in own],
        "pairs": seconds,
        "openers": openers(is_noun=is_noun),
    }


def openers(*, is_noun: bool) -> list[str]:
    return ["in", "for"] if is_noun else []
