"""The webhook that receives notifications from marketplaces."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.domain.handle_notifications import is_notification_key, receive_notification
from crowd.forms import InvalidNotificationError, read_notification

MAX_BODY_BYTES = 256 * 1024


@csrf_exempt
@require_POST
def notifications(request: HttpRequest, key: str) -> HttpResponse:
    if not is_notification_key(key):
        raise Http404
    try:
        notification = read_notification(request.read(MAX_BODY_BYTES))
    except InvalidNotificationError:
        return HttpResponse("Invalid notification.", status=400, content_type="text/plain")
    receive_notification(doc_id=notification.doc_id, hits=notification.hits(), now=timezone.now())
    return HttpResponse(status=204)
