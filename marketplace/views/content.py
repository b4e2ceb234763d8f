"""The pages of HTMLQuestions and previews of layouts, which have an origin without cookies."""

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
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from marketplace.domain.questions.content_keys import is_content_key
from marketplace.domain.questions.html_question import SUBMIT_PATH, prepare_page
from marketplace.domain.questions.layouts import read_preview
from marketplace.domain.questions.question import parse_question
from marketplace.models import Hit
from marketplace.views.frame import CONTENT_SANDBOX, submit_url


@require_GET
@xframe_options_exempt
def content_page(request: HttpRequest, hit_code: str) -> HttpResponse:
    """Serve the HTML of a HIT to the marketplace's frame. A preview cannot submit its forms."""
    if not is_content_key(request.GET.get("key", ""), hit_code=hit_code):
        text = gettext("This address has expired. Reload the page of the task.")
        return HttpResponse(text, status=410, content_type="text/plain")
    hit = get_object_or_404(Hit.objects.only("question"), code=hit_code)
    question = parse_question(hit.question, allow_http=True, allow_html=True)
    if not question.html:
        raise Http404(gettext("This HIT has a page of its own."))
    submit_to = request.GET.get("turkSubmitTo", "")
    is_preview = not submit_to.startswith(submit_url())
    return _page(question.html, "" if is_preview else submit_to.rstrip("/") + SUBMIT_PATH)


@require_GET
@xframe_options_exempt
def layout_preview(request: HttpRequest, token: str) -> HttpResponse:
    """Serve the preview of a layout to its requester's page. Its forms cannot be submitted."""
    html = read_preview(token)
    if html is None:
        raise Http404(gettext("This preview does not exist, or is too old."))
    return _page(html, "")


def _page(html: str, submit_to: str) -> HttpResponse:
    """Return a page for the marketplace's frame. Without `submit_to` it cannot submit its forms."""
    page = prepare_page(
        html,
        submit_url=submit_to,
        script_url=settings.MARKETPLACE_CONTENT_URL + static("js/marketplace/content.js"),
    )
    response = HttpResponse(page)
    policy = f"frame-ancestors {settings.MARKETPLACE_URL}; sandbox {CONTENT_SANDBOX}"
    response["Content-Security-Policy"] = policy if submit_to else f"{policy}; form-action 'none'"
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponseNotFound("Not found.", content_type="text/plain")


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponseServerError(
        gettext("The page could not be shown. Try again."), content_type="text/plain"
    )
