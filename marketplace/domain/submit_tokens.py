"""Signed tokens in the URL to which a worker's page submits.

The frame that shows the page has no cookies, so `turkSubmitTo` authorizes the submission. The
token is bound to both the assignment and the worker, because assignment ids can be reused.
"""

from django.utils.crypto import constant_time_compare, salted_hmac

SALT = "marketplace.submit"


def submit_token(*, assignment_code: str, worker_code: str) -> str:
    return f"{assignment_code}.{worker_code}.{_signature(assignment_code, worker_code)}"


def read_submit_token(token: str) -> tuple[str, str] | None:
    """Return the assignment id and the worker id, or None for an invalid token."""
    parts = token.split(".")
    if len(parts) != 3 or not constant_time_compare(_signature(parts[0], parts[1]), parts[2]):
        return None
    return parts[0], parts[1]


def _signature(assignment_code: str, worker_code: str) -> str:
    return salted_hmac(SALT, f"{assignment_code}.{worker_code}", algorithm="sha256").hexdigest()
