"""How staff write a definition: as YAML, of which only what differs from defaults is shown."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json
from schemes.contract.written_resources import (
    Mistake,
    PreviewItem,
    WrittenResource,
    WrittenTextError,
)
from schemes.custom.definition import Definition
from schemes.custom.items import item_of_texts
from schemes.custom.problems import DefinitionError
from schemes.custom.read_definition import read_definition
from schemes.custom.resource import definition_of

WIDTH = 100
SAMPLE_TEXT = "This is an example. Add your own examples to the definition."
PICTURE = "img/tutorial-meadow.png"
_SIZE = (480, 320)
_PARTS = ("spans", "relations", "questions", "boxes")
_DEFAULTS: Mapping[str, Any] = {"lines": 1, "max_length": 500, "scale": "ordinal", "image": "none"}


class DefinitionText(WrittenResource):
    """Definitions in YAML or JSON."""

    syntax = "Definition in YAML"
    help = (
        "The texts of an item, the fields of the form, their labels and conditions, and examples. "
        "JSON is accepted too. Comments aren’t stored."
    )

    def read(self, text: str) -> Json:
        """Return the normalised value. Raise WrittenTextError."""
        try:
            return read_definition(text).value
        except DefinitionError as error:
            mistakes = [Mistake(row.line, row.path, row.message) for row in error.problems]
            raise WrittenTextError(mistakes) from error

    def write(self, value: Json) -> str:
        """Return text that is read as an equal value."""
        text = _yaml(_short(value))
        try:
            if read_definition(text).value == value:
                return text
        except DefinitionError:
            pass
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    def example(self, value: Json) -> PreviewItem:
        """Return the first example, or a made-up item. Pictures are a sample."""
        definition = definition_of(value)
        texts: Mapping[str, str] = {text.key: SAMPLE_TEXT for text in definition.texts}
        if definition.examples:
            texts = definition.examples[0].texts
        context = item_of_texts(definition, texts)
        return PreviewItem(*_with_picture(definition, context))


def _with_picture(definition: Definition, context: ItemContext) -> tuple[ItemContext, str]:
    if definition.image == "none":
        return context, ""
    return replace(context, image=Image("example.png", *_SIZE)), PICTURE


def _short(value: Json) -> Json:
    """Return a definition without what the parser fills in."""
    short = _without_defaults(value)
    short["fields"] = [_short_field(field) for field in value["fields"]]
    if value["examples"]:
        short["examples"] = [_without_defaults(example) for example in value["examples"]]
        for short_example, example in zip(short["examples"], value["examples"], strict=True):
            short_example["answers"] = example["answers"]
    return short


def _short_field(field: Json) -> Json:
    short = _without_defaults(field)
    # Fields with one value are required by default, and those with parts are not.
    if field["required"] != (field["type"] in _PARTS):
        short.pop("required", None)
    else:
        short["required"] = field["required"]
    for name in ("options", "labels"):
        if name in field:
            short[name] = [_short_option(option) for option in field[name]]
    if field.get("attributes"):
        short["attributes"] = [_short_field(attribute) for attribute in field["attributes"]]
    return short


def _short_option(option: Json) -> Json:
    short = _without_defaults(option)
    if option.get("options"):
        short["options"] = [_short_option(inner) for inner in option["options"]]
    return short


def _without_defaults(value: Json) -> Json:
    return {
        name: part
        for name, part in value.items()
        if part not in ("", [], {}, None)
        and part is not False
        and part != {"fields": {}, "labels": {}}
        and not (name in _DEFAULTS and part == _DEFAULTS[name])
    }


def _yaml(value: Json) -> str:
    import yaml  # noqa: PLC0415 - other pages don't need it

    class Dumper(yaml.SafeDumper):
        """A dumper without aliases, which shows long texts as blocks and small objects in a line."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    def write_text(dumper: Any, text: str) -> Any:
        style = "|" if "\n" in text else ">" if len(text) > WIDTH else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def write_object(dumper: Any, value: Json) -> Any:
        node = dumper.represent_mapping("tag:yaml.org,2002:map", value.items())
        node.flow_style = _fits_in_line(value.values(), value)
        return node

    def write_list(dumper: Any, values: list[Any]) -> Any:
        node = dumper.represent_sequence("tag:yaml.org,2002:seq", values)
        node.flow_style = _fits_in_line(values, values)
        return node

    Dumper.add_representer(str, write_text)
    Dumper.add_representer(dict, write_object)
    Dumper.add_representer(list, write_list)
    text: str = yaml.dump(
        value,
        Dumper=Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=WIDTH,
    )
    return text


def _fits_in_line(parts: Iterable[Any], whole: Any) -> bool:
    """Return True for a few short values, or lists of numbers such as those of spans and boxes."""
    is_plain = all(
        not isinstance(part, dict | list) or all(isinstance(each, int) for each in part)
        for part in parts
    )
    return is_plain and len(str(whole)) <= WIDTH


DEFINITION_TEXT = DefinitionText()
