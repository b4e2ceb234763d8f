"""Gold in all formats of the scheme, in a folder per format, and the items as the site stores them."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import orjson
from django.core.files.storage import storages

from annotation.domain.corpus.images import image_path
from datasets.domain.exports.copy_images import FOLDER as IMAGES
from datasets.domain.exports.gold_files import (
    JSONL,
    endings_of,
    formats_of_scheme,
    write_gold_files,
)
from releases.domain.released import Released
from releases.domain.rows import narrowed, row_of_json
from schemes.contract.records import ExportRow, SentenceRecord
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

GOLD, ITEMS, RESOURCES = "gold", "items.jsonl", "resources.json"
SENTENCES = "sentences.csv"
OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
# What only the files of the scheme's own formats have.
_NOT_IN_ITEMS = ("judged", "origin", "certainty")


def write_gold_folder(released: Released, folder: Path) -> dict[str, int | None]:
    """Write the gold of each domain and partition in each format. Return the rows by file.

    Formats that have no place for any item are left out.
    """
    rows: dict[str, int | None] = {}
    for fmt in dict.fromkeys(formats_of_scheme(released.scheme)):
        for domain, partition in released.groups:
            name = f"{domain or released.facts['name']}.{partition or 'all'}"
            items = _export_rows(released, fmt, domain, partition)
            rows |= _write_group(released.scheme, fmt, items, folder / GOLD / fmt, name)
        if (folder / GOLD / fmt).exists():
            rows |= _write_beside(released.scheme, fmt, folder / GOLD / fmt)
    rows |= _write_sentences(released, folder)
    return rows


def _export_rows(released: Released, fmt: str, domain: str, partition: str) -> Iterator[ExportRow]:
    """Yield the rows that the format has a place for."""
    exports = released.scheme.exports
    holds = exports.holds.get(fmt) if exports else None
    for item in released.items(domain=domain, partition=partition):
        row = narrowed(row_of_json(item.row), exports, fmt)
        if holds is None or holds(row.target):
            yield row


def _write_group(
    scheme: Scheme, fmt: str, items: Iterator[ExportRow], folder: Path, name: str
) -> dict[str, int | None]:
    """Write the files of a group, and return their rows by name. Nothing is left without an item."""
    first = next(items, None)
    if first is None:
        return {}
    rows = _from(first, items)
    folder.mkdir(parents=True, exist_ok=True)
    at = f"{GOLD}/{fmt}"
    if scheme.exports and fmt in scheme.exports.folders:
        (folder / name).mkdir()
        scheme.exports.folders[fmt](rows, folder / name)
        inside = (path for path in (folder / name).rglob("*") if path.is_file())
        return {f"{at}/{path.relative_to(folder).as_posix()}": None for path in inside}
    paths = {ending: folder / f"{name}.{ending}" for ending in endings_of(scheme, fmt)}
    counts = write_gold_files(scheme, fmt, rows, paths)
    return {f"{at}/{path.name}": counts[ending] for ending, path in paths.items()}


def _from(first: ExportRow, rest: Iterator[ExportRow]) -> Iterator[ExportRow]:
    yield first
    yield from rest


def _write_beside(scheme: Scheme, fmt: str, folder: Path) -> dict[str, int | None]:
    texts = scheme.exports.beside.get(fmt, {}) if scheme.exports and fmt != JSONL else {}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return {f"{GOLD}/{fmt}/{name}": None for name in texts}


def _write_sentences(released: Released, folder: Path) -> dict[str, int | None]:
    """Write the file of the sentences, if the scheme has one, and return its rows."""
    scheme = released.scheme
    open_file = scheme.exports.sentence_file if scheme.exports else None
    if open_file is None:
        return {}
    records = list(_sentences(released.all_items()))
    documents = any(
        record.metadata and scheme.corpus.group(record.external_id) != record.metadata["document"]
        for record in records
    )
    with open_file(folder / SENTENCES, documents=documents) as add:
        for record in records:
            add(record)
    return {SENTENCES: len(records)}


def _sentences(items: Iterable[object]) -> Iterator[SentenceRecord]:
    last = None
    for item in items:
        row = row_of_json(item.row)  # type: ignore[attr-defined]
        if row.external_id != last:
            last = row.external_id
            metadata = {"document": row.document} if row.document else {}
            yield SentenceRecord(last, row.tokens, 0, metadata, text=row.text)


def write_items(released: Released, folder: Path) -> int:
    """Write a line per item with all that an import needs. Return how many there are."""
    count = 0
    with (folder / ITEMS).open("wb") as file:
        for item in released.items():
            line = {
                "key": item.key,
                "domain": item.domain,
                "partition": item.partition,
                **{name: value for name, value in item.row.items() if name not in _NOT_IN_ITEMS},
            }
            file.write(orjson.dumps(line, option=OPTIONS))
            count += 1
    return count


def write_resources(released: Released, folder: Path) -> None:
    """Write the project's resources, such as the definition of its scheme, by name."""
    options = OPTIONS | orjson.OPT_INDENT_2
    (folder / RESOURCES).write_bytes(orjson.dumps(released.resources, option=options))


def write_images(released: Released, folder: Path) -> list[str]:
    """Copy the images of the sentences, if they are released. Return the names of the files."""
    if not released.details.images:
        return []
    copied: dict[str, str] = {}
    for item in released.items():
        image: Json = item.row["image"]
        if image:
            name = f"{IMAGES}/{PurePosixPath(image['name']).name}"
            copied.setdefault(name, image["digest"])
    for name, digest in copied.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        with storages["images"].open(image_path(digest)) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
    return list(copied)
