"""The beginning of an uploaded corpus, read as its import would read it, and nothing kept."""

from dataclasses import dataclass, field
from itertools import islice

from annotation.domain.queue_import import files_of, worded
from annotation.models import CorpusImport
from schemes.base import ContentError, FileError, ItemRecord, Scheme, SentenceRecord
from schemes.registry import get_scheme

SENTENCES = 10
# So many rows are looked at for errors, and so many of an items file for the first sentences' items.
ROWS = 1000
ERRORS = 20


@dataclass(frozen=True, slots=True)
class PreviewedSentence:
    external_id: str
    tokens: tuple[str, ...]
    headlines: tuple[str, ...]


@dataclass(slots=True)
class Preview:
    """The first sentences with their items, and what is wrong in the first ROWS rows of each file.
    `problem` says why a file can't be read at all."""

    sentences: list[PreviewedSentence] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    error_count: int = 0
    rows: int = 0
    whole: bool = True
    problem: str = ""


def preview_corpus(row: CorpusImport) -> Preview:
    """What the import would begin with. Reads files, no tables; raises nothing for what they hold."""
    preview, scheme = Preview(), get_scheme(row.project.scheme)
    paths, items_path = files_of(row)

    def note(error: FileError) -> None:
        preview.error_count += 1
        if len(preview.errors) < ERRORS:
            preview.errors.append(worded(row, error))

    try:
        first: list[SentenceRecord] = []
        for path in paths:
            records = list(
                islice(scheme.read_sentences(path, fmt=row.fmt, on_error=note), ROWS + 1)
            )
            preview.whole = preview.whole and len(records) <= ROWS
            preview.rows += min(len(records), ROWS)
            first += records[: SENTENCES - len(first)]
        given = (
            list(islice(scheme.read_items(items_path, on_error=note), ROWS)) if items_path else None
        )
    except (FileError, OSError, UnicodeDecodeError) as error:
        preview.problem = worded(row, error)
        return preview
    preview.sentences = [_shown(scheme, one, given) for one in first]
    return preview


def _shown(
    scheme: Scheme, sentence: SentenceRecord, given: list[ItemRecord] | None
) -> PreviewedSentence:
    if given is None:
        items = scheme.find_items(sentence.external_id, sentence.tokens, sentence.metadata)
    else:
        items = [one for one in given if one.external_id == sentence.external_id]
    headlines = [_headline(scheme, sentence, one) for one in items]
    return PreviewedSentence(sentence.external_id, sentence.tokens, tuple(filter(None, headlines)))


def _headline(scheme: Scheme, sentence: SentenceRecord, item: ItemRecord) -> str:
    try:
        target = scheme.complete_item(item, sentence.tokens).target
    except ContentError:
        return ""
    return scheme.headline(sentence.tokens, target)
