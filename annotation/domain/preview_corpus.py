"""Preview the beginning of an uploaded corpus, read as the import reads it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from annotation.domain.corpus_limits import within_limits
from annotation.domain.image_files import open_image_files
from annotation.domain.queue_import import OpenUpload, open_upload
from jobs.models import Job
from projects.models import Project
from schemes.base import (
    ContentError,
    Corpus,
    ErrorSink,
    FileError,
    ItemContext,
    ItemRecord,
    Json,
    SentenceRecord,
)
from schemes.registry import get_scheme

SENTENCES = 10
# The number of rows of each file that are checked for errors.
ROWS = 1000
ERRORS = 20


@dataclass(frozen=True, slots=True)
class PreviewedSentence:
    external_id: str
    tokens: tuple[str, ...]
    headlines: tuple[str, ...]


@dataclass(slots=True)
class Preview:
    """The first sentences with their items, and the errors in the first ROWS rows of each file.

    `problem` gives the reason if a file can't be read at all.
    """

    sentences: list[PreviewedSentence] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    error_count: int = 0
    rows: int = 0
    whole: bool = True
    problem: str = ""


def preview_corpus(*, project: Project, job: Job) -> Preview:
    """Return the preview of an upload, including the errors in its files."""
    try:
        with open_upload(job) as upload:
            return _preview(upload, get_scheme(project.scheme).corpus, job.parameters)
    except OSError as error:
        return Preview(problem=f"The upload cannot be read: {error}.")


def _preview(upload: OpenUpload, corpus: Corpus, parameters: Json) -> Preview:
    preview = Preview()

    def add_error(error: FileError) -> None:
        preview.error_count += 1
        if preview.error_count > ROWS:
            raise FileError(error.file, error.line, f"is the last of more than {ROWS:,} bad rows.")
        if len(preview.errors) < ERRORS:
            preview.errors.append(upload.describe(error))

    try:
        sentences: list[SentenceRecord] = []
        for path in upload.corpus:
            read_records = corpus.read_sentences(path, parameters["format"], add_error)
            stream = within_limits(read_records, file=path.name, on_error=add_error)
            records = list(islice(stream, ROWS + 1))
            preview.whole = preview.whole and len(records) <= ROWS
            preview.rows += min(len(records), ROWS)
            sentences += records[: SENTENCES - len(sentences)]
        if corpus.needs_images:
            _check_images(upload, sentences, add_error)
        items = None
        if upload.items:
            items = list(islice(corpus.read_items(upload.items, add_error), ROWS))
    except (FileError, OSError, UnicodeDecodeError) as error:
        preview.problem = upload.describe(error)
        return preview
    search = corpus.search_of(parameters["search"])
    preview.sentences = [
        _preview_sentence(corpus, sentence, search, items) for sentence in sentences
    ]
    return preview


def _check_images(
    upload: OpenUpload, sentences: list[SentenceRecord], add_error: ErrorSink
) -> None:
    """Report missing images. Raise FileError if there are no images at all."""
    if upload.images is None:
        raise FileError("The corpus", None, "names images. Upload an archive of them as well.")
    with open_image_files(upload.images) as images:
        for name in dict.fromkeys(sentence.image for sentence in sentences):
            if not images.has(name):
                add_error(FileError(name, None, "is not among the images."))


def _preview_sentence(
    corpus: Corpus,
    sentence: SentenceRecord,
    search: Callable[[str, ItemContext], list[ItemRecord]],
    corpus_items: list[ItemRecord] | None,
) -> PreviewedSentence:
    if corpus_items is None:
        context = ItemContext(sentence.tokens, metadata=sentence.metadata)
        items = search(sentence.external_id, context)
    else:
        items = [item for item in corpus_items if item.external_id == sentence.external_id]
    headlines = [_headline(corpus, sentence, item) for item in items]
    return PreviewedSentence(sentence.external_id, sentence.tokens, tuple(filter(None, headlines)))


def _headline(corpus: Corpus, sentence: SentenceRecord, item: ItemRecord) -> str:
    try:
        target = corpus.complete_item(item, ItemContext(sentence.tokens)).target
    except ContentError:
        return ""
    return corpus.headline(ItemContext(sentence.tokens, target))
