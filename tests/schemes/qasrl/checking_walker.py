"""A walker that completes and checks a typed text, to compare grammar.js with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemes.qasrl.grammar import SUBSTITUTES
from schemes.qasrl.reading import finished
from schemes.qasrl.walker import Path, Token, Walker, split

# Bounds the cost of comparing long words.
_COMPARED = 24
NEAREST = 5


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


class CheckingWalker(Walker):
    """A recognizer of the template that behaves exactly like that of the page."""

    def choices(self, paths: Sequence[Path]) -> list[str]:
        """Return the distinct words that may come next, in the grammar's order."""
        return list(dict.fromkeys(word for path in paths for word in self._transitions_of(path)))

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
