"""Pages that list rejected work and overturn rejections."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.decisions.decide_submission import (
    OverturnError,
    overturn_days_left,
    overturn_rejection,
)
from annotation.domain.publishing.queries import rejections_of
from annotation.forms import OverturnForm
from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.provider.providers import has_builtin_marketplace
from crowd.models import Assignment
from projects.models import Project
from projects.pages import render_list
from projects.permissions import STAFF, project_page
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, time_column

PAGE_SIZE = 20
ASSIGNMENTS = Noun("rejected assignment", "rejected assignments")


@require_GET
@project_page(STAFF)
def rejections(request: HttpRequest, project: Project) -> HttpResponseBase:
    return _list(request, project, OverturnForm())


def _list(
    request: HttpRequest, project: Project, form: OverturnForm, *, refused: int = 0
) -> HttpResponseBase:
    now = timezone.now()
    listing = Listing(
        request=request,
        name="rejected work",
        rows=rejections_of(project=project),
        columns=_columns(),
        count=ASSIGNMENTS.count,
        size=PAGE_SIZE,
        path=reverse("annotation:rejections", args=[project.slug]),
        empty=Empty("No rejected work", "Rejected work appears here."),
    )
    context = {
        "rows": [
            {"assignment": row, "days_left": overturn_days_left(row, now)}
            for row in listing.page_rows
        ],
        "form": form,
        "refused": refused,
        "marketplace_is_ours": has_builtin_marketplace(),
    }
    status = 422 if refused else 200
    page = "annotation/rejections.html"
    return render_list(request, project, page, listing, context, status=status)


def _columns() -> list[Column]:
    """Return the columns of the CSV file. The page shows the work itself."""
    return [
        Column("Assignment", lambda row: row.external_id),
        Column("Items", lambda row: "; ".join(work.item.key for work in row.submissions.all())),
        Column("Role", lambda row: row.hit.task.get_role_display()),
        Column("Worker", lambda row: row.worker.pseudonym),
        Column("Batch", lambda row: row.hit.task.batch.name),
        Column("State", lambda row: row.get_state_display()),
        Column("Reason", lambda row: row.decision_reason),
        time_column("Submitted", lambda row: row.submitted_at, order="submitted_at"),
        time_column("Decided", lambda row: row.decided_at, order="decided_at"),
    ]


@require_POST
@project_page(STAFF)
def overturn(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = get_object_or_404(
        Assignment.objects.select_related("worker"), pk=pk, hit__task__batch__project=project
    )
    form = OverturnForm(request.POST)
    if not form.is_valid():
        return _list(request, project, form, refused=pk)
    use = form.cleaned_data["use"] == "yes"
    try:
        overturn_rejection(
            assignment=assignment,
            use=use,
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except (OverturnError, TransitionNotAllowedError) as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        usage = "The work is used again." if use else "The work isn't used."
        messages.success(request, f"{assignment.worker} will be paid shortly. {usage}")
    return redirect("annotation:rejections", slug=project.slug)
