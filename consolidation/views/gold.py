"""Pages that upload annotations of experts or of published datasets as gold."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.bad_rows_download import bad_rows_download
from annotation.domain.corpus.check_upload import check_of, last_result, queue_check, read_again
from annotation.domain.corpus.choose_columns import encoding_of, reading_of, settings_of
from annotation.domain.corpus.text_encodings import ENCODINGS
from annotation.domain.publishing.offer_settings import offered_settings
from annotation.forms import ReadingForm
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.cases.queries import count_expert_items
from consolidation.domain.experts.expert_queues import queues_of
from consolidation.domain.gold.check_gold import GOLD_CHECK, UploadPreview, stored_preview
from consolidation.domain.gold.queue_gold import GOLD_IMPORT, queue_gold
from consolidation.domain.gold.use_as_gold import count_not_yet_gold
from consolidation.enums import GoldSource
from consolidation.forms import GoldUploadForm
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import confirm_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import job_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def gold_import(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload annotations, and list the project's earlier uploads."""
    formats = scheme_of(project).corpus.gold_formats
    form = GoldUploadForm(request.POST or None, request.FILES or None, formats=formats)
    if form.is_valid():
        job = _uploaded(request, project, form)
        queue_check(kind=GOLD_CHECK, upload=job, actor=job.requested_by, now=job.requested_at)
        return redirect("consolidation:gold_preview", slug=project.slug, pk=job.pk)
    jobs = jobs_of(scope=project.slug, kind=GOLD_IMPORT)[:JOBS_SHOWN]
    context = {
        "form": form,
        "formats": formats,
        "columns": {
            fmt: layout.required
            for fmt, layout in scheme_of(project).corpus.gold_layouts.items()
            if layout.required
        },
        "experts": figures_of(count_expert_items, project=project, keep=bool).value,
        "queues": queues_of(project=project, expert=request.user, now=timezone.now()),
        "not_yet_gold": count_not_yet_gold(project=project),
        "has_items": project.items.exists(),
        "noun": scheme_of(project).vocabulary.item,
        **job_list(jobs, request.path),
    }
    return render_page(
        request,
        project,
        "consolidation/gold_import.html",
        context,
        fragment="consolidation/fragments/gold_imports.html",
        status=422 if form.is_bound else 200,
    )


def _uploaded(request: HttpRequest, project: Project, form: GoldUploadForm) -> Job:
    data = form.cleaned_data
    return queue_gold(
        project=project,
        fmt=data["fmt"],
        source=data["source"],
        files=data["annotations"],
        actor=actor_of(request),
        now=timezone.now(),
    )


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def gold_preview(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Preview an upload, read it in another way, and import or discard it."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=GOLD_IMPORT), pk=pk)
    if job.state != JobState.UPLOADED:
        return redirect("consolidation:gold_import", slug=project.slug)
    if request.method == "GET":
        return _preview_page(request, project, job)
    actor, now = actor_of(request), timezone.now()
    if "read" in request.GET:
        return _read_again(request, project, job)
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


@require_safe
@project_page(STAFF)
def gold_bad_rows(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Download the bad rows of an import."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=GOLD_IMPORT), pk=pk)
    return bad_rows_download(job)


def _read_again(request: HttpRequest, project: Project, job: Job) -> HttpResponseBase:
    upload = stored_preview(last_result(kind=GOLD_CHECK, upload=job))
    form = _reading_form(project, job, upload or UploadPreview(), request.POST)
    if not form.is_valid():
        return _preview_page(request, project, job, form=form)
    read_again(
        kind=GOLD_CHECK,
        upload=job,
        fmt=form.chosen_format(),
        reading=form.reading(),
        settings=form.settings(),
        actor=actor_of(request),
        now=timezone.now(),
    )
    return redirect("consolidation:gold_preview", slug=project.slug, pk=job.pk)


def _reading_form(
    project: Project, job: Job, upload: UploadPreview, data: Any = None
) -> ReadingForm:
    corpus = scheme_of(project).corpus
    fmt = job.parameters["format"]
    chosen = settings_of(job.parameters)
    return ReadingForm(
        data,
        reading=reading_of(job.parameters),
        encoding=encoding_of(job.parameters),
        table=upload.table,
        layout=corpus.gold_layouts.get(fmt),
        formats=corpus.gold_formats if upload.problem and not fmt else (),
        offered=offered_settings(offers=upload.read.offers, chosen=chosen),
        chosen=chosen,
    )


def _preview_page(
    request: HttpRequest, project: Project, job: Job, *, form: ReadingForm | None = None
) -> HttpResponseBase:
    """Show what the check of the upload found.

    The result of the way in which it was read before is shown until there is another one.
    """
    scheme = scheme_of(project)
    check = check_of(kind=GOLD_CHECK, upload=job)
    stored = stored_preview(last_result(kind=GOLD_CHECK, upload=job))
    upload = stored or UploadPreview()
    context = {
        "job": job,
        "check": check,
        "is_current": bool(check and check.result),
        "is_outdated": stored is not None and not (check and check.result),
        "is_read": stored is not None,
        "read": upload.read,
        "table": upload.table,
        "problem": upload.problem,
        "errors": upload.errors,
        "readings": [(ENCODINGS[name], text) for name, text in upload.readings.items()],
        "source": GoldSource(job.parameters["source"]).label,
        "form": form or _reading_form(project, job, upload),
        "item": scheme.vocabulary.item,
        "unit": scheme.vocabulary.unit,
    }
    page = "consolidation/gold_preview.html"
    fragment = "consolidation/fragments/gold_preview.html"
    return render_page(
        request, project, page, context, fragment=fragment, status=422 if form else 200
    )
