"""QuestionFormAnswers documents, and the limits of an answer."""

from collections.abc import Iterable
from datetime import timedelta
from xml.sax.saxutils import escape

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd"
)


#: Twice what a page of this site sends.
MAX_ANSWER_LENGTH = 512 * 1024


#: A submission may arrive this long after the deadline.
GRACE = timedelta(seconds=5)


def answers_document(answers: Iterable[tuple[str, str]]) -> str:
    """Return a QuestionFormAnswers document of identifiers with the elements of their answers."""
    elements = "".join(
        f"<Answer><QuestionIdentifier>{identifier}</QuestionIdentifier>{content}</Answer>"
        for identifier, content in answers
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<QuestionFormAnswers xmlns="{NAMESPACE}">{elements}</QuestionFormAnswers>'
    )


#: Characters that XML 1.0 does not allow.
_FORBIDDEN = {
    **dict.fromkeys(code for code in range(0x20) if code not in (0x9, 0xA, 0xD)),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)),
}


def xml_text(text: str) -> str:
    """Return a text escaped for XML, without characters that XML does not allow."""
    return escape(text.replace("\r\n", "\n").replace("\r", "\n").translate(_FORBIDDEN))
