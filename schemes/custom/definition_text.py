"""How staff write a definition: as YAML, of which only what differs from defaults is shown."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json
from schemes.contract.written_resources import PreviewItem, WrittenResource
from schemes.custom.definition import Definition
from schemes.custom.items import item_of_texts
from schemes.custom.parse_definition import sentence_case, words_of
from schemes.custom.practice import SAMPLE_PICTURE, SAMPLE_SIZE
from schemes.custom.problems import DefinitionError
from schemes.custom.read_definition import read_definition
from schemes.custom.resource import definition_of

WIDTH = 100
SAMPLE_TEXT = "This is an example. Add your own examples to the definition."
_PARTS = ("spans", "relations", "questions", "boxes")
_DEFAULT_ITEM = {"one": "text", "many": "texts"}
_DEFAULTS: Mapping[str, Any] = {"lines": 1, "max_length": 500, "scale": "ordinal", "image": "none"}


class DefinitionText(WrittenResource):
    """Definitions in YAML or JSON."""

    syntax = "Definition in YAML"
    help = (
        "The texts of an item, the fields of the form, their labels and conditions, and examples. "
        "JSON is accepted too. Comments aren’t stored."
    )
    pages: Mapping[str, str] = {
        "reference/definition.md": "All keys and their values",
        "tutorials/own-scheme.md": "Your own scheme in ten minutes",
    }

    def read(self, text: str) -> Json:
        """Return the normalised value. Raise DefinitionError, a WrittenTextError."""
        return read_definition(text).value

    def write(self, value: Json) -> str:
        """Return text that is read as an equal value, in the order of the documentation.

        What the parser fills in is left out.
        """
        try:
            value = definition_of(value).value  # databases don't keep the order of keys
            text = _yaml(_short(value))
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
    return replace(context, image=Image("example.png", *SAMPLE_SIZE)), SAMPLE_PICTURE


def _short(value: Json) -> Json:
    """Return a definition without what the parser fills in."""
    short = _without_defaults(value)
    if value["item"] == _DEFAULT_ITEM:
        del short["item"]
    short["texts"] = [_short_text(text, value["language"]) for text in value["texts"]]
    if short["texts"] == [{"key": "text"}]:
        del short["texts"]
    if value["unit"] == next((row["key"] for row in value["fields"] if row["type"] in _PARTS), ""):
        short.pop("unit", None)
    short["fields"] = [_short_field(field, value) for field in value["fields"]]
    if value["examples"]:
        short["examples"] = [_short_example(example) for example in value["examples"]]
    return short


def _short_text(text: Json, language: str) -> Json:
    defaults = {"label": sentence_case(text["key"]), "language": language}
    return {name: part for name, part in text.items() if part != defaults.get(name)}


def _short_example(example: Json) -> Json:
    return _without_defaults(example) | {"answers": example["answers"]}


def _short_field(field: Json, definition: Json) -> Json:
    defaults = _defaults_of(field, definition)
    short = _without_defaults(
        {
            name: part
            for name, part in field.items()
            if name not in defaults or part != defaults[name]
        }
    )
    if "required" not in defaults or field["required"] != defaults["required"]:
        short["required"] = field["required"]
    for name in ("options", "labels"):
        if name in field:
            short[name] = [_short_option(option) for option in field[name]]
    if field.get("attributes"):
        short["attributes"] = [_short_field(each, definition) for each in field["attributes"]]
    return short


def _defaults_of(field: Json, definition: Json) -> Json:
    """Return what the parser fills in if the field does not say it."""
    type_, texts = field["type"], definition["texts"]
    spans = [row["key"] for row in definition["fields"] if row["type"] == "spans"]
    defaults: Json = {"label": sentence_case(field["key"]), "required": True}
    if type_ in (*_PARTS, "choices"):
        defaults |= {"min": 0, "max": 100, "required": field["min"] > 0}
    if type_ == "choices":
        defaults |= {"min": 1, "max": _count_leaves(field["options"])}
    if type_ == "questions":
        fixed = [] if field["question"] == "free" else field["question"]
        defaults |= {"min": len(fixed), "max": len(fixed) or 20, "question": "free"}
        defaults["answers"] = {"min": 1, "max": 3, "allow_none": False}
    if type_ in ("spans", "questions") and len(texts) == 1:
        defaults["text"] = texts[0]["key"]
    if type_ == "relations" and len(spans) == 1:
        defaults["spans"] = spans[0]
    if type_ == "pairwise":
        defaults["between"] = [text["key"] for text in texts]
    return defaults


def _count_leaves(options: list[Json]) -> int:
    return sum(_count_leaves(row["options"]) if row.get("options") else 1 for row in options)


def _short_option(option: Json) -> Json | str:
    short = _without_defaults(option)
    if short["label"] == words_of(option["key"]):
        del short["label"]
    if option.get("options"):
        short["options"] = [_short_option(inner) for inner in option["options"]]
    return option["key"] if list(short) == ["key"] else short


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
