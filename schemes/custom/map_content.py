"""Content of an older version of a definition, as a newer version has it.

Fields and labels keep their answers under new names. What the newer version has no place for is lost:
unknown fields, labels and options, values outside limits, and answers to fields that are hidden now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemes.contract.values import Json
from schemes.custom.checks import known_values, label_list
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Field,
    NumberField,
    PairwiseField,
    PartsField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
    TextField,
)
from schemes.custom.form import ANSWERS, SKIPPED, meets
from schemes.custom.patterns import matches

_Names = Mapping[str, str]


@dataclass(slots=True)
class MappedContent:
    """Content of the newer version, and a sentence for each part that it lost."""

    content: Json
    lost: list[str] = field(default_factory=list)


def map_content(content: Json, new: Definition, old: Definition | None = None) -> MappedContent:
    """Return content of the version before as the newer definition has it.

    With the older definition, answers to fields of another type are lost. Without it, they are judged
    by their form.
    """
    answers = content.get(ANSWERS)
    if not isinstance(answers, Mapping):
        return MappedContent(dict(content))
    mapped = _Mapping(new, old).mapped(content, answers)
    if content.get(SKIPPED) and not new.skip:
        del mapped.content[SKIPPED]
        mapped.lost.append("Items can't be skipped.")
    return mapped


class _Mapping:
    def __init__(self, new: Definition, old: Definition | None) -> None:
        self._new = new
        self._fields = {field.key: field for field in new.fields}
        self._old_fields = {field.key: field for field in old.fields} if old else {}
        self._lost: list[str] = []
        # The new positions of a field's spans by their old ones, without those that were lost
        self._places: dict[str, dict[int, int]] = {}
        self._answers: dict[str, Any] = {}

    def mapped(self, content: Json, answers: Mapping[str, Any]) -> MappedContent:
        renamed = self._new.renamed.fields
        given: dict[str, Any] = {}
        for key, value in answers.items():
            new_key = renamed.get(key, key)
            new_field = self._fields.get(new_key)
            if new_field is None:
                self._lost.append(f"The field {key} does not exist.")
            elif reason := self._is_other(self._old_fields.get(key), new_field):
                self._lost.append(f"The field {key} {reason}.")
            else:
                given[new_key] = value
        kept = self._kept(given)
        ordered = {field.key: kept[field.key] for field in self._new.fields if field.key in kept}
        return MappedContent({**content, ANSWERS: ordered}, self._lost)

    def _is_other(self, old: Field | None, new: Field) -> str:
        """Return why answers to the older field are none to the newer one, or ""."""
        if old is None:
            return ""
        if old.type not in _same_form(new.type):
            return "has another type"
        on_texts = isinstance(new, SpansField | QuestionsField) and len(self._new.texts) > 1
        is_moved = on_texts and getattr(old, "text", "") != getattr(new, "text", "")
        return "is about another text" if is_moved else ""

    def _kept(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that fit, and those of fields that are shown."""
        kept = self._answers
        # Spans come before their relations, and a condition before the fields that it shows.
        pending = dict(self._fields)
        while pending:
            ready = [key for key, field in pending.items() if not _waits(field, pending)]
            for key in ready:
                new_field = pending.pop(key)
                if key not in given:
                    continue
                value = self._value(new_field, given[key])
                if value is not None and not meets(new_field.show_if, kept):
                    self._lost.append(f"The field {key} is not shown for these answers.")
                elif value is not None:
                    kept[key] = value
                if key not in kept and isinstance(new_field, SpansField):
                    self._places[key] = {}
        return kept

    def _value(self, field: Field, value: Any) -> Any:
        names = self._new.renamed.labels.get(field.key, {})
        try:
            return self._fitting(field, value, names)
        except (TypeError, KeyError, ValueError, AttributeError, IndexError):
            self._lost.append(f"The field {field.key} has another form.")
            return None

    def _fitting(self, field: Field, value: Any, names: _Names) -> Any:
        if not isinstance(field, PartsField):
            return self._single(field, value, names)
        if isinstance(field, SpansField):
            return self._spans(field, value, names)
        mapped: list[Json] = []
        for row in value:
            part = self._part(field, row, names)
            # Labels with a common new name can make parts equal.
            if part is not None and part not in mapped:
                mapped.append(part)
        if isinstance(field, RelationsField):
            mapped.sort(key=lambda part: (part["from"], part["to"], part["label"]))
        if isinstance(field, BoxesField):
            mapped.sort(key=lambda part: (part["box"], part["label"]))
        return self._limited(field, mapped) or None

    def _part(self, field: Field, row: Json, names: _Names) -> Json | None:
        if isinstance(field, RelationsField):
            return self._relation(field, row, names)
        if isinstance(field, QuestionsField):
            return self._question(field, row)
        return self._labelled(field, row, names)

    def _single(self, field: Field, value: Any, names: _Names) -> Any:
        if isinstance(field, ChoicesField):
            chosen = [value] if isinstance(value, str) else list(value)
            renamed = {names.get(key, key) for key in chosen}
            known = [leaf.key for leaf in field.leaves]
            for key in renamed - set(known):
                self._lost.append(f"The field {field.key} has no option {key}.")
            return self._limited(field, [key for key in known if key in renamed]) or None
        if isinstance(field, ChoiceField):
            value = names.get(value, value)
        if _fits_limits(field, value):
            return value
        self._lost.append(f"The field {field.key} does not allow {str(value)[:40]!r}.")
        return None

    def _spans(self, field: SpansField, rows: Sequence[Json], names: _Names) -> Any:
        kept = []
        for at, row in enumerate(rows):
            part = self._labelled(field, row, names)
            if part is not None:
                kept.append((_position(part), at, self._with_attributes(field, part)))
        spans: list[Json] = []
        places: dict[int, int] = {}
        for position, at, span in sorted(kept, key=lambda row: row[:2]):
            if spans and _position(spans[-1]) == position:
                places[at] = len(spans) - 1
            elif spans and not field.overlap and position[0] < spans[-1]["end"]:
                self._lost.append(f"The field {field.key} allows no spans that overlap.")
            else:
                places[at] = len(spans)
                spans.append(span)
        spans = self._limited(field, spans)
        self._places[field.key] = {at: to for at, to in places.items() if to < len(spans)}
        return spans or None

    def _with_attributes(self, field: SpansField, part: Json) -> Json:
        given = part.get("attributes", {})
        bare = {name: value for name, value in part.items() if name != "attributes"}
        known = {attribute.key: attribute for attribute in field.attributes}
        for key in given:
            if key not in known:
                self._lost.append(f"The field {field.key} has no attribute {key}.")
        if not known:
            return bare
        attributes = {
            key: value
            for key, attribute in known.items()
            if key in given and (value := self._single(attribute, given[key], {})) is not None
        }
        return {**bare, "attributes": attributes}

    def _labelled(self, field: Field, part: Json, names: _Names) -> Json | None:
        label = names.get(part["label"], part["label"])
        if label in {known.key for known in label_list(field)}:
            return {**part, "label": label}
        self._lost.append(f"The field {field.key} has no label {label}.")
        return None

    def _relation(self, field: RelationsField, part: Json, names: _Names) -> Json | None:
        relation = self._labelled(field, part, names)
        if relation is None:
            return None
        places = self._places.get(field.spans, {})
        if part["from"] not in places or part["to"] not in places:
            self._lost.append(f"The field {field.key} lost a span of a relation.")
            return None
        mapped = {**relation, "from": places[part["from"]], "to": places[part["to"]]}
        if mapped["from"] == mapped["to"] or not self._joins(field, mapped):
            self._lost.append(f"The field {field.key} does not allow a relation.")
            return None
        return mapped

    def _joins(self, field: RelationsField, relation: Json) -> bool:
        """Return True if the label of a relation may join the labels of its spans."""
        label = next(label for label in field.labels if label.key == relation["label"])
        spans = self._answers.get(field.spans, [])
        return all(
            not allowed or spans[relation[side]]["label"] in allowed
            for side, allowed in (("from", label.from_labels), ("to", label.to_labels))
        )

    def _question(self, field: QuestionsField, part: Json) -> Json | None:
        question, answers = part["question"], part["answers"]
        if field.questions and question not in field.questions:
            self._lost.append(f"The field {field.key} has no question {question[:80]!r}.")
        elif len(answers) > field.max_answers:
            self._lost.append(f"The field {field.key} allows fewer answers to a question.")
        elif len(answers) < field.min_answers and not (field.allow_none and not answers):
            self._lost.append(f"The field {field.key} needs more answers to a question.")
        else:
            return part
        return None

    def _limited(self, field: PartsField | ChoicesField, parts: list[Any]) -> list[Any]:
        if len(parts) > field.max:
            self._lost.append(f"The field {field.key} has {len(parts)} of at most {field.max}.")
        return parts[: field.max]


def _waits(field: Field, pending: Mapping[str, Field]) -> bool:
    """Return True if a field depends on one that was not mapped yet."""
    is_hidden = field.show_if is not None and field.show_if.field in pending
    return is_hidden or (isinstance(field, RelationsField) and field.spans in pending)


def _position(span: Json) -> tuple[int, int, str]:
    return span["start"], span["end"], span["label"]


def _same_form(type_: str) -> tuple[str, ...]:
    """Return the types whose values a field of this type can have."""
    return {"choices": ("choices", "choice"), "number": ("number", "rating")}.get(type_, (type_,))


def _fits_limits(field: Field, value: Any) -> bool:
    match field:
        case ChoiceField() | PairwiseField():
            return isinstance(value, str) and value in (known_values(field) or ())
        case RatingField():
            return type(value) is int and field.min <= value <= field.max
        case NumberField():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and _is_within(field, value)
        case TextField():
            is_short = isinstance(value, str) and len(value) <= field.max_length
            return is_short and (not field.pattern or matches(field.pattern, value))
    return False


def _is_within(field: NumberField, value: float) -> bool:
    if field.integer and not float(value).is_integer():
        return False
    is_high = field.min is None or value >= field.min
    return is_high and (field.max is None or value <= field.max)
