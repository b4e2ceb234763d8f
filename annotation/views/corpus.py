"""Pages that upload, preview and import a corpus."""

import hashlib
import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.bad_rows_download import bad_rows_download
from annotation.domain.corpus.check_upload import (
    READING,
    check_of,
    last_result,
    queue_check,
    read_again,
)
from annotation.domain.corpus.choose_columns import encoding_of, reading_of, settings_of
from annotation.domain.corpus.preview_corpus import CORPUS_CHECK, Preview, stored_preview
from annotation.domain.corpus.queue_import import IMPORT, queue_import
from annotation.domain.corpus.sample_corpus import NoSampleError, upload_sample
from annotation.domain.corpus.text_encodings import ENCODINGS
from annotation.domain.publishing.cost_model import item_cost
from annotation.domain.publishing.offer_settings import offered_settings
from annotation.forms import CorpusForm, ReadingForm
from audit.domain.change_state import TransitionNotAllowedError
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import confirm_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import job_list, render_page, wants_fragment
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def corpus(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload a corpus, and list the project's imports."""
    form = CorpusForm(request.POST or None, request.FILES or None, corpus=scheme_of(project).corpus)
    if form.is_valid():
        return _preview_first(_uploaded(request, project, form))
    jobs = jobs_of(scope=project.slug, kind=IMPORT)[:JOBS_SHOWN]
    return render_page(
        request,
        project,
        "annotation/corpus.html",
        {
            "form": form,
            "offers_sample": bool(scheme_of(project).sample) and not project.items.exists(),
            **job_list(jobs, request.path),
        },
        fragment="dashboard/fragments/job_list_with_path.html",
        status=422 if form.is_bound else 200,
    )


def _uploaded(request: HttpRequest, project: Project, form: CorpusForm) -> Job:
    data = form.cleaned_data
    return queue_import(
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


def _preview_first(job: Job) -> HttpResponseBase:
    """Have a worker process read the upload, and open its preview."""
    queue_check(kind=CORPUS_CHECK, upload=job, actor=job.requested_by, now=job.requested_at)
    return redirect("annotation:corpus_preview", slug=job.scope, pk=job.pk)


@require_POST
@project_page(STAFF)
def corpus_sample(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload the scheme's sample corpus, and show its preview."""
    try:
        job = upload_sample(project=project, actor=actor_of(request), now=timezone.now())
    except NoSampleError as error:
        messages.error(request, str(error))
        return redirect("annotation:corpus", slug=project.slug)
    return _preview_first(job)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def corpus_preview(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Preview an upload, read it in another way, and import or discard it."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=IMPORT), pk=pk)
    if job.state != JobState.UPLOADED:
        return redirect("annotation:corpus", slug=project.slug)
    if request.method == "GET":
        return _preview_page(request, project, job)
    actor, now = actor_of(request), timezone.now()
    # The parameter is in the URL, because htmx posts the form without the button.
    if "read" in request.GET:
        return _read_again(request, project, job)
    try:
        if "discard" in request.POST:
            cancel_job(job=job, actor=actor, now=now, problem="Discarded before the import.")
            messages.info(request, "The upload was discarded.")
        elif request.POST.get("reading", _reading_key(job)) != _reading_key(job):
            messages.info(request, "The file was read in another way since this preview. Check it.")
            return redirect("annotation:corpus_preview", slug=project.slug, pk=job.pk)
        else:
            confirm_job(job=job, actor=actor, now=now)
            messages.success(request, "The corpus is being imported. You can leave this page.")
    except TransitionNotAllowedError:
        messages.info(request, "This upload was already imported or discarded.")
    return redirect("annotation:corpus", slug=project.slug)


@require_safe
@project_page(STAFF)
def bad_rows(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Download the bad rows of an import."""
    job = get_object_or_404(jobs_of(scope=project.slug, kind=IMPORT), pk=pk)
    return bad_rows_download(job)


def _read_again(request: HttpRequest, project: Project, job: Job) -> HttpResponseBase:
    read = stored_preview(last_result(kind=CORPUS_CHECK, upload=job))
    form = _reading_form(project, job, read, request.POST)
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return _preview_page(request, project, job, form=form, problem=problem)
    read_again(
        kind=CORPUS_CHECK,
        upload=job,
        fmt=form.chosen_format(),
        reading=form.reading(),
        settings=form.settings(),
        actor=actor_of(request),
        now=timezone.now(),
    )
    if not wants_fragment(request):
        return redirect("annotation:corpus_preview", slug=project.slug, pk=job.pk)
    return _preview_page(request, project, job)


def _reading_key(job: Job) -> str:
    """Return a text that changes with the way in which an upload is read."""
    return json.dumps([job.parameters[name] for name in READING], sort_keys=True)


def _shown_form(job: Job, read: Preview | None) -> str:
    """Return a text that changes with the fields of the form, except those beside the preview."""
    table = (read and read.table) or {}
    names_format = bool(read and read.problem and not job.parameters["format"])
    fields = json.dumps([names_format, table.get("names", []), table.get("sheets", [])])
    return hashlib.sha256(fields.encode()).hexdigest()[:16]


def _reading_form(
    project: Project, job: Job, read: Preview | None, data: Any = None
) -> ReadingForm:
    corpus = scheme_of(project).corpus
    fmt = job.parameters["format"]
    chosen = settings_of(job.parameters)
    read = read or Preview()
    return ReadingForm(
        data,
        reading=reading_of(job.parameters),
        encoding=encoding_of(job.parameters),
        table=read.table,
        layout=corpus.layouts.get(fmt),
        formats=corpus.formats if read.problem and not fmt else (),
        offered=offered_settings(
            offers=read.offers,
            chosen=chosen,
            replaceable=read.replaceable,
            with_work=read.with_work,
        ),
        chosen=chosen,
    )


def _preview_page(
    request: HttpRequest,
    project: Project,
    job: Job,
    *,
    form: ReadingForm | None = None,
    problem: str = "",
) -> HttpResponseBase:
    """Show what the check of the upload has stored, or the problem with the form.

    The result of the way in which it was read before is shown until there is another one.
    """
    check = check_of(kind=CORPUS_CHECK, upload=job)
    stored = stored_preview(last_result(kind=CORPUS_CHECK, upload=job))
    read = Preview(problem=problem, table=stored.table if stored else None) if problem else stored
    cost = item_cost(project=project)
    vocabulary = scheme_of(project).vocabulary
    noun, row = vocabulary.item, vocabulary.row
    shown_form = _shown_form(job, read)
    context = {
        "job": job,
        "reading": _reading_key(job),
        "read": read,
        "check": check,
        "is_current": bool(check and check.result),
        "is_outdated": stored is not None and not (check and check.result),
        "shown_form": shown_form,
        # The form stands outside the fragment, so that choices made meanwhile are not lost.
        "has_other_form": request.GET.get("form", shown_form) != shown_form,
        "form": form or _reading_form(project, job, read),
        "readings": [(ENCODINGS[name], text) for name, text in read.readings.items()]
        if read
        else [],
        "noun": noun,
        "row": row,
        "new_rows": f"New {row.plural}",
        "replaced_rows": f"Replaced {row.plural}",
        "replaced_items": f"Replaced {noun.plural}",
        "first_rows": f"The first {row.plural}",
        "row_heading": row.singular[:1].upper() + row.singular[1:],
        "import_rows": f"Import {row.count(read.sentences)}" if read else "",
        "listed": row.count(read.listed) if read else "",
        "item_cents": cost.cents,
        "cents": cost.cents * read.items if read else 0,
        "is_assumed": cost.is_assumed,
    }
    fragment = "annotation/fragments/corpus_preview.html"
    page = "annotation/corpus_preview.html"
    # htmx shows no response with an error status.
    status = 422 if form and not wants_fragment(request) else 200
    return render_page(request, project, page, context, fragment=fragment, status=status)
