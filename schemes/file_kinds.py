"""What a file is by its content, and messages for files that can't be read as text."""

import zipfile
from pathlib import Path

from schemes.archives import check_directory
from schemes.contract.errors import FileError

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
# Of several names in a message.
_NAMES_SHOWN = 5
_UNPACK = "Unpack it, and choose the file."
_AS_TABLE = "Save the table as .xlsx or CSV."
# The first bytes of files that no reader takes, what they are and what to do.
_SIGNATURES = (
    (b"%PDF", "a PDF", "Export its text, or copy it into a text file."),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old .xls workbook or .doc document", _AS_TABLE),
    (b"{\\rtf", "an RTF document", "Save it as plain text."),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (b"BZh", "compressed with bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "compressed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", _UNPACK),
    (b"PAR1", "a Parquet file", "Export it as CSV or JSON Lines."),
    (b"ARROW1", "an Arrow file", "Export it as CSV or JSON Lines."),
    (b"SQLite format 3\x00", "an SQLite database", "Export its table as CSV."),
    (b"\x89PNG", "a PNG image", "Choose the file with the text."),
    (b"\xff\xd8\xff", "a JPEG image", "Choose the file with the text."),
    (b"GIF8", "a GIF image", "Choose the file with the text."),
)
_TAR = (257, b"ustar")
_HTML = ("<!doctype html", "<html")
# The file in an archive that shows what it is.
_OFFICE = {
    "word/document.xml": ("a Word document", "Save it as plain text, or its table as CSV."),
    "ppt/presentation.xml": ("a PowerPoint presentation", "Copy its text into a text file."),
    "xl/workbook.bin": ("a binary .xlsb workbook", _AS_TABLE),
    "META-INF/container.xml": ("an EPUB book", "Export its text."),
}
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_WORKBOOK = "xl/workbook.xml"
HEAD = 1024


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file. Raise FileError if it can't be opened."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        message = f"cannot be opened ({error.strerror}); check the path."
        raise FileError(path.name, None, message) from error


def is_workbook(path: Path) -> bool:
    """Return True for an Excel workbook (.xlsx or .xlsm), whatever its name is."""
    return head_of(path).startswith(ZIP) and _WORKBOOK in _names(path)


def data_files(path: Path) -> list[zipfile.ZipInfo]:
    """Return the files of a ZIP archive without those that operating systems add."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_directory(archive, path)
            entries = archive.infolist()
    except FileError:
        raise
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        message = "is a damaged ZIP archive. Fetch or compress the file again."
        raise FileError(path.name, None, message) from error
    return [entry for entry in entries if not entry.is_dir() and not _is_hidden(entry.filename)]


def _is_hidden(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1] == "Thumbs.db"


def _names(path: Path) -> list[str]:
    try:
        return [entry.filename.replace("\\", "/") for entry in data_files(path)]
    except FileError:
        return []


def kind_problem(path: Path) -> str:
    """Return what a file is and what to do, if no reader of text or tables can read it, or ""."""
    head = head_of(path)
    for signature, what, advice in _SIGNATURES:
        if head.startswith(signature):
            return f"is {what}. {advice}"
    if head[_TAR[0] :].startswith(_TAR[1]):
        return f"is a tar archive. {_UNPACK}"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(tuple(map(str.encode, _HTML))):
        return "is an HTML page. Save the data itself, not the page that shows it."
    return _archive_problem(path) if head.startswith(ZIP) else ""


def _archive_problem(path: Path) -> str:
    names = _names(path)
    if _WORKBOOK in names:
        return "is an Excel workbook. Save its sheet as CSV, or choose a format of tables."
    for name, (what, advice) in _OFFICE.items():
        if name in names:
            return f"is {what}. {advice}"
    if _open_document(path, names):
        return f"is an OpenDocument file. {_AS_TABLE}"
    if not names:
        return "is a ZIP archive without files, or a damaged one."
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    listed = ", ".join(name[-60:] for name in names[:_NAMES_SHOWN])
    count = f"{len(names)} files" if len(names) > 1 else "a file"
    return f"is a ZIP of {count} ({listed}{more}). Unpack it, and choose the files."


def _open_document(path: Path, names: list[str]) -> bool:
    if "mimetype" not in names:
        return False
    with zipfile.ZipFile(path) as archive, archive.open("mimetype") as file:
        return file.read(100).decode("latin-1").startswith(_OPEN_DOCUMENT)
