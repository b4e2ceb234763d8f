"""Rate limits per API token, signed-in user or address."""

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle

if TYPE_CHECKING:  # Django REST framework imports this module while it defines its views
    from rest_framework.views import APIView


class Reads(UserRateThrottle):
    scope = "reads"
    setting = "API_READS_PER_MINUTE"
    safe = True

    def get_rate(self) -> str | None:
        rate = getattr(settings, self.setting)
        return f"{rate}/min" if rate else None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        applies = (request.method in SAFE_METHODS) is self.safe
        return not applies or super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        if request.auth is not None:
            return f"throttle-{self.scope}-token-{request.auth.pk}"
        return super().get_cache_key(request, view)


class Writes(Reads):
    scope = "writes"
    setting = "API_WRITES_PER_MINUTE"
    safe = False
