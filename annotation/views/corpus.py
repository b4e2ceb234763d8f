"""Pages that upload, preview and import a corpus."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.preview_corpus import preview_corpus
from annotation.domain.queue_import import IMPORT, queue_import
from annotation.forms import CorpusForm
from audit.domain.change_state import TransitionNotAllowedError
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import confirm_job
from jobs.enums import JobState
from projects.models import Project
from projects.pages import job_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of
from schemes.registry import get_scheme


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def corpus(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload a corpus, and list the project's imports."""
    form = CorpusForm(
        request.POST or None, request.FILES or None, corpus=get_scheme(project.scheme).corpus
    )
    if form.is_valid():
        data = form.cleaned_data
        job = queue_import(
            project=project,
            fmt=data["fmt"],
            files=[data["corpus"]],
            items_files=data["items"],
            images=data.get("images"),
            search=data.get("search", ""),
            domain=data["domain"],
            partition=data["partition"],
            strict=data["strict"],
            actor=actor_of(request),
            now=timezone.now(),
            state=JobState.UPLOADED,
        )
        return redirect("annotation:corpus_preview", slug=project.slug, pk=job.pk)
    jobs = jobs_of(scope=project.slug, kind=IMPORT)[:JOBS_SHOWN]
    return render_page(
        request,
        project,
        "annotation/corpus.html",
        {"form": form, **job_list(jobs, request.path)},
        fragment="dashboard/fragments/job_list.html",
        status=422 if form.is_bound else 200,
    )


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def corpus_preview(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Preview an upload, and import or discard it."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=IMPORT), pk=pk)
    if job.state != JobState.UPLOADED:
        return redirect("annotation:corpus", slug=project.slug)
    if request.method == "GET":
        context = {"job": job, "read": preview_corpus(project=project, job=job)}
        return render_page(request, project, "annotation/corpus_preview.html", context)
    actor, now = actor_of(request), timezone.now()
    try:
        if "discard" in request.POST:
            cancel_job(job=job, actor=actor, now=now, problem="Discarded before the import.")
            messages.info(request, "The upload was discarded.")
        else:
            confirm_job(job=job, actor=actor, now=now)
            messages.success(request, "The corpus is being imported. You can leave this page.")
    except TransitionNotAllowedError:
        messages.info(request, "This upload was already imported or discarded.")
    return redirect("annotation:corpus", slug=project.slug)
