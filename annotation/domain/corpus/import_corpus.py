"""Import sentences and items from files in batches. Repeats add nothing, and bad rows are named."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TypeVar

from django.db import transaction
from orjson import dumps

from annotation.domain.corpus.changed_sentences import metadata_of, stored_sentences
from annotation.domain.corpus.check_corpus import CorpusCheck, CorpusOptions, FileItem, Sentences
from annotation.domain.corpus.corpus_images import CorpusImages
from annotation.domain.corpus.corpus_limits import MAX_BAD_ROWS, within_limits
from annotation.domain.corpus.image_files import ImageFiles, open_image_files
from annotation.domain.corpus.images import store_image
from annotation.domain.corpus.insert_rows import insert_rows
from annotation.domain.corpus.written_text import NOT_ALIGNED, written_text
from annotation.models import Item, Sentence
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import ItemRecord, SentenceRecord
from schemes.contract.values import Image
from schemes.original_text import Offsets

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
    "position",
    "metadata",
    "text",
    "offsets",
)
ITEM_COLUMNS = ("project_id", "sentence_id", "key", "target", "position")
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

    @property
    def is_useless(self) -> bool:
        """Return True if there were rows, and all of them were bad."""
        known = self.sentences_known or self.items_known
        return self.error_count > 0 and self.nothing_new and not known


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
        self.corpus = scheme_of(project).corpus
        self.options = options
        self.report = ImportReport()
        self._on_error = on_error
        self._on_warning = on_warning
        self._progress = progress
        self._images: _StoredImages | None = None
        # An update would replace a sentence by a later one with the same id.
        self._check = CorpusCheck(
            project=project, options=options, refuse=self.refuse, remembers=options.update
        )

    def run(self, paths: Iterable[Path]) -> ImportReport:
        """Import the files.

        Raise FileError for an unreadable file, or for the first bad row when strict. A strict
        import that fails adds nothing.
        """
        whole: AbstractContextManager[object] = (
            transaction.atomic() if self.options.strict else nullcontext()
        )
        with ExitStack() as stack:
            if self.options.images and self.corpus.needs_images:
                files = stack.enter_context(open_image_files(self.options.images))
                self._images = _StoredImages(
                    files,
                    project=self.project,
                    refuse=self.refuse,
                    rescale=self.options.rescale,
                    progress=self._progress,
                )
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
            batch = self._with_images(read, str(path)) if self.corpus.needs_images else read
            with transaction.atomic():
                accepted = self._add_sentences(batch, str(path))
            if not self.options.items:
                self._found_items(accepted, str(path))
            self._progress("sentences", len(batch))

    def _with_images(self, batch: list[SentenceRecord], file: str) -> list[SentenceRecord]:
        """Store the images of new sentences. Return the sentences without those of bad images."""
        known = self._stored({record.external_id for record in batch})
        return self._check.with_images(batch, known, self._images, file=file)

    def _stored(self, external_ids: set[str]) -> Sentences:
        return stored_sentences(project=self.project, external_ids=external_ids)

    def _add_sentences(self, batch: list[SentenceRecord], file: str) -> list[SentenceRecord]:
        """Add new sentences and replace changed ones. Return the batch without refused ones."""
        known = self._stored({record.external_id for record in batch})
        check, images = self._check, self._images
        found = check.sort_sentences(batch, known, images, file=file)
        # Images are optional in some schemes, and rows of COPY can't lack a number.
        for image, records in groupby(found.new, lambda record: bool(self._stored_image(record))):
            columns = [*SENTENCE_COLUMNS, *(["image_id"] if image else [])]
            insert_rows(Sentence, columns, (self._sentence(record, file) for record in records))
        replaced = check.replaced_sentences(found.changed, known, images, file=file)
        for record in replaced:
            self._replace(known[record.external_id].pk, record, file)
        self.report.sentences_added += len(found.new)
        self.report.sentences_known += len(found.known) + len(found.repeated)
        self.report.sentences_updated += len(replaced)
        return [*found.new, *found.known, *found.repeated, *replaced]

    def _replace(self, pk: int, record: SentenceRecord, file: str) -> None:
        labels = {"domain": self.options.domain, "partition": self.options.partition}
        Item.objects.filter(sentence=pk).delete()
        text, offsets = self._written_text(record, file)
        Sentence.objects.filter(pk=pk).update(
            tokens=list(record.tokens),
            text=text,
            offsets=offsets,
            group=self._group(record),
            position=self._position(record),
            metadata=metadata_of(record),
            image=self._stored_image(record),
            **{name: value for name, value in labels.items() if value},
        )

    def _sentence(self, record: SentenceRecord, file: str) -> tuple[str | int, ...]:
        text, offsets = self._written_text(record, file)
        image = self._stored_image(record)
        return (
            self.project.pk,
            record.external_id,
            json.dumps(record.tokens),  # searches depend on the blanks between tokens
            self.options.domain,
            self.options.partition,
            self._group(record),
            self._position(record),
            json.dumps(metadata) if (metadata := metadata_of(record)) else "{}",
            text,
            dumps(offsets).decode(),
            *((image,) if image else ()),
        )

    def _written_text(self, record: SentenceRecord, file: str) -> tuple[str, Offsets]:
        text, offsets = written_text(record)
        if text and not offsets:
            self._warn(FileError(file, record.line or None, NOT_ALIGNED))
        return text, offsets

    def _stored_image(self, record: SentenceRecord) -> int | None:
        return self._images.stored.get(record.image) if self._images else None

    def _group(self, record: SentenceRecord) -> str:
        """Return the sentence's document or image, given by its file or contained in its id."""
        return str(record.metadata.get("document") or self.corpus.group(record.external_id))[:200]

    def _position(self, record: SentenceRecord) -> int:
        """Return the place in the group, given by the file or contained in the id, or 0."""
        return record.metadata.get("position") or self.corpus.position(record.external_id)

    def _found_items(self, batch: list[SentenceRecord], file: str) -> None:
        """Add the items that the corpus gives or the scheme finds."""
        sentences = self._stored({record.external_id for record in batch})
        records, known = self._check.found_items(batch, sentences)
        self.report.items_known += known
        self._add_items(records, sentences, file)

    def _given_items(self, paths: Sequence[Path]) -> None:
        records = self.corpus.read_items(paths, self.refuse)
        file = ", ".join(map(str, paths))
        for batch in batched(records, BATCH):
            sentences = self._stored({record.external_id for record in batch})
            self._add_items(batch, sentences, file, are_given=True)
            self._progress("items", len(batch))

    def _add_items(
        self, batch: list[ItemRecord], sentences: Sentences, file: str, *, are_given: bool = False
    ) -> None:
        """Add the items that the sentences lack. Given ones that exist otherwise are changed."""
        items = self._check.complete_items(batch, sentences, file=file)
        with transaction.atomic():
            found = self._check.sort_items(items, sentences, are_given=are_given)
            insert_rows(Item, ITEM_COLUMNS, [_row(item, self.project) for item in found.new])
            for pk, item in found.changed.items():
                Item.objects.filter(pk=pk).update(target=item.target)
        self.report.items_added += len(found.new)
        self.report.items_known += found.known
        self.report.items_updated += len(found.changed)


class _StoredImages(CorpusImages):
    """The images of an import, which stores them. `stored` has their primary keys by file name."""

    def __init__(
        self,
        files: ImageFiles,
        *,
        project: Project,
        refuse: ErrorSink,
        rescale: bool,
        progress: Progress,
    ) -> None:
        super().__init__(files, refuse=refuse, rescale=rescale)
        self._project = project
        self._progress = progress
        self.stored: dict[str, int] = {}

    def load(self, name: str, data: bytes) -> Image:
        image = store_image(project=self._project, name=name, data=data)
        self.stored[name] = image.pk
        self._progress("images", 1)
        return Image(image.name, image.width, image.height)


def _row(item: FileItem, project: Project) -> tuple[str | int, ...]:
    position = shuffled_position(project.seed, item.key)
    return project.pk, item.sentence, item.key, json.dumps(item.target), position


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
