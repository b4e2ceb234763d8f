"""Items in the JSON of Label Studio's tasks.

    [{"data": {"_id": "a:1", "text": "Ada met Grace."},
      "annotations": [{"result": [
        {"id": "people-0", "from_name": "people", "to_name": "text", "type": "labels",
         "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}]}]

`data` has the texts by their keys, `image`, and the id as `_id` or `id`, else that of the task counts.
`from_name` is the field, or the attribute of a region as in `people.sure`. Boxes are in percent of the
image. Values are keys, or labels as people see them. A tie of a pairwise choice is the selection `none`.
Several annotations need a ground truth. Ranges of characters count code points, or UTF-16 as in old
versions, if only that agrees with the text of a region. Questions have no place. See https://labelstud.io/guide/task_format.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError, FileError, WordsInText
from schemes.contract.values import Json
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Field,
    NumberField,
    PairwiseField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
)
from schemes.custom.entries import LOCAL_KEY, Entry, checked_id, fields_of, parts_of, range_of
from schemes.custom.formats.brat import relation_order, span_order
from schemes.json_tables import json_entries
from schemes.stated import same_words

ID = "_id"
IMAGE = "image"
TIE, NONE = "tie", "none"
_SIDES = ("left", "right")
_PERCENT = 100.0
# Of a pixel. Percentages have about 15 digits.
_ROUNDING = 0.01
# The type of a result, and the name of its value
_TYPES = {
    "choice": ("choices", "choices"),
    "choices": ("choices", "choices"),
    "rating": ("rating", "rating"),
    "number": ("number", "number"),
    "text": ("textarea", "text"),
    "pairwise": ("pairwise", "selected"),
}


@dataclass(slots=True)
class _Regions:
    """The regions of an annotation by their ids, with their fields."""

    parts: dict[str, tuple[str, Json]] = field(default_factory=dict)
    sizes: set[tuple[int, int]] = field(default_factory=set)


def read(
    path: Path,
    definition: Definition,
    on_error: ErrorSink,
    *,
    with_gold: bool,
    predictions: bool = False,
) -> Iterator[Entry]:
    """Yield the items of a list of tasks, with the predictions instead of annotations if set.

    Bad tasks go to `on_error` and are skipped. Raise FileError.
    """
    name = "predictions" if predictions else "annotations"
    for line, task in json_entries(path):
        entry = None
        try:
            if isinstance(task, FieldError):
                raise task
            entry = _task(task, definition, line, path)
            if with_gold:
                entry = _annotated(entry, task, definition, name)
            yield entry
        except FieldError as error:
            if entry is None:
                on_error(error.at(path, line))
                continue
            words, items = _words(task.get(name), definition), [(entry.external_id, LOCAL_KEY)]
            field_, message = error.field, error.message
            on_error(FileError(path.name, line, message, field=field_, items=items, words=words))


def _words(annotations: Any, definition: Definition) -> Iterator[WordsInText]:
    """Yield the words of all regions of a task that may have any mistake."""
    spans = {field.key for field in definition.fields if isinstance(field, SpansField)}
    for annotation in annotations if isinstance(annotations, list) else ():
        results = annotation.get("result") if isinstance(annotation, dict) else None
        for row in results if isinstance(results, list) else ():
            match row:
                case {
                    "from_name": str(key),
                    "value": {"start": int(start), "end": int(end), "text": str(text)},
                } if key in spans:
                    yield WordsInText(f"answers.{key}", start, end, text)


def _task(task: Any, definition: Definition, line: int, path: Path) -> Entry:
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        raise FieldError("data", "must be an object with the texts of a task.")
    keys = [text.key for text in definition.texts]
    texts = {key: data.get(key, "") for key in keys}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise FieldError(f"data.{key}", "must be a text.")
    names = (ID, "id") if "id" not in keys else (ID,)
    external_id = next((data[name] for name in names if name in data), task.get("id"))
    if external_id is None:
        external_id = f"{path.stem}:{line}"
    image = data.get(IMAGE, "") if IMAGE not in keys else data.get(f"_{IMAGE}", "")
    if not isinstance(image, str):
        raise FieldError(f"data.{IMAGE}", "must be the name of an image.")
    return Entry(
        external_id=checked_id(external_id, "data._id"),
        line=line,
        file=path.name,
        parts=parts_of(definition, texts),
        image=image,
        document=str(data.get("_document", "")),
    )


def _annotated(entry: Entry, task: Json, definition: Definition, name: str) -> Entry:
    annotations = task.get(name) or []
    if not isinstance(annotations, list) or not all(isinstance(part, dict) for part in annotations):
        raise FieldError(name, "must be a list of objects.")
    truths = [part for part in annotations if part.get("ground_truth")]
    chosen = truths or annotations
    if not chosen:
        return entry
    if len(chosen) > 1:
        what = "ground truths" if truths else name
        message = f"has {len(chosen)} {what}. Leave one, or mark one as the ground truth."
        raise FieldError(name, message)
    if chosen[0].get("was_cancelled"):
        meta = chosen[0].get("meta")
        reason = meta.get("reason") if isinstance(meta, dict) else ""
        return replace(entry, skipped=str(reason or "other"))
    at = next(at for at, part in enumerate(annotations) if part is chosen[0])
    return _Reader(entry, definition, f"{name}.{at}.result").annotated(chosen[0].get("result"))


class _Reader:
    """The results of an annotation. `place` is their path in messages."""

    def __init__(self, entry: Entry, definition: Definition, place: str) -> None:
        self._entry = entry
        self._definition = definition
        self._place = place
        self._fields = {field.key: field for field in definition.fields}
        self._answers: Json = {field.key: [] for field in definition.fields if field.has_parts}
        self._regions = _Regions()

    def annotated(self, results: Any) -> Entry:
        """Return the item with answers. Raise FieldError."""
        if not isinstance(results, list) or not all(isinstance(row, dict) for row in results):
            raise FieldError(self._place, "must be a list of objects.")
        numbered = [(f"{self._place}.{at}", row) for at, row in enumerate(results)]
        relations = [row for row in numbered if row[1].get("type") == "relation"]
        others = [row for row in numbered if row[1].get("type") != "relation"]
        for path, row in others:
            if isinstance(self._fields.get(str(row.get("from_name"))), SpansField | BoxesField):
                self._add_region(path, row)
        for path, row in others:
            name = row.get("from_name")
            if isinstance(self._fields.get(str(name)), SpansField | BoxesField):
                continue
            self._add_value(path, row, str(name))
        orders = self._ordered()
        for path, row in relations:
            self._add_relation(path, row, orders)
        for key, value in self._answers.items():
            if isinstance(self._fields[key], RelationsField):
                value.sort(key=relation_order)
        sizes = self._regions.sizes
        if len(sizes) > 1:
            raise FieldError(self._place, "has several sizes of the image.")
        return replace(
            self._entry,
            answers={key: self._answers[key] for key in self._fields if key in self._answers},
            image_size=next(iter(sizes), None),
        )

    def _add_region(self, path: str, row: Json) -> None:
        name = row["from_name"]
        identifier = row.get("id")
        if not isinstance(identifier, str) or not identifier:
            raise FieldError(f"{path}.id", "is missing.")
        if identifier in self._regions.parts:
            raise FieldError(f"{path}.id", f"{identifier[:40]!r} is used twice.")
        value = row.get("value")
        if not isinstance(value, dict):
            raise FieldError(f"{path}.value", "must be an object.")
        field_ = self._fields[name]
        if isinstance(field_, SpansField):
            part = self._span(path, row, value, field_)
        else:
            assert isinstance(field_, BoxesField)
            part = self._box(path, row, value, field_)
        self._regions.parts[identifier] = (name, part)
        self._answers[name].append(part)

    def _span(self, path: str, row: Json, value: Json, field_: SpansField) -> Json:
        if row.get("to_name") not in (None, field_.text):
            message = f"must be {field_.text}, to which {field_.key} belongs."
            raise FieldError(f"{path}.to_name", message)
        label = self._label(f"{path}.value.labels", value.get("labels"), field_.labels)
        part, first = self._entry.part_at(field_.text)
        text, offsets = part.written()
        start, end = value.get("start"), value.get("end")
        if type(start) is not int or type(end) is not int:
            raise FieldError(f"{path}.value", "must have start and end as whole numbers.")
        stated = value.get("text")
        start, end = _code_points(text, start, end, stated)
        there = text[max(start, 0) : max(end, 0)]
        if isinstance(stated, str) and not same_words(stated, [there]):
            message = f"is “{stated[:60]}”, but {start} to {end} is “{there[:60]}”."
            raise FieldError(f"{path}.value.text", message)
        try:
            begin, last = range_of(offsets, text, start, end)
        except ValueError as error:
            raise FieldError(f"{path}.value", str(error)) from None
        attributes: Json = {"attributes": {}} if field_.attributes else {}
        return {"start": first + begin, "end": first + last, "label": label, **attributes}

    def _box(self, path: str, row: Json, value: Json, field_: BoxesField) -> Json:
        label = self._label(
            f"{path}.value.rectanglelabels", value.get("rectanglelabels"), field_.labels
        )
        if value.get("rotation"):
            raise FieldError(f"{path}.value.rotation", "must be 0, because boxes can't be turned.")
        width, height = row.get("original_width"), row.get("original_height")
        if type(width) is not int or type(height) is not int or width < 1 or height < 1:
            message = "is missing. It is needed to convert percent into pixels."
            raise FieldError(f"{path}.original_width", message)
        self._regions.sizes.add((width, height))
        sides = [value.get(name) for name in ("x", "y", "width", "height")]
        if not all(_is_number(side) for side in sides):
            raise FieldError(f"{path}.value", "must have x, y, width and height in percent.")
        x, y, across, down = (float(side) for side in sides if side is not None)
        corners = (x * width, y * height, (x + across) * width, (y + down) * height)
        return {"label": label, "box": [_pixel(corner / _PERCENT) for corner in corners]}

    def _label(self, path: str, names: Any, labels: Iterable[Any]) -> str:
        if not isinstance(names, list) or len(names) != 1:
            raise FieldError(path, "must be a list with one label.")
        return _key(path, names[0], labels)

    def _add_value(self, path: str, row: Json, name: str) -> None:
        key, dot, attribute = name.partition(".")
        field_ = self._fields.get(name)
        value = row.get("value")
        if not isinstance(value, dict):
            raise FieldError(f"{path}.value", "must be an object.")
        if field_ is None and dot and isinstance(self._fields.get(key), SpansField):
            self._add_attribute(path, row, key, attribute, value)
            return
        if field_ is None or field_.type not in _TYPES:
            known = ", ".join(self._fields)
            message = f"{name[:40]!r} is no field that tasks can have. The definition has: {known}."
            raise FieldError(f"{path}.from_name", message)
        if name in self._answers:
            raise FieldError(path, f"is a second answer of {name}.")
        self._answers[name] = _value(path, field_, value)

    def _add_attribute(self, path: str, row: Json, key: str, name: str, value: Json) -> None:
        field_ = self._fields[key]
        assert isinstance(field_, SpansField)
        known = {attribute.key: attribute for attribute in field_.attributes}
        if name not in known:
            message = f"{name[:40]!r} is no attribute of {key}, which has: {', '.join(known)}."
            raise FieldError(f"{path}.from_name", message)
        region = self._regions.parts.get(str(row.get("id")), ("", {}))
        if region[0] != key:
            raise FieldError(f"{path}.id", f"is no region of {key}.")
        attributes = region[1]["attributes"]
        if name in attributes:
            raise FieldError(path, f"is a second {name} of the region.")
        attributes[name] = _value(path, known[name], value)

    def _ordered(self) -> dict[str, int]:
        """Sort the spans of each field, and return the number of each region."""
        numbers: dict[str, int] = {}
        for key, field_ in self._fields.items():
            if not isinstance(field_, SpansField):
                continue
            own = [name for name, (other, _) in self._regions.parts.items() if other == key]
            own.sort(key=lambda name: span_order(self._regions.parts[name][1]))
            self._answers[key] = [self._regions.parts[name][1] for name in own]
            numbers |= {name: at for at, name in enumerate(own)}
        return numbers

    def _add_relation(self, path: str, row: Json, numbers: Mapping[str, int]) -> None:
        ends = [str(row.get("from_id")), str(row.get("to_id"))]
        for name, end in zip(("from_id", "to_id"), ends, strict=True):
            if end not in numbers:
                raise FieldError(f"{path}.{name}", f"{end[:40]!r} is no span of the annotation.")
        direction = row.get("direction", "right")
        if direction not in _SIDES:
            raise FieldError(f"{path}.direction", "must be left or right.")
        if direction == "left":
            ends.reverse()
        fields = {self._regions.parts[end][0] for end in ends}
        names = row.get("labels")
        if not isinstance(names, list) or len(names) != 1:
            raise FieldError(f"{path}.labels", "must be a list with one label.")
        possible = [
            other
            for other in self._fields.values()
            if isinstance(other, RelationsField)
            and {other.spans} == fields
            and any(names[0] in (label.key, label.label) for label in other.labels)
        ]
        if len(possible) != 1:
            reason = "belongs to no field of relations between these spans."
            several = "belongs to several fields of relations."
            message = f"{str(names[0])[:40]!r} {several if possible else reason}"
            raise FieldError(f"{path}.labels", message)
        [field_] = possible
        label = _key(f"{path}.labels", names[0], field_.labels)
        relation = {"label": label, "from": numbers[ends[0]], "to": numbers[ends[1]]}
        self._answers[field_.key].append(relation)


def _code_points(text: str, start: int, end: int, stated: Any) -> tuple[int, int]:
    """Return a range in code points. Ranges of UTF-16 are recognised by the text of the region."""
    if not isinstance(stated, str) or (0 <= start < end and text[start:end] == stated):
        return start, end
    units = text.encode("utf-16-le")
    if 0 <= start < end and units[2 * start : 2 * end] == stated.encode("utf-16-le", "replace"):
        before = units[: 2 * start].decode("utf-16-le", "replace")
        return len(before), len(before) + len(stated)
    return start, end


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _pixel(value: float) -> int | float:
    """Return a whole number of pixels, if percent were only rounded."""
    return round(value) if abs(value - round(value)) <= _ROUNDING else value


def _key(path: str, name: Any, labels: Iterable[Any]) -> str:
    """Return the key of a label or option. Raise FieldError."""
    listed = list(labels)
    keys = [label.key for label in listed]
    if name in keys:
        return str(name)
    shown = [label.key for label in listed if label.label and label.label == name]
    if len(shown) == 1:
        return str(shown[0])
    raise FieldError(path, f"{str(name)[:40]!r} is unknown; choose from {', '.join(keys)[:200]}.")


def _value(path: str, field_: Field, value: Json) -> Any:
    """Return an answer as in content. Raise FieldError."""
    kind, name = _TYPES[field_.type]
    place = f"{path}.value.{name}"
    given = value.get(name)
    if given is None:
        raise FieldError(place, f"is missing in a result of the type {kind}.")
    if isinstance(field_, ChoiceField):
        names = [part[-1] if isinstance(part, list) and part else part for part in _list(given)]
        keys = [_key(place, part, field_.leaves) for part in names]
        if isinstance(field_, ChoicesField):
            return keys
        if len(keys) != 1:
            raise FieldError(place, "must be a list with one option.")
        return keys[0]
    if isinstance(field_, PairwiseField):
        selected = {**dict(zip(_SIDES, field_.between, strict=True)), NONE: TIE}
        if given not in selected or (given == NONE and not field_.tie):
            raise FieldError(place, "must be left or right.")
        return selected[given]
    if isinstance(field_, RatingField | NumberField):
        if not _is_number(given):
            raise FieldError(place, "must be a number.")
        return given
    texts = _list(given)
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise FieldError(place, "must be a list with one text.")
    return texts[0]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def write(entries: Iterable[Entry], path: Path, definition: Definition) -> int:
    """Write items as tasks with an annotation each, and return their number."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("[")
        for entry in entries:
            file.write(",\n" if count else "\n")
            file.write(json.dumps(_written(entry, definition, count + 1), ensure_ascii=False))
            count += 1
        file.write("\n]\n" if count else "]\n")
    return count


def _written(entry: Entry, definition: Definition, number: int) -> Json:
    keys = [text.key for text in definition.texts]
    image = f"_{IMAGE}" if IMAGE in keys else IMAGE
    data = {
        ID: entry.external_id,
        **{part.key: part.written()[0] for part in entry.parts},
        **({image: entry.image} if entry.image else {}),
        **({"_document": entry.document} if entry.document else {}),
    }
    results = list(_results(entry, definition))
    annotation: Json = {"result": results, "ground_truth": True, "was_cancelled": False}
    if entry.skipped:
        annotation |= {"was_cancelled": True, "meta": {"reason": entry.skipped}}
    return {"id": number, "data": data, "annotations": [annotation], "predictions": []}


def _results(entry: Entry, definition: Definition) -> Iterator[Json]:
    first = definition.texts[0].key
    for field_, value in fields_of(definition, entry.answers or {}):
        match field_:
            case SpansField():
                yield from _written_spans(entry, field_, value)
            case BoxesField():
                yield from _written_boxes(entry, field_, value)
            case RelationsField():
                for part in value:
                    yield {
                        "type": "relation",
                        "from_id": f"{field_.spans}-{part['from']}",
                        "to_id": f"{field_.spans}-{part['to']}",
                        "direction": "right",
                        "labels": [part["label"]],
                    }
            case QuestionsField():
                pass
            case _:
                between = getattr(field_, "between", (first,))
                yield {
                    "id": field_.key,
                    "from_name": field_.key,
                    "to_name": ",".join(between),
                    "type": _TYPES[field_.type][0],
                    "value": _written_value(field_, value),
                }


def _written_value(field_: Field, value: Any) -> Json:
    name = _TYPES[field_.type][1]
    if isinstance(field_, PairwiseField):
        sides = {**dict(zip(field_.between, _SIDES, strict=True)), TIE: NONE}
        return {name: sides[value]}
    is_number = isinstance(field_, RatingField | NumberField)
    return {name: value if is_number or isinstance(value, list) else [value]}


def _written_spans(entry: Entry, field_: SpansField, spans: Sequence[Json]) -> Iterator[Json]:
    part, first = entry.part_at(field_.text)
    text, offsets = part.written()
    for at, span in enumerate(spans):
        start, end = offsets[span["start"] - first][0], offsets[span["end"] - 1 - first][1]
        place = {"start": start, "end": end, "text": text[start:end]}
        row = {"id": f"{field_.key}-{at}", "to_name": field_.text}
        yield {
            **row,
            "from_name": field_.key,
            "type": "labels",
            "value": {**place, "labels": [span["label"]]},
        }
        for attribute in field_.attributes:
            if attribute.key in span.get("attributes", {}):
                value = _written_value(attribute, span["attributes"][attribute.key])
                yield {
                    **row,
                    "from_name": f"{field_.key}.{attribute.key}",
                    "type": _TYPES[attribute.type][0],
                    "value": {**place, **value} if "text" not in value else value,
                }


def _written_boxes(entry: Entry, field_: BoxesField, boxes: Sequence[Json]) -> Iterator[Json]:
    width, height = entry.image_size or (0, 0)
    for at, part in enumerate(boxes):
        x1, y1, x2, y2 = part["box"]
        yield {
            "id": f"{field_.key}-{at}",
            "from_name": field_.key,
            "to_name": IMAGE,
            "type": "rectanglelabels",
            "original_width": width,
            "original_height": height,
            "image_rotation": 0,
            "value": {
                "x": _PERCENT * x1 / width,
                "y": _PERCENT * y1 / height,
                "width": _PERCENT * (x2 - x1) / width,
                "height": _PERCENT * (y2 - y1) / height,
                "rotation": 0,
                "rectanglelabels": [part["label"]],
            },
        }


def left_out(content: Json, definition: Definition) -> int:
    """Return how many units of content have no place in tasks."""
    return sum(
        len(value)
        for field_, value in fields_of(definition, content.get("answers", {}))
        if isinstance(field_, QuestionsField)
    )
