"""An item of annotation with everything that is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from schemes.contract.values import Image, Json, Noun, Tokens
from schemes.original_text import Offsets, ShownToken, shown_tokens, span_text, words_text


class Suggestions(StrEnum):
    """The units that a page suggests before they are written.

    `GRAMMAR` ranks them by the sentence alone. `LEARNED` ranks them by what annotators wrote before.
    """

    OFF = "off"
    GRAMMAR = "grammar"
    LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another sentence of the document, which pages show as context. Fields as in ItemContext."""

    external_id: str
    tokens: Tokens
    text: str = ""
    offsets: Offsets = ()

    @property
    def shown_text(self) -> str:
        return self.text or " ".join(self.tokens)

    def span_text(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to before `end` as it was written."""
        return span_text(self.tokens, self.text, self.offsets, start, end)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The sentences before and after a sentence in its document, in their order.

    A side of a long document is cut if further sentences are not shown.
    """

    before: Sequence[Neighbour] = ()
    after: Sequence[Neighbour] = ()
    is_cut_before: bool = False
    is_cut_after: bool = False

    @property
    def summary(self) -> str:
        """Return the numbers of sentences, such as "2 sentences before, 1 sentence after"."""
        counts = ((len(self.before), "before"), (len(self.after), "after"))
        parts = [f"{_SENTENCE.count(count)} {place}" for count, place in counts if count]
        return ", ".join(parts) or "too long to show"


@dataclass(frozen=True, slots=True)
class ItemContext:
    """An item, or a sentence without a target.

    `resources` maps the names of the project's resources (such as a lexicon) to plain values.
    `free_form` allows units outside the scheme's template, if it has one. `suggestions` are those of
    the item's page. `asks_implied` is set if people mark what the text only implies, and
    `allows_context_answers` if answers may lie in the neighbours. `text` is the sentence as it was
    written, or "", and `offsets` has the range of each token in it, if they are known. `neighbours`
    are those that the item's page shows, for pages and submissions only.
    """

    tokens: Tokens
    target: Json = field(default_factory=dict)
    image: Image | None = None
    metadata: Json = field(default_factory=dict)
    resources: Mapping[str, Any] = field(default_factory=dict)
    free_form: bool = True
    suggestions: Suggestions = Suggestions.GRAMMAR
    asks_implied: bool = False
    allows_context_answers: bool = False
    text: str = ""
    offsets: Offsets = ()
    neighbours: Neighbours = Neighbours()

    def span_text(self, start: int, end: int) -> str:
        """Return the text of the tokens from `start` to before `end` as it was written."""
        return span_text(self.tokens, self.text, self.offsets, start, end)

    def words_text(self, positions: Sequence[int]) -> str:
        """Return the text of tokens in ascending order as it was written."""
        return words_text(self.tokens, self.text, self.offsets, positions)

    def shown_tokens(self) -> list[ShownToken]:
        """Return the tokens as pages show them."""
        return shown_tokens(self.tokens, self.text, self.offsets)


_SENTENCE = Noun("sentence", "sentences")
