"""The text of a sentence in CoNLL-U as it was written, from its words and multiword tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from schemes.original_text import Offset, align, align_words

_NO_SPACE = "SpaceAfter=No"


@dataclass(slots=True)
class WrittenWords:
    """The written words of a sentence. A multiword token stands for several of its words."""

    _surfaces: list[tuple[str, list[str], bool]] = field(default_factory=list)
    _waiting: int = 0
    _is_known: bool = True

    def add_word(self, form: str, misc: str | None) -> None:
        """Add a word, which may belong to the multiword token before it."""
        if self._waiting:
            self._surfaces[-1][1].append(form)
            self._waiting -= 1
        else:
            self._surfaces.append((form, [form], _has_space(misc)))

    def add_token(self, form: str, misc: str | None, *, words: int) -> None:
        """Add a multiword token, whose words follow. Its form is `_` if it is unknown."""
        self._is_known &= form != "_"
        self._surfaces.append((form, [], _has_space(misc)))
        self._waiting = words

    def text(self, given: str) -> tuple[str, tuple[Offset, ...]]:
        """Return the text with the offsets of the words, if they are known.

        The text is the given one, else it follows from words without a blank after them.
        """
        text = given or self._joined()
        if not text:
            return "", ()
        if not self._is_known:
            words = [word for _, within, _ in self._surfaces for word in within]
            return text, tuple(align(words, text) or ())
        surfaces: Sequence[tuple[str, Sequence[str]]] = [
            (form, words) for form, words, _ in self._surfaces
        ]
        return text, tuple(align_words(surfaces, text) or ())

    def _joined(self) -> str:
        if not self._is_known:
            return ""
        if all(space and len(words) == 1 for _, words, space in self._surfaces):
            return ""
        return "".join(self._parts()).strip()

    def _parts(self) -> Iterator[str]:
        for form, _, space in self._surfaces:
            yield form + " " * space


def _has_space(misc: str | None) -> bool:
    return misc is None or _NO_SPACE not in misc.split("|")
