"""Gold datasets: written by a worker process, listed, downloaded."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Project
from annotation.permissions import project_page
from consolidation.domain.export_gold import formats_of
from consolidation.domain.queries import count_gold
from dashboard.exports import begin_export, exports_of, file_of
from dashboard.forms import ExportForm
from dashboard.pages import render_page
from dashboard.tasks import write_export


@require_GET
@project_page
def exports(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project, _form(project))


def _form(project: Project, data: object = None) -> ExportForm:
    by_source = count_gold(project=project).items_by_source
    return ExportForm(data, formats=formats_of(project), items=by_source)


def _list(
    request: HttpRequest, project: Project, form: ExportForm, status: int = 200
) -> HttpResponse:
    found = exports_of(project)
    context = {
        "form": form,
        "exports": found,
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
def export_file(request: HttpRequest, project: Project, name: str, file: str) -> HttpResponseBase:
    path = file_of(project, name, file)
    if path is None:
        raise Http404(f"no file {file} in an export {name}")
    return FileResponse(path.open("rb"), as_attachment=True, filename=file)
