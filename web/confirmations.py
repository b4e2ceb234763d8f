"""Pages that ask before an action: what will happen, and a form that posts the same fields again."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest


def confirmation(
    request: HttpRequest,
    *,
    title: str,
    consequences: Sequence[str],
    button: str,
    back: str,
    spends: bool = False,
    shown: Mapping[str, object] | None = None,
) -> dict[str, Any] | None:
    """Return the context of `confirm_form.html`, or None if the user has confirmed.

    The form also posts `shown`, which are values that the user confirms. With `spends`, its button has
    the look of a publication, not of a deletion.
    """
    if "confirmed" in request.POST:
        return None
    confirmed = shown or {}
    fields: list[tuple[str, object]] = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken" and name not in confirmed
    ]
    return {
        "title": title,
        "consequences": consequences,
        "button": button,
        "back": back,
        "spends": spends,
        "fields": [*fields, *confirmed.items()],
    }
