"""API errors that Django REST framework lacks, and their schema."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from drf_standardized_errors import types
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError

from web.views import RETRY_AFTER, log_database_error


class Conflict(APIException):
    status_code = 409
    default_code = "conflict"


class PreconditionFailed(APIException):
    status_code = 412
    default_code = "precondition_failed"
    default_detail = (
        "The resource has changed since you read it. Read it again and send the new ETag."
    )


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The request is too large."


class Unavailable(APIException):
    status_code = 503
    default_code = "unavailable"
    default_detail = "The database is unavailable or busy. Try again."
    wait = RETRY_AFTER


class IdempotencyKeyReused(APIException):
    status_code = 422
    default_code = "idempotency_key_reused"
    default_detail = "This Idempotency-Key was used for another request. Use a new key."


@contextmanager
def conflicts(codes: Mapping[type[Exception], str]) -> Iterator[None]:
    """Raise the domain's exceptions as conflicts with the given codes."""
    try:
        yield
    except tuple(codes) as error:
        code = next(code for kind, code in codes.items() if isinstance(error, kind))
        raise Conflict(str(error), code) from error


class Handler(ExceptionHandler):
    """A handler that also converts the errors of Django's request parsing."""

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        if isinstance(exc, RequestDataTooBig):
            return TooLarge()
        if isinstance(exc, SuspiciousOperation):
            return ParseError(str(exc))
        if isinstance(exc, OperationalError | InterfaceError):
            log_database_error(exc)
            return Unavailable()
        return super().convert_known_exceptions(exc)


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()
    attr = serializers.CharField(
        allow_null=True, help_text="The field, query parameter or header that the error is about."
    )


class ErrorResponseSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(
        choices=[types.VALIDATION_ERROR, types.CLIENT_ERROR, types.SERVER_ERROR]
    )
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]
