"""How pages and their scripts are served into a marketplace's frame.

The frame's origin is opaque where the marketplace sandboxes it: no cookies, `Origin: null`. So the
endpoints answer any origin, without credentials; what a page may do is decided by its token alone.
"""

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    RawPostDataException,
)
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotation.domain.drafts import ContentRefused, DraftConflict
from annotation.domain.worker_page import BadPage

View = Callable[..., HttpResponseBase]


def framed_page(view: View) -> View:
    """A page that the marketplaces of the settings, and nobody else, may frame."""
    # A sandboxed page has no origin of its own for 'self' to mean, so ours is named as well.
    ours = [SELF, settings.SITE_URL]
    policy = csp_replace(
        {
            "default-src": ours,
            "script-src": ours,
            "style-src": ours,
            "connect-src": ours,
            "frame-ancestors": settings.MTURK_WORKER_ORIGINS,
            "form-action": [_with_path(origin) for origin in settings.MTURK_WORKER_ORIGINS],
            "base-uri": [NONE],
        }
    )

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except BadPage as error:
            return render(request, "annotation/bad_page.html", {"error": error}, status=400)

    guarded_view: View = xframe_options_exempt(policy(guarded))
    return guarded_view


def _with_path(origin: str) -> str:
    parts = urlsplit(origin)
    return f"{parts.scheme}://{parts.netloc}"


def page_endpoint(view: View) -> View:
    """An endpoint for a page's script: JSON in and out, errors as JSON with a sentence for people."""

    @csrf_exempt
    @wraps(view)
    def answered(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method == "OPTIONS":
            response: HttpResponseBase = _preflight()
        else:
            response = answer_script(view, request, kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        return response

    return answered


def _preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = "POST"
    response["Access-Control-Allow-Headers"] = "Content-Type"
    response["Access-Control-Max-Age"] = "86400"
    return response


def answer_script(
    view: View, request: HttpRequest, kwargs: dict[str, object], *, bad: int = 403
) -> HttpResponseBase:
    """The view's answer to a page's script, with its refusals in the form that the scripts read; `bad`
    is the status of a message that is not one of our page's."""
    if request.method != "POST":
        return JsonResponse({"error": "Send this by POST."}, status=405)
    try:
        return view(request, **kwargs)
    except BadPage as error:
        return JsonResponse({"error": str(error)}, status=bad)
    except RawPostDataException:  # a form, which has been read as one by now
        return JsonResponse({"error": "This message is not one of our page's."}, status=bad)
    except DraftConflict as conflict:
        draft = conflict.draft
        newest = {
            "revision": draft.revision,
            "content": draft.content,
            "comment": draft.comment,
        }
        return JsonResponse({"error": str(conflict), "newest": newest}, status=409)
    except ContentRefused as refused:
        problems = [
            {"item": item, "path": error.path, "message": error.message}
            for item, error in refused.errors.items()
        ]
        return JsonResponse(
            {"error": "Some answers need another look.", "problems": problems}, status=422
        )
