"""Preview an uploaded corpus: count what its import would add, and name what looks wrong."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ftfy import fix_encoding
from ftfy.badness import BADNESS_RE

from annotation.domain.corpus.changed_sentences import stored_sentences
from annotation.domain.corpus.check_corpus import (
    CorpusCheck,
    FileItem,
    Sentences,
    SortedSentences,
    unstored,
)
from annotation.domain.corpus.check_upload import checked_upload
from annotation.domain.corpus.corpus_images import CorpusImages
from annotation.domain.corpus.corpus_limits import MAX_BAD_ROWS, within_limits
from annotation.domain.corpus.find_items import NO_ITEMS
from annotation.domain.corpus.image_files import open_image_files
from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.queue_import import (
    OpenUpload,
    bytes_of,
    complete_reading,
    open_upload,
)
from annotation.domain.corpus.source_files import ColumnsError
from annotation.domain.corpus.text_encodings import readings_of
from annotation.domain.corpus.uploads import open_uploads, stored_errors
from annotation.domain.corpus.written_text import NOT_ALIGNED, written_text
from jobs.domain.kinds import JobKind, JobRun
from jobs.models import Job
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.corpus import Corpus
from schemes.contract.errors import FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord, SentenceRecord
from schemes.contract.values import Json
from schemes.file_kinds import head_of
from schemes.import_settings import settings_in
from schemes.row_files import is_row_file
from schemes.table_files import is_compressed
from schemes.text_lines import MAX_LINE_BYTES

CORPUS_CHECK = "corpus-check"
# Sentences that are shown, and the items and characters of each
SENTENCES = 20
ITEMS = 20
CHARACTERS = 2000
# The number of rows of each file that a large upload shows before all of it is read
ROWS = 1000
BAD_ROWS = 1000
SMALL_BYTES = 256 << 10
SMALL_IMAGES_BYTES = 4 << 20
SHOWN = 50
OF_A_KIND = 10
BATCH = 5000
LONG_CHARACTERS = 1000
LONG_TOKENS = 150
KNOWN = "already in the project"
DIFFERS = "differs from the project"
WILL_BE_REPLACED = "will be replaced"
SKIPPED = "skipped"
# Characters of context around garbled text
AROUND = 12
# Control characters, and U+FFFD in the place of lost characters
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]")


@dataclass(frozen=True, slots=True)
class PreviewedSentence:
    external_id: str
    text: str
    headlines: tuple[str, ...]
    note: str = ""


@dataclass(slots=True)
class Preview:
    """The first sentences with their items, and the counts of the rows that were read.

    `listed` counts all readable sentences. `sentences` and `items` are new, and `updated` ones will be
    replaced. `known` sentences are in the project already, and `repeated` ones came before in the files.
    `duplicates` have the text of an earlier one, and are imported. `bad_rows` will be skipped.
    `replaceable` counts what differs from the project and has no work, and `with_work` the other
    differences. `offers` counts the bad rows that a setting would accept, by the setting's parameter.
    `error_rows` and `warnings` describe the first rows of each. If not `whole`, the files have more
    rows. `problem` gives the reason if a file can't be read at all. If it is not UTF-8, `readings` has
    the first such line in the encodings that may be right. `table` describes the first file, if it is
    one.
    """

    shown: list[PreviewedSentence] = field(default_factory=list)
    listed: int = 0
    sentences: int = 0
    items: int = 0
    updated: int = 0
    items_updated: int = 0
    known: int = 0
    repeated: int = 0
    duplicates: int = 0
    bad_rows: int = 0
    replaceable: int = 0
    with_work: int = 0
    offers: dict[str, int] = field(default_factory=dict)
    error_rows: list[dict[str, Any]] = field(default_factory=list)
    warning_count: int = 0
    warnings: list[str] = field(default_factory=list)
    whole: bool = True
    problem: str = ""
    readings: dict[str, str] = field(default_factory=dict)
    table: dict[str, Any] | None = None

    @property
    def errors(self) -> list[str]:
        """Return the messages of `error_rows`, with their files and lines."""
        return [
            str(FileError(row["file"], row["line"], row["message"], field=row["field"]))
            for row in self.error_rows
        ]

    @property
    def read(self) -> int:
        """Return the number of sentences that are not refused, new or not."""
        return self.sentences + self.updated + self.known + self.repeated

    @property
    def can_be_imported(self) -> bool:
        has_items = self.items or self.items_updated
        return bool(self.read or has_items) and not self.problem

    def add_offers(self, message: str) -> None:
        """Count the settings that the message of a bad row names."""
        for setting in settings_in(message):
            self.offers[setting.parameter] = self.offers.get(setting.parameter, 0) + 1


def preview_corpus(
    *,
    project: Project,
    job: Job,
    rows: int | None = ROWS,
    progress: Callable[[int], None] = lambda count: None,
) -> Preview:
    """Return the preview of the first `rows` rows of each file, or of all, or the problem with them."""
    try:
        with open_upload(job) as upload:
            reading = _Reading(project, upload, job.parameters, rows)
            preview = reading.preview(progress=progress)
            preview.table = asdict(upload.table) if upload.table else None
    except (FileError, ColumnsError) as error:
        preview = Preview(problem=str(error))
    except OSError as error:
        return Preview(problem=f"The upload cannot be read: {error}.")
    return _with_readings(preview, job)


def stored_preview(result: Mapping[str, Any]) -> Preview | None:
    """Return the preview in the result of a check, or None if it has none yet."""
    if not result:
        return None
    fields = dict(result)
    fields["shown"] = [
        PreviewedSentence(row["external_id"], row["text"], tuple(row["headlines"]), row["note"])
        for row in fields["shown"]
    ]
    return Preview(**fields)


def _run_check(run: JobRun) -> dict[str, Any]:
    """Read an upload. Of a large one, the first rows are shown before all of it is read."""
    project = Project.objects.get(slug=run.job.scope)
    try:
        upload = checked_upload(run, complete_reading)
    except FileError as error:
        return asdict(_with_readings(Preview(problem=str(error)), run.job))
    if not _is_small(upload):
        run.show(asdict(preview_corpus(project=project, job=upload, rows=ROWS)))
    progress = partial(_report, run)
    return asdict(preview_corpus(project=project, job=upload, rows=None, progress=progress))


def _report(run: JobRun, count: int) -> None:
    run.report(sentences=count)


def _is_small(upload: Job) -> bool:
    """Return True for an upload that is read in a moment."""
    texts, images = bytes_of(upload)
    return texts <= SMALL_BYTES and images <= SMALL_IMAGES_BYTES


def _with_readings(preview: Preview, job: Job) -> Preview:
    """Return the preview of an unreadable file with its text in the encodings that may be right."""
    if preview.problem and not job.parameters["reading"]["encoding"]:
        # The files are gone if the upload was discarded meanwhile.
        with suppress(FileError, OSError), open_uploads(job.parameters["files"]) as (paths, _):
            preview.readings = readings_of(paths[0])
    return preview


KIND = JobKind(run=_run_check, reads_uploads=True, attempts=1)


class _Reading:
    """A pass over the files of an upload, as the import reads them."""

    def __init__(
        self, project: Project, upload: OpenUpload, parameters: Json, rows: int | None
    ) -> None:
        self._project = project
        self._corpus: Corpus = scheme_of(project).corpus
        self._upload = upload
        self._options = upload.options(parameters)
        self._rows = rows
        self._preview = Preview()
        self._check = CorpusCheck(
            project=project, options=self._options, refuse=self._refuse, remembers=True
        )
        self._images: CorpusImages | None = None
        # The line of the first sentence with each id and each text
        self._lines: dict[str, int] = {}
        self._texts: dict[int, int] = {}
        self._warnings: Counter[str] = Counter()
        self._items_by_sentence: dict[str, list[ItemRecord]] = {}
        self._has_lines = all(map(_has_lines, upload.corpus))

    def preview(self, *, progress: Callable[[int], None] = lambda count: None) -> Preview:
        preview = self._preview
        try:
            self._read(progress)
        except (FileError, OSError, UnicodeDecodeError) as error:
            preview.problem = self._upload.describe(error)
        preview.replaceable, preview.with_work = self._check.replaceable, self._check.with_work
        if not preview.problem:
            for path in self._upload.corpus:
                self._check_lines(path)
            if preview.sentences and not preview.items:
                preview.warning_count += 1
                preview.warnings.append(f"{preview.sentences:,} new sentences. {NO_ITEMS}")
        return preview

    def _read(self, progress: Callable[[int], None]) -> None:
        with ExitStack() as stack:
            if self._upload.images and self._corpus.needs_images:
                self._images = CorpusImages(
                    stack.enter_context(open_image_files(self._upload.images)),
                    refuse=self._refuse,
                    rescale=self._options.rescale,
                    only_heads=self._rows is not None,
                )
            if self._upload.items:
                records = self._corpus.read_items(self._upload.items, self._refuse)
                for record in islice(records, self._rows):
                    self._items_by_sentence.setdefault(record.external_id, []).append(record)
                if self._rows is not None and next(records, None) is not None:
                    self._preview.whole = False
            for path in self._upload.corpus:
                for batch in batched(self._records(path), BATCH):
                    self._add(batch, path.name)
                    progress(self._preview.listed)
            self._add_other_items()

    def _records(self, path: Path) -> Iterator[SentenceRecord]:
        read_records = self._corpus.read_sentences(path, self._options.fmt, self._refuse)
        records = within_limits(read_records, file=path.name, on_error=self._refuse)
        if self._rows is None:
            yield from records
            return
        yield from islice(records, self._rows)
        if next(records, None) is not None:
            self._preview.whole = False

    def _refuse(self, error: FileError) -> None:
        preview = self._preview
        preview.bad_rows += 1
        preview.add_offers(error.message)
        most = BAD_ROWS if self._rows is not None else MAX_BAD_ROWS
        if preview.bad_rows > most:
            raise FileError(error.file, error.line, f"is the last of more than {most:,} bad rows.")
        if len(preview.error_rows) < SHOWN:
            preview.error_rows += stored_errors([error], self._upload.names)

    def _warn(self, kind: str, line: int, message: str) -> None:
        """Count a warning, and describe the first ones of each kind."""
        self._preview.warning_count += 1
        self._warnings[kind] += 1
        if self._warnings[kind] <= OF_A_KIND:
            self._preview.warnings.append(f"Line {line:,} {message}")

    def _add(self, batch: list[SentenceRecord], file: str) -> None:
        check, images = self._check, self._images
        self._preview.listed += len(batch)
        known = stored_sentences(
            project=self._project, external_ids={record.external_id for record in batch}
        )
        readable = batch
        if self._corpus.needs_images:
            readable = check.with_images(batch, known, images, file=file)
        found = check.sort_sentences(readable, known, images, file=file)
        replaced = check.replaced_sentences(found.changed, known, images, file=file)
        written = {record.external_id: unstored(record) for record in [*found.new, *replaced]}
        accepted = [*found.new, *found.known, *found.repeated, *replaced]
        items = self._add_items(accepted, {**known, **written}, file)
        self._count(found, replaced)
        notes = {
            **{record.external_id: KNOWN for record in found.known},
            **{record.external_id: DIFFERS for record, _ in found.changed},
            **{record.external_id: WILL_BE_REPLACED for record in replaced},
            **{record.external_id: "" for record in found.new},
        }
        # A refused record may have the id of another one.
        kept = {id(record) for record in [*accepted, *(record for record, _ in found.changed)]}
        for record in batch[: SENTENCES - len(self._preview.shown)]:
            is_kept = id(record) in kept
            own = [item for item in items if is_kept and item.external_id == record.external_id]
            note = notes.get(record.external_id, SKIPPED) if is_kept else SKIPPED
            self._preview.shown.append(self._shown(record, own, note))

    def _count(self, found: SortedSentences, replaced: list[SentenceRecord]) -> None:
        preview = self._preview
        preview.sentences += len(found.new)
        preview.updated += len(replaced)
        preview.known += len(found.known)
        preview.repeated += len(found.repeated)
        for record in found.new:
            self._lines[record.external_id] = record.line
            text = hash((record.image, record.tokens))
            same = self._texts.setdefault(text, record.line)
            if same != record.line:
                self._preview.duplicates += 1
                self._warn(
                    "text", record.line, f"has the same text as line {same:,}. Both are imported."
                )
        for record in [*found.new, *replaced]:
            characters = sum(map(len, record.tokens)) + len(record.tokens) - 1
            if characters > LONG_CHARACTERS or len(record.tokens) > LONG_TOKENS:
                size = f"{characters:,} characters, {len(record.tokens):,} tokens"
                self._warn("length", record.line, f"is very long for a sentence ({size}).")
            written, offsets = written_text(record)
            if written and not offsets:
                self._warn("written", record.line, NOT_ALIGNED)
            if not self._has_lines:
                self._check_encoding(record.line, record.text or " ".join(record.tokens))
        for record in found.repeated:
            first = self._lines.get(record.external_id)
            of_line = f" of line {first:,}" if first else ""
            self._warn("id", record.line, f"repeats the id {record.external_id}{of_line}.")

    def _add_items(
        self, accepted: list[SentenceRecord], sentences: Sentences, file: str
    ) -> list[FileItem]:
        """Count the items of a batch of sentences, and return those that will be stored."""
        if not self._upload.items:
            records, _ = self._check.found_items(accepted, sentences)
            return self._sorted(records, sentences, file, are_given=False)
        records = [item for name in sentences for item in self._items_by_sentence.pop(name, ())]
        return self._sorted(records, sentences, self._items_name, are_given=True)

    def _add_other_items(self) -> None:
        """Count the items of sentences that the project has and that are not in the files."""
        groups = batched(self._items_by_sentence.items(), BATCH)
        for group in groups:
            known = stored_sentences(
                project=self._project, external_ids=[name for name, _ in group]
            )
            records = [
                record
                for name, items in group
                for record in items
                # Its sentence may be in a part of the file that was not read.
                if name in known or self._preview.whole
            ]
            self._sorted(records, known, self._items_name, are_given=True)

    @property
    def _items_name(self) -> str:
        return ", ".join(path.name for path in self._upload.items)

    def _sorted(
        self, records: list[ItemRecord], sentences: Sentences, file: str, *, are_given: bool
    ) -> list[FileItem]:
        items = self._check.complete_items(records, sentences, file=file)
        found = self._check.sort_items(items, sentences, are_given=are_given)
        self._preview.items += len(found.new)
        self._preview.items_updated += len(found.changed)
        return [*found.new, *found.changed.values()]

    def _check_encoding(self, line: int, text: str) -> None:
        """Warn of text that was decoded wrongly before it was saved."""
        if match := BADNESS_RE.search(text):
            garbled = text[max(0, match.start() - AROUND) : match.end() + AROUND]
            likely = fix_encoding(garbled)
            hint = f" may be “{likely}”" if likely != garbled else ""
            self._warn("encoding", line, f"looks wrongly encoded: “{garbled}”{hint}.")

    def _shown(self, record: SentenceRecord, items: list[FileItem], note: str) -> PreviewedSentence:
        text, offsets = written_text(record)
        context = ItemContext(record.tokens, text=text, offsets=offsets)
        headlines = [
            self._corpus.headline(replace(context, target=item.target)) for item in items[:ITEMS]
        ]
        if len(items) > ITEMS:
            headlines.append(f"and {len(items) - ITEMS:,} more")
        shown = context.span_text(0, len(record.tokens))
        if len(shown) > CHARACTERS:
            shown = f"{shown[:CHARACTERS]}…"
        return PreviewedSentence(record.external_id, shown, tuple(headlines), note)

    def _check_lines(self, path: Path) -> None:
        """Warn of lines with characters that can't be read, and of empty lines between others."""
        if not _has_lines(path):
            return
        expects_text = self._options.fmt in self._corpus.line_formats
        empty: list[int] = []
        for line, text in _lines(path, self._rows):
            if not text.strip():
                empty.append(line)
                continue
            if expects_text:
                for number in empty:
                    self._warn("empty", number, "is empty and is skipped.")
            empty = []
            self._check_encoding(line, text)
            if match := _UNREADABLE.search(text):
                self._warn("characters", line, _unreadable(match.group()))


def _has_lines(path: Path) -> bool:
    """Return True for text, which is shown in the preview as it is in the file."""
    return not (path.is_dir() or is_compressed(head_of(path)) or is_row_file(path))


def _lines(path: Path, most: int | None) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
        for number, raw in enumerate(islice(lines, most), start=1):
            text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            yield number, text.decode("utf-8", errors="replace").rstrip("\r\n")


def _unreadable(character: str) -> str:
    if character == "\ufffd":
        return "has U+FFFD, which stands for characters that were lost before the upload."
    code = f"U+{ord(character):04X}"
    hint = " Try another encoding." if ord(character) >= 0x80 else ""
    return f"has a control character ({code}).{hint}"
