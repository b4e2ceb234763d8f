"""What belongs to no project: the kinds of problems, and addresses where nothing is."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from rest.problems import KINDS, bare_problem


@require_safe
def problem(request: HttpRequest, kind: str) -> HttpResponse:
    """What a problem's `type` leads to."""
    known = KINDS.get(kind)
    if known is None:
        return bare_problem("not-found")
    return JsonResponse({"title": known.title, "status": known.status, "advice": known.advice})


@csrf_exempt
def nothing_here(request: HttpRequest, **kwargs: object) -> HttpResponse:
    return bare_problem("not-found", f"{request.path} is no address of the API.")
