"""The schemes there are: one line each."""

from collections.abc import Mapping

from schemes.base import Scheme
from schemes.qasrl.scheme import QasrlScheme

SCHEMES: Mapping[str, Scheme] = {
    "qasrl": QasrlScheme(),
}


class UnknownSchemeError(ValueError):
    """No scheme of that name; the message lists those there are."""


def get_scheme(name: str) -> Scheme:
    """Raises UnknownSchemeError."""
    if name not in SCHEMES:
        raise UnknownSchemeError(f"There is no scheme {name!r}; known are: {', '.join(SCHEMES)}.")
    return SCHEMES[name]
