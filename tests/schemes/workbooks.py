"""Workbooks and other containers of a table, for tests."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

from openpyxl import Workbook

Rows = Sequence[Sequence[Any]]


def workbook_bytes(header: Sequence[str], rows: Rows, *, title: str = "Data") -> bytes:
    book = Workbook()
    sheet = book.active
    sheet.title = title
    sheet.append(list(header))
    for row in rows:
        sheet.append(list(row))
    return saved(book)


def saved(book: Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def separated_bytes(header: Sequence[str], rows: Rows, separator: str = ",") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows([header, *rows])
    return text.getvalue().encode()


def zip_bytes(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def containers(header: Sequence[str], rows: Rows) -> dict[str, bytes]:
    """Return the same table in every container, by file name."""
    objects = [dict(zip(header, row, strict=True)) for row in rows]
    plain = separated_bytes(header, rows)
    book = workbook_bytes(header, rows)
    return {
        "table.csv": plain,
        "marked.csv": b"\xef\xbb\xbf" + plain,
        "table.tsv": separated_bytes(header, rows, "\t"),
        "semicolons.csv": separated_bytes(header, rows, ";"),
        "bars.csv": separated_bytes(header, rows, "|"),
        "stated.csv": b"sep=;\r\n" + separated_bytes(header, rows, ";"),
        "wide.csv": plain.decode().encode("utf-16"),
        "table.xlsx": book,
        "table.json": json.dumps(objects, indent=1).encode(),
        "table.jsonl": "".join(f"{json.dumps(entry)}\n" for entry in objects).encode(),
        "table.csv.gz": gzip.compress(plain),
        "table.zip": zip_bytes({"folder/table.csv": plain, "__MACOSX/._table.csv": b"x"}),
        "book.zip": zip_bytes({"table.xlsx": book}),
        "objects.json.gz": gzip.compress(json.dumps(objects).encode()),
    }
