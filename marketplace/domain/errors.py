"""Errors of requests, with MTurk's error codes."""

PREFIX = "AWS.MechanicalTurk."


class ApiError(Exception):
    """A failed request. `kind` is the name of AWS's exception, and `code` the TurkErrorCode."""

    def __init__(self, kind: str, message: str, *, code: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.code = code
        self.status = status


class RefusalError(ApiError):
    def __init__(self, code: str, message: str) -> None:
        full_code = code if code.startswith("AWS.") else PREFIX + code
        super().__init__("RequestError", message, code=full_code)


class InvalidParameterError(RefusalError):
    def __init__(self, message: str) -> None:
        super().__init__("InvalidParameterValue", message)


class NotFoundError(RefusalError):
    """A missing object. `thing` is MTurk's name for its kind, such as HIT or HITType."""

    def __init__(self, thing: str, code: str) -> None:
        super().__init__(f"{thing}DoesNotExist", f"{thing} {code} does not exist.")


class WrongStateError(RefusalError):
    """An object whose state does not allow the operation. Clients search MTurk's message."""

    def __init__(self, thing: str, *, allowed: str, current: str) -> None:
        super().__init__(
            f"Invalid{thing}State",
            f"This operation can be called with a status of: {allowed} (it is {current}).",
        )


class WrongHitStateError(RefusalError):
    """A HIT whose state does not allow the operation. MTurk has another message for HITs."""

    def __init__(self, *, allowed: str, current: str, detail: str = "") -> None:
        super().__init__(
            "InvalidHITState",
            f"This HIT is currently in the state '{current}'. "
            f"This operation can be called with a status of: {allowed}{detail}",
        )


class InsufficientFundsError(RefusalError):
    def __init__(self, needed_cents: int) -> None:
        super().__init__(
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to complete this "
            f"transaction; it needs ${needed_cents / 100:.2f}. Deposit at least that much first.",
        )
