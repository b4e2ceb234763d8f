"""The page and the download of a project's log."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from audit.models import StateChange
from dashboard.activity import activities_of
from dashboard.forms import LogFilterForm
from dashboard.project_log import kind_names, log_ids, log_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, pages_open_to, project_page
from schemes.contract.values import Noun
from web.downloads import csv_download, no_formula
from web.lists import Empty, Listing, time_column

CSV_COLUMNS = ("at", "who", "what", "number", "old", "new", "reason")
CHANGES = Noun("change", "changes")
# A large project has more changes than can be counted for each page.
MAX_LISTED = 10_000
OLDEST_FIRST = "time"


@require_GET
@project_page(STAFF)
def log(request: HttpRequest, project: Project) -> HttpResponse:
    form = LogFilterForm(request.GET, project=project)
    oldest_first = request.GET.get("sort") == OLDEST_FIRST
    ids = log_ids(
        project=project, wanted=form.wanted(), oldest_first=oldest_first, limit=MAX_LISTED + 1
    )
    has_more = len(ids) > MAX_LISTED
    listing = Listing(
        request=request,
        name="activity",
        rows=StateChange.objects.all(),
        ids=ids[:MAX_LISTED],
        columns=[time_column("Time", lambda change: change.at, order="pk")],
        count=lambda total: f"{'More than ' if has_more else ''}{CHANGES.count(total)}",
        empty=Empty(
            "No activity yet",
            "Decisions by people and background tasks are recorded here. Publish items to get started.",
        ),
        download=reverse("dashboard:log_csv", args=[project.slug]),
    )
    context = {
        "form": form,
        "filtered": any(form.cleaned_data.values()),
        "listing": listing,
        "has_more": has_more,
        "oldest_first": oldest_first,
        "activities": activities_of(
            listing.page_rows, project=project, may=pages_open_to(request.user, project)
        ),
    }
    return render_page(
        request, project, "dashboard/log.html", context, fragment="dashboard/fragments/log.html"
    )


@require_GET
@project_page(STAFF)
def log_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    changes = log_of(
        project=project,
        wanted=LogFilterForm(request.GET, project=project).wanted(),
        oldest_first=request.GET.get("sort") == OLDEST_FIRST,
    )
    name = f"{project.slug}-log-{timezone.now():%Y-%m-%d}.csv"
    names = kind_names(project)
    return csv_download(name, CSV_COLUMNS, (_csv_row(change, names) for change in changes))


def _csv_row(change: StateChange, names: dict[str, str]) -> tuple[object, ...]:
    return (
        change.at.isoformat(),
        no_formula(change.actor),
        names[change.aggregate],
        change.object_id,
        change.old,
        change.new,
        no_formula(change.reason),
    )
