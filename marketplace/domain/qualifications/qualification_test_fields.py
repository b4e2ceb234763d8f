"""Checks of the test of a qualification type: Test, TestDurationInSeconds and AnswerKey."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.questions.answer_key import parse_answer_key
from marketplace.domain.questions.question_form import parse_question_form


def check_test_fields(fields: Mapping[str, Any]) -> None:
    """Raise RefusalError if the fields of a request describe an invalid test."""
    if "test" not in fields:
        if "answer_key" in fields:
            raise InvalidParameterError("AnswerKey requires a Test.")
        return
    if fields.get("test_duration_seconds") is None:
        raise InvalidParameterError("Test requires TestDurationInSeconds.")
    test = parse_question_form(
        fields["test"], name="Test", allow_http=settings.MARKETPLACE_ALLOW_HTTP
    )
    if "answer_key" in fields:
        parse_answer_key(fields["answer_key"], test=test)
