"""The API's errors and their formats."""

from typing import Any


class ApiError(Exception):
    """An error response. `wrapped` puts its fields under the key "error", as most endpoints do."""

    def __init__(
        self, status: int, detail: Any, *, code: int = 140100, title: str = "", wrapped: bool = True
    ) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.code = code
        self.title = title or TITLES.get(status, "Error")
        self.wrapped = wrapped

    @property
    def body(self) -> dict[str, Any]:
        if not self.wrapped:
            return {"message": self.title, "detail": self.detail}
        return {
            "error": {
                "status": self.status,
                "error_code": self.code,
                "title": self.title,
                "detail": self.detail,
                "additional_information": None,
                "traceback": None,
                "interactive": False,
            }
        }


TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Permission denied",
    404: "Not Found",
    405: "Method not allowed",
    429: "Too Many Requests",
    500: "Server Error",
}


def invalid(**fields: str) -> ApiError:
    """Return an error whose detail lists messages by field."""
    return ApiError(400, {name: [message] for name, message in fields.items()})


def refused(detail: str) -> ApiError:
    """Return an error whose detail is a text."""
    return ApiError(400, detail, code=140003)


def not_found(thing: str) -> ApiError:
    return ApiError(404, f"{thing} not found.", code=140004)


def no_funds() -> ApiError:
    return ApiError(400, "Not enough funds in the workspace.", code=140006, title="Payment")
