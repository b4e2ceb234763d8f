"""Help: the documentation, in the site's layout."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.help import DOCS, HOME, contents, titles
from projects.permissions import public_page
from web.markdown import render_markdown


@require_GET
@public_page
def help_page(request: HttpRequest, path: str = HOME) -> HttpResponseBase:
    if path not in titles():
        raise Http404(f"no help page {path}")
    text = (DOCS / path).read_text("utf-8")
    context = {
        "title": titles()[path],
        "path": path,
        "text": render_markdown(text),
        "contents": contents(),
    }
    return render(request, "dashboard/help.html", context)


@require_GET
@public_page
def help_image(request: HttpRequest, name: str) -> FileResponse:
    images = {path.name: path for path in (DOCS / "images").iterdir()}
    if name not in images:
        raise Http404(f"no image {name}")
    return FileResponse(images[name].open("rb"))
