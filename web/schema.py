"""The OpenAPI schema, with the errors and headers that all endpoints share."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from drf_standardized_errors.openapi import AutoSchema


def _header(name: str, description: str) -> OpenApiParameter:
    schema = {"type": "string", "pattern": "^[!-~]+$", "maxLength": 100}
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


IF_NONE_MATCH = _header("If-None-Match", "An ETag. The answer is 304 if nothing has changed since.")
IF_MATCH = _header("If-Match", "An ETag. Nothing is done if the row has changed since.")
IDEMPOTENCY_KEY = _header(
    "Idempotency-Key", "Repeats of the request within 24 hours have no effect."
)


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

    def get_override_parameters(self) -> list[Any]:
        if self.method == "GET":
            return [IF_NONE_MATCH]
        return [IDEMPOTENCY_KEY, *([IF_MATCH] if 412 in self.view.refusals else [])]

    def _should_add_error_response(self, responses: dict[str, Any], status_code: str) -> bool:
        if status_code in ("409", "412"):
            return int(status_code) in self.view.refusals
        if status_code in ("413", "422"):
            return self.method == "POST"
        return bool(super()._should_add_error_response(responses, status_code))

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction=direction)
        if direction == "response" and self.method == "GET":
            bodies["304"] = {"description": "Unchanged since the ETag in If-None-Match."}
        return bodies
