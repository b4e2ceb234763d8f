"""The page and the download of a project's log."""

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from audit.models import StateChange
from dashboard.activity import activities_of
from dashboard.forms import LogFilterForm
from dashboard.project_log import KINDS, changes_of, log_of, of_project
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import STAFF, pages_open_to, project_page
from web.downloads import csv_download, no_formula
from web.paging import page_of

CSV_COLUMNS = ("at", "who", "what", "number", "old", "new", "reason")


@require_GET
@project_page(STAFF)
def log(request: HttpRequest, project: Project) -> HttpResponse:
    form = LogFilterForm(request.GET)
    page = page_of(
        changes_of(form.wanted()),
        cursor=request.GET.get("page", ""),
        by=("-pk",),
        keep=partial(of_project, project=project),
    )
    context = {
        "form": form,
        "filtered": any(form.cleaned_data.values()),
        "page": page,
        "activities": activities_of(
            page.rows, project=project, may=pages_open_to(request.user, project)
        ),
        "query": query_without_page(request),
    }
    return render_page(
        request, project, "dashboard/log.html", context, fragment="dashboard/fragments/log.html"
    )


@require_GET
@project_page(STAFF)
def log_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    changes = log_of(project=project, wanted=LogFilterForm(request.GET).wanted())
    name = f"{project.slug}-log-{timezone.now():%Y-%m-%d}.csv"
    return csv_download(name, CSV_COLUMNS, map(_csv_row, changes))


def _csv_row(change: StateChange) -> tuple[object, ...]:
    return (
        change.at.isoformat(),
        no_formula(change.actor),
        KINDS[change.aggregate].name,
        change.object_id,
        change.old,
        change.new,
        no_formula(change.reason),
    )
