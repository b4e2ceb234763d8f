"""The definition as a versioned resource of a project."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from schemes.contract.errors import ContentError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.resources import ContentMapping, MappedContent, Resource
from schemes.contract.values import Json
from schemes.contract.written_resources import WrittenResource
from schemes.custom.content import parse_answers
from schemes.custom.definition import Definition
from schemes.custom.form import ANSWERS, VERDICTS, Form
from schemes.custom.map_content import map_content
from schemes.custom.parse_definition import parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.read_definition import MAX_BYTES, read_definition
from schemes.custom.renames import exchanged_texts, renames_of

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

    def check_change(self, before: Json, after: Json) -> None:
        """Raise DefinitionError if texts of labels are exchanged, but not their keys."""
        if problems := exchanged_texts(definition_of(before), definition_of(after)):
            raise DefinitionError(problems)

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
        return list(map_content(content, definition_of(value)).lost)

    def mapping(self, versions: Sequence[Json]) -> ContentMapping:
        """Return what maps content directly from the first version to the last one.

        What only the versions between them lacked is not lost.
        """
        return _Mapping([definition_of(version) for version in versions])

    def count(self, value: Json) -> Mapping[str, int]:
        labels = sum(
            len(field.get("labels", field.get("options", ()))) for field in value["fields"]
        )
        counts = {"fields": len(value["fields"]), "labels and options": labels}
        return {**counts, "examples": len(value["examples"])}


class _Mapping(ContentMapping):
    def __init__(self, versions: Sequence[Definition]) -> None:
        self._old, self._new = Form(versions[0]), Form(versions[-1])
        self._renamed = renames_of(versions)

    def map_content(self, content: Json, context: ItemContext) -> MappedContent:
        old, new = self._old.definition, self._new.definition
        mapped = map_content(content, new, old, self._renamed)
        if ANSWERS not in content or _missing(self._old, content, context):
            return mapped
        return replace(mapped, missing=_missing(self._new, mapped.content, context))

    def map_judgment(self, judgment: Json, units: Sequence[int]) -> Json:
        return {VERDICTS: [judgment[VERDICTS][at] for at in units]}


def _missing(form: Form, content: Json, context: ItemContext) -> str:
    """Return what complete content needs in addition, or ""."""
    try:
        parse_answers(form, content, context, is_complete=True)
    except ContentError as error:
        place = re.sub(r"\.\d+", "", error.path.removeprefix(f"{ANSWERS}."))
        return f"The field {place} {error.message}"
    return ""


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
