from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from dashboard.search import search
from projects.domain.queries import projects_of
from projects.permissions import signed_in_page

MAX_LENGTH = 200


@require_GET
@signed_in_page
def search_page(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "")[:MAX_LENGTH]
    slug = request.GET.get("project", "")
    project = get_object_or_404(projects_of(user=request.user), slug=slug) if slug else None
    results = search(text=text, user=request.user, project=project)
    context = {"text": text.strip(), "project": project, "results": results}
    return render(request, "dashboard/search.html", context)
