"""Definitions from JSON values."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from schemes.contract.values import Json, Noun
from schemes.custom import shape
from schemes.custom.check_examples import parse_examples
from schemes.custom.checks import check_meaning
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Example,
    Field,
    Label,
    NumberField,
    Option,
    PairwiseField,
    QuestionsField,
    RatingField,
    RelationLabel,
    RelationsField,
    Renamed,
    ShowIf,
    SpansField,
    Text,
    TextField,
)
from schemes.custom.problems import DefinitionError, Path, Problem
from schemes.custom.write_definition import value_of

MAX_CHARACTERS = 256_000
MAX_DEPTH = 30
MAX_PROBLEMS = 100
# Larger numbers are other numbers in JavaScript.
MAX_WHOLE = 2**53
_RIGHT_TO_LEFT = {
    *("ar", "arc", "arz", "ckb", "dv", "fa", "he", "ks", "nqo"),
    *("ota", "ps", "sd", "syr", "ug", "ur", "yi"),
}
_RIGHT_TO_LEFT_SCRIPTS = {"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"}
# Embeddings, overrides and isolates
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Fillers and an empty pattern of Braille, which are letters and symbols for Unicode
_BLANK = set("\u115f\u1160\u2800\u3164\uffa0")
_DEFAULT_TEXT = shape.TextShape(key="text")
_DEFAULT_ITEM = Noun("text", "texts")


def parse_definition(value: object) -> Definition:
    """Return the definition that a JSON value declares. Raise DefinitionError with all mistakes."""
    problems = _unusual_values(value)
    model, wrong_shape = (None, []) if problems else shape.shaped(value)
    if model is None:
        raise DefinitionError([*problems, *wrong_shape][:MAX_PROBLEMS])
    definition = _definition(model)
    if problems := check_meaning(definition):
        raise DefinitionError(problems[:MAX_PROBLEMS])
    examples, problems = parse_examples(definition)
    if problems:
        raise DefinitionError(problems[:MAX_PROBLEMS])
    definition = replace(definition, examples=examples)
    return replace(definition, value=value_of(definition))


def direction_of(language: str) -> str:
    """Return the value of `dir` for texts of a language: "rtl", or "auto" for all others."""
    name, *subtags = language.lower().split("-")
    scripts = [subtag for subtag in subtags if len(subtag) == 4 and subtag.isalpha()]
    is_rtl = scripts[0] in _RIGHT_TO_LEFT_SCRIPTS if scripts else name in _RIGHT_TO_LEFT
    return "rtl" if is_rtl else "auto"


def _definition(model: shape.DefinitionShape) -> Definition:
    texts = tuple(_text(text, model.language) for text in model.texts or [_DEFAULT_TEXT])
    spans = [field.key for field in model.fields if isinstance(field, shape.SpansShape)]
    only_text = texts[0].key if len(texts) == 1 else ""
    only_spans = spans[0] if len(spans) == 1 else ""
    between = tuple(text.key for text in texts)
    fields = tuple(_field(field, only_text, only_spans, between) for field in model.fields)
    first_parts = next((field.key for field in fields if field.has_parts), "")
    return Definition(
        title=_line(model.title),
        summary=_line(model.summary),
        item=Noun(_line(model.item.one), _line(model.item.many)) if model.item else _DEFAULT_ITEM,
        instructions=_prose(model.instructions),
        language=model.language,
        texts=texts,
        image=model.image,
        skip=model.skip,
        unit=model.unit or first_parts,
        fields=fields,
        examples=tuple(map(_example, model.examples)),
        renamed=Renamed(fields=model.renamed.fields, labels=model.renamed.labels),
        value={},
    )


def _text(text: shape.TextShape, language: str) -> Text:
    language = text.language or language
    return Text(
        key=text.key,
        label=_line(text.label) or sentence_case(text.key),
        language=language,
        direction=direction_of(language),
    )


def _field(field: Any, only_text: str, only_spans: str, between: tuple[str, ...]) -> Field:
    """Return a field. `only_text`, `only_spans` and `between` fill in what it leaves out."""
    described = {
        "key": field.key,
        "label": _line(field.label) or sentence_case(field.key),
        "help": _prose(field.help),
        "required": field.required,
        "show_if": _show_if(getattr(field, "show_if", None)),
    }
    match field.type:
        case "pairwise":
            pair = tuple(field.between) or between
            return PairwiseField(**described, between=pair, tie=field.tie)  # type: ignore[arg-type]
        case "spans":
            return SpansField(
                **{**described, **_parts(field)},
                text=field.text or only_text,
                labels=tuple(Label(**_label(label)) for label in field.labels),
                overlap=field.overlap,
                attributes=tuple(_field(each, "", "", ()) for each in field.attributes),
            )
        case "relations":
            return RelationsField(
                **{**described, **_parts(field)},
                spans=field.spans or only_spans,
                labels=tuple(map(_relation_label, field.labels)),
            )
        case "questions":
            return _questions(field, described, only_text)
        case "boxes":
            labels = tuple(Label(**_label(label)) for label in field.labels)
            return BoxesField(**{**described, **_parts(field)}, labels=labels)
    return _value_field(field, described)


def _value_field(field: Any, described: Json) -> Field:
    match field.type:
        case "choice":
            return ChoiceField(**described, options=_options(field.options))
        case "choices":
            options = _options(field.options)
            leaves = sum(1 for option in options for _ in option.leaves())
            most = leaves if field.max is None else field.max
            limits = {**_parts(field), "max": most}
            return ChoicesField(**{**described, **limits}, options=options)
        case "rating":
            return RatingField(
                **described,
                min=field.min,
                max=field.max,
                scale=field.scale,
                ends=tuple(map(_line, field.ends)),
            )
        case "number":
            limits = {"min": field.min, "max": field.max, "integer": field.integer}
            return NumberField(**described, **limits)
    return TextField(
        **described, lines=field.lines, max_length=field.max_length, pattern=field.pattern
    )


def _questions(field: shape.QuestionsShape, described: Json, only_text: str) -> QuestionsField:
    fixed = () if field.question == "free" else tuple(map(normal_question, field.question))
    parts = _parts(field)
    if fixed:
        given = field.model_fields_set
        parts["min"] = field.min if "min" in given else len(fixed)
        parts["max"] = field.max if "max" in given else len(fixed)
        parts["required"] = field.required if "required" in given else parts["min"] > 0
    return QuestionsField(
        **{**described, **parts},
        text=field.text or only_text,
        questions=fixed,
        min_answers=field.answers.min,
        max_answers=field.answers.max,
        allow_none=field.answers.allow_none,
    )


def _parts(field: Any) -> Json:
    """Return the limits of a field with parts. One that is required needs at least one."""
    is_given = "required" in field.model_fields_set
    required = field.required if is_given else field.min > 0
    return {"min": max(field.min, int(required)), "max": field.max, "required": required}


def _show_if(condition: shape.ShowIfValue | shape.ShowIfAnswered | None) -> ShowIf | None:
    if condition is None:
        return None
    values = condition.is_ if isinstance(condition, shape.ShowIfValue) else ()
    return ShowIf(field=condition.field, values=tuple(values))


def _options(options: Iterable[shape.OptionShape]) -> tuple[Option, ...]:
    return tuple(Option(**_label(option), options=_options(option.options)) for option in options)


def _relation_label(label: shape.RelationLabelShape) -> RelationLabel:
    return RelationLabel(**_label(label), from_labels=tuple(label.from_), to_labels=tuple(label.to))


def _label(label: shape.LabelShape) -> Json:
    return {
        "key": label.key,
        "label": _line(label.label) or words_of(label.key),
        "help": _prose(label.help),
        "key_hint": label.key_hint,
    }


def _example(example: shape.ExampleShape) -> Example:
    return Example(
        title=_line(example.title),
        explanation=_prose(example.explanation),
        texts={key: text.strip() for key, text in example.texts.items()},
        image=example.image.strip(),
        answers=example.answers,
    )


def normal_question(text: str) -> str:
    """Return a question in the form in which it is stored."""
    return _line(text)


def _line(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _prose(text: str) -> str:
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    return lines.strip()


def sentence_case(key: str) -> str:
    """Return the label of a field or text that has none."""
    text = words_of(key)
    return text[:1].upper() + text[1:]


def words_of(key: str) -> str:
    """Return the label of an option that has none."""
    return _line(key.replace("_", " "))


def _unusual_values(value: object) -> list[Problem]:
    """Return what no definition may hold, whatever its shape: control characters and huge values."""
    problems: list[Problem] = []
    characters = 0
    pending: list[tuple[Path, object]] = [((), value)]
    while pending:
        at, part = pending.pop()
        if len(at) > MAX_DEPTH:
            return [Problem(at[:6], f"is nested more than {MAX_DEPTH} levels deep.")]
        characters += len(part) if isinstance(part, str) else 1
        if characters > MAX_CHARACTERS:
            return [Problem((), f"has more than {MAX_CHARACTERS:,} characters.")]
        if message := _unusual(part) or _hidden(at, part):
            problems.append(Problem(at, message))
        pending += _members(at, part)
        if isinstance(part, dict):
            characters += sum(len(key) for key in part if isinstance(key, str))
            if any(not isinstance(key, str) or _unusual(key) for key in part):
                problems.append(Problem(at, "has a key that is not plain text."))
    return problems


def _members(at: Path, part: object) -> Iterator[tuple[Path, object]]:
    if isinstance(part, list):
        yield from (((*at, index), member) for index, member in enumerate(part))
    elif isinstance(part, dict):
        yield from (((*at, shape.shown(key)), member) for key, member in part.items())


def _hidden(at: Path, part: object) -> str:
    """Return what is wrong with a text that looks other than it is, or "".

    The texts of examples may have such characters, because the texts of items may.
    """
    if not isinstance(part, str) or at[:1] == ("examples",):
        return ""
    if part.strip() and not any(map(_is_visible, part)):
        return "has no character that can be seen."
    found = _DIRECTIONS.search(part)
    if not found:
        return ""
    return f"has the character U+{ord(found[0]):04X}, which changes the order of what is shown."


def _is_visible(character: str) -> bool:
    if character in _BLANK or character.isspace():
        return False
    return unicodedata.category(character) not in ("Cf", "Mn", "Me")


def _unusual(part: object) -> str:
    """Return what is unusual about a value without its parts, or ""."""
    if isinstance(part, str):
        for character in part:
            if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r":
                return "has a control character or half of a character."
        return ""
    if isinstance(part, float) and not math.isfinite(part):
        return "must be a finite number."
    if isinstance(part, int) and abs(part) > MAX_WHOLE:
        return "is too large a number."
    if part is None or isinstance(part, bool | int | float | list | dict):
        return ""
    return "is not JSON."
