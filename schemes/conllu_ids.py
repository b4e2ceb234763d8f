"""The ids of a sentence's lines in CoNLL-U: words, multiword tokens and empty nodes, in order."""

import re

_WORD = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")


class IdError(ValueError):
    """An id that does not follow those before it."""


class IdSequence:
    """A check of the ids of a sentence, which are added in the order of the file.

    Words have the ids 1, 2, 3 and so on. A multiword token such as 2-3 stands before its first word
    and does not overlap another. Empty nodes such as 2.1 and 2.2 stand after word 2.
    """

    def __init__(self) -> None:
        self._word = 0
        self._empty_node = 0
        self._range_end = 0

    def add(self, text: str) -> int:
        """Return the number of a word, or 0 for a multiword token or empty node.

        Raise IdError.
        """
        if text == str(self._word + 1):
            self._word += 1
            self._empty_node = 0
            return self._word
        if match := _RANGE.fullmatch(text):
            self._add_range(int(match[1]), int(match[2]))
        elif match := _EMPTY_NODE.fullmatch(text):
            self._add_empty_node(int(match[1]), int(match[2]))
        else:
            raise IdError(self._problem(text))
        return 0

    def end(self) -> None:
        """Raise IdError if the sentence ends within a multiword token."""
        if self._range_end > self._word:
            raise IdError(f"is the last line, but a multiword token ends at {self._range_end}.")

    def _add_range(self, start: int, end: int) -> None:
        if start <= self._range_end:
            raise IdError(f"{start}-{end} overlaps another multiword token.")
        if start != self._word + 1 or end < start:
            raise IdError(f"{start}-{end} is not the id of a multiword token before its words.")
        self._range_end = end

    def _add_empty_node(self, word: int, number: int) -> None:
        if (word, number) != (self._word, self._empty_node + 1):
            expected = f"{self._word}.{self._empty_node + 1}"
            raise IdError(f"{word}.{number} is an empty node where {expected} is expected.")
        self._empty_node = number

    def _problem(self, text: str) -> str:
        if text == "1":
            return "starts with word 1 again; a blank line is missing before this sentence."
        if not _WORD.fullmatch(text):
            return f"is not CoNLL-U: {text[:20]!r} is not an id."
        return f"has the id {text} where {self._word + 1} is expected; ids must be 1, 2, 3 ..."
