"""Sentences and items from files: streamed in batches, added once, every bad row named."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.db import transaction

from annotation.domain.collector import without_collector
from annotation.domain.find_items import Finder
from annotation.domain.insert_rows import insert_rows
from annotation.domain.look_up import stored_keys, stored_sentences
from annotation.models import Item, Project, Sentence
from schemes.base import ContentError, FileError, ItemRecord, Scheme, SentenceRecord
from schemes.registry import get_scheme

T = TypeVar("T")

BATCH = 5000
SENTENCE_COLUMNS = (
    "project_id",
    "external_id",
    "tokens",
    "domain",
    "partition",
    "image",
    "metadata",
)
ITEM_COLUMNS = ("project_id", "sentence_id", "key", "target", "position")
Progress = Callable[[str, int], None]


@dataclass
class ImportReport:
    """What an import did. `errors` holds the first rows that were left out; `error_count` counts all."""

    sentences_added: int = 0
    sentences_known: int = 0
    items_added: int = 0
    items_known: int = 0
    error_count: int = 0
    errors: list[FileError] = field(default_factory=list)

    KEPT = 1000

    @property
    def nothing_new(self) -> bool:
        return not (self.sentences_added or self.items_added)


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How to read a corpus. Without `items_path` the items stand in the corpus or are found in it."""

    fmt: str
    items_path: Path | None = None
    domain: str = ""
    partition: str = ""
    strict: bool = False


class Import:
    """One import into one project. `on_error` hears of each row left out, `progress` of each batch."""

    def __init__(
        self,
        *,
        project: Project,
        options: CorpusOptions,
        on_error: Callable[[FileError], None] = lambda error: None,
        progress: Progress = lambda what, count: None,
    ) -> None:
        self.project = project
        self.scheme: Scheme = get_scheme(project.scheme)
        self.options = options
        self.report = ImportReport()
        self._on_error = on_error
        self._progress = progress

    def run(self, paths: Iterable[Path]) -> ImportReport:
        """Import the files. Raises FileError for a file that can't be read at all, and, when strict,
        for the first bad row: then nothing of any file is kept."""
        whole: AbstractContextManager[object] = (
            transaction.atomic() if self.options.strict else nullcontext()
        )
        with without_collector(), Finder(self.project.scheme) as self._finder, whole:
            for path in paths:
                self._sentences(path)
            if self.options.items_path:
                self._given_items(self.options.items_path)
        return self.report

    def refuse(self, error: FileError) -> None:
        """Count, keep and report a bad row; raise it when strict."""
        if self.options.strict:
            raise error
        self.report.error_count += 1
        if len(self.report.errors) < ImportReport.KEPT:
            self.report.errors.append(error)
        self._on_error(error)

    # --- sentences

    def _sentences(self, path: Path) -> None:
        records = self.scheme.read_sentences(path, fmt=self.options.fmt, on_error=self.refuse)
        for batch in batched(records, BATCH):
            with transaction.atomic():
                self._add_sentences(batch, str(path))
            if not self.options.items_path:
                self._found_items(batch, str(path))
            self._progress("sentences", len(batch))

    def _add_sentences(self, batch: list[SentenceRecord], file: str) -> None:
        known = stored_sentences(
            project=self.project, external_ids={one.external_id for one in batch}
        )
        fresh: dict[str, SentenceRecord] = {}
        for one in batch:
            _, before = known.get(one.external_id, (0, None))
            if before is None and one.external_id in fresh:
                before = list(fresh[one.external_id].tokens)
            if before is None:
                fresh[one.external_id] = one
            elif before != list(one.tokens):
                self.refuse(
                    FileError(file, one.line, f"{one.external_id} is known with other tokens.")
                )
            else:
                self.report.sentences_known += 1
        insert_rows(Sentence, SENTENCE_COLUMNS, map(self._sentence, fresh.values()))
        self.report.sentences_added += len(fresh)

    def _sentence(self, record: SentenceRecord) -> tuple[str | int, ...]:
        return (
            self.project.pk,
            record.external_id,
            json.dumps(record.tokens),
            self.options.domain,
            self.options.partition,
            "",
            json.dumps(record.metadata),
        )

    # --- items

    def _found_items(self, batch: list[SentenceRecord], file: str) -> None:
        """Items that the corpus gives or the scheme finds, also for sentences that an interrupted
        import added without them."""
        here = stored_sentences(
            project=self.project, external_ids={one.external_id for one in batch}
        )
        known = Item.objects.filter(sentence__in=[pk for pk, _ in here.values()])
        of_sentences = list(known.values_list("sentence_id", flat=True))
        self.report.items_known += len(of_sentences)
        done = set(of_sentences)
        bare = {external_id for external_id, (pk, _) in here.items() if pk not in done}
        records = self._finder.find([one for one in batch if one.external_id in bare])
        self._add_items(records, file)

    def _given_items(self, path: Path) -> None:
        records = self.scheme.read_items(path, on_error=self.refuse)
        for batch in batched(records, BATCH):
            self._add_items(batch, str(path))
            self._progress("items", len(batch))

    def _add_items(self, batch: list[ItemRecord], file: str) -> None:
        with transaction.atomic():
            ids = {record.external_id for record in batch}
            sentences = stored_sentences(project=self.project, external_ids=ids)
            fresh = self._completed(batch, sentences, file)
            known = stored_keys(project=self.project, keys=fresh)
            added = [(key, row) for key, row in fresh.items() if key not in known]
            insert_rows(Item, ITEM_COLUMNS, (row for _, row in added))
        self.report.items_known += len(known)
        self.report.items_added += len(added)

    def _completed(
        self,
        batch: list[ItemRecord],
        sentences: dict[str, tuple[int, list[str]]],
        file: str,
    ) -> dict[str, tuple[str | int, ...]]:
        """The batch's good items as rows, by key."""
        rows: dict[str, tuple[str | int, ...]] = {}
        for record in batch:
            line = record.line or None
            if record.external_id not in sentences:
                message = f"no sentence {record.external_id!r} in the project."
                self.refuse(FileError(file, line, message))
                continue
            sentence_id, tokens = sentences[record.external_id]
            try:
                target = self.scheme.complete_item(record, tokens).target
            except ContentError as error:
                self.refuse(FileError(file, line, error.message, field=error.path))
                continue
            key = item_key(record.external_id, record.local_key)
            position = shuffled_position(self.project.seed, key)
            rows[key] = (self.project.pk, sentence_id, key, json.dumps(target), position)
        return rows


def item_key(external_id: str, local_key: str) -> str:
    return f"{external_id}/{local_key}"


def shuffled_position(seed: int, key: str) -> int:
    """Where the item stands in the project's shuffle: the same for the same seed, whatever else is
    imported before or after it. From 0 to 2**63 - 1."""
    digest = hashlib.blake2b(f"{seed}:{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def batched(records: Iterable[T], size: int) -> Iterator[list[T]]:
    stream = iter(records)
    while batch := list(islice(stream, size)):
        yield batch
