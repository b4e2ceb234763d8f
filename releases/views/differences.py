"""The differences between two releases as a page and a file."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from releases.domain.differences import Differences, differences_between, differences_csv
from releases.models import Release

# The most items on the page. The file has all.
ITEMS_SHOWN = 200


@require_GET
@project_page(STAFF)
def release_differences(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    old, new, differences = _differences(request, project, version)
    context = {
        "old": old,
        "new": new,
        "others": project.releases.exclude(pk=new.pk),
        "differences": differences,
        "items": differences.items[:ITEMS_SHOWN],
        "hidden_items": len(differences.items[ITEMS_SHOWN:]),
    }
    return render_page(request, project, "releases/differences.html", context)


@require_GET
@project_page(STAFF)
def release_differences_csv(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    old, new, differences = _differences(request, project, version)
    name = f"{project.slug}-{old.version}-to-{new.version}.csv"
    return HttpResponse(
        differences_csv(differences),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _differences(
    request: HttpRequest, project: Project, version: str
) -> tuple[Release, Release, Differences]:
    """Return the release that `against` names, or the one before, the release, and what differs."""
    new = get_object_or_404(project.releases, version=version)
    others = project.releases.exclude(pk=new.pk)
    if against := request.GET.get("against"):
        old = others.filter(version=against).first()
    else:
        old = others.filter(pk__lt=new.pk).first()
    if old is None:
        raise Http404(f"no release to compare {version} with")
    return old, new, differences_between(old, new)
