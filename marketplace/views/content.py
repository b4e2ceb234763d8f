"""The pages of HTMLQuestions, which have an origin without cookies."""

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotFound,
    HttpResponseServerError,
)
from django.shortcuts import get_object_or_404
from django.templatetags.static import static
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from marketplace.domain.html_question import SUBMIT_PATH, prepare_page
from marketplace.domain.question import parse_question
from marketplace.models import Hit
from marketplace.views.frame import submit_url


@require_GET
@xframe_options_exempt
def content_page(request: HttpRequest, hit_code: str) -> HttpResponse:
    """Serve the HTML of a HIT to the marketplace's frame. A preview cannot submit its forms."""
    hit = get_object_or_404(Hit.objects.only("question"), code=hit_code)
    question = parse_question(hit.question, allow_http=True, allow_html=True)
    if not question.html:
        raise Http404("This HIT has a page of its own.")
    submit_to = request.GET.get("turkSubmitTo", "")
    is_preview = not submit_to.startswith(submit_url())
    page = prepare_page(
        question.html,
        submit_url="" if is_preview else submit_to.rstrip("/") + SUBMIT_PATH,
        script_url=settings.MARKETPLACE_CONTENT_URL + static("js/marketplace/content.js"),
    )
    response = HttpResponse(page)
    policy = f"frame-ancestors {settings.MARKETPLACE_URL}"
    response["Content-Security-Policy"] = f"{policy}; form-action 'none'" if is_preview else policy
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponseNotFound("Not found.", content_type="text/plain")


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponseServerError(
        "The page could not be shown. Try again.", content_type="text/plain"
    )
