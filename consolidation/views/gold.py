"""Pages that upload annotations of experts or of published datasets as gold."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.text_encodings import ENCODINGS
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.queries import count_expert_items
from consolidation.domain.queue_gold import (
    GOLD_IMPORT,
    choose_columns,
    format_of,
    preview_upload,
    queue_gold,
    suggested_columns,
)
from consolidation.enums import GoldSource
from consolidation.forms import ColumnsForm, GoldUploadForm
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import confirm_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import job_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of
from schemes.registry import get_scheme


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def gold_import(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload annotations, and list the project's earlier uploads."""
    formats = get_scheme(project.scheme).corpus.gold_formats
    form = GoldUploadForm(request.POST or None, request.FILES or None, formats=formats)
    if form.is_valid():
        data = form.cleaned_data
        names = [file.name for file in data["annotations"]]
        job = queue_gold(
            project=project,
            fmt=data["fmt"] or format_of(project=project, names=names),
            source=data["source"],
            files=data["annotations"],
            actor=actor_of(request),
            now=timezone.now(),
        )
        return redirect("consolidation:gold_preview", slug=project.slug, pk=job.pk)
    jobs = jobs_of(scope=project.slug, kind=GOLD_IMPORT)[:JOBS_SHOWN]
    context = {
        "form": form,
        "formats": formats,
        "columns": get_scheme(project.scheme).corpus.gold_columns,
        "experts": figures_of(count_expert_items, project=project).value,
        "has_items": project.items.exists(),
        "noun": get_scheme(project.scheme).vocabulary.item,
        **job_list(jobs, request.path),
    }
    return render_page(
        request,
        project,
        "consolidation/gold_import.html",
        context,
        fragment="dashboard/fragments/job_list.html",
        status=422 if form.is_bound else 200,
    )


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def gold_preview(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Preview an upload, choose its columns, and import or discard it."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=GOLD_IMPORT), pk=pk)
    if job.state != JobState.UPLOADED:
        return redirect("consolidation:gold_import", slug=project.slug)
    if request.method == "GET":
        return _preview_page(request, project, job)
    actor, now = actor_of(request), timezone.now()
    if "columns" in request.POST:
        return _choose_columns(request, project, job)
    try:
        if "discard" in request.POST:
            cancel_job(job=job, actor=actor, now=now, problem="Discarded before it was read.")
            messages.info(request, "The upload was discarded.")
        else:
            confirm_job(job=job, actor=actor, now=now)
            messages.success(request, "The gold is being imported. You can leave this page.")
    except TransitionNotAllowedError:
        messages.info(request, "This upload was already imported or discarded.")
    return redirect("consolidation:gold_import", slug=project.slug)


def _choose_columns(request: HttpRequest, project: Project, job: Job) -> HttpResponseBase:
    _, files = preview_upload(project=project, job=job)
    form = _columns_form(project, job, files.header, request.POST)
    if not form.is_valid():
        return _preview_page(request, project, job, form=form)
    choose_columns(job=job, columns=form.cleaned_data)
    return redirect("consolidation:gold_preview", slug=project.slug, pk=job.pk)


def _columns_form(
    project: Project, job: Job, header: list[str], data: object = None
) -> ColumnsForm:
    required = get_scheme(project.scheme).corpus.gold_columns[job.parameters["format"]]
    suggested = suggested_columns(required=required, header=header)
    initial = job.parameters["columns"] or suggested
    return ColumnsForm(data, required=required, header=header, initial=initial)


def _preview_page(
    request: HttpRequest, project: Project, job: Job, *, form: ColumnsForm | None = None
) -> HttpResponseBase:
    read, files = preview_upload(project=project, job=job)
    scheme = get_scheme(project.scheme)
    if form is None and (read.missing_columns or job.parameters["columns"]):
        form = _columns_form(project, job, files.header)
    context = {
        "job": job,
        "read": read,
        "problem": files.describe(read.problem) if read.problem else "",
        "errors": [files.describe(error) for error in read.errors],
        "source": GoldSource(job.parameters["source"]).label,
        "form": form,
        "item": scheme.vocabulary.item,
        "unit": scheme.vocabulary.unit,
        "encoding": ENCODINGS[job.parameters["files"][0]["encoding"]],
    }
    status = 422 if form is not None and form.errors else 200
    page = "consolidation/gold_preview.html"
    return render_page(request, project, page, context, status=status)
