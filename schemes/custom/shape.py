"""The shape of a definition: the names, types and limits of its values.

The published JSON Schema, `definition.schema.json`, is that of these models. What a schema can't
express, such as references between fields, is in `checks`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, ValidationError

from schemes.content_models import Strict, error_sentence, json_schemas
from schemes.custom.problems import Path, Problem

MAX_FIELDS = 40
MAX_LABELS = 500
MAX_TEXTS = 10
MAX_ATTRIBUTES = 20
MAX_EXAMPLES = 50
MAX_PARTS = 500
MAX_OVERLAPPING = 200
MAX_STEPS = 100
MAX_NUMBER = 10**15
MAX_ANSWER = 10_000
MAX_QUESTION_LENGTH = 300
LANGUAGE_PATTERN = "^([A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,5})?$"
TITLE_PATTERN = r"^[^\n\r]*\S[^\n\r]*$"
KEY_PATTERN = "^[A-Za-z][A-Za-z0-9_-]{0,39}$"
# Tags of unions. They are left out of the paths of problems.
_TAG = "~"


def _whole(value: Any) -> Any:
    """Return a whole number as an integer, because JSON has only one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shortest(value: float) -> float:
    return int(value) if value.is_integer() else value


def _described(value: Any) -> Any:
    """Return the object that a plain key stands for."""
    return {"key": value} if isinstance(value, str) else value


Key = Annotated[str, Field(pattern=KEY_PATTERN)]
OptionalKey = Annotated[str, Field(pattern=f"^({KEY_PATTERN[1:-1]})?$")]
Line = Annotated[str, Field(max_length=200, pattern=r"^[^\n\r]*$")]
Prose = Annotated[str, Field(max_length=2000)]
Hint = Annotated[str, Field(pattern="^[a-z0-9]?$")]
Language = Annotated[str, Field(pattern=LANGUAGE_PATTERN)]
Parts = Annotated[int, Field(ge=0, le=MAX_PARTS), BeforeValidator(_whole)]
Number = Annotated[
    float,
    Field(ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False),
    AfterValidator(_shortest),
]


class NounShape(Strict):
    one: Annotated[str, Field(min_length=1, max_length=40, pattern=r"\S")]
    many: Annotated[str, Field(min_length=1, max_length=40, pattern=r"\S")]


class TextShape(Strict):
    key: Key
    label: Line = ""
    language: Language = ""


class LabelShape(Strict):
    key: Key
    label: Line = ""
    help: Prose = ""
    key_hint: Hint = ""


class OptionShape(LabelShape):
    options: Annotated[list["Option"], Field(max_length=MAX_LABELS)] = []


class RelationLabelShape(LabelShape):
    from_: Annotated[list[Key], Field(max_length=MAX_LABELS, alias="from")] = []
    to: Annotated[list[Key], Field(max_length=MAX_LABELS)] = []


Label = Annotated[LabelShape, BeforeValidator(_described, json_schema_input_type=Key | LabelShape)]
Option = Annotated[
    OptionShape, BeforeValidator(_described, json_schema_input_type=Key | OptionShape)
]
RelationLabel = Annotated[
    RelationLabelShape,
    BeforeValidator(_described, json_schema_input_type=Key | RelationLabelShape),
]
Labels = Annotated[list[Label], Field(min_length=1, max_length=MAX_LABELS)]
Options = Annotated[list[Option], Field(min_length=1, max_length=MAX_LABELS)]


def _scalar_tag(value: Any) -> str | None:
    if isinstance(value, str):
        return f"{_TAG}text"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{_TAG}number" if is_number else None


Scalar = Annotated[
    Annotated[Annotated[str, Field(max_length=40)], Tag(f"{_TAG}text")]
    | Annotated[
        Annotated[int, Field(ge=-1000, le=1000), BeforeValidator(_whole)], Tag(f"{_TAG}number")
    ],
    Discriminator(
        _scalar_tag,
        custom_error_type="scalar",
        custom_error_message="must be a text or a whole number. Write yes, no, true and false in quotes",
    ),
]


class ShowIfValue(Strict):
    field: Key
    is_: Annotated[list[Scalar], Field(min_length=1, max_length=MAX_LABELS, alias="is")]


class ShowIfAnswered(Strict):
    field: Key
    answered: Literal[True]


def _show_if_tag(value: Any) -> str:
    is_answered = isinstance(value, Mapping) and "answered" in value
    return f"{_TAG}answered" if is_answered else f"{_TAG}value"


ShowIf = Annotated[
    Annotated[ShowIfValue, Tag(f"{_TAG}value")] | Annotated[ShowIfAnswered, Tag(f"{_TAG}answered")],
    Discriminator(_show_if_tag),
]


class _Field(Strict):
    key: Key
    label: Line = ""
    help: Prose = ""
    required: bool = True


class _TopField(_Field):
    show_if: ShowIf | None = None


class _Choice(Strict):
    type: Literal["choice"]
    options: Options


class _Choices(Strict):
    type: Literal["choices"]
    options: Options
    min: Parts = 1
    max: Parts | None = None


Step = Annotated[int, Field(ge=-1000, le=1000), BeforeValidator(_whole)]


class _Rating(Strict):
    type: Literal["rating"]
    min: Step = 1
    max: Step = 5
    scale: Literal["ordinal", "interval"] = "ordinal"
    ends: Annotated[list[Line], Field(max_length=2)] = []


class _Text(Strict):
    type: Literal["text"]
    lines: Annotated[int, Field(ge=1, le=50), BeforeValidator(_whole)] = 1
    max_length: Annotated[int, Field(ge=1, le=MAX_ANSWER), BeforeValidator(_whole)] = 500
    pattern: Annotated[str, Field(max_length=200)] = ""


class _Number(Strict):
    type: Literal["number"]
    min: Number | None = None
    max: Number | None = None
    integer: bool = False


class AnswersShape(Strict):
    min: Annotated[int, Field(ge=1, le=50), BeforeValidator(_whole)] = 1
    max: Annotated[int, Field(ge=1, le=50), BeforeValidator(_whole)] = 3
    allow_none: bool = False


Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_LENGTH, pattern=r"\S")]


def _question_tag(value: Any) -> str:
    return f"{_TAG}list" if isinstance(value, list) else f"{_TAG}free"


def _type_tag(value: Any) -> str | None:
    """Return the tag of a field's type, which is the same for objects and for parsed models."""
    type_ = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return f"{_TAG}{type_}" if type_ in TYPES else None


def _attribute_tag(value: Any) -> str | None:
    type_ = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return f"{_TAG}{type_}" if type_ in ATTRIBUTE_TYPES else None


class ChoiceAttribute(_Choice, _Field): ...


class ChoicesAttribute(_Choices, _Field): ...


class RatingAttribute(_Rating, _Field): ...


class TextAttribute(_Text, _Field): ...


class NumberAttribute(_Number, _Field): ...


ATTRIBUTE_TYPES = ("choice", "choices", "rating", "text", "number")
Attribute = Annotated[
    Annotated[ChoiceAttribute, Tag(f"{_TAG}choice")]
    | Annotated[ChoicesAttribute, Tag(f"{_TAG}choices")]
    | Annotated[RatingAttribute, Tag(f"{_TAG}rating")]
    | Annotated[TextAttribute, Tag(f"{_TAG}text")]
    | Annotated[NumberAttribute, Tag(f"{_TAG}number")],
    Discriminator(
        _attribute_tag,
        custom_error_type="type",
        custom_error_message=f"must have a type: {', '.join(ATTRIBUTE_TYPES)}",
    ),
]


class ChoiceShape(_Choice, _TopField): ...


class ChoicesShape(_Choices, _TopField): ...


class RatingShape(_Rating, _TopField): ...


class AnswerTextShape(_Text, _TopField): ...


class NumberShape(_Number, _TopField): ...


class PairwiseShape(_TopField):
    type: Literal["pairwise"]
    between: Annotated[list[Key], Field(max_length=2)] = []
    tie: bool = False


class _PartsShape(_TopField):
    # Without it, a field with several parts is required if it needs at least one.
    required: bool = False
    min: Parts = 0
    max: Parts = 100


class SpansShape(_PartsShape):
    type: Literal["spans"]
    text: OptionalKey = ""
    labels: Labels
    overlap: bool = False
    attributes: Annotated[list[Attribute], Field(max_length=MAX_ATTRIBUTES)] = []


class RelationsShape(_PartsShape):
    type: Literal["relations"]
    spans: OptionalKey = ""
    labels: Annotated[list[RelationLabel], Field(min_length=1, max_length=MAX_LABELS)]


class QuestionsShape(_PartsShape):
    type: Literal["questions"]
    text: OptionalKey = ""
    question: Annotated[
        Annotated[Literal["free"], Tag(f"{_TAG}free")]
        | Annotated[
            Annotated[list[Question], Field(min_length=1, max_length=50)], Tag(f"{_TAG}list")
        ],
        Discriminator(_question_tag),
    ] = "free"
    answers: AnswersShape = AnswersShape()
    max: Parts = 20


class BoxesShape(_PartsShape):
    type: Literal["boxes"]
    labels: Labels


TYPES = (
    *ATTRIBUTE_TYPES,
    *("pairwise", "spans", "relations", "questions", "boxes"),
)
FieldShape = Annotated[
    Annotated[ChoiceShape, Tag(f"{_TAG}choice")]
    | Annotated[ChoicesShape, Tag(f"{_TAG}choices")]
    | Annotated[RatingShape, Tag(f"{_TAG}rating")]
    | Annotated[AnswerTextShape, Tag(f"{_TAG}text")]
    | Annotated[NumberShape, Tag(f"{_TAG}number")]
    | Annotated[PairwiseShape, Tag(f"{_TAG}pairwise")]
    | Annotated[SpansShape, Tag(f"{_TAG}spans")]
    | Annotated[RelationsShape, Tag(f"{_TAG}relations")]
    | Annotated[QuestionsShape, Tag(f"{_TAG}questions")]
    | Annotated[BoxesShape, Tag(f"{_TAG}boxes")],
    Discriminator(
        _type_tag,
        custom_error_type="type",
        custom_error_message=f"must have a type: {', '.join(TYPES)}",
    ),
]


class ExampleShape(Strict):
    title: Line = ""
    explanation: Prose = ""
    texts: Annotated[
        dict[Key, Annotated[str, Field(min_length=1, max_length=20_000, pattern=r"\S")]],
        Field(max_length=MAX_TEXTS),
    ]
    image: Line = ""
    answers: dict[str, Any]


class RenamedShape(Strict):
    fields: dict[Key, Key] = {}
    labels: dict[Key, dict[Key, Key]] = {}


class DefinitionShape(Strict):
    title: Annotated[str, Field(min_length=1, max_length=200, pattern=TITLE_PATTERN)]
    summary: Line = ""
    item: NounShape | None = None
    instructions: Annotated[str, Field(max_length=20_000)] = ""
    language: Language = ""
    texts: Annotated[list[TextShape], Field(max_length=MAX_TEXTS)] = []
    image: Literal["none", "optional", "required"] = "none"
    skip: bool = False
    unit: OptionalKey = ""
    fields: Annotated[list[FieldShape], Field(min_length=1, max_length=MAX_FIELDS)]
    examples: Annotated[list[ExampleShape], Field(max_length=MAX_EXAMPLES)] = []
    renamed: RenamedShape = RenamedShape()


def shaped(value: object) -> tuple[DefinitionShape | None, list[Problem]]:
    """Return the definition's model, or None and everything that is wrong with its shape."""
    try:
        return DefinitionShape.model_validate(value), []
    except ValidationError as error:
        problems = [_problem(row) for row in error.errors(include_url=False)]
        return None, list(dict.fromkeys(problems))


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of definitions."""
    schema: dict[str, Any] = _closed(json_schemas(definition=DefinitionShape)["definition"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _closed(schema: Any) -> Any:
    """Return the schema with no other keys in objects whose keys have a pattern."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items()}
    return {**closed, "additionalProperties": False} if "patternProperties" in closed else closed


def _problem(row: Any) -> Problem:
    location: Path = tuple(
        shown(step) for step in row["loc"] if not (isinstance(step, str) and step.startswith(_TAG))
    )
    if location and location[-1] == "[key]":
        return Problem(location[:-1], KEY_HELP)
    if row["type"] == "literal_error" and location[-1:] == ("question",):
        return Problem(location, "must be free or a list of questions.")
    if row["type"] == "type":
        return Problem((*location, "type"), f"must be one of: {_types(row)}.")
    if row["type"] == "model_type" and isinstance(row["input"], bool):
        return Problem(location, "is true or false. Put the word in quotes to use it as a key.")
    if row["type"] == "string_pattern_mismatch":
        return Problem(location, _PATTERNS.get(row["ctx"]["pattern"], "has an invalid form."))
    return Problem(location, error_sentence(row))


def shown(step: object) -> str | int:
    """Return a step of a path without characters that can't be shown."""
    if isinstance(step, int):
        return step
    return "".join(c if c.isprintable() else "\ufffd" for c in str(step)[:40])


def _types(row: Any) -> str:
    return str(row["msg"]).partition(": ")[2]


KEY_HELP = (
    "must be up to 40 letters (A-Z), digits, hyphens or underscores, the first of them a letter."
)
_PATTERNS = {
    KEY_PATTERN: KEY_HELP,
    f"^({KEY_PATTERN[1:-1]})?$": KEY_HELP,
    TITLE_PATTERN: "must be a single line with text.",
    LANGUAGE_PATTERN: "must be a language tag, such as en or pt-BR.",
    r"\S": "must not be blank.",
    r"^[^\n\r]*$": "must be a single line.",
    "^[a-z0-9]?$": "must be one lower-case letter or digit.",
}
