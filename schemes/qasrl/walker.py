"""Walks the template over a text: what can come next, where it goes wrong, how it reads.

`static/js/qasrl/grammar.js` does the same, step by step; a test holds the two against each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from schemes.base import Json
from schemes.qasrl.forms import FORM_NAMES, VerbForms, forms_from_names
from schemes.qasrl.grammar import automaton
from schemes.qasrl.prepositions import ALWAYS_OFFERED, PREPOSITIONS
from schemes.qasrl.reading import Reading, Step, finished, reading_of
from schemes.qasrl.slots import Slots

# Nothing else separates words, in both languages: their own ideas of white space differ.
BLANKS = " \t\n\r\u00a0"
# Beyond this two words are not "near"; it also bounds the work that a long word makes.
_COMPARED = 24
NEAREST = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A word, in lower case and with a straight apostrophe, and where it stands in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Typed:
    words: tuple[Token, ...]
    # Where the question mark stands, None if there is none at the end.
    mark_at: int | None
    # The last word may still grow: nothing stands after it.
    is_open: bool


@dataclass(frozen=True, slots=True)
class Option:
    """A way to go on: `text` is the whole question so far, without the question mark.

    `ends`: it may end there; `goes_on`: more may follow.
    """

    text: str
    ends: bool
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Check:
    """`start` and `end` mark the word that goes wrong (or the question mark that comes too soon);
    `nearest` are the legal words there, nearest spelling first, "?" where the text may end."""

    state: Literal["complete", "unfinished", "wrong"]
    start: int
    end: int
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """One reading so far: a state of the automaton and the steps that led there."""

    state: int
    steps: tuple[Step, ...]


Exit = tuple[str, str, int]  # class, slot, next state
Exits = dict[tuple[int, str], dict[str, list[Exit]]]  # by state and, where it tells, the last word

# Of the states that lead to no form of the verb: the same for all open items, whatever their verb.
_COMMON: Exits = {}


class Walker:
    """The template for one item. `item` is what `grammar.item_table` made; None for `pairs` means
    that any two prepositions may stand together (questions of existing datasets)."""

    def __init__(self, item: Json) -> None:
        table = automaton()
        self.forms: VerbForms = forms_from_names(item["forms"])
        self._pairs: dict[str, list[str]] | None = item["pairs"]
        self._prepositions: list[str] = list(item["prepositions"])
        self._class_names: list[str] = table["class_names"]
        self._slots: list[str] = table["slots"]
        self._states = table["states"]
        self._words: dict[str, list[str]] = {
            **table["classes"],
            **{name: [form] for name, form in self.forms.by_name().items()},
            "preposition": self._prepositions,
        }
        self._exits: Exits = {}
        self._is_open = self._pairs is None and self._prepositions == _CLOSED_LIST

    # --- the walk

    def start(self) -> list[Thread]:
        return [Thread(0, ())]

    def step(self, threads: Sequence[Thread], word: str) -> list[Thread]:
        """The readings after one more word; of two that meet in a state the first one stays."""
        reached: dict[int, Thread] = {}
        for thread in threads:
            for word_class, slot, target in self._exits_of(thread).get(word, ()):
                if target not in reached:
                    reached[target] = Thread(target, (*thread.steps, (slot, word_class, word)))
        return list(reached.values())

    def moves(self, thread: Thread) -> Iterator[Thread]:
        """Every single step from a reading, in the grammar's order."""
        for word, exits in self._exits_of(thread).items():
            for word_class, slot, target in exits:
                yield Thread(target, (*thread.steps, (slot, word_class, word)))

    def choices(self, threads: Sequence[Thread]) -> list[str]:
        """The words that may come next, in the grammar's order, each once."""
        return list(dict.fromkeys(word for thread in threads for word in self._exits_of(thread)))

    def ends(self, threads: Iterable[Thread]) -> bool:
        return any(self._states[thread.state][0] for thread in threads)

    def _exits_of(self, thread: Thread) -> dict[str, list[Exit]]:
        """The edges that each word may take, in the grammar's order."""
        # Where any two prepositions may stand together, the first of them tells nothing.
        last = thread.steps[-1][2] if thread.steps and self._pairs is not None else ""
        is_common = self._is_open and thread.state not in _states_with_verb()
        found = _COMMON if is_common else self._exits
        known = found.get((thread.state, last))
        if known is not None:
            return known
        exits: dict[str, list[Exit]] = {}
        for word_class, slot, target in self._states[thread.state][1]:
            name = self._class_names[word_class]
            for word in self._fillers(name, last):
                exits.setdefault(word, []).append((name, self._slots[slot], target))
        found[thread.state, last] = exits
        return exits

    def _fillers(self, word_class: str, last: str) -> Sequence[str]:
        if not word_class.startswith("second"):
            return self._words[word_class]
        seconds = self._seconds(last)
        if word_class == "second to":
            return ["to"] if "to" in seconds else []
        return [word for word in seconds if word != "to"]

    def _seconds(self, first: str) -> Sequence[str]:
        if self._pairs is None:
            return [*self._prepositions, "to"]
        return self._pairs.get(first, [])

    def _walk(self, words: Iterable[str]) -> list[Thread]:
        threads = self.start()
        for word in words:
            threads = self.step(threads, word)
        return threads

    # --- what the page asks

    def complete(self, text: str) -> list[Option]:
        """The ways to finish the word being typed, each carried on to the next real choice.

        Empty where the text goes wrong before that word, and for a text that has its "?".
        """
        typed = split(text)
        if typed.mark_at is not None:
            return []
        words = [word.text for word in typed.words]
        begun = words.pop() if typed.is_open and words else ""
        threads = self._walk(words)
        return [
            self._option(words, word, threads)
            for word in self.choices(threads)
            if word.startswith(begun)
        ]

    def _option(self, words: Sequence[str], word: str, threads: Sequence[Thread]) -> Option:
        said, reached = [*words, word], self.step(threads, word)
        following = self.choices(reached)
        while len(following) == 1 and not self.ends(reached):
            said.append(following[0])
            reached = self.step(reached, following[0])
            following = self.choices(reached)
        text = finished(" ".join(said)).removesuffix("?")
        return Option(text, self.ends(reached), bool(following))

    def check(self, text: str) -> Check:
        """Whether the text is a question, can become one, or where it goes wrong."""
        typed = split(text)
        threads = self.start()
        for position, word in enumerate(typed.words):
            reached = self.step(threads, word.text)
            if not reached:
                is_last = position == len(typed.words) - 1 and typed.is_open
                return self._stopped(threads, word, is_last=is_last, length=len(text))
            threads = reached
        if self.ends(threads):
            return Check("complete", len(text), len(text), ())
        if typed.mark_at is None:
            return Check("unfinished", len(text), len(text), ())
        nearest = tuple(self.choices(threads)[:NEAREST])
        return Check("wrong", typed.mark_at, typed.mark_at + 1, nearest)

    def _stopped(
        self, threads: Sequence[Thread], word: Token, *, is_last: bool, length: int
    ) -> Check:
        legal = self.choices(threads)
        if is_last and any(each.startswith(word.text) for each in legal):
            return Check("unfinished", length, length, ())
        near = sorted(legal, key=lambda each: nearness(each, word.text))[:NEAREST]
        mark = ["?"] if self.ends(threads) else []
        return Check("wrong", word.start, word.end, (*near, *mark))

    def read(self, text: str) -> Reading | None:
        """The reading of a finished question, with or without its "?"; None if it is none."""
        threads = self._walk(word.text for word in split(text).words)
        for thread in threads:
            if self._states[thread.state][0]:
                return reading_of(thread.steps, self.forms)
        return None


def parse_question(text: str, forms: VerbForms) -> Slots | None:
    """The slots of a question from an existing dataset: any preposition of the closed list, alone
    or in pairs; None where the text is outside the template."""
    reading = read_question(text, forms)
    return reading.slots if reading else None


def read_question(text: str, forms: VerbForms) -> Reading | None:
    """As `parse_question`, with tense, aspect and the kind of negation."""
    return Walker(open_item(forms)).read(text)


def open_item(forms: VerbForms) -> Json:
    """An item table with every preposition of the closed list, alone and in pairs."""
    return {"forms": forms.by_name(), "prepositions": _CLOSED_LIST, "pairs": None}


@lru_cache(maxsize=1)
def _states_with_verb() -> frozenset[int]:
    table = automaton()
    verbs = {at for at, name in enumerate(table["class_names"]) if name in FORM_NAMES}
    return frozenset(
        at
        for at, (_, exits) in enumerate(table["states"])
        if any(word_class in verbs for word_class, _, _ in exits)
    )


_CLOSED_LIST = [
    *(word for word in ALWAYS_OFFERED if word != "to"),
    *sorted(PREPOSITIONS - set(ALWAYS_OFFERED)),
]


def split(text: str) -> Typed:
    """Words at their places; a question mark at the end, even after a blank, is none of them."""
    body = text.rstrip(BLANKS)
    mark_at = None
    if body.endswith("?"):
        body = body.rstrip("?" + BLANKS)
        mark_at = text.index("?", len(body))
    words, at = [], 0
    while at < len(body):
        end = at
        while end < len(body) and body[end] not in BLANKS:
            end += 1
        if end > at:
            words.append(Token(_folded(body[at:end]), at, end))
        at = end + 1
    return Typed(tuple(words), mark_at, is_open=bool(words) and len(body) == len(text))


def _folded(word: str) -> str:
    return word.lower().replace("\u2019", "'")


def nearness(legal: str, typed: str) -> int:
    """The lower the nearer; a word that only wants its end is nearest."""
    return 0 if legal.startswith(typed) else distance(legal, typed)


def distance(a: str, b: str) -> int:
    """Levenshtein's, over the first 24 characters of each."""
    a, b = a[:_COMPARED], b[:_COMPARED]
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(above + (left != right), row[j] + 1, row[j - 1] + 1)
    return row[-1]
