"""Options of commands that read files of people: encodings, columns, sheets and bad rows."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from django.core.management.base import OutputWrapper

from annotation.domain.corpus.source_files import ReadOptions, parse_reading, with_names
from annotation.domain.corpus.text_encodings import ENCODINGS
from projects.command import InputError
from projects.domain.bad_rows import SHOWN, BadRows
from schemes.contract.errors import FileError
from schemes.import_settings import with_options


def add_reading_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--encoding",
        default="",
        metavar="E",
        help=f"of text files, if it is not UTF-8: {', '.join(list(ENCODINGS)[1:])} or another",
    )
    parser.add_argument(
        "--columns",
        default="",
        metavar="NAME=COLUMN,...",
        help="columns of a table with other names, such as id=doc_id,text=body",
    )
    parser.add_argument("--sheet", default="", help="of a workbook; the first one by default")


def add_bad_rows_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--bad-rows",
        type=Path,
        metavar="CSV",
        help=f"file for all bad rows; written without this option if there are more than {SHOWN}",
    )


def reading_given(options: dict[str, Any]) -> ReadOptions:
    """Return how the options say to read files. Raise ColumnsError and UnknownEncodingError."""
    return parse_reading(
        encoding=options["encoding"], columns=options["columns"], sheet=options["sheet"]
    )


@contextmanager
def collect_bad_rows(
    stderr: OutputWrapper,
    *,
    file: Path | None,
    inputs: Iterable[Path],
    names: Mapping[str, str],
    project: str,
    now: datetime,
) -> Iterator[BadRows]:
    """Yield a sink that shows the first bad rows, and then write all of them to a file.

    Without `file`, more than SHOWN rows go to a new file in the current folder. `names` maps the names
    of readable copies to those of the original files. Raise InputError if `file` is an input.
    """
    if file and file.exists() and any(path.exists() and file.samefile(path) for path in inputs):
        raise InputError(f"{file} is an input. Give another file for the bad rows.")
    with BadRows(
        show=lambda error: stderr.write(str(error)),
        renamed=lambda error: _with_options(with_names(error, names)),
    ) as rows:
        try:
            yield rows
        finally:
            if file or rows.count > SHOWN:
                path = _saved(rows, file, f"{project}.bad-rows.{now:%Y%m%d-%H%M%S}.csv")
                if rows.count > SHOWN:
                    stderr.write(
                        f"The first {SHOWN} of {rows.count:,} bad rows are above. "
                        f"All of them are in {path}."
                    )
                elif rows.count:
                    stderr.write(f"The bad rows above are also in {path}.")


def _with_options(error: FileError) -> FileError:
    return FileError(error.file, error.line, with_options(error.message), field=error.field)


def _saved(rows: BadRows, file: Path | None, name: str) -> Path:
    if file:
        rows.save(file)
        return file
    try:
        path = Path(name)
        rows.save(path)
    except OSError:
        path = Path(gettempdir(), name)
        rows.save(path)
    return path
