"""Save filters of lists under a name."""

from urllib.parse import parse_qsl, urlencode

from django.contrib.auth.models import User

from audit.errors import TouchstoneError
from projects.models import Project, SavedFilter
from web.lists import CONTROLS

MAX_PER_LIST = 20


class SavedFilterError(TouchstoneError, ValueError):
    """The filter can't be saved. The message explains why."""


def save_filter(*, project: Project, user: User, page: str, name: str, query: str) -> SavedFilter:
    """Save the query of a list under the name, which replaces an earlier one of this name.

    Raise SavedFilterError.
    """
    pairs = [
        (key, value) for key, value in parse_qsl(query) if key not in CONTROLS or key == "sort"
    ]
    if not pairs:
        raise SavedFilterError("Choose a filter or sort the list first.")
    others = SavedFilter.objects.filter(project=project, user=user, page=page).exclude(name=name)
    if others.count() >= MAX_PER_LIST:
        raise SavedFilterError(f"You have {MAX_PER_LIST} saved filters here. Delete one first.")
    row, _ = SavedFilter.objects.update_or_create(
        project=project, user=user, page=page, name=name, defaults={"query": urlencode(pairs)}
    )
    return row
