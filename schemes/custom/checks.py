"""What must be right about a definition beyond its shape: keys, references, limits and conditions."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Field,
    Label,
    NumberField,
    Option,
    PairwiseField,
    PartsField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
    TextField,
)
from schemes.custom.patterns import compiled
from schemes.custom.problems import Path, Problem
from schemes.custom.shape import MAX_LABELS, MAX_OVERLAPPING, MAX_QUESTION_LENGTH, MAX_STEPS

MAX_DEPTH = 4
TIE = "tie"
# The names of what every object has in JavaScript
RESERVED = {
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
    *("toLocaleString", "toString", "valueOf"),
}


def check_meaning(definition: Definition) -> list[Problem]:
    """Return everything that is wrong with a definition of the right shape."""
    problems = [
        *_repeated(definition.texts, ("texts",), "text"),
        *_repeated(definition.fields, ("fields",), "field"),
        *_too_many_labels(definition),
    ]
    for at, field in enumerate(definition.fields):
        problems += _field(definition, field, ("fields", at))
    problems += _unit(definition)
    problems += _cycles(definition)
    problems += _renamed(definition)
    return problems


def _repeated(members: Iterable[Field | Label | object], at: Path, noun: str) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for index, member in enumerate(members):
        key: str = member.key  # type: ignore[attr-defined]
        yield from _key(key, seen, (*at, index, "key"), noun)


def _key(key: str, seen: dict[str, str], at: Path, noun: str) -> Iterator[Problem]:
    """Yield what is wrong with a key. `seen` has the earlier ones by their case-folded form."""
    if key in RESERVED:
        yield Problem(at, f"{key!r} is a reserved name. Choose another key.")
    other = seen.get(key.casefold())
    if other == key:
        yield Problem(at, f"another {noun} has the key {key!r}.")
    elif other:
        yield Problem(at, f"{key!r} differs from the key {other!r} only in case.")
    seen.setdefault(key.casefold(), key)


def _shown_alike(labels: Sequence[Label], at: Path, noun: str) -> Iterator[Problem]:
    """Yield the labels that people can't tell from an earlier one."""
    seen: dict[str, str] = {}
    for index, label in enumerate(labels):
        visible = "".join(c for c in label.label if unicodedata.category(c) != "Cf")
        shown = " ".join(unicodedata.normalize("NFKC", visible).casefold().split())
        other = seen.setdefault(shown, label.key)
        if other != label.key:
            message = f"{label.label!r} looks like the {noun} with the key {other!r}."
            yield Problem((*at, index, "label"), message)


def _too_many_labels(definition: Definition) -> Iterator[Problem]:
    count = sum(_labels(field) for field in definition.fields)
    if count > MAX_LABELS:
        yield Problem(("fields",), f"have {count} labels and options. At most {MAX_LABELS} fit.")


def _labels(field: Field) -> int:
    if isinstance(field, ChoiceField):
        return sum(1 for _ in _walk(field.options))
    attributes = field.attributes if isinstance(field, SpansField) else ()
    return len(getattr(field, "labels", ())) + sum(map(_labels, attributes))


def _walk(options: Iterable[Option], at: Path = ()) -> Iterator[tuple[Path, Option]]:
    """Yield all options and groups with their places."""
    for index, option in enumerate(options):
        place = (*at, "options", index)
        yield place, option
        yield from _walk(option.options, place)


def _field(definition: Definition, field: Field, at: Path) -> Iterator[Problem]:
    yield from _condition(definition, field, at)
    if isinstance(field, PartsField):
        yield from _limits(field, at)
    match field:
        case SpansField():
            yield from _text(definition, field.text, at)
            yield from _label_keys(field.labels, at)
            yield from _repeated(field.attributes, (*at, "attributes"), "attribute")
            for index, attribute in enumerate(field.attributes):
                yield from _value_field(attribute, (*at, "attributes", index))
        case RelationsField():
            yield from _relations(definition, field, at)
        case QuestionsField():
            yield from _text(definition, field.text, at)
            yield from _questions(field, at)
        case BoxesField():
            yield from _label_keys(field.labels, at)
            if definition.image == "none":
                yield Problem((*at, "type"), "needs an image: set image to optional or required.")
        case PairwiseField():
            yield from _pairwise(definition, field, at)
        case _:
            yield from _value_field(field, at)


def _value_field(field: Field, at: Path) -> Iterator[Problem]:
    match field:
        case ChoiceField():
            yield from _choice(field, at)
        case RatingField():
            yield from _rating(field, at)
        case NumberField():
            yield from _number(field, at)
        case TextField(pattern=pattern) if pattern:
            try:
                compiled(pattern)
            except ValueError as error:
                yield Problem((*at, "pattern"), f"is not a regular expression of RE2 ({error}).")


def _choice(field: ChoiceField, at: Path) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    yield from _shown_alike(field.options, (*at, "options"), "option")
    for place, option in _walk(field.options):
        yield from _key(option.key, seen, (*at, *place, "key"), "option")
        yield from _shown_alike(option.options, (*at, *place, "options"), "option")
        if len(place) > 2 * MAX_DEPTH:
            yield Problem((*at, *place), f"is nested more than {MAX_DEPTH} levels deep.")
    leaves = [option for _, option in _walk(field.options) if not option.options]
    yield from _hints(leaves, (*at, "options"))
    if isinstance(field, ChoicesField):
        yield from _limits(field, at)
        if field.min > len(leaves):
            yield Problem((*at, "min"), f"is more than the {len(leaves)} options.")
        if field.required and not field.max:
            yield Problem((*at, "max"), "must be at least 1.")


def _label_keys(labels: Sequence[Label], at: Path) -> Iterator[Problem]:
    yield from _repeated(labels, (*at, "labels"), "label")
    yield from _shown_alike(labels, (*at, "labels"), "label")
    yield from _hints(labels, (*at, "labels"))


def _hints(labels: Iterable[Label], at: Path) -> Iterator[Problem]:
    counts = Counter(label.key_hint for label in labels if label.key_hint)
    repeated = [hint for hint, count in counts.items() if count > 1]
    if repeated:
        yield Problem(at, f"have the keyboard key {repeated[0]!r} twice.")


def _rating(field: RatingField, at: Path) -> Iterator[Problem]:
    if field.min >= field.max:
        yield Problem((*at, "max"), "must be greater than min.")
    if field.max - field.min >= MAX_STEPS:
        yield Problem((*at, "max"), f"makes more than {MAX_STEPS} steps. Use a number instead.")
    if len(field.ends) == 1:
        yield Problem((*at, "ends"), "needs two texts, for the lowest and the highest value.")


def _number(field: NumberField, at: Path) -> Iterator[Problem]:
    if field.min is None or field.max is None:
        return
    if field.min > field.max:
        yield Problem((*at, "max"), "must not be less than min.")
    elif field.integer and math.ceil(field.min) > math.floor(field.max):
        yield Problem((*at, "max"), "leaves no whole number.")


def _limits(field: PartsField | ChoicesField, at: Path) -> Iterator[Problem]:
    # Matching takes long for many parts that overlap each other.
    is_dense = isinstance(field, BoxesField | QuestionsField)
    is_dense = is_dense or (isinstance(field, SpansField) and field.overlap)
    if is_dense and field.max > MAX_OVERLAPPING:
        nouns = {"spans": "spans that overlap"}.get(field.type, field.type)
        yield Problem((*at, "max"), f"must be at most {MAX_OVERLAPPING} for {nouns}.")
    if field.min > field.max:
        yield Problem((*at, "max"), f"must be at least {field.min}, which is min.")


def _text(definition: Definition, key: str, at: Path) -> Iterator[Problem]:
    if not key:
        yield Problem((*at, "text"), f"is missing. Choose one of: {_keys(definition.texts)}.")
    elif key not in {text.key for text in definition.texts}:
        yield Problem((*at, "text"), f"{key!r} is not a text. Texts: {_keys(definition.texts)}.")


def _keys(members: Iterable[object]) -> str:
    return ", ".join(member.key for member in members)  # type: ignore[attr-defined]


def _relations(definition: Definition, field: RelationsField, at: Path) -> Iterator[Problem]:
    yield from _label_keys(field.labels, at)
    spans = {other.key: other for other in definition.fields if isinstance(other, SpansField)}
    if field.spans not in spans:
        known = ", ".join(spans) or "none"
        found = f"{field.spans!r} is not a field of spans" if field.spans else "is missing"
        yield Problem((*at, "spans"), f"{found}. Fields of spans: {known}.")
        return
    labels = {label.key for label in spans[field.spans].labels}
    for index, label in enumerate(field.labels):
        for side, keys in (("from", label.from_labels), ("to", label.to_labels)):
            for place, key in enumerate(keys):
                if key not in labels:
                    path = (*at, "labels", index, side, place)
                    yield Problem(path, f"{key!r} is not a label of {field.spans!r}.")


def _questions(field: QuestionsField, at: Path) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, question in enumerate(field.questions):
        if question.casefold() in seen:
            yield Problem((*at, "question", index), "is a question that is there already.")
        seen.add(question.casefold())
        if len(question) > MAX_QUESTION_LENGTH:
            yield Problem((*at, "question", index), "is too long.")
    if field.min_answers > field.max_answers:
        yield Problem((*at, "answers", "max"), "must not be less than min.")
    if field.questions and field.min > len(field.questions):
        yield Problem((*at, "min"), f"is more than the {len(field.questions)} questions.")


def _pairwise(definition: Definition, field: PairwiseField, at: Path) -> Iterator[Problem]:
    known = {text.key for text in definition.texts}
    if len(field.between) != 2 or len(set(field.between)) != 2:
        yield Problem((*at, "between"), "needs the keys of two different texts.")
        return
    for index, key in enumerate(field.between):
        if key not in known:
            message = f"{key!r} is not a text. Texts: {_keys(definition.texts)}."
            yield Problem((*at, "between", index), message)
    if TIE in field.between:
        yield Problem((*at, "between"), f"can't have a text with the key {TIE!r}.")


def _condition(definition: Definition, field: Field, at: Path) -> Iterator[Problem]:
    condition = field.show_if
    if condition is None:
        return
    place = (*at, "show_if")
    others = {other.key: other for other in definition.fields}
    other = others.get(condition.field)
    if other is None:
        yield Problem((*place, "field"), f"{condition.field!r} is not a field.")
        return
    keys = list(others)
    if keys.index(condition.field) > keys.index(field.key):
        message = f"{condition.field!r} comes later. Put it before {field.key!r}."
        yield Problem((*place, "field"), message)
    if not condition.values:
        return
    known = known_values(other)
    if known is None:
        message = f"{condition.field!r} has no fixed values. Use answered: true."
        yield Problem((*place, "is"), message)
        return
    for index, value in enumerate(condition.values):
        if value not in known:
            message = f"{value!r} is not a value of {condition.field!r}."
            yield Problem((*place, "is", index), message)


def known_values(field: Field) -> Sequence[str | int] | None:
    """Return the values that a condition can name, or None if a field has no fixed values."""
    match field:
        case ChoiceField():
            return [leaf.key for leaf in field.leaves]
        case RatingField():
            return range(field.min, field.max + 1)
        case PairwiseField():
            return [*field.between, *([TIE] if field.tie else [])]
    return None


def needed_fields(field: Field) -> Iterator[str]:
    """Yield the keys of the fields on which it depends that a field is shown."""
    if field.show_if:
        yield field.show_if.field
    if isinstance(field, RelationsField):
        yield field.spans


def _cycles(definition: Definition) -> Iterator[Problem]:
    """Yield the fields whose conditions lead back to themselves."""
    needs: Mapping[str, list[str]] = {
        field.key: list(needed_fields(field)) for field in definition.fields
    }
    for at, field in enumerate(definition.fields):
        seen: set[str] = set()
        pending = list(needs[field.key])
        while pending:
            key = pending.pop()
            if key not in seen:
                seen.add(key)
                pending += needs.get(key, ())
        if field.key in seen:
            message = f"depends on {field.key!r} itself, so that it would never be shown."
            yield Problem(("fields", at, "show_if"), message)


def _unit(definition: Definition) -> Iterator[Problem]:
    with_parts = {field.key for field in definition.fields if field.has_parts}
    if definition.unit and definition.unit not in with_parts:
        known = ", ".join(field.key for field in definition.fields if field.has_parts) or "none"
        message = f"{definition.unit!r} is not a field with several parts. Such fields: {known}."
        yield Problem(("unit",), message)


def _renamed(definition: Definition) -> Iterator[Problem]:
    fields = {field.key: field for field in definition.fields}
    renamed = definition.renamed
    for old, new in renamed.fields.items():
        if new not in fields:
            yield Problem(("renamed", "fields", old), f"{new!r} is not a field.")
    for key, count in Counter(renamed.fields.values()).items():
        if count > 1:
            yield Problem(("renamed", "fields"), f"have two new names {key!r}.")
    for key, names in renamed.labels.items():
        if key not in fields:
            yield Problem(("renamed", "labels", key), f"{key!r} is not a field.")
            continue
        known = {label.key for label in label_list(fields[key])}
        for old, new in names.items():
            if new not in known:
                message = f"{new!r} is not a label or option of {key!r}."
                yield Problem(("renamed", "labels", key, old), message)


def label_list(field: Field) -> Sequence[Label]:
    """Return the labels of a field, or the options that can be chosen."""
    if isinstance(field, ChoiceField):
        return field.leaves
    return getattr(field, "labels", ())
