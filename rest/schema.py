"""The OpenAPI schema: what drf-spectacular finds in the code, and what every endpoint has in common."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from rest.problems import CONTENT_TYPE, KINDS, ProblemSerializer

READING = (400, 401, 403, 429)
CHANGING = (400, 401, 403, 413, 415, 422, 429)


class Schema(AutoSchema):
    view: Any

    def _is_list_view(self, serializer: Any = None) -> bool:
        return self.method == "GET" and self.view.pagination_class is not None

    def get_operation_id(self) -> str:
        return str(self.view.operations[self.method])

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_summary(self) -> str | None:
        described = (self.get_description() or "").strip()
        return described.splitlines()[0].rstrip(".") if described else None

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        reading = self.method == "GET"
        statuses = {*(READING if reading else CHANGING), *self.view.refusals}
        if "{" in self.path:
            statuses.add(404)
        problem = self.resolve_serializer(ProblemSerializer, "response").ref
        responses = operation["responses"]
        for status in sorted(statuses):
            responses[str(status)] = {
                "description": _description(status),
                "content": {CONTENT_TYPE: {"schema": problem}},
            }
        if reading:
            responses["304"] = {"description": "Unchanged since the ETag in If-None-Match."}
        headers = [_if_none_match()] if reading else [_idempotency_key()]
        if 412 in statuses:
            headers.append(_if_match())
        operation.setdefault("parameters", []).extend(headers)
        operation["responses"] = dict(sorted(responses.items()))
        return operation


def _description(status: int) -> str:
    told = [f"{name}: {kind.title}" for name, kind in KINDS.items() if kind.status == status]
    return " ".join(told)


def _header(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string", "pattern": "^[!-~]+$", "maxLength": 100},
    }


def _if_none_match() -> dict[str, Any]:
    return _header("If-None-Match", "An ETag: what has not changed since is not sent again.")


def _if_match() -> dict[str, Any]:
    return _header("If-Match", "An ETag: do nothing if it has changed since.")


def _idempotency_key() -> dict[str, Any]:
    return _header("Idempotency-Key", "Makes a repeat within 24 hours harmless.")
