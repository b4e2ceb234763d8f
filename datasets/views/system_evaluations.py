"""Pages that evaluate systems against gold or an uploaded reference."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.publishing.queries import sections_of
from consolidation.domain.cases.queries import count_gold
from datasets.domain.systems.evaluate_systems import (
    EvaluationError,
    Reference,
    evaluations_of,
    queue_evaluation,
)
from datasets.domain.systems.evaluation_files import FILES, evaluation_file
from datasets.evaluation_download import evaluation_download
from datasets.forms.system_evaluations import EvaluationForm
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import job_list, jobs_listing, render_list, render_page
from projects.permissions import STAFF, project_page
from schemes.contract.errors import MissingPartError
from schemes.contract.scoring import SystemScoring
from web.lists import Empty

# The most types on the page. The others are in the downloads.
TYPES_SHOWN = 100


def _scoring(project: Project) -> SystemScoring:
    try:
        return scheme_of(project).get_scoring()
    except MissingPartError as error:
        raise Http404(str(error)) from error


def _form(project: Project, *data: Any) -> EvaluationForm:
    sections = figures_of(sections_of, project=project).value
    return EvaluationForm(
        *data,
        scoring=_scoring(project),
        items=count_gold(project=project).items_by_source,
        partitions=sorted({partition for _, partition in sections} - {""}),
    )


@require_GET
@project_page(STAFF)
def systems(request: HttpRequest, project: Project) -> HttpResponseBase:
    scheme = scheme_of(project)
    if scheme.scoring is None:
        messages.info(request, f"{scheme.title} projects have no evaluation of systems.")
        return redirect("dashboard:project", slug=project.slug)
    return _list(request, project, _form(project))


def _list(
    request: HttpRequest, project: Project, form: EvaluationForm, status: int = 200
) -> HttpResponseBase:
    listing = jobs_listing(
        request,
        evaluations_of(project),
        name="evaluations",
        empty=Empty("No evaluations yet", "Upload the output of one or more systems above."),
    )
    context = {
        "form": form,
        "scoring": _scoring(project),
        **job_list(listing.page_rows, listing.url(page=listing.page)),
    }
    return render_list(
        request,
        project,
        "datasets/systems.html",
        listing,
        context,
        fragment="dashboard/fragments/job_list.html",
        status=status,
    )


@require_POST
@project_page(STAFF)
def evaluate_systems(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = _form(project, request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    data = form.cleaned_data
    source = data["source"]
    reference = Reference(
        source=source,
        partition=data.get("partition", "") if source else "",
        files=data["reference"],
    )
    try:
        job = queue_evaluation(
            project=project,
            reference=reference,
            systems=data["systems"],
            sentences=data.get("sentences", []),
            variant=data.get("variant", ""),
            skip_bad_rows=data["skip_bad_rows"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except EvaluationError as error:
        form.add_error(None, str(error))
        return _list(request, project, form, status=422)
    messages.success(request, "The evaluation has started. You can leave this page.")
    return redirect("datasets:system_evaluation", project.slug, job.pk)


@require_GET
@project_page(STAFF)
def system_evaluation(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    job = get_object_or_404(evaluations_of(project), pk=pk)
    context: dict[str, Any] = {"job": job, "scoring": _scoring(project)}
    if job.state == JobState.FINISHED:
        from metrics.document_bootstrap import MIN_DOCUMENTS  # noqa: PLC0415  # loads numpy

        context |= {"files": FILES, "min_documents": MIN_DOCUMENTS, **_tables(job)}
    return render_page(
        request,
        project,
        "datasets/system_evaluation.html",
        context,
        fragment="datasets/fragments/system_evaluation.html",
    )


def _tables(job: Job) -> dict[str, Any]:
    """Return the figures of each system in the order of the measures, and the other tables."""
    result = job.result
    systems, measures = result["systems"], result["measures"]
    titles = {measure["key"]: measure["title"] for measure in measures}
    return {
        "systems": [
            (system, [system["figures"][measure["key"]] for measure in measures])
            for system in systems
        ],
        "differences": [
            {
                **difference,
                "title": titles[difference["measure"]],
                "first": systems[difference["first"]]["name"],
                "second": systems[difference["second"]]["name"],
            }
            for difference in result["differences"]
        ],
        "types": [
            {
                **table,
                "rows": [
                    {
                        **row,
                        "cells": [
                            figures.get(measure["key"])
                            for measure in table["measures"]
                            for figures in row["systems"]
                        ],
                    }
                    for row in table["rows"][:TYPES_SHOWN]
                ],
                "hidden": max(len(table["rows"]) - TYPES_SHOWN, 0),
            }
            for table in result["types"]
        ],
    }


@require_GET
@project_page(STAFF)
def system_evaluation_file(
    request: HttpRequest, project: Project, pk: int, file: str
) -> HttpResponse:
    job = get_object_or_404(evaluations_of(project), pk=pk)
    content = evaluation_file(job, file)
    if content is None:
        raise Http404(f"evaluation {pk} has no file {file}")
    return evaluation_download(job, file, content)
