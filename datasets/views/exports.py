"""Pages that queue, list and download exports."""

import json
from pathlib import PurePosixPath

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotation.domain.publishing.queries import sections_of
from consolidation.domain.cases.queries import count_gold
from datasets.domain.exports.export_gold import formats_of
from datasets.domain.exports.export_submissions import submission_formats_of, submissions_of
from datasets.domain.exports.queue_export import (
    archive_of,
    data_card_of,
    earliest_with_same_bytes,
    exports_of,
    files_of,
    open_file,
    queue_export,
)
from datasets.forms.exports import ExportForm
from datasets.models import CertaintyFit
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import job_list, jobs_listing, render_list, render_page
from projects.permissions import STAFF, project_page
from web.downloads import download
from web.lists import Empty
from web.markdown import render_markdown

# Formats with folders have thousands of files.
FILES_SHOWN = 200


@require_GET
@project_page(STAFF)
def exports(request: HttpRequest, project: Project) -> HttpResponseBase:
    return _list(request, project, _form(project))


def _form(project: Project, data: object = None) -> ExportForm:
    by_source = count_gold(project=project).items_by_source
    sections = figures_of(sections_of, project=project).value
    return ExportForm(
        data,
        formats=formats_of(project),
        items=by_source,
        annotations=submissions_of(project).count(),
        is_fitted=CertaintyFit.objects.filter(project=project).exists(),
        annotation_formats=submission_formats_of(scheme_of(project)),
        sections=sections,
    )


def _list(
    request: HttpRequest, project: Project, form: ExportForm, status: int = 200
) -> HttpResponseBase:
    listing = jobs_listing(
        request,
        exports_of(project),
        name="exports",
        empty=Empty("No exports yet", "Choose above what to export."),
    )
    context = {"form": form, **job_list(listing.page_rows, listing.url(page=listing.page))}
    return render_list(
        request,
        project,
        "datasets/exports.html",
        listing,
        context,
        fragment="dashboard/fragments/job_list.html",
        status=status,
    )


@require_POST
@project_page(STAFF)
def export(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = _form(project, request.POST)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    actor = request.user.get_username()
    queue_export(project=project, actor=actor, now=timezone.now(), **form.cleaned_data)
    messages.success(request, "The export has started. You can leave this page.")
    return redirect("datasets:exports", slug=project.slug)


@require_GET
@project_page(STAFF)
def export_details(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    job = get_object_or_404(exports_of(project), pk=pk)
    files = files_of(job)
    hidden = files[FILES_SHOWN:-1]
    context = {"job": job, "files": files[:FILES_SHOWN] + files[FILES_SHOWN:][-1:]}
    context["hidden_files"] = len(hidden)
    if files:
        front_matter, card = _data_card(data_card_of(job))
        manifest = job.result["manifest"]
        context |= {
            "bytes": sum(file.bytes for file in files),
            "archive": archive_of(job),
            "same_as": earliest_with_same_bytes(job),
            "front_matter": front_matter,
            "card": render_markdown(card),
            "manifest": manifest,
            "totals": [
                (total.noun.plural.capitalize(), manifest["counts"].get(total.key))
                for total in scheme_of(project).totals_of_gold(validated=True)
                if total.key in manifest["counts"]
            ],
            "manifest_text": ""
            if hidden
            else json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False),
        }
    return render_page(request, project, "datasets/export.html", context)


def _data_card(text: str) -> tuple[str, str]:
    """Split off the front matter and move headings one level down."""
    opening, mark, rest = text.partition("---\n")
    if not mark or opening:
        return "", text
    front, _, card = rest.partition("\n---\n")
    return front, "\n".join(
        f"#{line}" if line.startswith("#") else line for line in card.split("\n")
    )


@require_safe
@project_page(STAFF)
def export_file(request: HttpRequest, project: Project, pk: int, file: str) -> HttpResponseBase:
    opened = open_file(get_object_or_404(exports_of(project), pk=pk), file)
    if opened is None:
        raise Http404(f"no file {file} in export {pk}")
    content, facts = opened
    name = PurePosixPath(file).name
    if project.has_simulated_work:
        name = f"simulated-{name}"
    return download(request, content, name=name, sha256=facts.sha256)
