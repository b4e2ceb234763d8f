"""FormattedContent of a QuestionForm: validation of MTurk's XHTML subset, and rendering as safe HTML.

The HTML is built from the parsed document, with only the elements and attributes named here. Attributes
for looks are validated and left out.
"""

import re
from dataclasses import dataclass
from html.entities import name2codepoint
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.questions.content_address import check_url

DEEPEST = 30
#: MTurk's message, which clients search.
INVALID = (
    "There was an error parsing the XHTML data in your request. Please make sure the data is "
    "well-formed and validates against the appropriate schema. Details: "
)
_CELLS = "align char charoff valign"
_CELL = f"{_CELLS} abbr axis bgcolor colspan headers height nowrap rowspan scope width"
#: MTurk's elements with their attributes. All elements may have GLOBAL attributes too.
ALLOWED = {
    tag: frozenset(attributes.split())
    for tags, attributes in (
        ("b big br center cite code dd dl dt em i small strong sub sup u", ""),
        ("a", "accesskey charset coords href hreflang name rel rev shape tabindex target type"),
        ("blockquote q", "cite"),
        ("del ins", "cite datetime"),
        ("col colgroup", f"{_CELLS} span width"),
        ("font", "color face size"),
        ("h1 h2 h3 h4 h5 h6 p", "align"),
        ("hr", "align noshade size width"),
        ("img", "align alt border height hspace ismap longdesc src usemap vspace width"),
        ("li", "type value"),
        ("ol", "compact start type"),
        ("pre", "width"),
        ("table", "align bgcolor border cellpadding cellspacing frame rules summary width"),
        ("tbody tfoot thead", _CELLS),
        ("td th", _CELL),
        ("tr", f"{_CELLS} bgcolor"),
        ("ul", "compact type"),
    )
    for tag in tags.split()
}
GLOBAL = {"dir", "lang", "title"}
#: Attributes that the HTML keeps, with the values that are safe.
KEPT = {
    "abbr": r".*",
    "colspan": r"[0-9]{1,3}",
    "dir": r"ltr|rtl",
    "lang": r"[A-Za-z0-9-]{1,35}",
    "rowspan": r"[0-9]{1,3}",
    "scope": r"row|col|rowgroup|colgroup",
    "span": r"[0-9]{1,3}",
    "start": r"-?[0-9]{1,6}",
    "title": r".*",
    "value": r"-?[0-9]{1,6}",
}
#: Elements without a replacement in HTML, of which only the content is rendered.
TRANSPARENT = {"big", "font"}
#: Elements with another name in the HTML. Headings have the level below the page's own, because
#: nothing is known about the headings before them.
RENAMED = {"center": "div", **dict.fromkeys(("h1", "h3", "h4", "h5", "h6"), "h2")}
VOID = {"br", "col", "hr", "img"}
LINK_SCHEMES = ("http://", "https://", "mailto:")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}


class XhtmlError(RefusalError):
    """Formatted content outside MTurk's subset."""

    def __init__(self, detail: str) -> None:
        super().__init__("XHTMLParseError", INVALID + detail)


@dataclass(frozen=True, slots=True)
class FormattedContent:
    """Safe HTML, with the URLs of its images."""

    html: SafeString
    images: tuple[str, ...]


def render_formatted_content(xhtml: str, *, allow_http: bool) -> FormattedContent:
    """Return the content as safe HTML. Raise XhtmlError for anything outside MTurk's subset."""
    if "<!--" in xhtml:
        raise XhtmlError("Comments are not allowed.")
    try:
        root = fromstring(f"<x>{_ENTITY.sub(_character, xhtml)}</x>", forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise XhtmlError(str(error)) from None
    renderer = _Renderer(allow_http)
    html = renderer.content(root, depth=0)
    # The renderer escapes texts and attributes, and writes the names of known elements only.
    return FormattedContent(mark_safe(html), tuple(renderer.images))  # noqa: S308


def _character(match: re.Match[str]) -> str:
    """Return the character of an HTML entity such as &nbsp;, which XML lacks."""
    name = match.group(1)
    if name in _XML_ENTITIES or name not in name2codepoint:
        return match.group()
    return chr(name2codepoint[name])


class _Renderer:
    def __init__(self, allow_http: bool) -> None:
        self.images: list[str] = []
        self._allow_http = allow_http

    def content(self, element: Element, depth: int) -> str:
        if depth > DEEPEST:
            raise XhtmlError(f"Elements are nested more than {DEEPEST} deep.")
        parts: list[str] = [escape(element.text or "")]
        for child in element:
            parts += [self._element(child, depth + 1), escape(child.tail or "")]
        return "".join(parts)

    def _element(self, element: Element, depth: int) -> str:
        tag = element.tag
        if tag not in ALLOWED:
            raise XhtmlError(f"The element {tag} is not allowed.")
        for name in element.attrib:
            if name not in ALLOWED[tag] | GLOBAL:
                raise XhtmlError(f"The attribute {name} of {tag} is not allowed.")
        content = self.content(element, depth)
        attributes = self._attributes(element)
        if tag in TRANSPARENT:
            return content
        name = RENAMED.get(tag, tag)
        if tag in VOID:
            if content.strip():
                raise XhtmlError(f"{tag} must be empty.")
            return f"<{name}{attributes}>"
        return f"<{name}{attributes}>{content}</{name}>"

    def _attributes(self, element: Element) -> str:
        kept = {
            name: value
            for name, value in element.attrib.items()
            if name in KEPT and re.fullmatch(KEPT[name], value)
        }
        if element.tag == "img":
            kept |= self._image(element)
        elif element.tag == "a" and "href" in element.attrib:
            kept |= _link(element.attrib["href"].strip())
        return "".join(f' {name}="{escape(value)}"' for name, value in kept.items())

    def _image(self, element: Element) -> dict[str, str]:
        if "alt" not in element.attrib or "src" not in element.attrib:
            raise XhtmlError("img must have the attributes src and alt.")
        url = element.attrib["src"].strip()
        try:
            check_url(url, name="src", allow_http=self._allow_http)
        except InvalidParameterError as error:
            raise XhtmlError(error.message) from None
        self.images.append(url)
        return {"src": url, "alt": element.attrib["alt"], "referrerpolicy": "no-referrer"}


def _link(url: str) -> dict[str, str]:
    if not url.lower().startswith(LINK_SCHEMES) or not url.isprintable():
        raise XhtmlError(f"href must begin with {', '.join(LINK_SCHEMES)}.")
    return {"href": url, "target": "_blank", "rel": "noopener noreferrer"}
