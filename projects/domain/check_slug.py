"""Check the short name of a new project, which is in its URLs, codes and file names."""

import re

from audit.errors import TouchstoneError

LONGEST = 60
# Names with a page of their own below /projects/.
TAKEN = frozenset({"new"})
RULE = (
    f"Use at most {LONGEST} letters, digits, hyphens and underscores. "
    "Begin with a letter or a digit."
)
PATTERN = re.compile(r"[a-zA-Z0-9][-a-zA-Z0-9_]*\Z")


class SlugError(TouchstoneError, ValueError):
    """No project can have this short name."""


def check_slug(slug: str) -> str:
    """Return the short name. Raise SlugError if it is not possible."""
    if slug in TAKEN:
        raise SlugError(f"A project can't be called {slug!r}. Choose another short name.")
    if len(slug) > LONGEST or not PATTERN.match(slug):
        raise SlugError(RULE)
    return slug
