"""Write the folder of a release. It depends only on what the release froze, so it can be repeated."""

import json
from pathlib import Path
from typing import Any

from datasets.domain.exports.export_gold import MANIFEST, manifest_text
from datasets.domain.exports.gold_files import described
from releases.domain.citation import citation_cff, datacite_json, zenodo_json
from releases.domain.croissant import croissant_json
from releases.domain.data_statement import data_statement, datasheet, guidelines_name
from releases.domain.dataset_card import dataset_card
from releases.domain.gold_folder import (
    ITEMS,
    RESOURCES,
    write_gold_folder,
    write_images,
    write_items,
    write_resources,
)
from releases.domain.layout import CROISSANT, LAYOUT, README
from releases.domain.methods_text import methods_text
from releases.domain.paper_figures import figure_files, paper_figures
from releases.domain.paper_tables import numbers_json, paper_tables, tables_md, tables_tex
from releases.domain.parquet import write_parquet
from releases.domain.released import Released
from releases.models import Release


def write_folder(release: Release, folder: Path) -> dict[str, Any]:
    """Write all files of a release to an empty folder, and return their manifest."""
    released = Released(release)
    rows: dict[str, int | None] = {ITEMS: write_items(released, folder)}
    rows |= write_gold_folder(released, folder)
    splits = write_parquet(released.all_items, folder)
    rows |= {split.path: split.items for split in splits}
    write_resources(released, folder)
    rows |= dict.fromkeys([RESOURCES, *write_images(released, folder)])
    tables = paper_tables(released)
    texts = {
        "paper/tables.tex": tables_tex(tables),
        "paper/tables.md": tables_md(tables),
        "paper/numbers.json": _json(numbers_json(tables)),
        "paper/methods.txt": methods_text(released),
        **{guidelines_name(row): row["text"] for row in released.facts["guidelines"]},
        "DATA_STATEMENT.md": data_statement(released),
        "DATASHEET.md": datasheet(released),
        "CITATION.cff": citation_cff(released),
        "datacite.json": _json(datacite_json(released)),
        "zenodo.json": _json(zenodo_json(released)),
    }
    for name, text in texts.items():
        _write(folder / name, text)
    rows |= dict.fromkeys(texts)
    for name, content in figure_files(paper_figures(tables)).items():
        place = "paper" if name.endswith(".tex") else "paper/figures"
        path = f"{place}/{name}"
        (folder / place).mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
        rows[path] = None
    files = {name: described(folder / name, count) for name, count in sorted(rows.items())}
    _write(folder / README, dataset_card(released, files, splits))
    files[README] = described(folder / README, None)
    _write(folder / CROISSANT, _json(croissant_json(released, files, splits)))
    files[CROISSANT] = described(folder / CROISSANT, None)
    manifest = {
        **released.manifest,
        "layout": LAYOUT,
        "version": release.version,
        "released": released.day,
        "text_licence": released.details.text_licence,
        "partitions_released": sorted({partition for _, partition in released.groups}),
        "withdrawn": released.facts["withdrawn"],
        "files": files,
    }
    del manifest["format"], manifest["filters"]
    _write(folder / MANIFEST, manifest_text(manifest))
    return manifest


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
