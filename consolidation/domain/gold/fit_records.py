"""Fit gold records of files to the project's items, and refuse those that contradict the corpus."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.domain.corpus.changed_sentences import StoredSentence, stored_sentences
from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from consolidation.domain.gold.stray_words import ItemId, StrayWords, item_of, with_tokens
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.corpus import Corpus
from schemes.contract.errors import ContentError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import GoldRecord, Stated, StatedWords
from schemes.contract.values import Tokens
from schemes.import_settings import Setting
from schemes.stated import OTHER_TOKENS, TokenMap, contradictions, is_resized, same_tokens

ErrorHandler = Callable[[FileError], None]


class OtherTokensError(FileError):
    """The file has other tokens than the project, and its positions were not to be moved."""


@dataclass(frozen=True, slots=True)
class FittedRecord:
    """A record with its item and the item's context."""

    item: Item
    context: ItemContext
    record: GoldRecord
    notes: Mapping[str, int]


@dataclass(slots=True)
class Fitting:
    """A pass over the records of files.

    With `align`, positions in other tokens are moved, and with `rescale` the boxes of resized images.
    Bad records go to `refuse`, and those of items that the project lacks to `on_unknown`.
    """

    project: Project
    file: str
    refuse: ErrorHandler
    on_unknown: ErrorHandler
    align: bool = False
    rescale: bool = False
    # Items that the files repeat with other content (see `repeated_items`)
    repeated: Collection[ItemId] = ()
    # Words of refused records, to which records without any may have lost theirs
    stray_words: StrayWords = field(default_factory=StrayWords)
    _seen: set[ItemId] = field(default_factory=set)
    # Records that were left out, by the keys of those that may have lost a row to them
    _strays: dict[str, list[GoldRecord]] = field(default_factory=dict)
    # The last record, which may have lost a row to the next one
    _held: list[FittedRecord] = field(default_factory=list)

    def fit_all(self, batches: Iterable[Sequence[GoldRecord]]) -> Iterator[FittedRecord]:
        """Yield the records of all batches that agree with the project's items."""
        for batch in batches:
            yield from self.fit(batch)
        yield from self.rest()

    def fit(self, batch: Sequence[GoldRecord]) -> Iterator[FittedRecord]:
        """Yield the records that agree with the project's items, except the last one (see `rest`)."""
        records = [*self._held, *self._agreeing(batch)]
        self._held = records[-1:]
        yield from filter(self._is_whole, records[:-1])

    def rest(self) -> Iterator[FittedRecord]:
        """Yield the last record of the files."""
        yield from filter(self._is_whole, self._held)
        self._held = []

    def _agreeing(self, batch: Sequence[GoldRecord]) -> Iterator[FittedRecord]:
        corpus = scheme_of(self.project).corpus
        whole = list(self._not_emptied(self._unrepeated(batch)))
        records = list(self._moved(whole, corpus))
        items = self._items(records)
        unknown = [record for record in records if self._key(record) not in items]
        sentences = stored_sentences(
            project=self.project, external_ids={record.item.external_id for record in unknown}
        )
        for record in records:
            key = self._key(record)
            if key not in items:
                self._refuse_unknown(key, record, sentences.get(record.item.external_id))
                self._add_stray(record)
                continue
            context = context_of(items[key], self.project)
            scaled = self._scaled(record, context, corpus)
            if self._agrees(scaled, context):
                yield from self._fitted(scaled, items[key], context, corpus)
            else:
                self._add_stray(record)

    def _add_stray(self, record: GoldRecord) -> None:
        for neighbour in set(record.neighbours):
            self._strays.setdefault(item_key(*neighbour), []).append(record)

    def _is_whole(self, fitted: FittedRecord) -> bool:
        """Return False after refusing a record to which a row of another one seems to belong."""
        record = fitted.record
        for stray in self._strays.pop(fitted.item.key, ()):
            if (
                is_between(stray, record)
                or has_words_of(stray, record, fitted.context)
                or has_id_of(stray, record)
            ):
                name = item_key(stray.item.external_id, stray.item.local_key)
                message = f"{fitted.item.key} is left out, because {name} may be a row of it."
                self.refuse(self._error(record, message))
                return False
        return True

    def _refuse_unknown(
        self, key: str, record: GoldRecord, sentence: StoredSentence | None
    ) -> None:
        """Refuse a record without an item. Words at other positions are the likely reason."""
        if sentence:
            context = ItemContext(sentence.tokens, metadata=sentence.metadata)
            if not self._agrees(record, context):
                return
        self.on_unknown(self._error(record, f"no item {key!r} in the project."))

    def _key(self, record: GoldRecord) -> str:
        return item_key(record.item.external_id, record.item.local_key)

    def _unrepeated(self, batch: Iterable[GoldRecord]) -> Iterator[GoldRecord]:
        """Yield the first record of each item, but none of those with several contents."""
        for record in batch:
            item = item_of(record)
            if item in self.repeated:
                message = f"{self._key(record)} is there more than once, with other content."
                self.refuse(self._error(record, f"{message} All of it is left out."))
            elif item not in self._seen:
                self._seen.add(item)
                yield record

    def _not_emptied(self, batch: Iterable[GoldRecord]) -> Iterator[GoldRecord]:
        """Yield the records except empty ones whose words another record seems to have."""
        if self.stray_words.is_empty:
            yield from batch
            return
        for record, tokens in with_tokens(self.project, batch):
            if problem := self.stray_words.problem(record, tokens):
                self.refuse(self._error(record, problem[1], problem[0]))
            else:
                yield record

    def _moved(self, batch: Sequence[GoldRecord], corpus: Corpus) -> Iterator[GoldRecord]:
        """Yield the records with positions in the project's tokens."""
        stated = [record for record in batch if record.item.stated.tokens]
        ids = {record.item.external_id for record in stated}
        sentences = stored_sentences(project=self.project, external_ids=ids) if ids else {}
        for record in batch:
            sentence = sentences.get(record.item.external_id)
            if sentence is None or same_tokens(record.item.stated.tokens, sentence.tokens):
                yield record
            elif self.align and corpus.move_gold:
                yield from self._aligned(record, sentence.tokens, corpus)
            else:
                self.refuse(self._error(record, OTHER_TOKENS))

    def _aligned(self, record: GoldRecord, tokens: Tokens, corpus: Corpus) -> Iterator[GoldRecord]:
        """Yield the record with moved positions, after a check in its own tokens."""
        assert corpus.move_gold
        stated = record.item.stated.tokens
        if not self._agrees(record, ItemContext(stated)):
            return
        try:
            moved = corpus.move_gold(record, TokenMap(stated, tokens))
        except ContentError as error:
            self.refuse(self._error(record, error.message, error.path))
            return
        yield replace(moved, item=replace(moved.item, stated=Stated()))

    def _items(self, records: Iterable[GoldRecord]) -> dict[str, Item]:
        keys = map(self._key, records)
        items = Item.objects.filter(project=self.project, key__in=keys)
        return {item.key: item for item in items.select_related("sentence__image", "project")}

    def _agrees(self, record: GoldRecord, context: ItemContext) -> bool:
        """Return False after refusing a record whose words or image are not those of the context."""
        first = next(contradictions(record.item.stated, context), None)
        if first is None:
            return True
        line = first.line or record.line
        self.refuse(record_error(record, self.file, first.message, first.field, line=line))
        return False

    def _scaled(self, record: GoldRecord, context: ItemContext, corpus: Corpus) -> GoldRecord:
        """Return the record for the size of the stored image, if it is to be rescaled and can be."""
        size, image = record.item.stated.image_size, context.image
        if not (self.rescale and corpus.scale_gold and size and image and is_resized(size, image)):
            return record
        scaled = corpus.scale_gold(record, image.width / size[0], image.height / size[1])
        stated = replace(record.item.stated, image_size=None)
        return replace(scaled, item=replace(scaled.item, stated=stated))

    def _fitted(
        self, record: GoldRecord, item: Item, context: ItemContext, corpus: Corpus
    ) -> Iterator[FittedRecord]:
        try:
            fit = corpus.fit_gold(record, context)
        except ContentError as error:
            self.refuse(self._error(record, error.message, error.path))
        else:
            yield FittedRecord(item, context, fit.record, fit.notes)

    def _error(self, record: GoldRecord, message: str, path: str = "") -> FileError:
        return record_error(record, self.file, message, path, line=record.line)


def repeated_items(records: Iterable[GoldRecord]) -> set[ItemId]:
    """Return the items for which the records have several contents."""
    contents: dict[ItemId, int] = {}
    repeated = set()
    for record in records:
        content = hash(json.dumps(record.content, sort_keys=True))
        if contents.setdefault(item_of(record), content) != content:
            repeated.add(item_of(record))
    return repeated


def is_between(stray: GoldRecord, record: GoldRecord) -> bool:
    """Return True if the stray has a single unit, between two rows of the record."""
    own = record.item.external_id, record.item.local_key
    return len(stray.provenance) == 1 and stray.neighbours == (own, own)


def has_id_of(stray: GoldRecord, record: GoldRecord) -> bool:
    """Return True if the stray has the id of the record's sentence in another column."""
    words = [words.text for words in stray.item.stated.words]
    rest = json.dumps([words, stray.content, stray.provenance], default=str)
    return json.dumps(record.item.external_id)[1:-1] in rest


def has_words_of(stray: GoldRecord, record: GoldRecord, context: ItemContext) -> bool:
    """Return True if what a line of the stray states is true of the record's sentence and item.

    All positions of the line may be shifted. Without words of a line except the item's, either the
    sentence or the position must be the same.
    """
    item = record.item
    head = next((words for words in item.stated.words if words.is_lemma), None)
    if head is None or not head.positions:
        return False
    is_near = stray.item.external_id == item.external_id or stray.item.local_key == item.local_key
    of_item = [words for words in stray.item.stated.words if words.field == head.field]
    for line in {words.line for words in stray.item.stated.words}:
        names = [words for words in of_item if words.line == line] or of_item
        others = [
            words
            for words in stray.item.stated.words
            if words.line == line and words.field != head.field
        ]
        if not names or not names[0].positions or not (others or is_near):
            continue
        moved = [replace(words, positions=head.positions) for words in names]
        offset = head.positions[0] - names[0].positions[0]
        for stated in ([*moved, *others], [*moved, *(_shifted(words, offset) for words in others)]):
            if not any(contradictions(Stated(words=tuple(stated)), context)):
                return True
    return False


def _shifted(words: StatedWords, offset: int) -> StatedWords:
    return replace(words, positions=tuple(at + offset for at in words.positions))


def record_error(
    record: GoldRecord, file: str, message: str, path: str = "", *, line: int
) -> FileError:
    """Return an error that names the line of the field, if the record knows it, or of the record.

    In files without lines, it names the sentence.
    """
    place, line = record.places.get(path, (record.item.file or file, line))
    items = [item_of(record)]
    if line:
        return FileError(place, line, message, field=path, items=items)
    text = f"{path}: {message}" if path else message
    return FileError(place, None, text, field=record.item.external_id, items=items)


def check_tokens(
    *, project: Project, records: Iterable[GoldRecord], paths: Sequence[Path], size: int
) -> None:
    """Raise OtherTokensError if sentences of the files have other tokens than the project's."""
    seen: set[str] = set()
    others: list[str] = []
    for batch in batched(records, size):
        # A file may repeat an id with other tokens, which make a bad row.
        stated: dict[str, list[Tokens]] = {}
        for record in batch:
            if record.item.stated.tokens and record.item.external_id not in seen:
                stated.setdefault(record.item.external_id, []).append(record.item.stated.tokens)
        if not stated and not seen:
            return  # a format without tokens
        seen.update(stated)
        sentences = stored_sentences(project=project, external_ids=set(stated))
        others += [
            external_id
            for external_id, sentence in sentences.items()
            if not any(same_tokens(tokens, sentence.tokens) for tokens in stated[external_id])
        ]
    if others:
        message = (
            f"{len(others):,} of {len(seen):,} sentences have other tokens than the project's, "
            f"first {min(others)}. Nothing was imported."
        )
        if scheme_of(project).corpus.move_gold:
            message += f" Choose {Setting.ALIGN.quoted} if the texts are the same."
        raise OtherTokensError(", ".join(path.name for path in paths), None, message)
