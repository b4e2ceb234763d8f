"""Answer requests for password resets outside the request.

The page stores the address without looking for an account, so its response time does not depend on
whether there is one.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from allauth.account.forms import ResetPasswordForm
from allauth.core.context import request_context
from django.conf import settings
from django.http import HttpRequest

from accounts.models import PasswordResetRequest
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# A later mail would surprise its reader.
GIVE_UP_AFTER = timedelta(hours=1)


def request_reset(*, email: str, now: datetime) -> None:
    PasswordResetRequest.objects.create(email=email, requested_at=now)


def send_due_resets(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Answer up to `limit` requests. Return their number."""
    return for_each_row(
        sweep="send password resets",
        rows=PasswordResetRequest.objects.all(),
        process=_send,
        clock=clock,
        limit=limit,
        leased=True,
    )


def _send(row: PasswordResetRequest, now: datetime) -> int:
    if now - row.requested_at < GIVE_UP_AFTER:
        form = ResetPasswordForm({"email": row.email})
        request = _request_to_this_site()
        with request_context(request):
            if form.is_valid():
                form.save(request)
    row.delete()
    return 1


def _request_to_this_site() -> HttpRequest:
    """Return a request from which django-allauth can build links to SITE_URL."""
    site = urlsplit(settings.SITE_URL)
    request = HttpRequest()
    request.META = {
        "HTTP_HOST": site.netloc,
        "SERVER_NAME": site.hostname or "",
        "SERVER_PORT": str(site.port or (443 if site.scheme == "https" else 80)),
    }
    return request
