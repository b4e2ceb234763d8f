"""Serve pages and their scripts into a marketplace's frame.

In a sandboxed frame, the origin is opaque. There are no cookies, and `Origin` is `null`. The
endpoints therefore answer any origin without credentials. Only the page's token authorizes a
request.
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
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page

from annotation.domain.work.drafts import DraftConflictError, InvalidContentError
from annotation.domain.work.onboarding.steps import OnboardingRequiredError
from annotation.domain.work.unconfirmed_drafts import TooManyDraftsError
from annotation.domain.work.worker_page import (
    BadMessageError,
    InvalidPageError,
    MessageTooLargeError,
    NotForWorkerError,
    TaskOverError,
    UnconfirmedClaimError,
)
from annotation.onboarding_page import render_onboarding
from annotation.translated import translated
from audit.errors import TouchstoneError
from crowd.domain.sessions.arrivals import InvalidArrivalError, frame_origins, parse_arrival

View = Callable[..., HttpResponseBase]
# The interval at which a page asks again whether the marketplace has confirmed its claim.
RETRY_SECONDS = 5
STATUSES: dict[type[Exception], int] = {
    InvalidPageError: 403,
    TaskOverError: 410,
    BadMessageError: 400,
    MessageTooLargeError: 413,
    TooManyDraftsError: 429,
}


def framed_page(view: View) -> View:
    """Decorate a page that only the marketplaces in the settings may frame.

    A worker who has to consent or to fill in the questionnaire first gets the page for it instead.
    """

    @xframe_options_exempt
    @gzip_page
    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except OnboardingRequiredError as error:
            return render_onboarding(request, error.onboarding)
        except (InvalidPageError, InvalidArrivalError, TooManyDraftsError) as error:
            context = {"error": error, **_wrapper(request, error)}
            response = render(request, "annotation/bad_page.html", context, status=_status(error))
            if isinstance(error, UnconfirmedClaimError) and error.can_retry:
                response["Refresh"] = RETRY_SECONDS
            return response

    @wraps(view)
    def framed(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        with_policy: View = csp_replace(_policy())(guarded)
        return with_policy(request, *args, **kwargs)

    return framed


def _status(error: Exception) -> int:
    if isinstance(error, UnconfirmedClaimError):
        return 403
    return 410 if isinstance(error, TaskOverError) else 400


def _policy() -> dict[str, list[str]]:
    # The origin of a sandboxed page is opaque, so 'self' does not match this site.
    ours = [SELF, settings.SITE_URL]
    origins = list(frame_origins())
    return {
        "default-src": ours,
        "script-src": ours,
        "style-src": ours,
        "connect-src": ours,
        "img-src": ours,
        "frame-ancestors": origins,
        "form-action": list(dict.fromkeys([*origins, settings.SITE_URL])),
        "base-uri": [NONE],
    }


def _wrapper(request: HttpRequest, error: TouchstoneError) -> dict[str, str]:
    """Return the marketplace's origin if its page can offer the worker another task."""
    if not isinstance(error, NotForWorkerError):
        return {}
    try:
        arrival = parse_arrival(request.path, request.GET.dict())
    except InvalidArrivalError:
        return {}
    if not arrival.submit_to:
        return {}
    address = urlsplit(arrival.submit_to)
    return {"wrapper": f"{address.scheme}://{address.netloc}", "assignment": arrival.assignment}


def page_endpoint(view: View) -> View:
    """Decorate a JSON endpoint for a page's script. Errors include a message for the worker."""

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


def answer_script(view: View, request: HttpRequest, kwargs: dict[str, object]) -> HttpResponseBase:
    """Return the view's response, or an error in the format that scripts read."""
    if request.method != "POST":
        return JsonResponse({"error": "Use POST."}, status=405)
    try:
        return view(request, **kwargs)
    except RawPostDataException:  # the message is a form
        return JsonResponse(
            {"error": gettext("This request wasn't sent by the task page. Reload the page.")},
            status=400,
        )
    except tuple(STATUSES) as error:
        kind = next(kind for kind in type(error).__mro__ if kind in STATUSES)
        return JsonResponse({"error": str(error)}, status=STATUSES[kind])
    except DraftConflictError as conflict:
        draft = conflict.draft
        newest = {
            "revision": draft.revision,
            "content": draft.content,
            "comment": draft.comment,
            "moves": draft.moves,
            "submitted": bool(draft.submitted_at),
        }
        return JsonResponse({"error": str(conflict), "newest": newest}, status=409)
    except InvalidContentError as refused:
        problems = [
            {"item": item, "path": error.path, "message": translated(error.message)}
            for item, error in refused.errors.items()
        ]
        message = gettext("Some answers are not valid. Check them and try again.")
        return JsonResponse({"error": message, "problems": problems}, status=422)
