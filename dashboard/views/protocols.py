"""Two projects over the same items, each by its own protocol, side by side."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation.models import Project
from annotation.permissions import project_page, projects_open_to
from consolidation.domain.compare_protocols import (
    ProtocolsCompared,
    comparable_projects,
    compare_protocols,
)
from consolidation.domain.quality import NothingToCompare
from dashboard.forms.protocols import CompareForm
from dashboard.pages import render_page

# A page has to come at once; the command `compare_protocols` takes every item.
LIMIT = 500


@require_GET
@project_page
def protocols(request: HttpRequest, project: Project) -> HttpResponse:
    """`?other=slug` names the project that this one is held against."""
    mine = projects_open_to(request.user, "protocols")
    others = comparable_projects(project=project, among=mine)
    form = CompareForm(request.GET or None, projects=others)
    found: ProtocolsCompared | None = None
    nothing = ""
    if form.is_bound and form.is_valid():
        other = next(one for one in others if one.slug == form.cleaned_data["other"])
        try:
            found = compare_protocols(first=project, second=other, limit=LIMIT)
        except NothingToCompare as error:
            nothing = str(error)
    context = {
        "form": form,
        "others": others,
        "found": found,
        "nothing": nothing,
        "limit": LIMIT,
    }
    return render_page(request, project, "consolidation/protocols.html", context)
