"""The page that starts dry runs and lists them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from jobs.domain.queries import jobs_of
from projects.models import Project
from projects.pages import job_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of
from rehearsal.domain.dry_run import ITEMS, REHEARSAL, RehearsalStartError, start_rehearsal


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def dry_run(request: HttpRequest, project: Project) -> HttpResponseBase:
    problem = ""
    if request.method == "POST":
        try:
            start_rehearsal(project=project, actor=actor_of(request), now=timezone.now())
        except RehearsalStartError as error:
            problem = str(error)
        else:
            messages.success(request, "The rehearsal has started on a copy of your project.")
            return redirect("rehearsal:dry_run", slug=project.slug)
    jobs = jobs_of(scope=project.slug, kind=REHEARSAL).select_related("rehearsal")[:JOBS_SHOWN]
    context = {"problem": problem, "most": ITEMS}
    return render_page(
        request,
        project,
        "rehearsal/dry_run.html",
        context | job_list(jobs, request.path),
        fragment="dashboard/fragments/job_list_with_path.html",
        status=422 if problem else 200,
    )
