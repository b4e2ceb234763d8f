"""The labelling configuration with which Label Studio shows the tasks of a definition.

Values are keys, as in exported tasks, and the texts of labels are hints. Names of tags are those of
`from_name` and `to_name` in tasks. Questions have no place. See https://labelstud.io/tags.
"""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Field,
    Label,
    NumberField,
    PairwiseField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
    TextField,
)

IMAGE = "image"


def labelling_config(definition: Definition) -> str:
    """Return the configuration as XML."""
    view = Element("View")
    for text in definition.texts:
        SubElement(view, "Header", value=text.label)
        SubElement(view, "Text", name=text.key, value=f"${text.key}")
    if definition.image != "none":
        SubElement(view, "Image", name=IMAGE, value=f"${image_key(definition)}")
    relations = [field for field in definition.fields if isinstance(field, RelationsField)]
    for field in definition.fields:
        for element in _controls(field, definition):
            view.append(element)
    if relations:
        parent = SubElement(view, "Relations")
        for field in relations:
            _add_labels(parent, "Relation", field.labels)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def image_key(definition: Definition) -> str:
    """Return the name of the image in a task's data."""
    return f"_{IMAGE}" if IMAGE in [text.key for text in definition.texts] else IMAGE


def _controls(field: Field, definition: Definition) -> Iterator[Element]:
    match field:
        case SpansField():
            labels = Element("Labels", name=field.key, toName=field.text)
            _add_labels(labels, "Label", field.labels)
            yield labels
            for attribute in field.attributes:
                control = _value(attribute, f"{field.key}.{attribute.key}", field.text)
                control.set("perRegion", "true")
                yield control
        case BoxesField():
            labels = Element("RectangleLabels", name=field.key, toName=IMAGE)
            _add_labels(labels, "Label", field.labels)
            yield labels
        case RelationsField() | QuestionsField():
            return
        case _:
            yield Element("Header", value=field.label)
            control = _value(field, field.key, definition.texts[0].key)
            if field.show_if:
                _add_condition(control, field, definition)
            yield control


def _value(field: Field, name: str, text: str) -> Element:
    """Return the control of a field with a single value."""
    control = Element(_tag(field), name=name, toName=text)
    match field:
        case ChoiceField():
            several = isinstance(field, ChoicesField)
            control.set("choice", "multiple" if several else "single")
            _add_labels(control, "Choice", field.leaves)
        case RatingField():
            control.set("maxRating", str(field.max))
        case NumberField():
            for limit, number in (("min", field.min), ("max", field.max)):
                if number is not None:
                    control.set(limit, f"{number:g}")
        case TextField():
            control.set("rows", str(field.lines))
            control.set("maxSubmissions", "1")
        case PairwiseField():
            control.set("toName", ",".join(field.between))
    if field.required:
        control.set("required", "true")
    return control


def _tag(field: Field) -> str:
    if isinstance(field, ChoiceField):
        return "Choices"
    names = {"rating": "Rating", "number": "Number", "text": "TextArea", "pairwise": "Pairwise"}
    return names[field.type]


def _add_labels(parent: Element, tag: str, labels: Sequence[Label]) -> None:
    for label in labels:
        element = SubElement(parent, tag, value=label.key)
        if label.label != label.key:
            element.set("hint", label.label)
        if label.key_hint:
            element.set("hotkey", label.key_hint)


def _add_condition(control: Element, field: Field, definition: Definition) -> None:
    """Show the control only with the choices of its condition. Other conditions have no place."""
    assert field.show_if
    other = definition.field(field.show_if.field)
    if isinstance(other, ChoiceField):
        control.set("visibleWhen", "choice-selected")
        control.set("whenTagName", other.key)
        if field.show_if.values:
            control.set("whenChoiceValue", ",".join(map(str, field.show_if.values)))
