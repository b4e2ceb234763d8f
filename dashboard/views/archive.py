"""The page that archives, unarchives and deletes a project."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from crowd.models import LedgerEntry
from dashboard.archive import WorkLeftError, archive_project, unarchive_project, work_left
from dashboard.delete_project import delete_project, delete_rehearsal
from dashboard.forms import DeleteForm
from jobs.enums import UNFINISHED
from projects.models import Project
from projects.pages import render_page
from projects.permissions import ADMINS, STAFF, project_page
from projects.views.settings import actor_of
from rehearsal.models import Rehearsal


@require_GET
@project_page(ADMINS)
def archive_page(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project, DeleteForm(title=project.title))


def _page(
    request: HttpRequest, project: Project, form: DeleteForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "left": work_left(project),
        "form": form,
        "sentences": project.sentences.count(),
        "items": project.items.count(),
        "rehearsals": project.rehearsals.count(),
        "entries": LedgerEntry.objects.filter(budget=project.budget_id).count(),
        "budget": project.budget,
    }
    return render_page(request, project, "dashboard/archive.html", context, status=status)


@require_POST
@project_page(ADMINS)
def archive(request: HttpRequest, project: Project) -> HttpResponseBase:
    try:
        archive_project(project=project, actor=actor_of(request), now=timezone.now())
    except WorkLeftError as error:
        messages.error(request, f"The project was not archived. {error}")
        return redirect("dashboard:archive_page", slug=project.slug)
    messages.success(request, f"{project.title} is archived and can only be read.")
    return redirect("dashboard:projects")


@require_POST
@project_page(ADMINS, changes_archived=True)
def unarchive(request: HttpRequest, project: Project) -> HttpResponseBase:
    unarchive_project(project=project, actor=actor_of(request), now=timezone.now())
    messages.success(request, f"{project.title} can be changed again.")
    return redirect("dashboard:project", slug=project.slug)


@require_POST
@project_page(ADMINS, changes_archived=True)
def delete(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = DeleteForm(request.POST, title=project.title)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    try:
        delete_project(project=project, actor=actor_of(request), now=timezone.now())
    except WorkLeftError as error:
        messages.error(request, f"The project was not deleted. {error}")
        return redirect("dashboard:archive_page", slug=project.slug)
    messages.success(
        request, f"{project.title} is being deleted. Payments and the ledger are kept."
    )
    return redirect("dashboard:projects")


@require_POST
@project_page(STAFF)
def delete_dry_run(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Delete the copy of the project that a rehearsal used."""
    rehearsal = get_object_or_404(Rehearsal, original=project, job=pk)
    if rehearsal.job.state in UNFINISHED:
        messages.error(request, "The rehearsal is running. Cancel it first.")
    else:
        delete_rehearsal(rehearsal=rehearsal, actor=actor_of(request), now=timezone.now())
        messages.success(request, f"{rehearsal.copy.title} is being deleted.")
    return redirect("rehearsal:dry_run", slug=project.slug)
