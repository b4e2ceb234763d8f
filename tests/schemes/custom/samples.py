"""Items of the starters, as rows of exports."""

from functools import cache
from pathlib import Path
from typing import Any

from schemes.contract.records import ExportRow
from schemes.contract.values import Image, Json
from schemes.custom.definition import Definition
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


def rows_of(definition: Definition) -> list[ExportRow]:
    """Return the examples of a definition as rows."""
    return [
        row_of(
            definition,
            dict(example.texts),
            {"answers": example.answers},
            f"docs/{number}:é",
            image=Image(Path(example.image).name, 480, 320) if example.image else None,
        )
        for number, example in enumerate(definition.examples, start=1)
    ]
