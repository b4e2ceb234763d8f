"""Answers of QuestionFormAnswers documents, as sets of values."""

from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

#: The elements of an answer that contain a value.
VALUES = ("FreeText", "SelectionIdentifier", "OtherSelectionText")
SEPARATOR = "|"
Values = frozenset[str]


def parse_answers(xml: str) -> dict[str, Values]:
    """Return the values of each question. A form joins the values of several fields by "|"."""
    try:
        root = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return {}
    namespace = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    answers: dict[str, Values] = {}
    for answer in root.iter(f"{namespace}Answer"):
        question = (answer.findtext(f"{namespace}QuestionIdentifier") or "").strip()
        texts = [
            element.text or ""
            for element in answer.iter()
            if element.tag.removeprefix(namespace) in VALUES
        ]
        answers[question] = values_of(texts)
    return answers


def values_of(texts: list[str]) -> Values:
    """Return the values in the texts, without white space around them."""
    values = (value.strip() for text in texts for value in text.split(SEPARATOR))
    return frozenset(value for value in values if value)
