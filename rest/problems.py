"""What went wrong, as RFC 9457 says it: application/problem+json with a type that programs can tell.

Each type's address answers with its meaning (see rest.views.problem).
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, JsonResponse
from rest_framework import exceptions, serializers
from rest_framework.response import Response

logger = logging.getLogger("touchstone.rest")

CONTENT_TYPE = "application/problem+json"
Error = dict[str, str]


@dataclass(frozen=True, slots=True)
class Kind:
    status: int
    title: str
    advice: str


KINDS: Mapping[str, Kind] = {
    "invalid-input": Kind(
        400, "The request can't be used as it is.", "`errors` says which part of it, and why."
    ),
    "not-authenticated": Kind(
        401,
        "Nobody has signed in.",
        "Send `Authorization: Bearer <token>` with a token that is neither expired nor revoked.",
    ),
    "not-permitted": Kind(
        403, "This is not for you.", "Your role in the project does not allow it; ask its admin."
    ),
    "insufficient-scope": Kind(
        403, "The token was not made for this.", "Make a token that has the scope named."
    ),
    "not-found": Kind(
        404,
        "There is nothing here.",
        "The address may be mistyped (all of them end in a slash), or what it led to is in a "
        "project that you have no part in.",
    ),
    "method-not-allowed": Kind(405, "This can't be done here.", "The header Allow lists what can."),
    "already-exists": Kind(409, "It is there already.", "Choose another name, or use what exists."),
    "move-refused": Kind(
        409, "Its present state does not allow this.", "Read it again; somebody may have moved it."
    ),
    "budget-exceeded": Kind(
        409, "The budget has no room for this.", "Raise its cap, or ask for less."
    ),
    "nothing-to-publish": Kind(
        409, "Every item has been offered.", "Import more items, or offer them again."
    ),
    "nothing-to-export": Kind(
        409, "No gold matches.", "Gold comes of the first accepted consolidation, or of an import."
    ),
    "precondition-failed": Kind(
        412,
        "It has changed since you read it.",
        "Read it again, and send the new ETag as If-Match.",
    ),
    "too-large": Kind(413, "The request is too large.", "Divide it, or ask for a higher limit."),
    "unsupported-media-type": Kind(
        415, "The body has a type that can't be read here.", "The schema names those that can."
    ),
    "key-reused": Kind(
        422,
        "The Idempotency-Key belongs to another request.",
        "A repeat has the same method, address and body; for anything else make a new key.",
    ),
    "too-many-requests": Kind(
        429, "Too many requests.", "Wait for as many seconds as Retry-After says."
    ),
    "internal-error": Kind(
        500,
        "Something broke on our side.",
        "Repeat it later; with an Idempotency-Key that is safe.",
    ),
}

# Which kind an exception of Django REST framework is; by status, the last resort.
BY_STATUS = {
    400: "invalid-input",
    401: "not-authenticated",
    403: "not-permitted",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
    429: "too-many-requests",
}


class Problem(exceptions.APIException):
    """A refusal of one of KINDS. `errors` point into the body (`pointer`) or name a `parameter`."""

    def __init__(self, kind: str, detail: object = "", *, errors: Sequence[Error] = ()) -> None:
        known = KINDS[kind]
        super().__init__(detail=str(detail) or known.title)
        self.kind = kind
        self.status_code = known.status
        self.errors = list(errors)


@contextmanager
def refused_as(kinds: Mapping[type[Exception], str]) -> Iterator[None]:
    """The domain's refusals, as problems of the kinds given."""
    try:
        yield
    except tuple(kinds) as error:
        kind = next(kind for known, kind in kinds.items() if isinstance(error, known))
        raise Problem(kind, error) from error


class ErrorSerializer(serializers.Serializer[Any]):
    """One part of the request that can't be used: where it stands, and why."""

    pointer = serializers.CharField(
        required=False, help_text="Into the body, as RFC 6901 writes it."
    )
    parameter = serializers.CharField(required=False, help_text="Of the address.")
    header = serializers.CharField(required=False)
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem as RFC 9457 describes it."""

    type = serializers.URLField(help_text="Tells the kinds apart; its address explains it.")
    title = serializers.CharField(help_text="The same for every problem of this type.")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened here.")
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]


def problem_body(kind: str, detail: str, errors: Iterable[Error] = ()) -> dict[str, Any]:
    known = KINDS[kind]
    body: dict[str, Any] = {
        "type": f"{settings.SITE_URL}/api/v1/problems/{kind}/",
        "title": known.title,
        "status": known.status,
        "detail": detail,
    }
    listed = list(errors)
    return {**body, "errors": listed} if listed else body


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Django REST framework's exception handler: every refusal as a problem, anything else unhandled."""
    refusal = _refusal(error)
    if refusal is None:
        return None
    problem = refusal if isinstance(refusal, Problem) else _as_problem(refusal)
    headers = {}
    if challenge := getattr(refusal, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(refusal, "wait", None):
        headers["Retry-After"] = str(int(wait))
    body = problem_body(problem.kind, str(problem.detail), problem.errors)
    return Response(body, problem.status_code, headers=headers, content_type=CONTENT_TYPE)


def _refusal(error: Exception) -> exceptions.APIException | None:
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, Http404):
        return Problem("not-found")
    if isinstance(error, PermissionDenied):
        return Problem("not-permitted")
    if isinstance(error, RequestDataTooBig):
        return Problem("too-large")
    if isinstance(error, SuspiciousOperation):
        return Problem("invalid-input", error)
    return None


def _as_problem(error: exceptions.APIException) -> Problem:
    kind = BY_STATUS.get(error.status_code, "invalid-input")
    if not isinstance(error, exceptions.ValidationError):
        return Problem(kind, error.detail)
    errors = list(_pointed(error.detail, ""))
    return Problem(kind, KINDS[kind].title, errors=errors)


def _pointed(detail: Any, pointer: str) -> Iterator[Error]:
    """Each message of a validation error with the JSON pointer to what it speaks of."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            whole = name == "non_field_errors"
            escaped = str(name).replace("~", "~0").replace("/", "~1")
            yield from _pointed(inner, pointer if whole else f"{pointer}/{escaped}")
    elif isinstance(detail, list | tuple):
        for at, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list | tuple)
            yield from _pointed(inner, f"{pointer}/{at}" if nested else pointer)
    else:
        yield {"pointer": f"#{pointer}", "detail": str(detail)}


def bare_problem(kind: str, detail: str = "") -> JsonResponse:
    """A problem where no view of the API is at work, such as a server error."""
    known = KINDS[kind]
    return JsonResponse(
        problem_body(kind, detail or known.title), status=known.status, content_type=CONTENT_TYPE
    )
