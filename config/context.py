"""A context processor for values that all pages use."""

from django.conf import settings
from django.http import HttpRequest


def installation(request: HttpRequest) -> dict[str, object]:
    return {
        "is_demo": settings.DEMO,
        "has_marketplace": settings.MARKETPLACE_ENABLED,
        "version": settings.VERSION,
    }
