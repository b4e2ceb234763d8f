"""Write the records of the Python client from the schema of the REST API.

    python -m scripts.write_client

The module is client/touchstone_client/records.py. A test checks that it is current.
"""

import json
import os
import re
import textwrap
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "client" / "touchstone_client" / "records.py"
Schema = Mapping[str, Any]
WIDTH = 100
# The labels of longer lists, such as those of languages, are left out.
MAX_LABELLED = 20
# Alternatives that stand for null in the schema
NULL = "NullEnum"
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_BULLETS = re.compile(r"^\* `([^`]*)` - (.*)$", re.MULTILINE)

HEAD = '''\
"""The records of Touchstone's REST API.

Written by scripts/write_client.py from the schema of the API. Do not edit. Moments are texts in ISO
8601, with a time zone. Sites may add fields, and values to the lists of choices.
"""

from typing import Any, Literal, NotRequired, TypedDict
'''


def text() -> str:
    """Return the module: lists of choices first, then the records, each after those it contains."""
    output = StringIO()
    call_command("spectacular", format="openapi-json", stdout=output)
    schemas = json.loads(output.getvalue())["components"]["schemas"]
    choices = {name: schema for name, schema in schemas.items() if "enum" in schema}
    choices.pop(NULL, None)
    parts = [_choices(name, choices[name]) for name in sorted(choices)]
    records = {name: schemas[name] for name in sorted(schemas) if name not in choices | {NULL: {}}}
    parts_of_records = [_record(name, records[name]) for name in _in_order(records)]
    return "\n\n\n".join(["\n".join([HEAD, *parts]), *parts_of_records]) + "\n"


def _in_order(records: Mapping[str, Schema]) -> list[str]:
    """Return the names so that each record follows those it contains.

    Names in quotes would hide `NotRequired` from `__required_keys__`.
    """
    order: dict[str, None] = {}

    def add(name: str) -> None:
        for contained in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(records[name])):
            if contained in records and contained not in order:
                add(contained)
        order[name] = None

    for name in records:
        add(name)
    return list(order)


def _choices(name: str, schema: Schema) -> str:
    values = [f'"{value}"' for value in schema["enum"]]
    labels = dict(_BULLETS.findall(schema.get("description", "")))
    if len(values) <= MAX_LABELLED and any(_adds(value, labels[value]) for value in labels):
        rows = "".join(_labelled(value, labels) for value in schema["enum"])
        return f"{name} = Literal[\n{rows}]"
    line = f"{name} = Literal[{', '.join(values)}]"
    if len(line) <= WIDTH:
        return line
    return f"{name} = Literal[\n{_wrapped(', '.join(values) + ',', '    ')}\n]  # fmt: skip"


def _labelled(value: str, labels: Mapping[str, str]) -> str:
    label = labels.get(value, "")
    return f'    "{value}",' + (f"  # {label}" if _adds(value, label) else "") + "\n"


def _adds(value: str, label: str) -> bool:
    """Return True if the label is not the value in other words, such as `to decide`."""
    return label.lower() not in ("", re.sub("[-_]", " ", value.lower()), value.lower())


def _record(name: str, schema: Schema) -> str:
    lines = [f"class {name}(TypedDict):"]
    if description := schema.get("description"):
        lines += [_docstring(description), ""]
    required = schema.get("required", ())
    for field, value in schema.get("properties", {}).items():
        lines += _comment(value)
        lines.append(_field(field, _kinds(value), is_required=field in required))
    return "\n".join(lines)


def _field(name: str, kinds: list[str], *, is_required: bool) -> str:
    before, after = ("", "") if is_required else ("NotRequired[", "]")
    line = f"    {name}: {before}{' | '.join(kinds)}{after}"
    if len(line) <= WIDTH:
        return line
    rows = "\n        | ".join(kinds)
    return f"    {name}: {before or '('}\n        {rows}\n    {after or ')'}"


def _docstring(description: str) -> str:
    first, _, rest = description.strip().partition("\n")
    paragraphs = [_wrapped(part, "    ") for part in rest.strip().split("\n\n") if part]
    first = first.replace("\\", "\\\\")
    if not paragraphs:
        return f'    """{first}"""'
    return "\n\n".join([f'    """{first}', *paragraphs]) + '\n    """'


def _comment(value: Schema) -> Iterator[str]:
    """Yield the description of a field, without the labels of its choices."""
    description = _BULLETS.sub("", value.get("description", "")).strip()
    if description:
        yield _wrapped(description, "    # ")


def _kind(value: Schema) -> str:
    return " | ".join(_kinds(value))


def _kinds(value: Schema) -> list[str]:
    """Return the alternatives of a value, each once, with None as the last one."""
    kinds = list(dict.fromkeys(_alternatives(value)))
    if not value.get("nullable") and "None" not in kinds:
        return kinds
    return [kind for kind in kinds if kind != "None"] + ["None"]


def _alternatives(value: Schema) -> Iterator[str]:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        yield "None" if name == NULL else name
    elif "anyOf" in value:
        yield "dict[str, Any]"  # content, whose form depends on the scheme of the project
    elif parts := value.get("oneOf") or value.get("allOf"):
        for part in parts:
            yield from _kinds(part)
    elif "enum" in value:
        yield f"Literal[{', '.join(repr(choice) for choice in value['enum'])}]".replace("'", '"')
    elif value.get("format") == "binary":
        yield "bytes"
    elif value.get("type") == "array":
        yield f"list[{_kind(value['items'])}]"
    elif value.get("type") == "object":
        yield f"dict[str, {_kind_of_values(value)}]"
    else:
        yield _SIMPLE.get(value.get("type", ""), "Any")


def _kind_of_values(value: Schema) -> str:
    kinds = {_kind(field) for field in value.get("properties", {}).values()}
    if isinstance(others := value.get("additionalProperties"), Mapping):
        kinds.add(_kind(others))
    return kinds.pop() if len(kinds) == 1 else "Any"


def _wrapped(words: str, indent: str) -> str:
    return textwrap.fill(
        " ".join(words.split()),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    PATH.write_text(text(), "utf-8")
