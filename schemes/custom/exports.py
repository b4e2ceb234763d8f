"""Files of gold of custom schemes.

JSON Lines and CSV hold everything. What another format has no place for is counted by `left_out`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from schemes.contract.files import Exports
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.custom.corpus import BRAT, CONLL_BIO, CONLL_IOBES, CONLLU, CSV, JSONL, LABEL_STUDIO
from schemes.custom.definition import Definition
from schemes.custom.entries import Entry, entry_of
from schemes.custom.form import Form
from schemes.custom.formats import brat, conll, conllu, jsonl, label_studio, tables
from schemes.custom.formats.label_studio_config import labelling_config
from schemes.custom.formats.tags import BIO, IOBES

CONFIG = "label-studio.xml"
_ENDINGS = {
    JSONL: "jsonl",
    CSV: "csv",
    LABEL_STUDIO: "json",
    CONLL_BIO: "bio.conll",
    CONLL_IOBES: "iobes.conll",
    CONLLU: "conllu",
}
_Write = Callable[[Iterable[Entry], Path, Definition], int]
_LEFT_OUT: Mapping[str, Callable[[Json, Definition], int]] = {
    LABEL_STUDIO: label_studio.left_out,
    CONLL_BIO: conll.left_out,
    CONLL_IOBES: conll.left_out,
    CONLLU: conllu.left_out,
    BRAT: brat.left_out,
}


class CustomExports(Exports):
    """Files of a definition's gold. With `stands_for_all`, it has the formats of all definitions."""

    def __init__(self, form: Form, *, stands_for_all: bool = False) -> None:
        definition = self._definition = form.definition
        has_spans = stands_for_all or bool(conll.spans_fields(definition))
        is_single = len(definition.texts) == 1
        formats = [JSONL, CSV, LABEL_STUDIO]
        if has_spans:
            formats += [CONLL_BIO, CONLL_IOBES, *([CONLLU] if is_single else [])]
        self.formats = {fmt: _ENDINGS[fmt] for fmt in formats}
        self.folders = {BRAT: self._write_brat} if has_spans else {}
        self.with_metadata = (*self.formats, *self.folders)
        self.beside = {LABEL_STUDIO: {CONFIG: labelling_config(form.definition)}}

    def write(self, rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
        """Write rows in one of the formats. Return how many rows the file has."""
        entries = (entry_of(row, self._definition) for row in rows)
        writers: Mapping[str, _Write] = {
            JSONL: jsonl.write,
            CSV: tables.write,
            LABEL_STUDIO: label_studio.write,
            CONLL_BIO: partial(conll.write, tagging=BIO),
            CONLL_IOBES: partial(conll.write, tagging=IOBES),
            CONLLU: conllu.write,
        }
        return writers[fmt](entries, path, self._definition)

    def left_out(self, content: Json, fmt: str) -> int:
        """Return how many units of content a format has no place for, or holds without attributes."""
        return _LEFT_OUT[fmt](content, self._definition) if fmt in _LEFT_OUT else 0

    def _write_brat(self, rows: Iterable[ExportRow], folder: Path) -> Json:
        entries = (entry_of(row, self._definition) for row in rows)
        return brat.write_folder(entries, folder, self._definition)
