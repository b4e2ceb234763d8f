"""The webhooks that receive notifications from crowd providers."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.domain.handle_notifications import receive_notification
from crowd.domain.provider.event_addresses import is_notification_key
from crowd.domain.provider.providers import NO_ANSWER, knows_sessions
from crowd.providers.base import InvalidNotificationError

MAX_BODY_BYTES = 256 * 1024


@csrf_exempt
@require_POST
def events(request: HttpRequest, provider: str) -> HttpResponse:
    """Receive a signed event of a provider with sessions."""
    if not knows_sessions(provider):
        raise Http404
    body, now = request.read(MAX_BODY_BYTES), timezone.now()
    try:
        receive_notification(body=body, headers=request.headers, now=now, provider=provider)
    except InvalidNotificationError:
        return HttpResponse("Invalid event.", status=403, content_type="text/plain")
    except NO_ANSWER:
        # The provider repeats the event.
        return HttpResponse("Try again later.", status=503, content_type="text/plain")
    return HttpResponse(status=204)


@csrf_exempt
@require_POST
def notifications(request: HttpRequest, key: str) -> HttpResponse:
    if not is_notification_key(key):
        raise Http404
    try:
        receive_notification(body=request.read(MAX_BODY_BYTES), headers={}, now=timezone.now())
    except InvalidNotificationError:
        return HttpResponse("Invalid notification.", status=400, content_type="text/plain")
    return HttpResponse(status=204)
