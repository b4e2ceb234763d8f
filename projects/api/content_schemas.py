"""The content of submissions and gold in the schema of the API, by annotation scheme."""

from collections.abc import Iterator, Mapping
from typing import Any

from schemes.content_descriptions import DESCRIPTIONS
from schemes.contract.content import Content
from schemes.contract.scheme import DEFINITION
from schemes.registry import SCHEMES
from web.property_descriptions import describe

Schemas = dict[str, Any]
# The kinds of content by record. `gold` is named first, so that equal kinds have its name.
KINDS: Mapping[str, tuple[str, ...]] = {
    "Gold": ("gold",),
    "Submission": ("generation", "consolidation", "validation"),
}
_OWN = {
    "type": "object",
    "additionalProperties": {},
    "description": "Content of a scheme that the project's definition declares.",
}


def add_content_schemas(result: Schemas, **generated: Any) -> Schemas:
    """Add a component for each kind of content, and refer to them. Called by drf-spectacular."""
    components: Schemas = result["components"]["schemas"]
    names: dict[str, dict[str, None]] = {record: {} for record in KINDS}
    for scheme_name, scheme in SCHEMES.items():
        if DEFINITION in scheme.resources:
            continue
        prefix = scheme_name.title().replace("-", "").replace("_", "")
        added: Schemas = {}
        of_kinds = _names_by_kind(prefix, scheme.content, added)
        describe({"components": {"schemas": added}}, DESCRIPTIONS)
        components.update(added)
        for record, kinds in KINDS.items():
            names[record] |= dict.fromkeys(of_kinds[kind] for kind in kinds)
    for record, alternatives in names.items():
        content = components[record]["properties"]["content"]
        content.pop("type")
        content["anyOf"] = [*map(_reference, alternatives), _OWN]
    result["components"]["schemas"] = dict(sorted(components.items()))
    return result


def _names_by_kind(prefix: str, content: Content, components: Schemas) -> dict[str, str]:
    """Add the components of a scheme. Return their names by kind. Equal kinds share a component."""
    names: dict[str, str] = {}
    for kind in (kind for kinds in KINDS.values() for kind in kinds):
        schema = content.json_schemas[kind]
        equal = next((other for other in names if content.json_schemas[other] == schema), None)
        names[kind] = names[equal] if equal else f"{prefix}{kind.title()}"
        if equal is None:
            components.update(_components(names[kind], schema))
    return names


def _components(name: str, schema: Schemas) -> Iterator[tuple[str, Schemas]]:
    """Yield a JSON Schema and its definitions as components in the form of OpenAPI 3.0."""
    parts = {key: f"{name}{key.strip('_')}" for key in schema.get("$defs", {})}
    yield name, _converted({key: schema[key] for key in schema if key != "$defs"}, parts)
    for key, part in schema.get("$defs", {}).items():
        yield parts[key], _converted(part, parts)


def _converted(schema: Any, parts: Mapping[str, str]) -> Any:
    """Convert null alternatives and references.

    Titles, which name classes, and defaults of input are dropped. So is the ban on more fields, which a
    later version of the scheme may add.
    """
    if isinstance(schema, list):
        return [_converted(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _reference(parts[schema["$ref"].rpartition("/")[2]])
    alternatives = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(alternatives) == 1:
        [only] = alternatives
        converted = _converted(only, parts)
        nullable = {"allOf": [converted]} if "$ref" in converted else converted
        return {**nullable, "nullable": True}
    return {
        key: {name: _converted(field, parts) for name, field in value.items()}
        if key == "properties"
        else _converted(value, parts)
        for key, value in schema.items()
        if key not in ("title", "default", "additionalProperties")
    }


def _reference(name: str) -> Schemas:
    return {"$ref": f"#/components/schemas/{name}"}
