"""Our own JSON format of lexica, which may hold any part of a lexicon.

    {"name": "Trade",
     "core_only": true,
     "frames": {"Commerce_sell": {
        "definition": "A {Seller} gives {Goods} to a buyer for money.",
        "examples": ["{Seller|The farm} sold {Goods|its last cow}."],
        "elements": [{"name": "Seller", "definition": "Who sells."},
                     {"name": "Goods", "core": "Core", "definition": "What the {Seller} sells."}],
        "units": ["sell.v", "sell off.v"],
        "relations": [{"type": "Inheritance", "frame": "Giving", "is_parent": true}]}},
     "roles": ["Agent", {"name": "Theme", "definition": "What moves."}],
     "verbs": {"sell": [{"class": "give-13.1", "roles": ["Agent", "Theme"]}]},
     "extra_units": [["flog", "Commerce_sell", 0.4]]}

Only `name` of an element is required, and `core` is "Core" by default. Texts may mention elements in
braces, or be runs as in the stored value. A relation needs to be listed only once, by either frame.
A part that the file lacks keeps its current value.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from schemes.contract.errors import ContentError, FileError
from schemes.contract.values import Json
from schemes.frames.lexicon.framenet import add_relations, is_relation
from schemes.frames.lexicon.markup import parse_braces
from schemes.frames.lexicon.roles import described_role
from schemes.frames.lexicon.value import (
    EMPTY,
    MAX_ELEMENTS,
    MAX_EXAMPLES,
    MAX_RELATIONS,
    MAX_TEXT,
    parse,
)
from schemes.json_values import DECODER, RepeatedKeyError

MAX_BYTES = 64 << 20


def read_json(path: Path, current: Json | None) -> Json:
    """Return the lexicon with the parts of the file. Raise FileError."""
    loaded = _load(path)
    try:
        if not isinstance(loaded, dict):
            raise ContentError("", "must be an object.")
        parts: Json = dict(loaded)
        if "frames" in parts:
            parts["frames"] = _frames(parts["frames"])
        if isinstance(parts.get("roles"), list):
            parts["roles"] = [_role(role) for role in parts["roles"]]
        lexicon = {**(current or EMPTY), **parts}
        if "frames" in parts and "extra_units" not in parts:
            known = lexicon["frames"]
            lexicon["extra_units"] = [row for row in lexicon["extra_units"] if row[1] in known]
        return parse(lexicon)
    except ContentError as error:
        raise FileError(path.name, None, error.message, field=error.path) from error


def _load(path: Path) -> object:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"cannot be opened ({error.strerror}); check the path."
        raise FileError(path.name, None, message) from error
    if len(raw) > MAX_BYTES:
        raise FileError(path.name, None, f"is larger than {MAX_BYTES >> 20} MiB.")
    try:
        return DECODER.decode(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError(path.name, line, "is not UTF-8 text.") from error
    except json.JSONDecodeError as error:
        raise FileError(path.name, error.lineno, f"is not complete JSON ({error.msg}).") from error
    except RepeatedKeyError as error:
        key = error.key
        raise FileError(path.name, _second_line(raw, key), f"names {key!r} twice.") from error
    except ValueError as error:
        raise FileError(path.name, None, "holds a number with thousands of digits.") from error
    except RecursionError as error:
        raise FileError(path.name, None, "is nested too deeply.") from error


def _second_line(raw: bytes, key: str) -> int | None:
    """Return the line of the key's second occurrence, if the key occurs twice in all."""
    lines = [
        number
        for number, line in enumerate(raw.split(b"\n"), start=1)
        for _ in range(line.count(json.dumps(key, ensure_ascii=False).encode()))
    ]
    return lines[1] if len(lines) == 2 else None


def _frames(frames: object) -> dict[str, Json]:
    """Return frames as in the stored value, with relations on both sides."""
    if not isinstance(frames, dict):
        raise ContentError("frames", "must be an object.")
    complete = {name: _frame(frame, f"frames.{name}") for name, frame in frames.items()}
    relations = [
        (row["type"], row["frame"], name) if row["is_parent"] else (row["type"], name, row["frame"])
        for name, frame in complete.items()
        for row in filter(is_relation, frame["relations"])  # the parser refuses the others
    ]
    add_relations(complete, relations)
    return complete


def _frame(frame: object, path: str) -> Json:
    if not isinstance(frame, dict):
        raise ContentError(path, "must be an object.")
    elements = _list(frame.get("elements", []), f"{path}.elements", most=MAX_ELEMENTS)
    names = {_name_of(element, f"{path}.elements[{at}]") for at, element in enumerate(elements)}
    examples = _list(frame.get("examples", []), f"{path}.examples", most=MAX_EXAMPLES)
    relations = _list(frame.get("relations", []), f"{path}.relations", most=MAX_RELATIONS)
    return {
        **{"units": [], "relations": []},
        **frame,
        "relations": [*relations],
        "definition": _runs(frame.get("definition", ""), names, f"{path}.definition"),
        "examples": [
            _runs(example, names, f"{path}.examples[{at}]") for at, example in enumerate(examples)
        ],
        "elements": [
            {
                "core": "Core",
                **element,
                "definition": _runs(
                    element.get("definition", ""), names, f"{path}.elements[{at}].definition"
                ),
            }
            for at, element in enumerate(elements)
        ],
    }


def _list(value: object, path: str, *, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise ContentError(path, "must be a list.")
    if len(value) > most:
        raise ContentError(path, f"has more than {most:,} entries.")
    return value


def _name_of(element: object, path: str) -> str:
    if not isinstance(element, dict):
        raise ContentError(path, "must be an object.")
    if not isinstance(element.get("name"), str):
        raise ContentError(f"{path}.name", "must be a text.")
    name: str = element["name"]
    return name


def _runs(text: object, names: Collection[str], path: str) -> object:
    """Return the runs of a text in braces, or the value itself, which the parser checks."""
    if not isinstance(text, str):
        return text
    if len(text) > MAX_TEXT:
        raise ContentError(path, f"is too long; at most {MAX_TEXT} characters are taken.")
    return parse_braces(text, names, path)


def _role(role: object) -> object:
    if isinstance(role, str):
        return described_role(role)
    return {"definition": "", **role} if isinstance(role, dict) else role
