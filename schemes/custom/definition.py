"""The definition of a custom scheme: its texts, its fields and their labels.

`parse_definition` makes one of a JSON value. `Definition.value` is the normalised value, in which all
defaults are filled in. It parses to an equal definition, and pages and projects use it as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from schemes.contract.values import Json, Noun


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text of an item. `direction` is "ltr", "rtl" or "auto"."""

    key: str
    label: str
    language: str = ""
    direction: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label of spans, boxes or relations. `key_hint` is the key of the keyboard that chooses it."""

    key: str
    label: str
    help: str = ""
    key_hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationLabel(Label):
    """A label of relations, with the labels of spans it may join. Without labels, any may be joined."""

    from_labels: tuple[str, ...] = ()
    to_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(Label):
    """An option to choose, or a group of options."""

    options: tuple["Option", ...] = ()

    def leaves(self) -> Iterator["Option"]:
        """Yield the options of the group that can be chosen, or the option itself."""
        if not self.options:
            yield self
        for option in self.options:
            yield from option.leaves()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowIf:
    """A condition on another field: that it has one of the values, or any without values."""

    field: str
    values: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of the form. Attributes of spans are fields without a condition.

    `has_parts` is set for fields with several parts, such as spans, which are paid one by one.
    """

    type: ClassVar[str]
    has_parts: ClassVar[bool] = False
    key: str
    label: str
    help: str = ""
    required: bool = True
    show_if: ShowIf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField(Field):
    """One of several options, which may be in groups."""

    type = "choice"
    options: tuple[Option, ...]

    @property
    def leaves(self) -> tuple[Option, ...]:
        """Return the options that can be chosen, in order."""
        return tuple(leaf for option in self.options for leaf in option.leaves())


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicesField(ChoiceField):
    """Several of the options."""

    type = "choices"
    min: int = 1
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingField(Field):
    """A whole number on a scale. `ends` has the texts of both ends, or nothing."""

    type = "rating"
    min: int
    max: int
    scale: str = "ordinal"
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField(Field):
    """A text. `pattern` is a regular expression for the whole text, or ""."""

    type = "text"
    lines: int = 1
    max_length: int = 500
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField(Field):
    """A number within limits."""

    type = "number"
    min: float | None = None
    max: float | None = None
    integer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseField(Field):
    """A choice between two texts, by their keys, or "tie"."""

    type = "pairwise"
    between: tuple[str, str]
    tie: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsField(Field):
    """A field with from `min` to `max` parts."""

    has_parts = True
    min: int = 0
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansField(PartsField):
    """Labelled spans of a text."""

    type = "spans"
    text: str
    labels: tuple[Label, ...]
    overlap: bool = False
    attributes: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationsField(PartsField):
    """Labelled relations between spans of the field `spans`."""

    type = "relations"
    spans: str
    labels: tuple[RelationLabel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionsField(PartsField):
    """Questions whose answers are spans of a text.

    Without `questions`, workers write them. A question has from `min_answers` to `max_answers`
    answers, or none if `allow_none` is set.
    """

    type = "questions"
    text: str
    questions: tuple[str, ...] = ()
    min_answers: int = 1
    max_answers: int = 3
    allow_none: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxesField(PartsField):
    """Labelled boxes in the image."""

    type = "boxes"
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An item with its annotation. `answers` are parsed content of the scheme's form."""

    title: str
    explanation: str
    texts: Mapping[str, str]
    image: str
    answers: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """What a version renames: fields, and labels or options by the new key of their field.

    Both map names of the version before to names of this one.
    """

    fields: Mapping[str, str]
    labels: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A scheme as data. `unit` is the key of the field whose parts are paid, or "".

    `image` is "none", "optional" or "required". `value` is the normalised JSON value.
    """

    title: str
    summary: str
    item: Noun
    instructions: str
    language: str
    texts: tuple[Text, ...]
    image: str
    skip: bool
    unit: str
    fields: tuple[Field, ...]
    examples: tuple[Example, ...]
    renamed: Renamed
    value: Json

    def field(self, key: str) -> Field:
        """Return a field by its key. Raise KeyError."""
        for field in self.fields:
            if field.key == key:
                return field
        raise KeyError(key)

    def text(self, key: str) -> Text:
        """Return a text by its key. Raise KeyError."""
        for text in self.texts:
            if text.key == key:
                return text
        raise KeyError(key)
