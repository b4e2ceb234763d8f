"""Images in workers' pages."""

from django.core import signing
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_GET

from annotation.domain.images import find_image
from annotation.models import Image


@require_GET
def image(request: HttpRequest, token: str) -> FileResponse:
    try:
        stored = find_image(token)
    except (signing.BadSignature, Image.DoesNotExist) as error:
        raise Http404(str(error)) from error
    file = default_storage.open(f"images/{stored.digest}")
    response = FileResponse(file, content_type="image/png")
    response["Cache-Control"] = "private, max-age=86400"
    return response
