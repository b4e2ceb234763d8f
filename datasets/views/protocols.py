"""The page that compares two projects with different protocols."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from datasets.domain.compare_protocols import (
    ProtocolsCompared,
    compare_protocols,
)
from datasets.domain.quality import NothingToCompareError
from datasets.forms.protocols import CompareForm
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page, projects_open_to

# The page's limit of items. The command `compare_protocols` uses all items.
LIMIT = 500


@require_GET
@project_page(STAFF)
def protocols(request: HttpRequest, project: Project) -> HttpResponse:
    """Compare the project with the project of the query parameter `other`."""
    mine = projects_open_to(request.user, "datasets:protocols")
    others = list(mine.filter(scheme=project.scheme).exclude(pk=project.pk))
    form = CompareForm(request.GET or None, projects=others)
    comparison: ProtocolsCompared | None = None
    nothing = ""
    if form.is_bound and form.is_valid():
        other = next(
            candidate for candidate in others if candidate.slug == form.cleaned_data["other"]
        )
        try:
            comparison = compare_protocols(first=project, second=other, limit=LIMIT)
        except NothingToCompareError as error:
            nothing = str(error)
    context = {
        "form": form,
        "others": others,
        "found": comparison,
        "nothing": nothing,
        "limit": LIMIT,
    }
    return render_page(request, project, "datasets/protocols.html", context)
