"""How often one token, one signed-in person or one address may ask."""

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

if TYPE_CHECKING:  # Django REST framework reads this module while it makes its views
    from rest_framework.views import APIView


class _PerMinute(SimpleRateThrottle):
    setting = ""
    safe = True

    def get_rate(self) -> str | None:
        often = getattr(settings, self.setting)
        return f"{often}/min" if often else None

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        if (request.method in SAFE_METHODS) is not self.safe:
            return None
        # The address is asked for first: it can't be forged behind the proxies that are counted.
        ident = f"address-{self.get_ident(request)}"
        if request.user.is_authenticated:
            ident = f"user-{request.user.pk}"
        if request.auth is not None:
            ident = f"token-{request.auth.pk}"
        return f"throttle-{self.setting}-{ident}"


class Reads(_PerMinute):
    setting = "API_READS_PER_MINUTE"


class Writes(_PerMinute):
    setting = "API_WRITES_PER_MINUTE"
    safe = False
