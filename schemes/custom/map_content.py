"""Content of an older version of a definition, as a newer version has it.

Fields and labels keep their answers under new names. What the newer version has no place for is lost:
unknown fields, labels and options, values outside limits, and answers to fields that are hidden now.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemes.contract.resources import MappedContent
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
    Renamed,
    SpansField,
    TextField,
)
from schemes.custom.form import ANSWERS, SKIPPED, meets
from schemes.custom.patterns import matches

_Names = Mapping[str, str]


def map_content(
    content: Json, new: Definition, old: Definition | None = None, renamed: Renamed | None = None
) -> MappedContent:
    """Return content of an older version as the newer definition has it.

    With the older definition, answers to fields of another type are lost. Without it, they are judged
    by their form. `renamed` are the names that changed since the older version. By default, it is the
    version before.
    """
    answers = content.get(ANSWERS)
    if not isinstance(answers, Mapping):
        return MappedContent(dict(content), [])
    mapping = _Mapping(new, old, renamed or new.renamed)
    mapped = {**content, ANSWERS: mapping.mapped(answers)}
    lost = mapping.lost
    if content.get(SKIPPED) and not new.skip:
        del mapped[SKIPPED]
        lost.append("Items can't be skipped.")
    units, units_before = mapping.units(answers)
    return MappedContent(mapped, lost, units=units, units_before=units_before)


class _Mapping:
    def __init__(self, new: Definition, old: Definition | None, renamed: Renamed) -> None:
        self._new = new
        self._old = old
        self._renamed = renamed
        self._fields = {field.key: field for field in new.fields}
        self._old_fields = {field.key: field for field in old.fields} if old else {}
        self.lost: list[str] = []
        # The new positions of a field's spans by their old ones, without those that were lost
        self._places: dict[str, dict[int, int]] = {}
        # The old positions of a field's parts, and the old keys of fields
        self._origins: dict[str, list[int]] = {}
        self._old_keys: dict[str, str] = {}
        self._answers: dict[str, Any] = {}

    def mapped(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for key, value in answers.items():
            new_key = self._renamed.fields.get(key, key)
            new_field = self._fields.get(new_key)
            if new_field is None:
                self.lost.append(f"The field {key} does not exist.")
            elif reason := self._is_other(self._old_fields.get(key), new_field):
                self.lost.append(f"The field {key} {reason}.")
            elif new_key in given:
                self.lost.append(f"The field {new_key} has the answer of another field as well.")
            else:
                given[new_key] = value
                self._old_keys[new_key] = key
        kept = self._kept(given)
        return {field.key: kept[field.key] for field in self._new.fields if field.key in kept}

    def units(self, answers: Mapping[str, Any]) -> tuple[list[int], int]:
        """Return the old position of each part, and the old number of parts.

        Both need the older definition.
        """
        starts: dict[str, int] = {}
        count = 0
        for old in self._old.fields if self._old else ():
            starts[old.key] = count
            value = answers.get(old.key)
            count += len(value) if old.has_parts and isinstance(value, list) else value is not None
        units = [
            starts[self._old_keys[new.key]] + at
            for new in self._new.fields
            if new.key in self._answers and self._old_keys[new.key] in starts
            for at in (self._origins[new.key] if new.has_parts else [0])
        ]
        return units, count

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
                    self.lost.append(f"The field {key} is not shown for these answers.")
                elif value is not None:
                    kept[key] = value
                if key not in kept and isinstance(new_field, SpansField):
                    self._places[key] = {}
        return kept

    def _value(self, field: Field, value: Any) -> Any:
        names = self._renamed.labels.get(field.key, {})
        try:
            return self._fitting(field, value, names)
        except (TypeError, KeyError, ValueError, AttributeError, IndexError):
            self.lost.append(f"The field {field.key} has another form.")
            return None

    def _fitting(self, field: Field, value: Any, names: _Names) -> Any:
        if not isinstance(field, PartsField):
            return self._single(field, value, names)
        if isinstance(field, SpansField):
            return self._spans(field, value, names)
        mapped: list[tuple[Json, int]] = []
        for at, row in enumerate(value):
            part = self._part(field, row, names)
            # Labels with a common new name can make parts equal.
            if part is not None and all(part != other for other, _ in mapped):
                mapped.append((part, at))
        if isinstance(field, RelationsField):
            mapped.sort(key=lambda row: (row[0]["from"], row[0]["to"], row[0]["label"]))
        if isinstance(field, BoxesField):
            mapped.sort(key=lambda row: (row[0]["box"], row[0]["label"]))
        mapped = self._limited(field, mapped)
        self._origins[field.key] = [at for _, at in mapped]
        return [part for part, _ in mapped] or None

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
                self.lost.append(f"The field {field.key} has no option {key}.")
            return self._limited(field, [key for key in known if key in renamed]) or None
        if isinstance(field, ChoiceField):
            value = names.get(value, value)
        if _fits_limits(field, value):
            return value
        self.lost.append(f"The field {field.key} does not allow {str(value)[:40]!r}.")
        return None

    def _spans(self, field: SpansField, rows: Sequence[Json], names: _Names) -> Any:
        kept = []
        for at, row in enumerate(rows):
            part = self._labelled(field, row, names)
            if part is not None:
                kept.append((_position(part), at, self._with_attributes(field, part)))
        spans: list[Json] = []
        origins: list[int] = []
        places: dict[int, int] = {}
        for position, at, span in sorted(kept, key=lambda row: row[:2]):
            if spans and _position(spans[-1]) == position:
                places[at] = len(spans) - 1
            elif spans and not field.overlap and position[0] < spans[-1]["end"]:
                self.lost.append(f"The field {field.key} allows no spans that overlap.")
            else:
                places[at] = len(spans)
                spans.append(span)
                origins.append(at)
        spans = self._limited(field, spans)
        self._origins[field.key] = origins[: len(spans)]
        self._places[field.key] = {at: to for at, to in places.items() if to < len(spans)}
        return spans or None

    def _with_attributes(self, field: SpansField, part: Json) -> Json:
        given = part.get("attributes", {})
        bare = {name: value for name, value in part.items() if name != "attributes"}
        known = {attribute.key: attribute for attribute in field.attributes}
        for key in given:
            if key not in known:
                self.lost.append(f"The field {field.key} has no attribute {key}.")
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
        self.lost.append(f"The field {field.key} has no label {label}.")
        return None

    def _relation(self, field: RelationsField, part: Json, names: _Names) -> Json | None:
        relation = self._labelled(field, part, names)
        if relation is None:
            return None
        places = self._places.get(field.spans, {})
        if part["from"] not in places or part["to"] not in places:
            self.lost.append(f"The field {field.key} lost a span of a relation.")
            return None
        mapped = {**relation, "from": places[part["from"]], "to": places[part["to"]]}
        if mapped["from"] == mapped["to"] or not self._joins(field, mapped):
            self.lost.append(f"The field {field.key} does not allow a relation.")
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
            self.lost.append(f"The field {field.key} has no question {question[:80]!r}.")
        elif len(answers) > field.max_answers:
            self.lost.append(f"The field {field.key} allows fewer answers to a question.")
        elif len(answers) < field.min_answers and not (field.allow_none and not answers):
            self.lost.append(f"The field {field.key} needs more answers to a question.")
        else:
            return part
        return None

    def _limited(self, field: PartsField | ChoicesField, parts: list[Any]) -> list[Any]:
        if len(parts) > field.max:
            self.lost.append(f"The field {field.key} has {len(parts)} of at most {field.max}.")
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
