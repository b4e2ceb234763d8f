"""The OpenAPI schema, with the errors and headers that all endpoints share."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from drf_standardized_errors.openapi import AutoSchema

from web.actions import needs_key
from web.request_examples import EXAMPLES
from web.serializers import BodySerializer, NoBody


def _header(name: str, description: str, *, required: bool = False) -> OpenApiParameter:
    schema = {"type": "string", "pattern": "^[!-~]+$", "maxLength": 100}
    return OpenApiParameter(
        name, schema, OpenApiParameter.HEADER, description=description, required=required
    )


IF_NONE_MATCH = _header("If-None-Match", "An ETag. The answer is 304 if nothing has changed since.")
IF_MATCH = _header("If-Match", "An ETag. Nothing is done if the row has changed since.")
IDEMPOTENCY_KEY = _header(
    "Idempotency-Key", "Repeats of the request within 24 hours have no effect."
)
REQUIRED_KEY = _header(
    "Idempotency-Key",
    "Required, because the action moves money. Repeats within 24 hours have no effect.",
    required=True,
)


def _response_header(name: str, description: str, codes: list[int] | bool) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, response=codes
    )


ETAG = _response_header("ETag", "Send it as If-None-Match, or as If-Match of an action.", [200])
LOCATION = _response_header("Location", "The address of what was created or started.", [201, 202])
REPLAYED = _response_header(
    "Idempotency-Replayed", "true if the response is that of an earlier request.", [200, 201, 202]
)
RETRY_AFTER = _response_header("Retry-After", "Seconds to wait before a repeat.", [429, 503])
REQUEST_ID = _response_header("X-Request-ID", "Names the request in the site's log.", True)


_PHRASES = {str(status.value): status.phrase for status in HTTPStatus} | {
    "200": "Done, or what was asked for.",
    "201": "Created. Location has its address.",
    "202": "Started. Location has the address of its progress, if it has one.",
    "400": "The input is invalid.",
    "401": "The token is missing or invalid.",
    "403": "The role or the token's scope doesn't allow this.",
    "404": "It doesn't exist, or you have no access to it.",
    "409": "The present state doesn't allow this. Nothing was done.",
    "412": "It has changed since the ETag in If-Match.",
    "413": "The request is too large.",
    "422": "The Idempotency-Key was used for another request.",
    "429": "Too many requests.",
    "500": "An error of the site.",
    "503": "The database is unavailable or busy. Try again.",
}


class Schema(AutoSchema):
    view: Any

    def _is_list_view(self, serializer: Any = None) -> bool:
        return self.method == "GET" and self.view.pagination_class is not None

    def get_operation_id(self) -> str:
        return str(self.view.operations[self.method])

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_summary(self) -> str | None:
        lines = (self.get_description() or "").strip().splitlines()
        return lines[0].rstrip(".") if lines else None

    def get_request_serializer(self) -> Any:
        """Return the view's `body`, by which views that share a method differ."""
        body = self.view.body
        return None if body is NoBody else body or super().get_request_serializer()

    def get_examples(self) -> list[OpenApiExample]:
        value = EXAMPLES.get(self.get_operation_id())
        if value is None:
            return []
        [media_type, *_] = self.map_parsers()
        return [OpenApiExample("Example", value=value, request_only=True, media_type=media_type)]

    def get_override_parameters(self) -> list[Any]:
        if self.method == "GET":
            return [IF_NONE_MATCH, ETAG, RETRY_AFTER, REQUEST_ID]
        handler = getattr(self.view, self.method.lower())
        key = REQUIRED_KEY if needs_key(handler) else IDEMPOTENCY_KEY
        precondition = [IF_MATCH] if 412 in self.view.refusals else []
        return [key, *precondition, LOCATION, REPLAYED, RETRY_AFTER, REQUEST_ID]

    def _should_add_error_response(self, responses: dict[str, Any], status_code: str) -> bool:
        if status_code in ("409", "412"):
            return int(status_code) in self.view.refusals
        if status_code in ("413", "422"):
            return self.method != "GET"
        return bool(super()._should_add_error_response(responses, status_code))

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> Any:
        schema = super()._map_basic_serializer(serializer, direction)
        if isinstance(serializer, BodySerializer):
            schema["additionalProperties"] = False
            if type(serializer).__doc__ is None:  # inherited texts are about code
                schema.pop("description", None)
        return schema

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction=direction)
        for status, response in bodies.items():
            response["description"] = response.get("description") or _PHRASES[status]
        if direction == "response" and self.method == "GET":
            bodies["304"] = {"description": "Unchanged since the ETag in If-None-Match."}
        return bodies
