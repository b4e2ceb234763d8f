"""The address that a worker's page submits to: it names the assignment and proves the worker.

The frame that shows the page has no cookies, so the right to submit travels in `turkSubmitTo`. It
is bound to the assignment and the worker: an assignment id that comes back with another worker
makes another token.
"""

from django.utils.crypto import constant_time_compare, salted_hmac

SALT = "marketplace.submit"


def submit_token(*, assignment_code: str, worker_code: str) -> str:
    return f"{assignment_code}.{worker_code}.{_signature(assignment_code, worker_code)}"


def read_submit_token(token: str) -> tuple[str, str] | None:
    """(assignment id, worker id), or None for a token that this site never made."""
    parts = token.split(".")
    if len(parts) != 3 or not constant_time_compare(_signature(parts[0], parts[1]), parts[2]):
        return None
    return parts[0], parts[1]


def _signature(assignment_code: str, worker_code: str) -> str:
    return salted_hmac(SALT, f"{assignment_code}.{worker_code}", algorithm="sha256").hexdigest()
