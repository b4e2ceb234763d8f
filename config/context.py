"""A context processor for values that all pages use."""

from django.conf import settings
from django.http import HttpRequest

from touchstone.program import command_prefix


def installation(request: HttpRequest) -> dict[str, object]:
    return {
        "is_demo": settings.DEMO,
        "has_marketplace": settings.MARKETPLACE_ENABLED,
        "version": settings.VERSION,
        "command": command_prefix(),
    }
