"""Parser of a HIT's Question: an ExternalQuestion, HTMLQuestion or QuestionForm document."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.questions.content_address import check_url
from marketplace.domain.questions.question_form import NAMESPACES as FORM_NAMESPACES
from marketplace.domain.questions.question_form import (
    QuestionForm,
    is_question_form,
    read_question_form,
)
from marketplace.domain.xml_document import parse_document

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
NAMESPACE = SCHEMAS + "2006-07-14/ExternalQuestion.xsd"
HTML_NAMESPACE = SCHEMAS + "2011-11-11/HTMLQuestion.xsd"


@dataclass(frozen=True, slots=True)
class Question:
    """The URL of a page, its HTML, or a form. The frame's height is in CSS pixels, or 0 for all."""

    url: str = ""
    html: str = ""
    frame_height: int = 0
    form: QuestionForm | None = None


def parse_question(xml: str, *, allow_http: bool, allow_html: bool) -> Question:
    """Raise RefusalError if the document is invalid, or its URL or kind is not allowed."""
    root = parse_document(xml, name="Question")
    if is_question_form(root):
        return Question(form=read_question_form(root, allow_http=allow_http))
    if root.tag == f"{{{HTML_NAMESPACE}}}HTMLQuestion":
        return _html_question(root, allow_html)
    if root.tag != f"{{{NAMESPACE}}}ExternalQuestion":
        raise InvalidParameterError(
            f"Question must be an ExternalQuestion in the namespace {NAMESPACE}, an HTMLQuestion in the "
            f"namespace {HTML_NAMESPACE}, or a QuestionForm in the namespace {FORM_NAMESPACES[-1]}. "
            "This marketplace supports no other kind."
        )
    url = (root.findtext(f"{{{NAMESPACE}}}ExternalURL") or "").strip()
    height = _height(root.findtext(f"{{{NAMESPACE}}}FrameHeight"))
    check_url(url, name="ExternalURL", allow_http=allow_http)
    return Question(url=url, frame_height=height)


def read_form(xml: str) -> QuestionForm:
    """Return the QuestionForm of a HIT, which was checked when the HIT was created."""
    form = parse_question(xml, allow_http=True, allow_html=True).form
    if form is None:
        raise InvalidParameterError("Question is not a QuestionForm.")
    return form


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
    return Question(html=(content.text or "").strip(), frame_height=height)


def _height(text: str | None) -> int:
    height = (text or "").strip()
    if not height.isdecimal() or len(height) > 5:
        raise InvalidParameterError("FrameHeight must be a number of pixels, or 0.")
    return int(height)
