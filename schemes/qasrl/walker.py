"""A recognizer of the question template.

It reads questions, as `Walker` of `static/js/schemes/qasrl/grammar.js` does. The page also completes and
checks what is typed, and a test compares both with `tests/schemes/qasrl/checking_walker.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from schemes.contract.values import Json
from schemes.english.forms import FORM_NAMES, VerbForms, form_rows
from schemes.qasrl.grammar import automaton, openers
from schemes.qasrl.prepositions import ALWAYS_OFFERED, WORDS
from schemes.qasrl.reading import Reading, Step, reading_of
from schemes.qasrl.slots import Slots

# Python and JavaScript define white space differently, so the separators are explicit.
BLANKS = " \t\n\r\u00a0"


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
        rows = zip(*form_rows(self.spellings), strict=True)
        self._words: dict[str, list[str]] = {
            **table["classes"],
            **{name: list(dict.fromkeys(row)) for name, row in zip(FORM_NAMES, rows, strict=True)},
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
