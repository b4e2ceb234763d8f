"""Import sentences and items from files in batches. Repeats add nothing, and bad rows are named."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.db import transaction
from django.db.models import F, QuerySet

from annotation.domain.corpus_limits import MAX_BAD_ROWS, MAX_KEY, within_limits
from annotation.domain.find_items import find_items
from annotation.domain.image_files import ImageFiles, open_image_files
from annotation.domain.images import store_image
from annotation.domain.insert_rows import insert_rows
from annotation.domain.value_list import value_list
from annotation.models import Item, Sentence
from projects.models import Project
from schemes.base import ContentError, FileError, ItemContext, ItemRecord, Json, SentenceRecord
from schemes.registry import get_scheme

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
)
ITEM_COLUMNS = ("project_id", "sentence_id", "key", "target", "position")
# External id -> primary key and tokens.
Sentences = dict[str, tuple[int, list[str]]]
Progress = Callable[[str, int], None]


@dataclass
class ImportReport:
    """The result of an import. `errors` holds the first bad rows, `error_count` counts all."""

    sentences_added: int = 0
    sentences_known: int = 0
    items_added: int = 0
    items_known: int = 0
    error_count: int = 0
    errors: list[FileError] = field(default_factory=list)

    MAX_ERRORS = 1000

    def counts(self) -> dict[str, int]:
        names = ("sentences_added", "sentences_known", "items_added", "items_known", "error_count")
        return {name: getattr(self, name) for name in names}

    @property
    def nothing_new(self) -> bool:
        return not (self.sentences_added or self.items_added)

    @property
    def is_useless(self) -> bool:
        """Return True if there were rows, and all of them were bad."""
        known = self.sentences_known or self.items_known
        return self.error_count > 0 and self.nothing_new and not known


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Options for reading a corpus.

    Without `items`, which are files, the items come from the corpus or are found by the scheme. A
    `search` of the scheme also adds its items to sentences that have others.
    `images` is the folder or ZIP archive of the images that sentences name.
    """

    fmt: str
    items: Sequence[Path] = ()
    images: Path | None = None
    search: str = ""
    domain: str = ""
    partition: str = ""
    strict: bool = False


class Import:
    """An import into a project.

    `on_error` is called with each bad row, and `progress` with each batch.
    """

    def __init__(
        self,
        *,
        project: Project,
        options: CorpusOptions,
        on_error: Callable[[FileError], None] = lambda error: None,
        progress: Progress = lambda what, count: None,
    ) -> None:
        self.project = project
        self.corpus = get_scheme(project.scheme).corpus
        self.options = options
        self.report = ImportReport()
        self._on_error = on_error
        self._progress = progress
        self._images: ImageFiles | None = None
        # Ids of stored images by file name, and None for a bad file.
        self._image_ids: dict[str, int | None] = {}

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
            if record.external_id in known or self._image_id(record.image) is not None
        ]

    def _image_id(self, name: str) -> int | None:
        """Return the id of a stored image, or None after an error, which is reported once."""
        assert self._images
        if name not in self._image_ids:
            try:
                data = self._images.read(name)
                image = store_image(project=self.project, name=name, data=data)
            except FileError as error:
                self._image_ids[name] = None
                self.refuse(error)
            else:
                self._image_ids[name] = image.pk
                self._progress("images", 1)
        return self._image_ids[name]

    def _stored(self, external_ids: set[str]) -> Sentences:
        return stored_sentences(project=self.project, external_ids=external_ids)

    def _add_sentences(self, batch: list[SentenceRecord], file: str) -> None:
        known = self._stored({record.external_id for record in batch})
        new: dict[str, SentenceRecord] = {}
        for record in batch:
            if record.external_id in known:
                tokens = known[record.external_id][1]
            elif record.external_id in new:
                tokens = list(new[record.external_id].tokens)
            else:
                new[record.external_id] = record
                continue
            if tokens == list(record.tokens):
                self.report.sentences_known += 1
            else:
                message = f"{record.external_id} exists with other tokens."
                self.refuse(FileError(file, record.line, message))
        columns = [*SENTENCE_COLUMNS, *(["image_id"] if self.corpus.needs_images else [])]
        insert_rows(Sentence, columns, map(self._sentence, new.values()))
        self.report.sentences_added += len(new)

    def _sentence(self, record: SentenceRecord) -> tuple[str | int, ...]:
        return (
            self.project.pk,
            record.external_id,
            json.dumps(record.tokens),
            self.options.domain,
            self.options.partition,
            self._group(record),
            json.dumps(_metadata(record)),
            *self._image_column(record),
        )

    def _image_column(self, record: SentenceRecord) -> tuple[int, ...]:
        image_id = self._image_ids.get(record.image)
        return () if image_id is None else (image_id,)

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
        bare = {external_id for external_id, (pk, _) in sentences.items() if pk not in done}
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
            self._add_items(batch, sentences, file)
            self._progress("items", len(batch))

    def _items_of(self, sentences: Sentences) -> QuerySet[Item]:
        return Item.objects.filter(sentence__in=value_list([pk for pk, _ in sentences.values()]))

    def _add_items(self, batch: list[ItemRecord], sentences: Sentences, file: str) -> None:
        items = self._completed(batch, sentences, file)
        with transaction.atomic():
            known = set(self._items_of(sentences).values_list("key", flat=True))
            new = [row for key, row in items.items() if key not in known]
            insert_rows(Item, ITEM_COLUMNS, new)
        self.report.items_known += len(items) - len(new)
        self.report.items_added += len(new)

    def _completed(
        self, batch: list[ItemRecord], sentences: Sentences, file: str
    ) -> dict[str, tuple[str | int, ...]]:
        """Return the rows of the batch's valid items by key."""
        items: dict[str, tuple[str | int, ...]] = {}
        for record in batch:
            line, place = record.line or None, record.file or file
            if record.external_id not in sentences:
                message = f"no sentence {record.external_id!r} in the project."
                self.refuse(FileError(place, line, message))
                continue
            sentence_id, tokens = sentences[record.external_id]
            try:
                target = self.corpus.complete_item(record, ItemContext(tokens)).target
            except ContentError as error:
                self.refuse(FileError(place, line, error.message, field=error.path))
                continue
            key = item_key(record.external_id, record.local_key)
            if len(key) > MAX_KEY:
                message = f"has a key of more than {MAX_KEY} characters."
                self.refuse(FileError(place, line, message))
                continue
            position = shuffled_position(self.project.seed, key)
            items[key] = (self.project.pk, sentence_id, key, json.dumps(target), position)
        return items


def stored_sentences(*, project: Project, external_ids: set[str]) -> Sentences:
    """Return the primary key and tokens of those sentences that the project has.

    The filter on the project can't use an index. With outdated statistics, PostgreSQL would
    otherwise read all its sentences for each batch.
    """
    rows = Sentence.objects.alias(owner=F("project_id") + 0).filter(
        external_id__in=value_list(external_ids), owner=project.pk
    )
    return {
        external_id: (pk, tokens)
        for external_id, pk, tokens in rows.values_list("external_id", "pk", "tokens")
    }


def _metadata(record: SentenceRecord) -> Json:
    """Return the sentence's metadata with the file name of its image.

    Files of several names may have the same content, and then the project has one image of them.
    """
    return {**record.metadata, "image": record.image} if record.image else record.metadata


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
