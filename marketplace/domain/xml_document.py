"""Safe parsing of the XML documents of the Requester API.

MTurk validates its documents against XML schemas. The functions here check the same structure, except
for the order of elements.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from marketplace.domain.errors import InvalidParameterError, RefusalError

INTEGER = re.compile(r"[+-]?[0-9]{1,12}")
MAX_BYTES = 65_535
#: MTurk's message, which clients search.
INVALID = (
    "There was an error parsing the XML question or answer data in your request. Please make sure the "
    "data is well-formed and validates against the appropriate schema. Details: "
)


class SchemaError(RefusalError):
    """A document that violates its schema."""

    def __init__(self, detail: str) -> None:
        super().__init__("XMLParseError", INVALID + detail)


def parse_document(xml: str, *, name: str) -> Element:
    """Return the root element. Raise RefusalError for a document that is too large or malformed."""
    if len(xml.encode()) > MAX_BYTES:
        raise InvalidParameterError(f"{name} is larger than {MAX_BYTES} bytes.")
    try:
        root: Element = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise SchemaError(f"{name} is not well-formed XML: {error}") from None
    return root


def strip_namespace(root: Element, namespace: str) -> None:
    """Remove the namespace from all tags. Raise SchemaError if an element has another namespace."""
    prefix = f"{{{namespace}}}"
    for element in root.iter():
        if not element.tag.startswith(prefix):
            raise SchemaError(f"{element.tag} is not in the namespace {namespace}.")
        element.tag = element.tag.removeprefix(prefix)


@dataclass(frozen=True, slots=True)
class Members:
    """The child elements of `parent`, by tag."""

    parent: str
    elements: dict[str, list[Element]] = field(default_factory=dict)

    def all(self, tag: str) -> list[Element]:
        return self.elements.get(tag, [])

    def first(self, tag: str) -> Element | None:
        return next(iter(self.all(tag)), None)

    def text(self, tag: str, default: str = "") -> str:
        """Return the text of the child element without surrounding space."""
        element = self.first(tag)
        return default if element is None else text_of(element).strip()

    def integer(self, tag: str, default: int, *, low: int, high: int) -> int:
        element = self.first(tag)
        if element is None:
            return default
        return read_integer(text_of(element), name=tag, low=low, high=high)


def members_of(
    element: Element,
    *,
    required: Collection[str] = (),
    optional: Collection[str] = (),
    repeated: Collection[str] = (),
) -> Members:
    """Group the child elements by tag. Raise SchemaError for a wrong or missing element."""
    members = Members(element.tag)
    for child in element:
        if child.tag not in (*required, *optional, *repeated):
            raise SchemaError(f"{element.tag} must not contain {child.tag}.")
        members.elements.setdefault(child.tag, []).append(child)
        if child.tag not in repeated and len(members.all(child.tag)) > 1:
            raise SchemaError(f"{element.tag} contains more than one {child.tag}.")
    for tag in required:
        if not members.all(tag):
            raise SchemaError(f"{element.tag} must contain {tag}.")
    return members


def only_child(element: Element, choices: Collection[str]) -> Element:
    """Return the single child element, which must be one of `choices`."""
    if len(element) != 1:
        raise SchemaError(f"{element.tag} must contain one of {', '.join(choices)}.")
    members_of(element, optional=choices)
    return element[0]


def text_of(element: Element) -> str:
    if len(element):
        raise SchemaError(f"{element.tag} must contain text only.")
    return element.text or ""


def read_identifier(members: Members, tag: str, *, longest: int = 200) -> str:
    identifier = members.text(tag)
    if not identifier or len(identifier) > longest:
        raise SchemaError(f"{tag} must have 1 to {longest} characters.")
    return identifier


def read_integer(text: str, *, name: str, low: int, high: int) -> int:
    if INTEGER.fullmatch(text.strip()) and low <= (value := int(text)) <= high:
        return value
    raise SchemaError(f"{name} must be an integer between {low} and {high}.")


def read_boolean(text: str, *, name: str) -> bool:
    if text not in ("true", "false", "1", "0"):
        raise SchemaError(f"{name} must be true or false.")
    return text in ("true", "1")


def check_attributes(element: Element, allowed: Collection[str]) -> None:
    for name in element.attrib:
        if name not in allowed:
            raise SchemaError(f"{element.tag} must not have the attribute {name}.")
