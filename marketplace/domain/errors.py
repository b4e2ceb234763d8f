"""Refusals, each with the code that MTurk uses for it."""

PREFIX = "AWS.MechanicalTurk."


class RefusalError(Exception):
    """A request that cannot be done as asked. `code` is what the API calls TurkErrorCode."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code if code.startswith("AWS.") else PREFIX + code
        self.message = message


class InvalidParameterError(RefusalError):
    def __init__(self, message: str) -> None:
        super().__init__("InvalidParameterValue", message)


class NotFoundError(RefusalError):
    """`thing` as MTurk writes it: HIT, HITType, Assignment, QualificationType, Worker ..."""

    def __init__(self, thing: str, code: str) -> None:
        super().__init__(f"{thing}DoesNotExist", f"{thing} {code} does not exist.")


class WrongStateError(RefusalError):
    """`thing` is not in one of the states that the operation needs."""

    def __init__(self, thing: str, *, allowed: str, current: str) -> None:
        super().__init__(
            f"Invalid{thing}State",
            f"This operation can be called with a status of: {allowed} (it is {current}).",
        )


class InsufficientFundsError(RefusalError):
    def __init__(self, needed_cents: int) -> None:
        super().__init__(
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to complete this "
            f"transaction; it needs ${needed_cents / 100:.2f}. Deposit at least that much first.",
        )
