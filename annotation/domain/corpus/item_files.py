"""Tables that list items, in the columns of their scheme or in the column `item`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.source_files import AS_IT_IS, ReadOptions, open_table, with_names
from annotation.domain.corpus.value_list import value_list
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.corpus import item_of_row
from schemes.contract.errors import ContentError, FileError, refuse
from schemes.stated import OTHER_TOKENS, check_stated, same_tokens
from schemes.tables import Table

ITEM_HELP = "An item is the id of its sentence, a slash and its own key."
BATCH = 1000
# The line, the item key and the cells by column
ItemRow = tuple[int, str, Mapping[str, str]]


def read_item_rows(
    project: Project, path: Path, *, options: ReadOptions = AS_IT_IS
) -> Iterator[ItemRow]:
    """Yield the line, the item key and the cells of each row.

    Raise FileError for a bad row, and for words that are not those of the project's item.
    """
    with open_table(path, options=options) as files:
        try:
            for batch in batched(_rows(project, files.paths[0]), BATCH):
                _check_words(project, batch, file=files.paths[0].name)
                yield from batch
        except FileError as error:
            raise with_names(error, files.names) from error


def _rows(project: Project, path: Path) -> Iterator[ItemRow]:
    corpus = scheme_of(project).corpus
    with Table(path, on_error=refuse) as table:
        for line, fields in table:
            row = {name: fields[at].strip() for name, at in table.columns.items()}
            item, named = corpus.item_key_of_row(row), item_of_row(row)
            if item is None:
                header = ", ".join(table.names)[:200]
                message = f"is empty, or the file has no such column; the header has: {header}"
                raise FileError(path.name, line, message, field="item")
            if named and named != item:
                message = f"is {item_key(*named)}, but the other columns name {item_key(*item)}."
                raise FileError(path.name, line, message, field="item")
            yield line, item_key(*item), row


def _check_words(project: Project, rows: Sequence[ItemRow], *, file: str) -> None:
    """Raise FileError for the first row with other words than its item, if the project has it."""
    items = project.items.filter(key__in=value_list([key for _, key, _ in rows]))
    by_key = {item.key: item for item in items.select_related("sentence__image", "project")}
    for line, key, row in rows:
        if key not in by_key:
            continue
        try:
            context = context_of(by_key[key], project)
            stated = scheme_of(project).corpus.stated_by_row(row)
            if stated.tokens and not same_tokens(stated.tokens, context.tokens):
                raise ContentError("tokens", OTHER_TOKENS)
            check_stated(stated, context)
        except ContentError as error:
            raise FileError(file, line, error.message, field=error.path) from error
