"""Write the reference of custom schemes' definitions from their JSON Schema.

    python -m scripts.write_definition_reference

The page is docs/reference/definition.md. A test checks that it is current.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schemes" / "custom" / "definition.schema.json"
PAGE = ROOT / "docs" / "reference" / "definition.md"
Schema = Mapping[str, Any]
# Of alternatives. More are the types of fields.
MAX_LISTED = 4
_KINDS = {"string": "text", "boolean": "`true`, `false`", "integer": "whole number"}

INTRODUCTION = """\
# Definition of a custom scheme

A definition describes a custom scheme as data: its texts, its fields and their labels. It is YAML or
JSON of at most 64 kB. [Your own scheme in ten minutes](../tutorials/own-scheme.md) is an introduction.
This page lists everything that a definition may have. It is made from the [JSON
Schema](https://json-schema.org/) in `schemes/custom/definition.schema.json`. Editors that know the
schema complete and check definitions.

Keys of texts, fields, labels and options are names of up to 40 letters, digits, `-` and `_` that begin
with a letter. They are in files and can't be changed without `renamed`. Labels and help texts are what
workers see, and can always be changed. In YAML, write options such as `yes` and `no` in quotes if you
want to be safe in other programs. Anchors, aliases and tags are refused. A definition has at most 40
fields, 10 texts, and 500 labels and options. Keys must differ in more than case, and labels of a list in
more than case, blanks and Unicode form. A condition names a field before it.

A new version [maps the annotations](../how-to/requester.md#what-a-new-version-does-to-work) of the
project. Its `renamed` has names of the version before.
"""

# Sections by their shapes in the schema, with an introduction
SECTIONS = {
    "": ("Definition", "The object itself."),
    "TextShape": ("Texts", "Without `texts`, an item has one text with the key `text`."),
    "ChoiceShape": ("Fields: choice", "One of several options. The answer is a key."),
    "ChoicesShape": ("Fields: choices", "Several of the options. The answer is a list of keys."),
    "RatingShape": ("Fields: rating", "A whole number on a scale."),
    "AnswerTextShape": ("Fields: text", "A text that workers write."),
    "NumberShape": ("Fields: number", "A number that workers write."),
    "PairwiseShape": (
        "Fields: pairwise",
        "A choice between two texts of the item. The answer is the key of a text, or `tie`.",
    ),
    "SpansShape": (
        "Fields: spans",
        "Labelled spans of a text, with attributes. Positions are those of tokens.",
    ),
    "RelationsShape": ("Fields: relations", "Labelled relations between spans of another field."),
    "QuestionsShape": ("Fields: questions", "Questions with answers that are spans of a text."),
    "BoxesShape": ("Fields: boxes", "Labelled boxes in the item's image, in whole pixels."),
    "LabelShape": ("Labels", "A label of spans or boxes. A plain key stands for `{key: KEY}`."),
    "OptionShape": (
        "Options",
        "An option, or a group of options of which one is chosen. Groups have at most four levels.",
    ),
    "RelationLabelShape": ("Labels of relations", "A label of relations between spans."),
    "AnswersShape": ("Answers", "The number of answers of each question."),
    "ShowIfValue": ("Conditions on a value", "The field is shown if another field has a value."),
    "ShowIfAnswered": ("Conditions on an answer", "The field is shown if another has an answer."),
    "NounShape": ("Nouns", "What an item is called on pages."),
    "ExampleShape": ("Examples", "An item with its correct answers."),
    "RenamedShape": ("Renamed", "How content of the version before is read."),
}
# Attributes of spans are fields without a condition.
_SAME = {f"{name}Attribute": f"{name}Shape" for name in ("Choice", "Choices", "Rating", "Number")}
_SAME["TextAttribute"] = "AnswerTextShape"

# By property, or by shape and property where they differ
TEXTS = {
    "title": "The scheme's name on pages.",
    "summary": "What is annotated, in a few words.",
    "item": "What an item is called, such as `{one: sentence, many: sentences}`.",
    "instructions": "Plain text, shown above the fields.",
    "language": "A BCP 47 tag such as `de`. It sets the direction of the texts.",
    "texts": "The texts of an item, each of which is a column of tables.",
    "image": "Whether items have an image.",
    "skip": "Whether workers may skip an item with a reason.",
    "unit": "The field whose parts are paid. By default the first field with several parts, else every "
    "answered field.",
    "fields": "The fields, in the order of the page.",
    "examples": "Items with correct answers, for the tutorial, exercises and the preview.",
    "renamed": "What this version renames, so that older work can be read.",
    "key": "The name in files.",
    "label": "The name on pages. By default the key.",
    "help": "What workers need to know, in plain English.",
    "required": "Whether an answer is needed. Attributes and fields of single values are required by "
    "default.",
    "show_if": "When the field is shown. By default always.",
    "type": "The type of the field.",
    "options": "The options, or groups of options.",
    "OptionShape.options": "Options of this group. A group itself can't be chosen.",
    "min": "The smallest number of parts.",
    "max": "The largest number of parts.",
    "ChoicesShape.min": "The smallest number of options.",
    "ChoicesShape.max": "The largest number of options. By default all.",
    "RatingShape.min": "The lowest step.",
    "RatingShape.max": "The highest step.",
    "NumberShape.min": "The smallest number.",
    "NumberShape.max": "The largest number.",
    "AnswersShape.min": "The smallest number of answers.",
    "AnswersShape.max": "The largest number of answers.",
    "scale": "`interval` if all steps have the same distance. Agreement is computed accordingly.",
    "ends": "The texts of the lowest and the highest step.",
    "lines": "The height of the box on the page.",
    "max_length": "The most characters.",
    "pattern": "A regular expression (RE2) that the whole text must match.",
    "integer": "Whether it must be a whole number.",
    "between": "The keys of both texts.",
    "tie": "Whether workers may choose neither.",
    "text": "The text to which the field belongs. Needed if there are several texts.",
    "labels": "The labels.",
    "overlap": "Whether spans may overlap.",
    "attributes": "Fields of each span, of the types choice, choices, rating, text and number.",
    "spans": "The field whose spans are connected.",
    "question": "`free` if workers write the questions, or a list of fixed questions.",
    "answers": "How many answers a question has.",
    "ExampleShape.answers": "The answers by field.",
    "allow_none": "Whether a question may have no answer.",
    "key_hint": "The key on the keyboard that chooses the label.",
    "from": "Labels of spans where the relation may begin. By default all.",
    "to": "Labels of spans where the relation may end. By default all.",
    "field": "The other field.",
    "is": "The values with which the field is shown.",
    "answered": "Always `true`.",
    "one": "The singular.",
    "many": "The plural.",
    "explanation": "Why these answers are correct.",
    "ExampleShape.title": "A heading of the example.",
    "ExampleShape.texts": "The texts by key.",
    "ExampleShape.image": "The name of the picture.",
    "RenamedShape.fields": "New keys by old keys of fields.",
    "RenamedShape.labels": "For each field, by its new key, new keys by old keys of labels or options.",
}


def anchor(title: str) -> str:
    return title.lower().replace(":", "").replace(" ", "-")


def kind_of(schema: Schema) -> str:
    """Return the type of a value as text with links."""
    if "$ref" in schema:
        return _link(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return f"`{_shown(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return _one_of([part for part in alternatives if part.get("type") != "null"])
    return _plain(schema)


def _link(name: str) -> str:
    title = SECTIONS[_SAME.get(name, name)][0]
    return f"[{title.lower()}](#{anchor(title)})"


def _one_of(alternatives: Sequence[Schema]) -> str:
    if len(alternatives) > MAX_LISTED:
        return "[fields](#fields-choice) of any type"
    return " or ".join(dict.fromkeys(map(kind_of, alternatives)))


def _plain(schema: Schema) -> str:
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        return f"list of {kind_of(schema['items'])}"
    if kind == "object" and isinstance(inside := schema.get("additionalProperties"), dict):
        return f"object of {kind_of(inside)}"
    if kind == "string" and schema.get("pattern", "").startswith("^[A-Za-z]["):
        return "key"
    return _KINDS.get(kind, kind)


def _shown(value: object) -> str:
    return json.dumps(value).strip('"')


def limits_of(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("ge", schema.get("minItems")))
    high = schema.get("maximum", schema.get("le", schema.get("maxItems")))
    if "maxLength" in schema:
        return f"at most {schema['maxLength']:,} characters"
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    if high is not None:
        return f"at most {high:,}"
    return f"at least {low:,}" if low is not None else ""


def default_of(name: str, schema: Schema, required: list[str]) -> str:
    if name in required:
        return "needed"
    value = schema.get("default")
    if value in (None, "", [], {}) or isinstance(value, dict):
        return ""
    return f"`{_shown(value)}`"


def rows_of(name: str, schema: Schema) -> Iterator[str]:
    required = schema.get("required", [])
    for key, value in schema["properties"].items():
        text = TEXTS.get(f"{name}.{key}") or TEXTS[key]
        kind = kind_of(value)
        if limits := limits_of(value):
            kind += f", {limits}"
        yield f"| `{key}` | {kind} | {default_of(key, value, required)} | {text} |"


def page() -> str:
    """Return the page. Raise KeyError for a property without a text."""
    schema: Schema = json.loads(SCHEMA.read_text("utf-8"))
    shapes = schema["$defs"]
    if missing := set(shapes) - set(SECTIONS) - set(_SAME):
        raise KeyError(f"no section describes {', '.join(sorted(missing))}")
    parts = [INTRODUCTION]
    for name, (title, text) in SECTIONS.items():
        rows = "\n".join(rows_of(name, shapes[name] if name else schema))
        table = f"| Key | Value | Default | Meaning |\n| --- | --- | --- | --- |\n{rows}"
        parts.append(f"## {title}\n\n{text}\n\n{table}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
