"""The definition as a versioned resource of a project."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from schemes.contract.errors import FileError
from schemes.contract.resources import Resource
from schemes.contract.values import Json
from schemes.contract.written_resources import WrittenResource
from schemes.custom.definition import Definition
from schemes.custom.map_content import map_content
from schemes.custom.parse_definition import parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.read_definition import MAX_BYTES, read_definition

NAME = "definition"


def definition_of(value: Json) -> Definition:
    """Return the definition of a value that a project stores. Raise DefinitionError.

    The last ones are kept, because a page needs the same one many times.
    """
    return definition_in(canonical(value))


def canonical(value: Json) -> bytes:
    """Return JSON text that is the same for equal values. Raise DefinitionError for other values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONEncodeError, TypeError):
        # Finds what is no JSON.
        return orjson.dumps(parse_definition(value).value, option=orjson.OPT_SORT_KEYS)


@lru_cache(maxsize=64)
def definition_in(text: bytes) -> Definition:
    """Return the definition in JSON text of `canonical`. Raise DefinitionError."""
    return parse_definition(orjson.loads(text))


class DefinitionResource(Resource):
    """The texts, fields and labels of a project."""

    label = "Scheme definition"

    @property
    def written(self) -> WrittenResource:  # type: ignore[override]
        """Return how staff write definitions. Other processes don't import it."""
        from schemes.custom.definition_text import DEFINITION_TEXT  # noqa: PLC0415

        return DEFINITION_TEXT

    @property
    def formats(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {"yaml": _read_file, "json": _read_file}

    def parse(self, value: object) -> Json:
        """Return the normalised value. Raise DefinitionError, a ContentError with all mistakes."""
        return parse_definition(value).value

    def look_up(self, value: Json, query: str) -> list[Json]:
        """Return the fields whose key or label has the query."""
        sought = query.casefold()
        return [
            {"key": field["key"], "label": field["label"]}
            for field in value["fields"]
            if sought in field["key"].casefold() or sought in field["label"].casefold()
        ]

    def lost(self, value: Json, content: Json) -> list[str]:
        """Return a sentence for each part of an annotation that does not fit the definition.

        What the definition renames is not lost.
        """
        return map_content(content, definition_of(value)).lost

    def map_content(self, content: Json, old: Json, new: Json) -> Json:
        """Return content of an older version as a newer one has it, without what does not fit."""
        return map_content(content, definition_of(new), definition_of(old)).content

    def count(self, value: Json) -> Mapping[str, int]:
        labels = sum(
            len(field.get("labels", field.get("options", ()))) for field in value["fields"]
        )
        counts = {"fields": len(value["fields"]), "labels and options": labels}
        return {**counts, "examples": len(value["examples"])}


def _read_file(path: Path, current: Json | None) -> object:
    """Return the value of a YAML or JSON file. Raise FileError."""
    if path.stat().st_size > MAX_BYTES:
        raise FileError(path.name, None, f"has more than {MAX_BYTES:,} bytes.")
    try:
        return read_definition(path.read_bytes()).value
    except DefinitionError as error:
        more = len(error.problems) - 1
        also = f" ({more} more)" if more else ""
        raise FileError(path.name, error.line, f"{error.message}{also}", field=error.path) from None


DEFINITION = DefinitionResource()
