"""What every page may need to know of this installation."""

from django.conf import settings
from django.http import HttpRequest


def installation(request: HttpRequest) -> dict[str, object]:
    return {"is_demo": settings.DEMO, "version": settings.VERSION}
