"""Signed tokens in the URL to which a worker's page submits.

The frame that shows the page has no cookies, so `turkSubmitTo` authorizes the submission. The
token is bound to both the assignment and the worker, because assignment ids can be reused.
"""

from django.core.signing import BadSignature, Signer

SALT = "marketplace.submit"


def submit_token(*, assignment_code: str, worker_code: str) -> str:
    return _signer().sign(f"{assignment_code}.{worker_code}")


def read_submit_token(token: str) -> tuple[str, str] | None:
    """Return the assignment id and the worker id, or None for an invalid token."""
    try:
        assignment_code, _, worker_code = _signer().unsign(token).partition(".")
    except BadSignature:
        return None
    return assignment_code, worker_code


def _signer() -> Signer:
    return Signer(salt=SALT, sep=".")
