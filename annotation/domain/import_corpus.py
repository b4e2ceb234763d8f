"""Import sentences and items from files in batches. Repeats add nothing, and bad rows are named."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet
from orjson import dumps

from annotation.domain.changed_sentences import (
    StoredSentence,
    differences,
    in_use,
    metadata_of,
    stored_sentences,
)
from annotation.domain.corpus_limits import MAX_BAD_ROWS, MAX_KEY, within_limits
from annotation.domain.find_items import find_items
from annotation.domain.image_files import ImageFiles, open_image_files
from annotation.domain.images import image_digest, store_image
from annotation.domain.insert_rows import insert_rows
from annotation.domain.value_list import value_list
from annotation.domain.written_text import NOT_ALIGNED, written_text
from annotation.models import Image, Item, Sentence
from projects.models import Project
from schemes import base
from schemes.base import ContentError, FileError, ItemContext, ItemRecord, Json, SentenceRecord
from schemes.registry import get_scheme
from schemes.stated import fitted_item, is_resized, size_message

T = TypeVar("T")

BATCH = 5000
# An interrupted import decodes the images of its last batch again.
BATCH_WITH_IMAGES = 250
SENTENCE_COLUMNS = (
    "project_id",
    "external_id",
    "tokens",
    "domain",
    "partition",
    "group",
    "metadata",
    "text",
    "offsets",
)
ITEM_COLUMNS = ("project_id", "sentence_id", "key", "target", "position")
Sentences = Mapping[str, StoredSentence]
Progress = Callable[[str, int], None]


@dataclass
class ImportReport:
    """The result of an import.

    `errors` holds the first bad rows and `warnings` the first imported rows that look wrong.
    `error_count` and `warning_count` count all.
    """

    sentences_added: int = 0
    sentences_updated: int = 0
    sentences_known: int = 0
    items_added: int = 0
    items_updated: int = 0
    items_known: int = 0
    error_count: int = 0
    errors: list[FileError] = field(default_factory=list)
    warning_count: int = 0
    warnings: list[FileError] = field(default_factory=list)

    MAX_ERRORS = 1000
    MAX_WARNINGS = 100

    def counts(self) -> dict[str, int]:
        names = (
            "sentences_added",
            "sentences_updated",
            "sentences_known",
            "items_added",
            "items_updated",
            "items_known",
            "error_count",
        )
        return {name: getattr(self, name) for name in (*names, "warning_count")}

    @property
    def nothing_new(self) -> bool:
        changed = self.sentences_updated or self.items_updated
        return not (self.sentences_added or self.items_added or changed)


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Options for reading a corpus.

    Without `items`, which are files, the items come from the corpus or are found by the scheme. A
    `search` of the scheme also adds its items to sentences that have others.
    `images` is the folder or ZIP archive of the images that sentences name. With `update`, sentences
    and items that exist otherwise are replaced, unless work depends on them. With `align`, positions of
    items in other tokens are moved. With `rescale`, images may be resized copies of those that the
    corpus describes.
    """

    fmt: str
    items: Sequence[Path] = ()
    images: Path | None = None
    search: str = ""
    domain: str = ""
    partition: str = ""
    strict: bool = False
    update: bool = False
    align: bool = False
    rescale: bool = False


class Import:
    """An import into a project.

    `on_error` is called with each bad row, `on_warning` with the first warnings, and `progress` with
    each batch.
    """

    def __init__(
        self,
        *,
        project: Project,
        options: CorpusOptions,
        on_error: Callable[[FileError], None] = lambda error: None,
        on_warning: Callable[[FileError], None] = lambda warning: None,
        progress: Progress = lambda what, count: None,
    ) -> None:
        self.project = project
        self.corpus = get_scheme(project.scheme).corpus
        self.options = options
        self.report = ImportReport()
        self._on_error = on_error
        self._on_warning = on_warning
        self._progress = progress
        self._images: ImageFiles | None = None
        # Stored images and digests of files by file name, and None for a bad file.
        self._stored_images: dict[str, Image | None] = {}
        self._digests: dict[str, str | None] = {}

    def run(self, paths: Iterable[Path]) -> ImportReport:
        """Import the files.

        Raise FileError for an unreadable file, or for the first bad row when strict. A strict
        import that fails adds nothing.
        """
        whole: AbstractContextManager[object] = (
            transaction.atomic() if self.options.strict else nullcontext()
        )
        with ExitStack() as stack:
            if self.options.images:
                self._images = stack.enter_context(open_image_files(self.options.images))
            stack.enter_context(whole)
            for path in paths:
                self._sentences(path)
            if self.options.items:
                self._given_items(self.options.items)
        return self.report

    def refuse(self, error: FileError) -> None:
        """Count, store and report a bad row. Raise it when strict, and FileError for too many."""
        if self.options.strict:
            raise error
        self.report.error_count += 1
        if self.report.error_count > MAX_BAD_ROWS:
            message = f"is the last of more than {MAX_BAD_ROWS:,} bad rows. Check the format."
            raise FileError(error.file, error.line, message)
        if len(self.report.errors) < ImportReport.MAX_ERRORS:
            self.report.errors.append(error)
        self._on_error(error)

    def _warn(self, warning: FileError) -> None:
        """Count a warning, and store and report the first ones."""
        self.report.warning_count += 1
        if len(self.report.warnings) < ImportReport.MAX_WARNINGS:
            self.report.warnings.append(warning)
            self._on_warning(warning)

    def _sentences(self, path: Path) -> None:
        read_records = self.corpus.read_sentences(path, self.options.fmt, self.refuse)
        records = within_limits(read_records, file=path.name, on_error=self.refuse)
        size = BATCH_WITH_IMAGES if self.corpus.needs_images else BATCH
        for read in batched(records, size):
            batch = self._with_images(read, path) if self.corpus.needs_images else read
            with transaction.atomic():
                self._add_sentences(batch, str(path))
            if not self.options.items:
                self._found_items(batch, str(path))
            self._progress("sentences", len(batch))

    def _with_images(self, batch: list[SentenceRecord], path: Path) -> list[SentenceRecord]:
        """Store the images of new sentences. Return the sentences without those of bad images."""
        if self._images is None:
            raise FileError(path.name, None, "names images. Give their folder or archive as well.")
        known = self._stored({record.external_id for record in batch})
        return [
            record
            for record in batch
            if record.external_id in known or self._has_image(record, str(path))
        ]

    def _has_image(self, record: SentenceRecord, file: str) -> bool:
        """Return True if the image is stored and has the size that the record states."""
        image = self._image_of(record.image)
        if image is None or record.image_size is None:
            return image is not None
        shape = base.Image(image.name, image.width, image.height)
        message = size_message(record.image_size, shape)
        if not message or (self.options.rescale and is_resized(record.image_size, shape)):
            return True
        error = FileError(file, record.line or None, message, field=record.external_id)
        self.refuse(error)
        return False

    def _image_of(self, name: str) -> Image | None:
        """Return the stored image of a file, or None after an error, which is reported once."""
        assert self._images
        if name not in self._stored_images:
            try:
                data = self._images.read(name)
                image = store_image(project=self.project, name=name, data=data)
            except FileError as error:
                self._stored_images[name] = None
                self.refuse(error)
            else:
                self._stored_images[name] = image
                self._progress("images", 1)
        return self._stored_images[name]

    def _digest(self, record: SentenceRecord) -> str | None:
        """Return the digest of a record's image file, or None if there is no such file."""
        if not self._images or not self._images.has(record.image):
            return None
        if record.image not in self._digests:
            try:
                data = self._images.read(record.image)
                self._digests[record.image] = image_digest(record.image, data)
            except FileError:
                self._digests[record.image] = None
        return self._digests[record.image]

    def _stored(self, external_ids: set[str]) -> Sentences:
        return stored_sentences(project=self.project, external_ids=external_ids)

    def _add_sentences(self, batch: list[SentenceRecord], file: str) -> None:
        known = self._stored({record.external_id for record in batch})
        new: dict[str, SentenceRecord] = {}
        changed: list[tuple[SentenceRecord, list[str]]] = []
        for record in batch:
            if record.external_id in known:
                stored = known[record.external_id]
                names = differences(record, stored, digest=self._digest(record))
                if names:
                    changed.append((record, names))
                else:
                    self.report.sentences_known += 1
            elif record.external_id not in new:
                new[record.external_id] = record
            elif replace(record, line=0) == replace(new[record.external_id], line=0):
                self.report.sentences_known += 1
            else:
                message = f"{record.external_id} is repeated with other content."
                self.refuse(FileError(file, record.line, message))
        columns = [*SENTENCE_COLUMNS, *(["image_id"] if self.corpus.needs_images else [])]
        insert_rows(Sentence, columns, (self._sentence(record, file) for record in new.values()))
        self.report.sentences_added += len(new)
        self._change(changed, known, file)

    def _change(
        self, changed: list[tuple[SentenceRecord, list[str]]], known: Sentences, file: str
    ) -> None:
        """Update the sentences that exist otherwise, or refuse them. Their items are found again."""
        pks = [known[record.external_id].pk for record, _ in changed]
        items = dict(Item.objects.filter(sentence__in=pks).values_list("pk", "sentence_id"))
        used = {items[pk] for pk in in_use(items=items)} if self.options.update else set()
        for record, names in changed:
            what = f"{record.external_id} exists with other {', '.join(names)}."
            pk = known[record.external_id].pk
            if not self.options.update:
                message = (
                    f"{what} Nothing was changed. To replace it, update the corpus (--update)."
                )
                self.refuse(FileError(file, record.line, message))
            elif pk in used:
                message = f"{what} It was not updated, because work depends on it."
                self.refuse(FileError(file, record.line, message))
            elif not self.corpus.needs_images or self._has_image(record, file):
                Item.objects.filter(sentence=pk).delete()
                self._update(pk, record)
                self.report.sentences_updated += 1

    def _update(self, pk: int, record: SentenceRecord) -> None:
        text, offsets = written_text(record)
        Sentence.objects.filter(pk=pk).update(
            tokens=list(record.tokens),
            text=text,
            offsets=offsets,
            group=self._group(record),
            metadata=metadata_of(record),
            image=self._stored_images.get(record.image),
        )

    def _sentence(self, record: SentenceRecord, file: str) -> tuple[str | int, ...]:
        text, offsets = written_text(record)
        if text and not offsets:
            self._warn(FileError(file, record.line or None, NOT_ALIGNED))
        return (
            self.project.pk,
            record.external_id,
            json.dumps(record.tokens),
            self.options.domain,
            self.options.partition,
            self._group(record),
            json.dumps(metadata_of(record)),
            text,
            dumps(offsets).decode(),
            *self._image_column(record),
        )

    def _image_column(self, record: SentenceRecord) -> tuple[int, ...]:
        image = self._stored_images.get(record.image)
        return () if image is None else (image.pk,)

    def _group(self, record: SentenceRecord) -> str:
        """Return the sentence's document or image, given by its file or contained in its id."""
        return str(record.metadata.get("document") or self.corpus.group(record.external_id))[:200]

    def _found_items(self, batch: list[SentenceRecord], file: str) -> None:
        """Add the items that the corpus gives or the scheme finds.

        This includes items of sentences that an interrupted import added without them.
        """
        sentences = self._stored({record.external_id for record in batch})
        of_items = list(self._items_of(sentences).values_list("sentence_id", flat=True))
        self.report.items_known += len(of_items)
        done = set() if self.options.search else set(of_items)
        bare = {name for name, sentence in sentences.items() if sentence.pk not in done}
        records = find_items(
            scheme=self.project.scheme,
            search=self.options.search,
            sentences=[record for record in batch if record.external_id in bare],
        )
        self._add_items(records, sentences, file)

    def _given_items(self, paths: Sequence[Path]) -> None:
        records = self.corpus.read_items(paths, self.refuse)
        file = ", ".join(map(str, paths))
        for batch in batched(records, BATCH):
            sentences = self._stored({record.external_id for record in batch})
            self._add_items(batch, sentences, file, are_given=True)
            self._progress("items", len(batch))

    def _items_of(self, sentences: Sentences) -> QuerySet[Item]:
        keys = [sentence.pk for sentence in sentences.values()]
        return Item.objects.filter(sentence__in=value_list(keys))

    def _add_items(
        self, batch: list[ItemRecord], sentences: Sentences, file: str, *, are_given: bool = False
    ) -> None:
        """Add the items that the sentences lack. Given ones that exist otherwise are changed."""
        items = self._completed(batch, sentences, file)
        with transaction.atomic():
            known = dict(self._items_of(sentences).values_list("key", "target"))
            new = [item for key, item in items.items() if key not in known]
            insert_rows(Item, ITEM_COLUMNS, [item.row(self.project) for item in new])
            changed = {
                key: item
                for key, item in items.items()
                if are_given and key in known and item.target != known[key]
            }
            self._change_items(changed)
        self.report.items_known += len(items) - len(new) - len(changed)
        self.report.items_added += len(new)

    def _change_items(self, changed: Mapping[str, "_NewItem"]) -> None:
        """Update items that exist with another target, or refuse them."""
        pks = dict(self.project.items.filter(key__in=changed).values_list("key", "pk"))
        used = in_use(items=pks.values()) if self.options.update else set()
        for key, item in changed.items():
            what = f"{key} exists with another target."
            if not self.options.update:
                message = (
                    f"{what} Nothing was changed. To replace it, update the corpus (--update)."
                )
                self.refuse(item.error(message))
            elif pks[key] in used:
                self.refuse(item.error(f"{what} It was not updated, because work depends on it."))
            else:
                Item.objects.filter(pk=pks[key]).update(target=item.target)
                self.report.items_updated += 1

    def _completed(
        self, batch: list[ItemRecord], sentences: Sentences, file: str
    ) -> dict[str, "_NewItem"]:
        """Return the batch's valid items by key, but none that is repeated with another target."""
        items: dict[str, _NewItem] = {}
        repeated: set[str] = set()
        for record in batch:
            place = record.file or file
            stored = sentences.get(record.external_id)
            try:
                if stored is None:
                    raise ContentError("", f"no sentence {record.external_id!r} in the project.")
                item = self._item(record, stored, place)
                first = items.setdefault(item.key, item)
                if first.target != item.target:
                    repeated.add(item.key)
                    raise ContentError("", f"{item.key} is repeated with another target.")
            except ContentError as error:
                line = record.line or None
                self.refuse(FileError(place, line, error.message, field=error.path))
        return {key: item for key, item in items.items() if key not in repeated}

    def _item(self, record: ItemRecord, stored: StoredSentence, file: str) -> "_NewItem":
        """Return the complete item. Raise ContentError if the sentence contradicts it."""
        context = ItemContext(stored.tokens, metadata=stored.metadata)
        record = fitted_item(self.corpus, record, context, align=self.options.align)
        target = self.corpus.complete_item(record, context).target
        key = item_key(record.external_id, record.local_key)
        if len(key) > MAX_KEY:
            raise ContentError("", f"has a key of more than {MAX_KEY} characters.")
        return _NewItem(key, stored.pk, target, file, record.line or None)


@dataclass(frozen=True, slots=True)
class _NewItem:
    """An item of a file, whose sentence has the primary key `sentence`."""

    key: str
    sentence: int
    target: Json
    file: str
    line: int | None

    def row(self, project: Project) -> tuple[str | int, ...]:
        position = shuffled_position(project.seed, self.key)
        return project.pk, self.sentence, self.key, json.dumps(self.target), position

    def error(self, message: str) -> FileError:
        return FileError(self.file, self.line, message)


def item_key(external_id: str, local_key: str) -> str:
    return f"{external_id}/{local_key}"


def shuffled_position(seed: int, key: str) -> int:
    """Return the item's position in the project's shuffle, from 0 to 2**63 - 1.

    It depends only on the seed and the key, not on the other items.
    """
    digest = hashlib.blake2b(f"{seed}:{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def batched(records: Iterable[T], size: int) -> Iterator[list[T]]:
    stream = iter(records)
    while batch := list(islice(stream, size)):
        yield batch
