"""QuestionForm documents: MTurk's questions with form fields, of HITs and of qualification tests."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from django.utils.safestring import SafeString

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.questions.answer_format import AnswerFormat, read_answer_format
from marketplace.domain.questions.content_address import check_url
from marketplace.domain.questions.formatted_content import render_formatted_content
from marketplace.domain.xml_document import (
    Members,
    SchemaError,
    check_attributes,
    members_of,
    only_child,
    parse_document,
    read_boolean,
    read_identifier,
    read_integer,
    strip_namespace,
    text_of,
)

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
NAMESPACES = (f"{SCHEMAS}2005-10-01/QuestionForm.xsd", f"{SCHEMAS}2017-11-06/QuestionForm.xsd")
MAX_QUESTIONS = 200
MAX_SELECTIONS = 500
MAX_LINES = 100
MAX_TEXT_LENGTH = 20_000
#: The largest absolute value of bounds on numbers.
MAX_NUMBER = 10**12 - 1
CONTENT = ("Title", "Text", "List", "Binary", "EmbeddedBinary", "FormattedContent")
#: Elements that MTurk withdrew in 2017.
WITHDRAWN = {"Application", "FileUploadAnswer"}
STYLES = ("radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser")
MEDIA = ("image", "audio", "video")


@dataclass(frozen=True, slots=True)
class Content:
    """A piece of content. The text of an image, audio or video is its alternative text."""

    #: title, text, list, image, audio, video or formatted.
    kind: str
    text: str = ""
    items: tuple[str, ...] = ()
    url: str = ""
    html: SafeString = field(default_factory=SafeString)
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FreeTextAnswer:
    default: str = ""
    lines: int = 1
    is_numeric: bool = False
    min_value: int | None = None
    max_value: int | None = None
    min_length: int = 0
    max_length: int = MAX_TEXT_LENGTH
    formats: tuple[AnswerFormat, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    identifier: str
    content: Content


@dataclass(frozen=True, slots=True)
class SelectionAnswer:
    min_count: int
    max_count: int
    style: str
    selections: tuple[Selection, ...]
    #: A text field for an answer that is not among the selections.
    other: FreeTextAnswer | None


@dataclass(frozen=True, slots=True)
class FormQuestion:
    identifier: str
    name: str
    is_required: bool
    content: tuple[Content, ...]
    answer: FreeTextAnswer | SelectionAnswer


@dataclass(frozen=True, slots=True)
class Overview:
    content: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """Overviews and questions in the order of the document."""

    parts: tuple[Overview | FormQuestion, ...]

    @property
    def questions(self) -> tuple[FormQuestion, ...]:
        return tuple(part for part in self.parts if isinstance(part, FormQuestion))

    def content(self) -> Iterator[Content]:
        """Yield all content, including the selections'."""
        for part in self.parts:
            yield from part.content
            if isinstance(part, FormQuestion) and isinstance(part.answer, SelectionAnswer):
                yield from (selection.content for selection in part.answer.selections)


def parse_question_form(xml: str, *, name: str, allow_http: bool) -> QuestionForm:
    """Parse a document, of which `name` is the parameter. Raise RefusalError if it is invalid."""
    root = parse_document(xml, name=name)
    if not is_question_form(root):
        raise SchemaError(f"{name} must be a QuestionForm in the namespace {NAMESPACES[-1]}.")
    return read_question_form(root, allow_http=allow_http)


def is_question_form(root: Element) -> bool:
    return root.tag in {f"{{{namespace}}}QuestionForm" for namespace in NAMESPACES}


def read_question_form(root: Element, *, allow_http: bool) -> QuestionForm:
    """Return the form of a parsed document. Raise RefusalError if it is invalid."""
    strip_namespace(root, root.tag[1:].partition("}")[0])
    for element in root.iter():
        if element.tag in WITHDRAWN:
            raise SchemaError(f"{element.tag} is not supported. MTurk withdrew it in 2017.")
    members = members_of(root, repeated=("Overview", "Question"))
    if not 1 <= len(members.all("Question")) <= MAX_QUESTIONS:
        raise SchemaError(f"QuestionForm must contain 1 to {MAX_QUESTIONS} Question elements.")
    reader = _Reader(allow_http)
    form = QuestionForm(tuple(reader.part(element) for element in root))
    _check_unique("QuestionIdentifier", [question.identifier for question in form.questions])
    return form


class _Reader:
    """A reader of elements, whose media may have http URLs if `allow_http` is true."""

    def __init__(self, allow_http: bool) -> None:
        self._allow_http = allow_http

    def part(self, element: Element) -> Overview | FormQuestion:
        if element.tag == "Overview":
            return Overview(self._contents(element))
        members = members_of(
            element,
            required=("QuestionIdentifier", "QuestionContent", "AnswerSpecification"),
            optional=("DisplayName", "IsRequired"),
        )
        [content], [answer] = members.all("QuestionContent"), members.all("AnswerSpecification")
        return FormQuestion(
            identifier=read_identifier(members, "QuestionIdentifier"),
            name=members.text("DisplayName"),
            is_required=read_boolean(members.text("IsRequired", "false"), name="IsRequired"),
            content=self._contents(content),
            answer=self._answer(answer),
        )

    def _contents(self, element: Element) -> tuple[Content, ...]:
        members_of(element, repeated=CONTENT)
        return tuple(self._content(child) for child in element)

    def _content(self, element: Element) -> Content:
        if element.tag == "Title":
            return Content("title", text_of(element).strip())
        if element.tag == "Text":
            return Content("text", text_of(element).strip("\n"))
        if element.tag == "List":
            items = members_of(element, repeated=("ListItem",)).all("ListItem")
            return Content("list", items=tuple(text_of(item).strip() for item in items))
        if element.tag == "FormattedContent":
            if len(element):
                raise SchemaError("FormattedContent must be a CDATA section.")
            formatted = render_formatted_content(text_of(element), allow_http=self._allow_http)
            return Content("formatted", html=formatted.html, images=formatted.images)
        return self._media(element)

    def _media(self, element: Element) -> Content:
        is_embedded = element.tag == "EmbeddedBinary"
        kind = "EmbeddedMimeType" if is_embedded else "MimeType"
        sizes = ("Width", "Height") if is_embedded else ()
        members = members_of(
            element,
            required=(kind, "DataURL", "AltText"),
            optional=sizes,
            repeated=("ApplicationParameter",) if is_embedded else (),
        )
        [mime_type] = members.all(kind)
        media = members_of(mime_type, required=("Type",), optional=("SubType",)).text("Type")
        if media not in MEDIA:
            raise SchemaError(f"Type must be one of {', '.join(MEDIA)}.")
        url = members.text("DataURL")
        try:
            check_url(url, name="DataURL", allow_http=self._allow_http)
        except InvalidParameterError as error:
            raise SchemaError(error.message) from None
        return Content(media, members.text("AltText"), url=url)

    def _answer(self, element: Element) -> FreeTextAnswer | SelectionAnswer:
        answer = only_child(element, ("FreeTextAnswer", "SelectionAnswer"))
        return _free_text(answer) if answer.tag == "FreeTextAnswer" else self._selections(answer)

    def _selections(self, element: Element) -> SelectionAnswer:
        members = members_of(
            element,
            required=("Selections",),
            optional=("MinSelectionCount", "MaxSelectionCount", "StyleSuggestion"),
        )
        [parent] = members.all("Selections")
        choices = members_of(parent, repeated=("Selection",), optional=("OtherSelection",))
        count = len(choices.all("Selection"))
        if not 1 <= count <= MAX_SELECTIONS:
            raise SchemaError(f"Selections must contain 1 to {MAX_SELECTIONS} Selection elements.")
        selections = tuple(self._selection(child) for child in choices.all("Selection"))
        _check_unique("SelectionIdentifier", [selection.identifier for selection in selections])
        style = members.text("StyleSuggestion", "radiobutton")
        if style not in STYLES:
            raise SchemaError(f"StyleSuggestion must be one of {', '.join(STYLES)}.")
        other = choices.first("OtherSelection")
        most = members.integer("MaxSelectionCount", 1, low=1, high=count)
        return SelectionAnswer(
            min_count=members.integer("MinSelectionCount", 1, low=0, high=most),
            max_count=most,
            style=style,
            selections=selections,
            other=None if other is None else _free_text(other),
        )

    def _selection(self, element: Element) -> Selection:
        members = members_of(
            element,
            required=("SelectionIdentifier",),
            optional=("Text", "FormattedContent", "Binary"),
        )
        contents = [child for child in element if child.tag != "SelectionIdentifier"]
        if len(contents) != 1:
            raise SchemaError("Selection must contain one of Text, FormattedContent, Binary.")
        content = self._content(contents[0])
        if content.kind in ("audio", "video"):
            raise SchemaError("The Binary of a Selection must be an image.")
        return Selection(read_identifier(members, "SelectionIdentifier"), content)


def _free_text(element: Element) -> FreeTextAnswer:
    members = members_of(
        element, optional=("Constraints", "DefaultText", "NumberOfLinesSuggestion")
    )
    default = members.first("DefaultText")
    constraints = members.first("Constraints")
    limits = (
        Members("Constraints")
        if constraints is None
        else members_of(
            constraints, optional=("IsNumeric", "Length"), repeated=("AnswerFormatRegex",)
        )
    )
    numeric, length = limits.first("IsNumeric"), limits.first("Length")
    bounds = {"low": -MAX_NUMBER, "high": MAX_NUMBER}
    answer = FreeTextAnswer(
        default="" if default is None else text_of(default),
        lines=members.integer("NumberOfLinesSuggestion", 1, low=1, high=MAX_LINES),
        is_numeric=numeric is not None,
        min_value=_attribute(numeric, "minValue", **bounds),
        max_value=_attribute(numeric, "maxValue", **bounds),
        min_length=_attribute(length, "minLength", low=0, high=MAX_TEXT_LENGTH) or 0,
        max_length=_attribute(length, "maxLength", low=1, high=MAX_TEXT_LENGTH) or MAX_TEXT_LENGTH,
        formats=tuple(read_answer_format(child) for child in limits.all("AnswerFormatRegex")),
    )
    for child, names in ((numeric, ("minValue", "maxValue")), (length, ("minLength", "maxLength"))):
        if child is not None:
            check_attributes(child, names)
    _check_bounds(answer)
    return answer


def _check_bounds(answer: FreeTextAnswer) -> None:
    low, high = answer.min_value, answer.max_value
    if low is not None and high is not None and low > high:
        raise SchemaError("minValue must not be greater than maxValue.")
    if answer.min_length > answer.max_length:
        raise SchemaError("minLength must not be greater than maxLength.")


def _attribute(element: Element | None, name: str, *, low: int, high: int) -> int | None:
    if element is None or name not in element.attrib:
        return None
    return read_integer(element.attrib[name], name=name, low=low, high=high)


def _check_unique(tag: str, identifiers: list[str]) -> None:
    if len(set(identifiers)) < len(identifiers):
        raise SchemaError(f"Each {tag} must be unique.")
