"""Words that refused records of a file state, and the empty records to which they may belong.

Annotations that were swapped between two rows contradict the sentence of one of them. If its row had
none, the other item would get empty gold, as if somebody had looked and found nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from annotation.domain.corpus.changed_sentences import stored_sentences
from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.corpus.import_corpus import batched
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, Stated
from schemes.contract.values import Tokens
from schemes.stated import contradictions, shown, spelled

# The sentence's id and the local key in a file
ItemId = tuple[str, str]
_BATCH = 200
# More refused records mean another corpus, and are reported anyway.
_MAX_STRAYS = 10_000
_CHARACTERS, _TOKENS = "characters", "tokens"


@dataclass(frozen=True, slots=True)
class _Words:
    """Words at a half-open range of characters or tokens."""

    unit: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Stray:
    """The words of a refused record in a field. `place` names the record in messages."""

    place: str
    item: ItemId | None
    words: Sequence[_Words]


@dataclass(slots=True)
class StrayWords:
    """The words of refused records by field."""

    # By the range of the first words, and by these words as they are compared
    _strays: dict[str, dict[tuple[str, int, int], dict[str, list[_Stray]]]] = field(
        default_factory=dict
    )
    _count: int = 0

    @property
    def is_empty(self) -> bool:
        return not self._strays

    def add(self, name: str, words: Sequence[_Words], *, place: str, item: ItemId | None) -> None:
        """Add the words of a field of a refused record. Only the first 10,000 are stored."""
        words = [said for said in words if 0 <= said.start < said.end and spelled(said.text)]
        if not words or self._count >= _MAX_STRAYS:
            return
        self._count += 1
        first = words[0]
        by_range = self._strays.setdefault(name, {})
        by_words = by_range.setdefault((first.unit, first.start, first.end), {})
        by_words.setdefault(spelled(first.text), []).append(_Stray(place, item, words))

    def problem(self, record: GoldRecord, tokens: Tokens) -> tuple[str, str] | None:
        """Return a field and a message, if the record is empty where a stray has its words."""
        for name in record.empty:
            for said_at in _readers(record, tokens):
                if stray := self._stray(name, record, said_at):
                    message = (
                        f"is empty, but {stray.place} has words of this sentence, as "
                        f"“{shown([stray.words[0].text])}”. Were the two swapped? Both are left out."
                    )
                    return name, message
        return None

    def _stray(
        self, name: str, record: GoldRecord, said_at: Callable[[str, int, int], str]
    ) -> _Stray | None:
        for at, by_words in self._strays.get(name, {}).items():
            for stray in by_words.get(said_at(*at), ()):
                if stray.item != item_of(record) and all(
                    said_at(words.unit, words.start, words.end) == spelled(words.text)
                    for words in stray.words
                ):
                    return stray
        return None


def _readers(record: GoldRecord, tokens: Tokens) -> Iterator[Callable[[str, int, int], str]]:
    """Yield functions that return the words at a range, as they are compared, or "".

    Some formats count characters from the beginning of a line.
    """
    yield lambda unit, start, end: spelled("".join(tokens[start:end])) if unit == _TOKENS else ""
    text = record.item.stated.text
    for part in dict.fromkeys((text, *text.split("\n"))):

        def said_at(unit: str, start: int, end: int, part: str = part) -> str:
            return spelled(part[start:end]) if unit == _CHARACTERS else ""

        yield said_at


def item_of(record: GoldRecord) -> ItemId:
    return record.item.external_id, record.item.local_key


def with_tokens(
    project: Project, records: Iterable[GoldRecord]
) -> Iterator[tuple[GoldRecord, Tokens]]:
    """Yield records with the tokens that they state, else those of their sentences, or none."""
    batch = list(records)
    ids = {record.item.external_id for record in batch if not record.item.stated.tokens}
    sentences = stored_sentences(project=project, external_ids=ids)
    for record in batch:
        stored = sentences.get(record.item.external_id)
        yield record, record.item.stated.tokens or (stored.tokens if stored else ())


def find_stray_words(
    *,
    project: Project,
    read: Callable[[Callable[[FileError], None]], Iterable[GoldRecord]],
    fields: Collection[str],
    file: str,
) -> StrayWords:
    """Return the words of records that contradict their sentences.

    `read` is called with a handler of errors, and returns the records. `fields` are the paths of
    fields that some records leave empty. Without any, the records are not read.
    """
    strays = StrayWords()

    def add_error(error: FileError) -> None:
        item = min(error.items, default=None)
        place = _place(error.file, error.line, item)
        for name, group in groupby(error.words, key=attrgetter("field")):
            if name in fields:
                words = [_Words(_CHARACTERS, said.start, said.end, said.text) for said in group]
                strays.add(name, words, place=place, item=item)

    for batch in batched(read(add_error), _BATCH) if fields else ():
        for record, tokens in with_tokens(project, batch):
            place = _place(record.item.file or file, record.line, item_of(record))
            for name in fields:
                if words := _contradicted(name, record, tokens):
                    strays.add(name, words, place=place, item=item_of(record))
    return strays


def _contradicted(name: str, record: GoldRecord, tokens: Tokens) -> list[_Words]:
    """Return the words of a field, if any of them is not in the sentence at its place.

    Files may have more items than the project, whose sentences are unknown.
    """
    stated = tuple(
        said
        for said in record.item.stated.words
        if said.field.startswith(f"{name}.") and said.positions
    )
    if not tokens or not any(contradictions(Stated(words=stated), ItemContext(tokens))):
        return []
    return [
        _Words(_TOKENS, said.positions[0], said.positions[-1] + 1, said.text) for said in stated
    ]


def _place(file: str, line: int | None, item: ItemId | None) -> str:
    place = f"{file}, line {line}" if line else file
    return f"{item_key(*item)} ({place})" if item else place
