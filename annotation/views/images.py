"""Images for workers' pages and pages of the site, at addresses that expire."""

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.corpus.images import (
    UnknownImageError,
    content_type,
    find_image,
    open_display,
)

_policy = csp_replace(
    {"default-src": [NONE], "img-src": [NONE], "form-action": [NONE], "sandbox": []}
)


@require_GET
def image(request: HttpRequest, pk: int, expires: int, signature: str) -> HttpResponseBase:
    now = timezone.now()
    try:
        stored = find_image(pk=pk, expires=expires, signature=signature, now=now)
        file = open_display(stored)
    except UnknownImageError as error:
        raise Http404(str(error)) from error
    response: HttpResponseBase = FileResponse(file, content_type=content_type(stored))
    lifetime = expires - int(now.timestamp())
    response["Cache-Control"] = f"private, max-age={lifetime}, immutable"
    return _policy(lambda _: response)(request)
