"""The address that marketplaces send their notifications to."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.domain.hear_notifications import hear_notification, notification_key
from crowd.domain.topic_subscription import StrangeTopic, note_question
from crowd.forms import BadNotification, SubscriptionQuestion, read_notification

LARGEST = 256 * 1024


@csrf_exempt
@require_POST
def notifications(request: HttpRequest, key: str) -> HttpResponse:
    if not constant_time_compare(key, notification_key()):
        raise Http404
    try:
        heard = read_notification(request.read(LARGEST))
    except BadNotification:
        return HttpResponse("This is no notification.", status=400, content_type="text/plain")
    if isinstance(heard, SubscriptionQuestion):
        return _note_question(heard)
    hear_notification(doc_id=heard.doc_id, hits=heard.hits(), now=timezone.now())
    return HttpResponse(status=204)


def _note_question(asked: SubscriptionQuestion) -> HttpResponse:
    try:
        note_question(topic=asked.topic, confirm_url=asked.confirm_url, now=timezone.now())
    except StrangeTopic as strange:
        return HttpResponse(str(strange), status=400, content_type="text/plain")
    return HttpResponse(status=204)
