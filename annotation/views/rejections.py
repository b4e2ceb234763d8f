"""Pages that list rejected work and overturn rejections."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.decide_submission import (
    OverturnError,
    overturn_days_left,
    overturn_rejection,
)
from annotation.domain.queries import rejections_of
from annotation.forms import OverturnForm
from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.providers import has_builtin_marketplace
from crowd.models import Assignment
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import STAFF, project_page
from web.paging import page_of

PAGE_SIZE = 20


@require_GET
@project_page(STAFF)
def rejections(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project, OverturnForm())


def _list(
    request: HttpRequest, project: Project, form: OverturnForm, *, refused: int = 0
) -> HttpResponse:
    now = timezone.now()
    page = page_of(
        rejections_of(project=project),
        cursor=request.GET.get("page", ""),
        by=("-pk",),
        size=PAGE_SIZE,
    )
    context = {
        "page": page,
        "rows": [
            {"assignment": row, "days_left": overturn_days_left(row, now)} for row in page.rows
        ],
        "form": form,
        "refused": refused,
        "marketplace_is_ours": has_builtin_marketplace(),
        "query": query_without_page(request),
    }
    status = 422 if refused else 200
    return render_page(request, project, "annotation/rejections.html", context, status=status)


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
