"""Gold datasets: written by a worker process, listed, downloaded."""

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotation.domain.kept_figures import figures_of
from annotation.domain.queries import sections_of
from annotation.markdown import render_markdown
from annotation.models import Project
from annotation.permissions import project_page
from consolidation.domain.export_gold import formats_of
from consolidation.downloads import download
from dashboard.exports import (
    begin_export,
    export_named,
    exports_of,
    first_alike,
    open_export_file,
)
from dashboard.forms.exports import ExportForm
from dashboard.pages import render_page
from dashboard.protocol import progress_of
from dashboard.tasks import write_export


@require_GET
@project_page
def exports(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project, _form(project))


def _form(project: Project, data: object = None) -> ExportForm:
    by_source = figures_of(progress_of, project=project).value.gold.items_by_source
    sections = figures_of(sections_of, project=project).value
    return ExportForm(data, formats=formats_of(project), items=by_source, sections=sections)


def _list(
    request: HttpRequest, project: Project, form: ExportForm, status: int = 200
) -> HttpResponse:
    found = exports_of(project)
    context = {
        "form": form,
        "exports": found,
        "alike": first_alike(found),
        "unfinished": any(not one.is_finished and not one.error for one in found),
    }
    return render_page(
        request,
        project,
        "dashboard/exports.html",
        context,
        fragment="dashboard/fragments/exports.html",
        status=status,
    )


@require_POST
@project_page
def export(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = _form(project, request.POST)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    name = begin_export(project, now=timezone.now(), **form.cleaned_data)
    write_export.delay(project.pk, name)
    messages.success(request, "The export is being written; you may leave this page.")
    return redirect("dashboard:exports", slug=project.slug)


@require_GET
@project_page
def export_details(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    found = export_named(project, name)
    if found is None:
        raise Http404(f"no export {name}")
    front_matter, card = _data_card(found.data_card())
    context = {
        "export": found,
        "same_as": first_alike(exports_of(project)).get(name),
        "front_matter": front_matter,
        "card": render_markdown(card),
        "manifest": json.dumps(found.manifest, indent=2, sort_keys=True, ensure_ascii=False),
    }
    return render_page(request, project, "dashboard/export.html", context)


def _data_card(text: str) -> tuple[str, str]:
    """Its front matter and the rest; headings stand one level below the page's own."""
    opening, mark, rest = text.partition("---\n")
    if not mark or opening:
        return "", text
    front, _, card = rest.partition("\n---\n")
    return front, "\n".join(
        f"#{line}" if line.startswith("#") else line for line in card.split("\n")
    )


@require_safe
@project_page
def export_file(request: HttpRequest, project: Project, name: str, file: str) -> HttpResponseBase:
    found = open_export_file(project, name, file)
    if found is None:
        raise Http404(f"no file {file} in an export {name}")
    opened, facts = found
    return download(request, opened, name=file, sha256=facts.sha256)
