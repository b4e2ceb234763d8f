"""Recognise the format of a file by its content."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemes.contract.errors import FileError, refuse
from schemes.file_kinds import ZIP, head_of, is_workbook
from schemes.json_tables import looks_like_json
from schemes.layouts import Layout, LayoutKind
from schemes.tables import Table

_BEGINNING = 1 << 18
_TABLE_SUFFIXES = (".csv", ".tsv", ".tab")
_LINES = 20
# Names of files in which a column of O alone has tags
_TAGGED_SUFFIXES = (".conll", ".bio", ".iob", ".iob2", ".iobes", ".bioes")
_TAG = re.compile(r"O|[A-Z]-\S+")
_ENDS = re.compile(r"[ESLU]-\S+")
_JSON = (LayoutKind.JSON, LayoutKind.JSON_LIST, LayoutKind.JSON_LINES)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the beginning of a file shows: its possible kinds, and its columns or keys."""

    kinds: tuple[LayoutKind, ...]
    names: tuple[str, ...] = ()


def formats_of(
    path: Path, layouts: Mapping[str, Layout], *, aliases: Mapping[str, str] | None = None
) -> list[str]:
    """Return the formats that a file may have, the best first.

    More than one means that the content is ambiguous. The file is unpacked, and is text in UTF-8 or a
    workbook. `aliases` maps columns of the file to the names of the format. Raise FileError for a file
    that can't be opened.
    """
    beginning = beginning_of(path)
    names = {(aliases or {}).get(name, name) for name in beginning.names}
    possible = {fmt: layout for fmt, layout in layouts.items() if layout.kind in beginning.kinds}
    complete = {fmt: layout for fmt, layout in possible.items() if _fits(layout, names)}
    # Any table may be read after its columns are named.
    tables = [fmt for fmt, layout in possible.items() if layout.kind == LayoutKind.TABLE][-1:]
    # A format of JSON decides before the columns of a table.
    own = {fmt: layout for fmt, layout in complete.items() if layout.kind in _JSON}
    best = _most_specific(own or complete)
    is_unclear = any(layouts[fmt].kind == LayoutKind.TEXT for fmt in best)
    return best + tables if is_unclear or not best else best


def _most_specific(layouts: Mapping[str, Layout]) -> list[str]:
    sizes = {
        fmt: len(layout.required) + len(layout.keys) + bool(layout.any_keys)
        for fmt, layout in layouts.items()
    }
    return [fmt for fmt, size in sizes.items() if size == max(sizes.values())]


def _fits(layout: Layout, names: set[str]) -> bool:
    has_any = not layout.any_keys or bool(names & set(layout.any_keys))
    return has_any and not layout.missing(names) and set(layout.keys) <= names


def beginning_of(path: Path) -> Beginning:
    """Return what the beginning of a file shows. Raise FileError if it can't be opened."""
    if path.is_dir():
        return Beginning((LayoutKind.ARCHIVE,))
    head = head_of(path)
    if is_workbook(path):
        return Beginning((LayoutKind.TABLE,), _columns(path))
    if head.startswith(ZIP):
        return Beginning((LayoutKind.ARCHIVE,))
    if looks_like_json(head):
        return _of_json(path)
    with path.open("rb") as file:
        lines = file.read(_BEGINNING).decode("utf-8-sig", errors="replace").splitlines()
    return _of_text(path, lines)


def _columns(path: Path) -> tuple[str, ...]:
    try:
        with Table(path, on_error=refuse, optional=()) as table:
            return tuple(table.names)
    except FileError:
        return ()


def _of_json(path: Path) -> Beginning:
    with path.open("rb") as file:
        text = file.read(_BEGINNING).decode("utf-8-sig", errors="replace").lstrip()
    if text.startswith("["):
        return Beginning((LayoutKind.JSON_LIST, LayoutKind.TABLE), _keys(text[1:].lstrip()))
    first, _, rest = text.partition("\n")
    if keys := _keys(first):
        kinds = (LayoutKind.JSON_LINES, LayoutKind.TABLE)
        return Beginning(kinds if rest.strip() else (*kinds, LayoutKind.JSON), keys)
    return Beginning((LayoutKind.JSON,), _top_keys(text))


def _keys(text: str) -> tuple[str, ...]:
    """Return the keys of the JSON object at the start of the text."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(value) if isinstance(value, dict) else ()


def _top_keys(text: str) -> tuple[str, ...]:
    """Return the keys of a JSON object whose end is missing, as far as it can be read."""
    decoder, keys, at = json.JSONDecoder(), [], 1
    try:
        while True:
            key, at = decoder.raw_decode(text, _skip(text, at, ","))
            keys.append(str(key))
            _, at = decoder.raw_decode(text, _skip(text, at, ":"))
    except (ValueError, IndexError, RecursionError):
        return tuple(keys)


def _skip(text: str, at: int, characters: str) -> int:
    while text[at].isspace() or text[at] in characters:
        at += 1
    return at


def _of_text(path: Path, lines: Sequence[str]) -> Beginning:
    filled = [line for line in lines if line.strip()]
    if _is_conllu(filled):
        return Beginning((LayoutKind.CONLLU,))
    if kind := _tagging(path, filled):
        return Beginning((kind, LayoutKind.OTHER))
    names = _columns(path)
    if path.suffix.lower() in _TABLE_SUFFIXES:
        return Beginning((LayoutKind.TABLE,), names)
    widths = {line.count("\t") for line in filled[:_LINES]}
    is_tabbed = len(filled) > 1 and len(widths) == 1 and 0 not in widths
    if is_tabbed or (len(names) > 1 and _is_header(names)):
        return Beginning((LayoutKind.TEXT, LayoutKind.OTHER, LayoutKind.TABLE), names)
    return Beginning((LayoutKind.TEXT, LayoutKind.OTHER))


def _is_header(names: Sequence[str]) -> bool:
    """Return True for names without blanks, which a sentence has."""
    return all(name and " " not in name for name in names)


def _tagging(path: Path, lines: Sequence[str]) -> LayoutKind | None:
    """Return the way in which the last column of tokens is tagged, or None if it has other values.

    A few wrong tags are left to the reader, which names their lines.
    """
    comments = ("#", "-DOCSTART-")
    rows = [line.split() for line in lines if not line.startswith(comments)]
    tags = [row[-1] for row in rows if len(row) > 1]
    sample = rows[:_LINES]
    if 2 * sum(len(row) > 1 and _is_tag(row[-1]) for row in sample) <= len(sample):
        return None
    if path.suffix.lower() not in _TAGGED_SUFFIXES and set(tags) <= {"O"}:
        return None
    return LayoutKind.IOBES if any(map(_ENDS.fullmatch, tags)) else LayoutKind.BIO


def _is_tag(text: str) -> bool:
    return _TAG.fullmatch(text) is not None


def _is_conllu(lines: Sequence[str]) -> bool:
    words = [line.split("\t") for line in lines if not line.startswith("#")][:_LINES]
    return bool(words) and all(len(word) > 3 and word[0][:1].isdigit() for word in words)
