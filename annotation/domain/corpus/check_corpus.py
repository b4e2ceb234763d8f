"""Checks of sentences and items of files against a project, for imports and their previews."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.db.models import QuerySet

from annotation.domain.corpus.changed_sentences import (
    StoredSentence,
    differences,
    in_use,
    metadata_of,
)
from annotation.domain.corpus.corpus_images import CorpusImages
from annotation.domain.corpus.corpus_limits import MAX_KEY
from annotation.domain.corpus.find_items import find_items
from annotation.domain.corpus.value_list import value_list
from annotation.models import Item
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import ContentError, ErrorSink, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord, SentenceRecord
from schemes.contract.values import Json
from schemes.import_settings import Setting
from schemes.stated import fitted_item

Sentences = Mapping[str, StoredSentence]


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


@dataclass(frozen=True, slots=True)
class SortedSentences:
    """A batch of sentences. `changed` ones exist otherwise, and `repeated` ones came before."""

    new: list[SentenceRecord] = field(default_factory=list)
    known: list[SentenceRecord] = field(default_factory=list)
    repeated: list[SentenceRecord] = field(default_factory=list)
    changed: list[tuple[SentenceRecord, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileItem:
    """A complete item of a file, whose sentence has the primary key `sentence`."""

    external_id: str
    key: str
    sentence: int
    target: Json
    file: str
    line: int | None

    def error(self, message: str) -> FileError:
        return FileError(self.file, self.line, message)


@dataclass(frozen=True, slots=True)
class SortedItems:
    """A batch of items. `changed` ones exist with another target and may be replaced."""

    new: list[FileItem] = field(default_factory=list)
    known: int = 0
    changed: dict[int, FileItem] = field(default_factory=dict)


class CorpusCheck:
    """The checks of a corpus. Bad rows are passed to `refuse`.

    `replaceable` counts the sentences and items that exist otherwise and that no work depends on, and
    `with_work` the others. If `remembers`, ids are compared with those of all earlier batches. Without
    it, the earlier ones have to be stored.
    """

    def __init__(
        self,
        *,
        project: Project,
        options: CorpusOptions,
        refuse: ErrorSink,
        remembers: bool,
    ) -> None:
        self._project = project
        self._corpus = scheme_of(project).corpus
        self._options = options
        self._refuse = refuse
        self._remembers = remembers
        # Hashes of the parts of sentences by id
        self._seen: dict[str, dict[str, int]] = {}
        self.replaceable = 0
        self.with_work = 0

    def with_images(
        self,
        batch: Iterable[SentenceRecord],
        known: Sentences,
        images: CorpusImages | None,
        *,
        file: str,
    ) -> list[SentenceRecord]:
        """Return the sentences without new ones of bad images.

        Raise FileError for sentences with images if these were not given.
        """
        records = list(batch)
        if images is None:
            if not any(record.image for record in records):
                return records
            message = "names images. Give their folder or archive as well."
            raise FileError(Path(file).name, None, message)
        return [
            record
            for record in records
            if not record.image or record.external_id in known or images.accepts(record, file)
        ]

    def sort_sentences(
        self,
        batch: Iterable[SentenceRecord],
        known: Sentences,
        images: CorpusImages | None,
        *,
        file: str,
    ) -> SortedSentences:
        """Compare a batch with the project's sentences `known` and with earlier ones of the files."""
        if not self._remembers:
            self._seen.clear()
        result = SortedSentences()
        for record in batch:
            parts = _parts(record)
            first = self._seen.setdefault(record.external_id, parts)
            others = [name for name in {**first, **parts} if first.get(name) != parts.get(name)]
            if first is parts:
                self._sort_sentence(record, known, images, result)
            elif not others:
                result.repeated.append(record)
            else:
                message = f"{record.external_id} is repeated with other {', '.join(others)}."
                self._refuse(FileError(file, record.line, message))
        return result

    def _sort_sentence(
        self,
        record: SentenceRecord,
        known: Sentences,
        images: CorpusImages | None,
        result: SortedSentences,
    ) -> None:
        stored = known.get(record.external_id)
        if stored is None:
            result.new.append(record)
            return
        digest = images.digest(record.image) if images and record.image else None
        if names := [*differences(record, stored, digest=digest), *self._other_labels(stored)]:
            result.changed.append((record, ", ".join(names)))
        else:
            result.known.append(record)

    def _other_labels(self, stored: StoredSentence) -> list[str]:
        """Return "domain" and "partition" if the import names others than the sentence has."""
        options = self._options
        return [
            name
            for name, given, own in (
                ("domain", options.domain, stored.domain),
                ("partition", options.partition, stored.partition),
            )
            if given and given != own
        ]

    def replaced_sentences(
        self,
        changed: Sequence[tuple[SentenceRecord, str]],
        known: Sentences,
        images: CorpusImages | None,
        *,
        file: str,
    ) -> list[SentenceRecord]:
        """Return the changed sentences that are to be replaced, and refuse the others."""
        pks = [known[record.external_id].pk for record, _ in changed]
        items = dict(Item.objects.filter(sentence__in=pks).values_list("pk", "sentence_id"))
        used = {items[pk] for pk in in_use(items=items)} if items else set()
        return [
            record
            for record, names in changed
            if self._may_replace(
                FileError(file, record.line, f"{record.external_id} exists with other {names}."),
                has_work=known[record.external_id].pk in used,
            )
            and (images is None or not record.image or images.accepts(record, file))
        ]

    def _may_replace(self, change: FileError, *, has_work: bool) -> bool:
        """Return True if a change is to be made. Refuse and count it otherwise."""
        self.with_work += has_work
        self.replaceable += not has_work
        if has_work:
            reason = "It was not updated, because work depends on it."
        elif not self._options.update:
            reason = f"Nothing was changed. To replace it, choose {Setting.UPDATE.quoted}."
        else:
            return True
        self._refuse(FileError(change.file, change.line, f"{change.message} {reason}"))
        return False

    def found_items(
        self, batch: Iterable[SentenceRecord], sentences: Sentences
    ) -> tuple[list[ItemRecord], int]:
        """Return the items that the corpus gives or the scheme finds, and the count of known ones.

        This includes items of sentences that an interrupted import added without them.
        """
        of_items = list(items_of(sentences).values_list("sentence_id", flat=True))
        done = set() if self._options.search else set(of_items)
        bare = {name for name, sentence in sentences.items() if sentence.pk not in done}
        records = find_items(
            scheme=scheme_of(self._project),
            search=self._options.search,
            sentences=[record for record in batch if record.external_id in bare],
        )
        return records, len(of_items)

    def complete_items(
        self, batch: Iterable[ItemRecord], sentences: Sentences, *, file: str
    ) -> dict[str, FileItem]:
        """Return the batch's valid items by key, but none that is repeated with another target."""
        items: dict[str, FileItem] = {}
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
                self._refuse(FileError(place, line, error.message, field=error.path))
        return {key: item for key, item in items.items() if key not in repeated}

    def _item(self, record: ItemRecord, stored: StoredSentence, file: str) -> FileItem:
        """Return the complete item. Raise ContentError if the sentence contradicts it."""
        context = ItemContext(stored.tokens, metadata=stored.metadata)
        record = fitted_item(self._corpus, record, context, align=self._options.align)
        target = self._corpus.complete_item(record, context).target
        key = item_key(record.external_id, record.local_key)
        if len(key) > MAX_KEY:
            raise ContentError("", f"has a key of more than {MAX_KEY} characters.")
        return FileItem(
            external_id=record.external_id,
            key=key,
            sentence=stored.pk,
            target=target,
            file=file,
            line=record.line or None,
        )

    def sort_items(
        self, items: Mapping[str, FileItem], sentences: Sentences, *, are_given: bool
    ) -> SortedItems:
        """Compare items with those of the sentences. Only given ones change what exists."""
        rows = items_of(sentences).values_list("key", "pk", "target")
        known = {key: (pk, target) for key, pk, target in rows}
        new = [item for key, item in items.items() if key not in known]
        other = {
            known[key][0]: item
            for key, item in items.items()
            if are_given and key in known and item.target != known[key][1]
        }
        used = in_use(items=other) if other else set()
        changed = {
            pk: item
            for pk, item in other.items()
            if self._may_replace(
                item.error(f"{item.key} exists with another target."), has_work=pk in used
            )
        }
        return SortedItems(new, len(items) - len(new) - len(other), changed)


def unstored(record: SentenceRecord) -> StoredSentence:
    """Return a sentence of a file as it would be stored."""
    return StoredSentence(0, list(record.tokens), metadata_of(record), record.text, None)


def items_of(sentences: Sentences) -> QuerySet[Item]:
    keys = [sentence.pk for sentence in sentences.values() if sentence.pk]
    return Item.objects.filter(sentence__in=value_list(keys))


def _parts(record: SentenceRecord) -> dict[str, int]:
    """Return hashes of a sentence's parts by their names in messages."""
    metadata = {name: value for name, value in record.metadata.items() if name != "document"}
    parts = {"tokens": record.tokens, "text": record.text, "image": record.image}
    texts = {name: json.dumps(value, sort_keys=True) for name, value in metadata.items()}
    return {name: hash(value) for name, value in {**texts, **parts}.items()}


def item_key(external_id: str, local_key: str) -> str:
    return f"{external_id}/{local_key}"
