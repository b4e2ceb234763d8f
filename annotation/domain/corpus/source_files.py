"""Files as people have them, made readable: unpacked, in UTF-8 and with the columns of their format.

Commands, pages, the API and jobs open files here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from django.conf import settings

from annotation.domain.corpus.text_encodings import as_utf_8, codec_of
from audit.errors import TouchstoneError
from schemes.contract.corpus import Corpus
from schemes.contract.errors import FileError
from schemes.detect_format import formats_of
from schemes.file_kinds import ZIP, head_of, kind_problem
from schemes.guess_columns import guess_columns
from schemes.layouts import Layout, LayoutKind
from schemes.rename_columns import rename_columns
from schemes.separators import SEPARATORS
from schemes.table_files import TableFile, table_file
from schemes.tables import Table
from schemes.unpack import unpack

# Of a table, for the person who chooses its columns.
ROWS_SHOWN = 3
CHARACTERS_SHOWN = 200
ROWS_COMPARED = 50


class ColumnsError(TouchstoneError):
    """A choice of columns that can't be read."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read files.

    Without an encoding, files are in UTF-8 or have a byte-order mark. `columns` maps the format's names
    of columns to those in the files. `sheet` is that of a workbook, by default the first visible one.
    """

    encoding: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    sheet: str = ""


AS_IT_IS = ReadOptions()


@dataclass(frozen=True, slots=True)
class OpenTable:
    """The beginning of a table as it is in the file. `separator` is a word, such as "tabs".

    `missing` has the required columns that its header lacks after those that were chosen.
    """

    names: list[str]
    rows: list[list[str]]
    separator: str
    sheet: str
    sheets: tuple[str, ...]
    guess: dict[str, str]
    missing: list[str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class OpenFiles:
    """Readable files. `table` describes the first one if the format is a table.

    `names` maps the paths and names of these files to those of the original files.
    """

    paths: list[Path]
    fmt: str
    names: dict[str, str]
    table: OpenTable | None = None


def parse_columns(text: str) -> dict[str, str]:
    """Return the names in text such as `id=doc_id,text=body`. Raise ColumnsError."""
    columns: dict[str, str] = {}
    for pair in filter(str.strip, text.split(",")):
        name, equals, column = (part.strip() for part in pair.partition("="))
        if not (name and equals and column):
            raise ColumnsError(
                f"{pair.strip()[:60]!r} is not NAME=COLUMN, as in id=doc_id,text=body."
            )
        if name in columns or column in columns.values():
            raise ColumnsError(f"{pair.strip()[:60]!r} names a column twice.")
        columns[name] = column
    return columns


def open_sentences(
    paths: Sequence[Path], *, corpus: Corpus, fmt: str, options: ReadOptions
) -> AbstractContextManager[OpenFiles]:
    """Open files of sentences, see `_open_files`."""
    return _open_files(
        paths,
        layouts=corpus.layouts,
        fmt=fmt or _format_of_names(paths, corpus.formats, corpus.layouts),
        endings=corpus.formats,
        options=options,
        besides=corpus.item_layouts.values(),
    )


def open_gold(
    paths: Sequence[Path], *, corpus: Corpus, fmt: str, options: ReadOptions
) -> AbstractContextManager[OpenFiles]:
    """Open files of annotations, see `_open_files`."""
    endings = {fmt: corpus.formats.get(fmt, ()) for fmt in corpus.gold_formats}
    return _open_files(
        paths,
        layouts=corpus.gold_layouts,
        fmt=fmt or _format_of_names(paths, endings, corpus.gold_layouts),
        endings=endings,
        options=options,
    )


def parse_reading(*, encoding: str = "", columns: str = "", sheet: str = "") -> ReadOptions:
    """Return the options in texts. Raise ColumnsError and UnknownEncodingError."""
    if encoding:
        codec_of(encoding)
    return ReadOptions(encoding.strip().lower(), parse_columns(columns), sheet)


@contextmanager
def open_items(
    paths: Sequence[Path], *, corpus: Corpus, options: ReadOptions = AS_IT_IS
) -> Iterator[OpenFiles]:
    """Yield files that list items, of which each may have another format. Raise FileError."""
    # Schemes without layouts of items have one format, which is no table.
    fmt = "" if corpus.item_layouts else "items"
    with ExitStack() as stack:
        files = [
            stack.enter_context(
                _open_files(
                    [path],
                    layouts=corpus.item_layouts,
                    fmt=fmt,
                    options=options,
                    besides=corpus.layouts.values(),
                )
            )
            for path in paths
        ]
        names = {name: original for file in files for name, original in file.names.items()}
        yield OpenFiles([path for file in files for path in file.paths], "", names)


@contextmanager
def open_table(path: Path, *, options: ReadOptions) -> Iterator[OpenFiles]:
    """Yield a table with any columns. Raise FileError."""
    with TemporaryDirectory(prefix="source-", dir=settings.VAR_DIR) as name:
        folder = Path(name, "0")
        file = table_file(_plain(path, folder, options.encoding), folder, sheet=options.sheet)
        table = rename_columns(file.path, folder / "renamed" / path.name, options.columns)
        yield OpenFiles([table], "", original_names([table], [path]))


def _format_of_names(
    paths: Sequence[Path], endings: Mapping[str, Sequence[str]], layouts: Mapping[str, Layout]
) -> str:
    """Return the format by the files' names, for schemes that declare no layouts."""
    if layouts:
        return ""
    for fmt, ends in endings.items():
        if all(path.name.lower().endswith(tuple(ends)) for path in paths):
            return fmt
    message = f"has an unknown format. Name its format: {', '.join(endings)}."
    raise FileError(paths[0].name, None, message)


@contextmanager
def _open_files(
    paths: Sequence[Path],
    *,
    layouts: Mapping[str, Layout],
    fmt: str = "",
    endings: Mapping[str, Sequence[str]] = MappingProxyType({}),
    options: ReadOptions,
    besides: Iterable[Layout] = (),
) -> Iterator[OpenFiles]:
    """Yield the files in the layout of the format, which is recognised if it is not named.

    `options` may name columns of other files, which have the layouts `besides`. Raise FileError for a
    file that can't be read, and if the format is unclear. Raise ColumnsError for an unknown column.
    """
    with TemporaryDirectory(prefix="source-", dir=settings.VAR_DIR) as name:
        folders = [Path(name, str(number)) for number in range(len(paths))]
        plain = [
            _plain(path, folder, options.encoding)
            for path, folder in zip(paths, folders, strict=True)
        ]
        fmt = fmt or _format_of(plain, layouts, endings, options)
        layout = layouts.get(fmt)
        if layout and layout.kind == LayoutKind.TABLE:
            copies, table = _tables(plain, folders, layout, options, besides)
        else:
            _refuse_other_kinds(plain, layout)
            copies, table = plain, None
        yield OpenFiles(copies, fmt, original_names(copies, paths), table)


def _tables(
    paths: Sequence[Path],
    folders: Sequence[Path],
    layout: Layout,
    options: ReadOptions,
    besides: Iterable[Layout],
) -> tuple[list[Path], OpenTable | None]:
    """Return the tables with the columns of the layout, and the beginning of the first one.

    Text in another encoding has no such beginning. Its reader names what is wrong.
    """
    files = [
        table_file(path, folder, sheet=options.sheet)
        for path, folder in zip(paths, folders, strict=True)
    ]
    try:
        table = _open_table(files[0], layout, options)
    except FileError:
        return [file.path for file in files], None
    columns = _columns_of(table, layout, options, besides)
    renamed = [
        rename_columns(file.path, folder / "renamed" / file.path.name, columns)
        for file, folder in zip(files, folders, strict=True)
    ]
    return renamed, table


def original_names(paths: Sequence[Path], originals: Sequence[Path]) -> dict[str, str]:
    """Return the path and name of each original file by those of its readable copy."""
    names = {path.name: original.name for path, original in zip(paths, originals, strict=True)}
    return names | {
        str(path): str(original) for path, original in zip(paths, originals, strict=True)
    }


def with_names(error: FileError, names: Mapping[str, str]) -> FileError:
    """Return the error with the names of the original files."""
    file = ", ".join(names.get(name, name) for name in error.file.split(", "))
    return FileError(file, error.line, error.message, field=error.field)


def _plain(path: Path, folder: Path, encoding: str) -> Path:
    """Return the path of the unpacked file in UTF-8. Folders, archives and workbooks stay as they are."""
    if path.is_dir():
        return path
    folder.mkdir()
    path = unpack(path, folder)
    if head_of(path).startswith(ZIP) or kind_problem(path):
        return path
    return as_utf_8(path, folder / "utf-8" / path.name, encoding)


def _format_of(
    paths: Sequence[Path],
    layouts: Mapping[str, Layout],
    endings: Mapping[str, Sequence[str]],
    options: ReadOptions,
) -> str:
    """Return the only format that all files may have. Raise FileError."""
    aliases = {column: name for name, column in options.columns.items()}
    formats: list[str] = []
    for path in paths:
        if not _is_archive(path) and (problem := kind_problem(path)):
            raise FileError(path.name, None, problem)
        formats += _named(path, formats_of(path, layouts, aliases=aliases), layouts, endings)
    possible = list(dict.fromkeys(formats))
    if len(possible) == 1:
        return possible[0]
    if possible:
        message = f"may be {' or '.join(possible)}. Name the format."
    else:
        problem = kind_problem(paths[0])
        message = problem or f"has an unknown format. Name its format: {', '.join(layouts)}."
    raise FileError(paths[0].name, None, message)


def _named(
    path: Path,
    formats: list[str],
    layouts: Mapping[str, Layout],
    endings: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return the formats, or that of the file's ending if the content is only some text.

    A damaged file in CoNLL-U must not become sentences of plain text.
    """
    if [layouts[fmt].kind for fmt in formats] != [LayoutKind.TEXT]:
        return formats
    name = path.name.lower()
    of_ending = [fmt for fmt, ends in endings.items() if ends and name.endswith(tuple(ends))]
    return of_ending[:1] or formats


def _is_archive(path: Path) -> bool:
    return path.is_dir() or head_of(path).startswith(ZIP)


def _refuse_other_kinds(paths: Sequence[Path], layout: Layout | None) -> None:
    """Raise FileError for files that the format's reader can't know, such as workbooks."""
    if layout is None or layout.kind == LayoutKind.ARCHIVE:
        return
    for path in paths:
        if not path.is_dir() and (problem := kind_problem(path)):
            raise FileError(path.name, None, problem)


def _open_table(file: TableFile, layout: Layout, options: ReadOptions) -> OpenTable:
    with Table(file.path, on_error=lambda error: None, optional=()) as table:
        rows = list(_first_rows(table))
        names, separator = list(table.names), table.separator
    columns = {name: column for name, column in options.columns.items() if column in names}
    present = {*names, *columns}
    guess = guess_columns(layout, names, rows)
    missing = layout.missing(present)
    notes = []
    if "id" in _names(layout) and "id" not in present:
        hint = f" Is it {guess['id']!r}? Then name it: id={guess['id']}." if "id" in guess else ""
        notes.append(
            f"There is no column of ids. Sentences are numbered as {file.path.stem}:LINE.{hint}"
        )
    return OpenTable(
        names=names,
        rows=[[value[:CHARACTERS_SHOWN] for value in row] for row in rows[:ROWS_SHOWN]],
        separator=SEPARATORS.get(separator, ""),
        sheet=file.sheet,
        sheets=file.sheets,
        guess=guess,
        missing=missing,
        notes=notes,
    )


def _first_rows(table: Table) -> Iterator[list[str]]:
    """Yield the rows of the beginning, as far as they can be read."""
    with suppress(FileError):
        yield from (fields for _, fields in islice(table, ROWS_COMPARED))


def _names(layout: Layout) -> set[str]:
    return {column.name for column in layout.columns}


def _columns_of(
    table: OpenTable, layout: Layout, options: ReadOptions, besides: Iterable[Layout]
) -> dict[str, str]:
    """Return the chosen columns of the table. Raise ColumnsError for one of no layout."""
    elsewhere = {name for other in besides for name in _names(other)}
    if unknown := sorted(options.columns.keys() - _names(layout) - elsewhere):
        known = ", ".join(column.name for column in layout.columns)
        raise ColumnsError(f"The format has no column {unknown[0]!r}. Its columns: {known}.")
    return {
        name: column
        for name, column in options.columns.items()
        if name in _names(layout) and (column in table.names or name not in elsewhere)
    }
