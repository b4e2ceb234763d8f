"""The registered schemes."""

from collections.abc import Mapping

from schemes.base import Scheme
from schemes.qasrl.scheme import QasrlScheme

SCHEMES: Mapping[str, Scheme] = {
    "qasrl": QasrlScheme(),
}


class UnknownSchemeError(ValueError):
    """An unknown scheme name. The message lists the known ones."""


def get_scheme(name: str) -> Scheme:
    """Return a scheme by name. Raises UnknownSchemeError."""
    if name not in SCHEMES:
        raise UnknownSchemeError(
            f"There is no scheme {name!r}. Known schemes: {', '.join(SCHEMES)}."
        )
    return SCHEMES[name]
