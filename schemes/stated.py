"""Comparison of what a file states with what is stored, for every scheme and format.

Many formats say twice what they mean, such as an answer and its range, or a verb and its position. A
file whose words differ from the words at its positions was made for another text, or its positions
are shifted. Case, Unicode normal forms, blanks, and the spelling of quotes and brackets don't matter.
`?` stands for any letter, because published files have it in place of letters that they lost.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from schemes.contract.corpus import Corpus
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, ItemRecord, Stated, StatedWords
from schemes.contract.values import Image, Tokens
from schemes.english.lemmas import is_lemma_of
from schemes.import_settings import Setting

MAX_SHOWN = 100
OTHER_TOKENS = "has other tokens than the sentence."
_BRACKETS = {
    "-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}",
}  # fmt: skip
_BRACKET = re.compile("|".join(_BRACKETS))
_QUOTES = str.maketrans("“”„«»‘’‚‛`´", '"""""' + "''''''")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that a file states and that is stored otherwise. `line` is 0 if it is the record's."""

    field: str
    message: str
    line: int = 0


def contradictions(stated: Stated, context: ItemContext) -> Iterator[Contradiction]:
    """Yield everything that a file states and the context contradicts, except its tokens."""
    if stated.text and not same_words(stated.text, context.tokens):
        there = shown(context.tokens)
        message = f"is “{shown([stated.text])}”, but the sentence is “{there}”."
        yield Contradiction("sentence", message)
    for words in stated.words:
        if message := _word_message(words, context):
            yield Contradiction(words.field, message, words.line)
    if context.image is not None:
        yield from _image_errors(stated, context.image)


def _word_message(words: StatedWords, context: ItemContext) -> str:
    tokens, positions = context.tokens, words.positions
    if positions and not all(0 <= at < len(tokens) for at in positions):
        place = words.place or _range(positions)
        return f"{place} is not in the sentence, which has {len(tokens)} tokens."
    if not words.text:
        return ""
    there = [tokens[at] for at in positions]
    if same_words(words.text, there):
        return ""
    if words.is_lemma and _is_lemma(words.text, positions, context):
        return ""
    if not positions:
        return f"is “{shown([words.text])}”, but the file has no positions of these words."
    return f"{words.place or _range(positions)} is “{shown(there)}”, not “{shown([words.text])}”."


def _range(positions: Sequence[int]) -> str:
    """Return the positions as a half-open range, as published files write them, if they have no gap."""
    first, last = positions[0], positions[-1]
    if list(positions) != list(range(first, last + 1)):
        return "_".join(map(str, positions))
    return f"{first}:{last + 1}"


def shown(words: Tokens) -> str:
    text = " ".join(words)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def same_words(text: str, tokens: Tokens) -> bool:
    """Return True if the text has the words of the tokens."""
    there = spelled("".join(tokens))
    said = spelled(text)
    if said == there:
        return True
    # A question mark alone is punctuation.
    if "?" not in said or not any(map(str.isalnum, said)):
        return False
    return _pattern(said).fullmatch(there) is not None


@lru_cache(maxsize=1 << 10)
def _pattern(said: str) -> re.Pattern[str]:
    return re.compile("".join(r"(?:\?|[^\W\d_])" if c == "?" else re.escape(c) for c in said))


@lru_cache(maxsize=1 << 15)
def spelled(text: str) -> str:
    """Return the text without blanks and differences that don't matter."""
    if text.isascii():
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
        plain = plain.translate(_QUOTES)
    plain = "".join(plain.split()).replace("``", '"').replace("''", '"').replace("`", "'")
    return _BRACKET.sub(lambda match: _BRACKETS[match[0]], plain) if "-" in plain else plain


def _is_lemma(text: str, positions: Sequence[int], context: ItemContext) -> bool:
    """Return True if the text has the lemmas of the words, joined by `_` or blanks."""
    lemmas = context.metadata.get("lemmas") or context.tokens
    parts = re.split(r"[_\s]+", text)
    if len(parts) != len(positions):
        joined = "".join(str(lemmas[at]) for at in positions).replace("_", "")
        return spelled("".join(parts)) == spelled(joined)
    return all(
        spelled(part) in (spelled(context.tokens[at]), spelled(str(lemmas[at])))
        or is_lemma_of(part, context.tokens[at])
        for part, at in zip(parts, positions, strict=True)
    )


def _image_errors(stated: Stated, image: Image) -> Iterator[Contradiction]:
    if stated.image and not same_file(stated.image, image.name):
        yield Contradiction("image", f"the file names {stated.image}, but it is {image.name}.")
    elif stated.image_size and (message := size_message(stated.image_size, image)):
        yield Contradiction("image", message)


def same_file(name: str, other: str) -> bool:
    """Return True if both are the path of the same file. Normal forms and separators don't matter."""
    return file_name(name) == file_name(other)


def file_name(name: str) -> str:
    """Return the path of an image file in the spelling in which paths are compared."""
    return unicodedata.normalize("NFC", name.replace("\\", "/")).removeprefix("./")


def size_message(size: tuple[int, int], image: Image) -> str:
    """Return a sentence about the difference of a stated size from the image's, or "".

    A side of 0 was not stated.
    """
    width, height = size
    if (width or image.width, height or image.height) == (image.width, image.height):
        return ""
    if not (width and height):
        side = f"a width of {width}" if width else f"a height of {height}"
        return (
            f"the file says {side}, but the picture has {image.width} x {image.height}. Correct it, or "
            "state both sides."
        )
    turned = size == (image.height, image.width) and width != height
    found = f"the file says {width} x {height}, but the picture has {image.width} x {image.height}"
    if turned:
        return f"{found}: it is turned. Give the picture that the file describes."
    if is_resized(size, image):
        choose = f"Choose {Setting.RESCALE_BOXES.quoted} if that is right."
        return f"{found}: it is resized. {choose}"
    return f"{found}: it is another picture or a part of it."


def same_tokens(stated: Tokens, tokens: Tokens) -> bool:
    """Return True if both have the same words, one by one."""
    return len(stated) == len(tokens) and (
        tuple(stated) == tuple(tokens) or all(map(_same, stated, tokens))
    )


def _same(word: str, other: str) -> bool:
    return spelled(word) == spelled(other)


def is_resized(size: tuple[int, int], image: Image) -> bool:
    """Return True if the image is a smaller or larger copy of one of this size."""
    (width, height), copy = size, (image.width, image.height)
    if size == copy or not (width and height):
        return False
    # The copy's sides were rounded to whole pixels.
    return (
        abs(copy[0] * height / width - copy[1]) <= 1 or abs(copy[1] * width / height - copy[0]) <= 1
    )


class TokenMap:
    """A map of positions from one tokenization of a sentence to another, by characters."""

    def __init__(self, stated: Tokens, tokens: Tokens) -> None:
        """Raise ContentError if the texts differ."""
        stated_text, text = ("".join(map(spelled, words)) for words in (stated, tokens))
        if stated_text != text:
            message = f"its text “{shown(stated)}” is not that of the sentence, “{shown(tokens)}”."
            raise ContentError("tokens", message)
        self._stated = stated
        self._offsets = list(accumulate((len(spelled(word)) for word in stated), initial=0))
        ends = list(accumulate((len(spelled(word)) for word in tokens), initial=0))
        # Of several tokens without characters that count, the first begins a span.
        self._starts = {offset: at for at, offset in reversed(list(enumerate(ends)))}
        self._ends = {offset: at for at, offset in enumerate(ends)}

    def span(self, start: int, end: int, field: str) -> tuple[int, int]:
        """Return the half-open range of the same words. Raise ContentError inside a token."""
        if not 0 <= start < end <= len(self._stated):
            message = f"{start}:{end} is not in the sentence of {len(self._stated)} tokens."
            raise ContentError(field, message)
        first = self._starts.get(self._offsets[start])
        last = self._ends.get(self._offsets[end])
        if first is None or last is None or first >= last:
            words = shown(self._stated[start:end])
            raise ContentError(field, f"{start}:{end} “{words}” begins or ends inside a token.")
        return first, last

    def position(self, at: int, field: str) -> int:
        """Return the position of the same word. Raise ContentError if it isn't one token."""
        start, end = self.span(at, at + 1, field)
        if end - start > 1:
            message = f"{at} “{shown(self._stated[at : at + 1])}” is {end - start} tokens here."
            raise ContentError(field, message)
        return start


def spans_of(text: str, tokens: Tokens) -> list[tuple[int, int]]:
    """Return the half-open ranges of tokens that have the words of a text, in order."""
    said = spelled(text)
    offsets = list(accumulate((len(spelled(word)) for word in tokens), initial=0))
    starts = {offset: at for at, offset in reversed(list(enumerate(offsets)))}
    joined = "".join(map(spelled, tokens))
    spans = []
    place = joined.find(said) if said else -1
    while place >= 0:
        start, end = starts.get(place), starts.get(place + len(said))
        if start is not None and end is not None:
            spans.append((start, end))
        place = joined.find(said, place + 1)
    return spans


def fitted_item(
    corpus: Corpus, record: ItemRecord, context: ItemContext, *, align: bool
) -> ItemRecord:
    """Return an item of a file for a stored sentence.

    Raise ContentError if the sentence has other words, or other tokens that can't be aligned.
    """
    stated = record.stated
    if stated.tokens and not same_tokens(stated.tokens, context.tokens):
        if not corpus.move_gold:
            raise ContentError("tokens", OTHER_TOKENS)
        if not align:
            message = f"{OTHER_TOKENS} Choose {Setting.ALIGN.quoted} if the text is the same."
            raise ContentError("tokens", message)
        check_stated(stated, ItemContext(stated.tokens))
        gold = GoldRecord(record, {"questions": []}, [], record.line)
        moved = corpus.move_gold(gold, TokenMap(stated.tokens, context.tokens)).item
        return replace(moved, stated=Stated())
    check_stated(stated, context)
    return record


def check_stated(stated: Stated, context: ItemContext) -> None:
    """Raise ContentError for the first contradiction."""
    for contradiction in contradictions(stated, context):
        raise ContentError(contradiction.field, contradiction.message)
