"""A recognizer of the question template.

It returns possible continuations, locates errors and reads questions. `Walker` must behave
exactly like `static/js/schemes/qasrl/grammar.js`, and a test compares the two.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from schemes.contract.values import Json
from schemes.english.forms import FORM_NAMES, VerbForms, form_rows
from schemes.qasrl.grammar import SUBSTITUTES, automaton, openers
from schemes.qasrl.prepositions import ALWAYS_OFFERED, WORDS
from schemes.qasrl.reading import Reading, Step, finished, reading_of
from schemes.qasrl.slots import Slots

# Python and JavaScript define white space differently, so the separators are explicit.
BLANKS = " \t\n\r\u00a0"
# Bounds the cost of comparing long words.
_COMPARED = 24
NEAREST = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A lower-case word with straight apostrophes, and its position in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Typed:
    """A text split into words."""

    words: tuple[Token, ...]
    # Position of the final question mark, or None.
    mark_at: int | None
    # The last word may be incomplete, because nothing follows it.
    is_open: bool


@dataclass(frozen=True, slots=True)
class Option:
    """A continuation. `text` is the question so far, without the question mark.

    `ends` is set if the question may end there, `goes_on` if more words may follow.
    """

    text: str
    ends: bool
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Check:
    """The state of a text.

    `start` and `end` delimit the first wrong word, or a question mark that is too early. `nearest`
    are the legal words there by similarity, including "?" where the text may end. `substitute` is the
    template's word for the wrong one, or "".
    """

    state: Literal["complete", "unfinished", "wrong"]
    start: int
    end: int
    nearest: tuple[str, ...]
    substitute: str = ""


@dataclass(frozen=True, slots=True)
class Path:
    """A partial reading: a state of the automaton and the steps that led to it."""

    state: int
    steps: tuple[Step, ...]


Transition = tuple[str, str, int]  # class, slot, next state
Transitions = dict[
    tuple[int, str], dict[str, list[Transition]]
]  # by state and, if relevant, last word

# Transitions from states that lead to no verb form. All open items of verbs share them.
_COMMON: Transitions = {}


class Walker:
    """A recognizer of the template for one item.

    `item` comes from `grammar.item_table`. If its `pairs` is None, any two prepositions may be
    combined, as in questions of existing datasets.
    """

    def __init__(self, item: Json) -> None:
        table = automaton()
        self.spellings = tuple(VerbForms(*row) for row in item["forms"])
        self._pairs: dict[str, list[str]] | None = item["pairs"]
        self._prepositions: list[str] = list(item["prepositions"])
        self._openers: list[str] = item["openers"]
        self._class_names: list[str] = table["class_names"]
        self._slots: list[str] = table["slots"]
        self._states = table["states"]
        self._words: dict[str, list[str]] = {
            **table["classes"],
            **_words_by_form(self.spellings),
            "preposition": self._prepositions,
        }
        self._transitions: Transitions = {}
        is_open = self._pairs is None and self._prepositions == _CLOSED_LIST
        self._shares_transitions = is_open and not self._openers

    def start(self) -> list[Path]:
        return [Path(0, ())]

    def step(self, paths: Sequence[Path], word: str) -> list[Path]:
        """Extend the readings by a word. The first reading of each state wins."""
        reached: dict[int, Path] = {}
        for path in paths:
            for word_class, slot, target in self._transitions_of(path).get(word, ()):
                if target not in reached:
                    reached[target] = Path(target, (*path.steps, (slot, word_class, word)))
        return list(reached.values())

    def moves(self, path: Path) -> Iterator[Path]:
        """Yield every single-step extension of a reading, in the grammar's order."""
        for word, transitions in self._transitions_of(path).items():
            for word_class, slot, target in transitions:
                yield Path(target, (*path.steps, (slot, word_class, word)))

    def choices(self, paths: Sequence[Path]) -> list[str]:
        """Return the distinct words that may come next, in the grammar's order."""
        return list(dict.fromkeys(word for path in paths for word in self._transitions_of(path)))

    def ends(self, paths: Iterable[Path]) -> bool:
        return any(self._states[path.state][0] for path in paths)

    def _transitions_of(self, path: Path) -> dict[str, list[Transition]]:
        """Return the transitions of each word, in the grammar's order."""
        # The last word matters only if preposition pairs are restricted.
        last = path.steps[-1][2] if path.steps and self._pairs is not None else ""
        is_common = self._shares_transitions and path.state not in _states_with_verb()
        cache = _COMMON if is_common else self._transitions
        known = cache.get((path.state, last))
        if known is not None:
            return known
        transitions: dict[str, list[Transition]] = {}
        for word_class, slot, target in self._states[path.state][1]:
            name = self._class_names[word_class]
            for word in self._fillers(name, last):
                transitions.setdefault(word, []).append((name, self._slots[slot], target))
        cache[path.state, last] = transitions
        return transitions

    def _fillers(self, word_class: str, last: str) -> Sequence[str]:
        if word_class in ("in", "for"):
            return [word for word in self._openers if word == word_class]
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

    def _walk(self, words: Iterable[str]) -> list[Path]:
        paths = self.start()
        for word in words:
            paths = self.step(paths, word)
        return paths

    def complete(self, text: str) -> list[Option]:
        """Return the completions of the word being typed, each extended to the next choice.

        Empty for a text with an earlier error and for a text with a "?".
        """
        typed = split(text)
        if typed.mark_at is not None:
            return []
        words = [word.text for word in typed.words]
        begun = words.pop() if typed.is_open and words else ""
        paths = self._walk(words)
        return [
            self._option(words, word, paths)
            for word in self.choices(paths)
            if word.startswith(begun)
        ]

    def _option(self, words: Sequence[str], word: str, paths: Sequence[Path]) -> Option:
        extended, reached = [*words, word], self.step(paths, word)
        following = self.choices(reached)
        while len(following) == 1 and not self.ends(reached):
            extended.append(following[0])
            reached = self.step(reached, following[0])
            following = self.choices(reached)
        text = finished(" ".join(extended)).removesuffix("?")
        return Option(text, self.ends(reached), bool(following))

    def check(self, text: str) -> Check:
        """Return the state of the text: complete, unfinished or wrong."""
        typed = split(text)
        paths = self.start()
        for position, word in enumerate(typed.words):
            reached = self.step(paths, word.text)
            if not reached:
                is_last = position == len(typed.words) - 1 and typed.is_open
                return self._stopped(paths, word, is_last=is_last, length=len(text))
            paths = reached
        if self.ends(paths):
            return Check("complete", len(text), len(text), ())
        if typed.mark_at is None:
            return Check("unfinished", len(text), len(text), ())
        nearest = tuple(self.choices(paths)[:NEAREST])
        return Check("wrong", typed.mark_at, typed.mark_at + 1, nearest)

    def _stopped(self, paths: Sequence[Path], word: Token, *, is_last: bool, length: int) -> Check:
        legal = self.choices(paths)
        if is_last and any(choice.startswith(word.text) for choice in legal):
            return Check("unfinished", length, length, ())
        substitute = SUBSTITUTES.get(word.text, "")
        if substitute not in legal:
            substitute = ""
        near = sorted(
            legal, key=lambda choice: (choice != substitute, nearness(choice, word.text))
        )[:NEAREST]
        mark = ["?"] if self.ends(paths) else []
        return Check("wrong", word.start, word.end, (*near, *mark), substitute)

    def read(self, text: str) -> Reading | None:
        """Return the reading of a finished question, with or without "?", or None."""
        paths = self._walk(word.text for word in split(text).words)
        for path in paths:
            if self._states[path.state][0]:
                return reading_of(path.steps, self.spellings)
        return None


def parse_question(text: str, *spellings: VerbForms) -> Slots | None:
    """Return the slots of a question from an existing dataset, or None outside the template.

    Accepts all spellings of the verb, and all prepositions of the closed list, alone or in pairs.
    """
    reading = read_question(text, *spellings)
    return reading.slots if reading else None


def read_question(text: str, *spellings: VerbForms) -> Reading | None:
    """Return the reading of a question from an existing dataset, as `parse_question` does."""
    return Walker(open_item(*spellings)).read(text)


def open_item(*spellings: VerbForms, is_noun: bool = False) -> Json:
    """Return an item table with all prepositions of the closed list and all pairs."""
    return {
        "forms": form_rows(spellings),
        "prepositions": _CLOSED_LIST,
        "pairs": None,
        "openers": openers(is_noun=is_noun),
    }


def _words_by_form(spellings: Sequence[VerbForms]) -> dict[str, list[str]]:
    rows = zip(*form_rows(spellings), strict=True)
    return {name: list(dict.fromkeys(row)) for name, row in zip(FORM_NAMES, rows, strict=True)}


@lru_cache(maxsize=1)
def _states_with_verb() -> frozenset[int]:
    table = automaton()
    verbs = {at for at, name in enumerate(table["class_names"]) if name in FORM_NAMES}
    return frozenset(
        at
        for at, (_, transitions) in enumerate(table["states"])
        if any(word_class in verbs for word_class, _, _ in transitions)
    )


_CLOSED_LIST = [
    *(word for word in ALWAYS_OFFERED if word != "to"),
    *sorted(WORDS - set(ALWAYS_OFFERED)),
]


def split(text: str) -> Typed:
    """Split a text into words with positions. A final question mark is not a word."""
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
    """Return the distance of a typed word from a legal one, 0 for a prefix."""
    return 0 if legal.startswith(typed) else distance(legal, typed)


def distance(a: str, b: str) -> int:
    """Return the Levenshtein distance of the first 24 characters."""
    a, b = a[:_COMPARED], b[:_COMPARED]
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(above + (left != right), row[j] + 1, row[j - 1] + 1)
    return row[-1]
