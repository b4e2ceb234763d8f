from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def not_found(request: HttpRequest, **kwargs: object) -> JsonResponse:
    """Respond with 404 to paths under /api/ without an endpoint."""
    error = {"code": "not_found", "detail": "The API has no such path.", "attr": None}
    return JsonResponse({"type": "client_error", "errors": [error]}, status=404)
