"""Items of the starters, as rows of exports."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.contract.values import Image, Json
from schemes.custom.content import CustomContent
from schemes.custom.definition import Definition
from schemes.custom.form import Form
from schemes.custom.items import join_texts
from schemes.custom.read_definition import read_definition
from tests.environment import ROOT

STARTERS = ROOT / "schemes" / "custom" / "starters"
NAMES = sorted(path.stem for path in STARTERS.glob("*.yaml"))


@cache
def starter(name: str) -> Definition:
    return read_definition((STARTERS / f"{name}.yaml").read_bytes())


def row_of(
    definition: Definition, texts: dict[str, str], content: Json, external_id: str, **fields: Any
) -> ExportRow:
    """Return an exported row of an item with these texts."""
    joined = join_texts(definition, texts)
    return ExportRow(
        external_id=external_id,
        tokens=joined.tokens,
        target=joined.target,
        content=content,
        provenance=[],
        text=joined.text,
        offsets=joined.offsets,
        **fields,
    )


def parsed(definition: Definition, row: ExportRow, content: Json) -> Json:
    """Return content of a row's item as it is stored."""
    context = ItemContext(row.tokens, row.target, image=row.image)
    return CustomContent(Form(definition)).parse_gold(content, context)


def rows_of(definition: Definition) -> list[ExportRow]:
    """Return the examples of a definition as rows."""
    rows = [
        row_of(
            definition,
            dict(example.texts),
            {"answers": example.answers},
            f"docs/{number}:é",
            image=Image(Path(example.image).name, 480, 320) if example.image else None,
        )
        for number, example in enumerate(definition.examples, start=1)
    ]
    return [replace(row, content=parsed(definition, row, row.content)) for row in rows]
