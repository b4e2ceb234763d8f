"""Parser of a HIT's Question, an ExternalQuestion or HTMLQuestion document."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from marketplace.domain.errors import InvalidParameterError, RefusalError

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
NAMESPACE = SCHEMAS + "2006-07-14/ExternalQuestion.xsd"
HTML_NAMESPACE = SCHEMAS + "2011-11-11/HTMLQuestion.xsd"
LARGEST_BYTES = 65_535
#: Hosts that a Content-Security-Policy can name, with their port.
HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Question:
    """Either the URL of a page or its HTML. The frame's height is in CSS pixels, or 0 for all."""

    url: str
    html: str
    frame_height: int


def parse_question(xml: str, *, allow_http: bool, allow_html: bool) -> Question:
    """Raise RefusalError if the document is invalid, or its URL or kind is not allowed."""
    if len(xml.encode()) > LARGEST_BYTES:
        raise InvalidParameterError(f"Question is larger than {LARGEST_BYTES} bytes.")
    try:
        root = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise RefusalError("XMLParseError", f"Question is not well-formed XML: {error}") from None
    if root.tag == f"{{{HTML_NAMESPACE}}}HTMLQuestion":
        return _html_question(root, allow_html)
    if root.tag != f"{{{NAMESPACE}}}ExternalQuestion":
        raise InvalidParameterError(
            f"Question must be an ExternalQuestion in the namespace {NAMESPACE}, or an HTMLQuestion "
            f"in the namespace {HTML_NAMESPACE}. This marketplace supports no other kind."
        )
    url = (root.findtext(f"{{{NAMESPACE}}}ExternalURL") or "").strip()
    height = _height(root.findtext(f"{{{NAMESPACE}}}FrameHeight"))
    return Question(_checked_url(url, allow_http), "", height)


def _html_question(root: Element, allow_html: bool) -> Question:
    if not allow_html:
        raise InvalidParameterError(
            "HTMLQuestion needs a host name of its own for its pages. The operator of this "
            "marketplace can set MARKETPLACE_CONTENT_URL. Until then, use ExternalQuestion."
        )
    content = root.find(f"{{{HTML_NAMESPACE}}}HTMLContent")
    if content is None or len(content) or not (content.text or "").strip():
        raise InvalidParameterError("HTMLContent must be a CDATA section with the HTML of a page.")
    height = _height(root.findtext(f"{{{HTML_NAMESPACE}}}FrameHeight"))
    return Question("", (content.text or "").strip(), height)


def _height(text: str | None) -> int:
    height = (text or "").strip()
    if not height.isdecimal() or len(height) > 5:
        raise InvalidParameterError("FrameHeight must be a number of pixels, or 0.")
    return int(height)


@lru_cache(maxsize=256)
def _checked_origin(scheme: str, netloc: str, allow_http: bool) -> None:
    if scheme != "https" and not (scheme == "http" and allow_http):
        raise InvalidParameterError("ExternalURL must begin with https://.")
    if not HOST.fullmatch(netloc):
        raise InvalidParameterError(
            "ExternalURL must name a host in ASCII. Write international names as xn--..."
        )


def _checked_url(url: str, allow_http: bool) -> str:
    if not url.isprintable() or " " in url:
        raise InvalidParameterError("ExternalURL contains a space, or a character without a shape.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise InvalidParameterError(f"ExternalURL {url!r} is not a URL.") from None
    _checked_origin(parts.scheme, parts.netloc, allow_http)
    return url
