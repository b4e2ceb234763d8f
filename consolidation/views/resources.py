"""Pages of a project's resources, such as a lexicon: versions, imports and entries."""

from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import get_valid_filename
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.resource_use import count_submissions_by_version, versions_of
from audit.errors import TouchstoneError
from consolidation.domain.lost_parts import lost_parts
from consolidation.forms import ResourceForm, ResourceSearchForm
from projects.domain.resources import (
    ImportedResource,
    UnknownResourceError,
    declared_resource,
    import_resource,
    resources_of,
)
from projects.models import Project
from projects.pages import render_page
from projects.permissions import MEMBERS, STAFF, project_page
from schemes.base import ContentError, FileError
from schemes.base import Resource as DeclaredResource
from schemes.registry import get_scheme
from web.paging import Page

PAGE_SIZE = 50
VERSIONS_SHOWN = 50


@require_GET
@project_page(MEMBERS)
def resources(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the resources, or open the only one."""
    declared = get_scheme(project.scheme).resources
    if len(declared) == 1:
        return redirect("consolidation:resource", slug=project.slug, name=next(iter(declared)))
    context = {"resources": declared}
    return render_page(request, project, "consolidation/resources.html", context)


@require_GET
@project_page(MEMBERS)
def resource(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    try:
        declared = declared_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    form = ResourceForm(resource=declared, value=resources_of(project).get(name))
    return _render(request, project, name, declared, form)


@require_POST
@project_page(STAFF)
def import_file(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """Import an uploaded file as a new version, and set the switches."""
    try:
        declared = declared_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    value = resources_of(project).get(name)
    form = ResourceForm(request.POST, request.FILES, resource=declared, value=value)
    if form.is_valid():
        try:
            imported = _import(project, name, form)
        except (FileError, ContentError, TouchstoneError) as error:
            form.add_error("file", str(error))
        else:
            _report(request, imported)
            address = reverse("consolidation:resource", args=[project.slug, name])
            return redirect(f"{address}?check=1")
    return _render(request, project, name, declared, form, status=422)


@require_GET
@project_page(MEMBERS)
def entry(request: HttpRequest, project: Project, name: str, entry: str) -> HttpResponseBase:
    """Show an entry of the current version on the scheme's page."""
    declared = get_scheme(project.scheme).resources.get(name)
    value = resources_of(project).get(name)
    browser = declared and declared.browser
    described = browser and browser.describe(value, entry) if value is not None else None
    if not declared or not browser or described is None:
        messages.info(request, f"There is no entry {entry[:80]} in the current version.")
        return redirect("consolidation:resource", slug=project.slug, name=name)
    context = {"name": name, "resource": declared, "title": entry, "entry": described}
    templates = [f"schemes/{project.scheme}/{name}.html", "consolidation/resource_entry.html"]
    return render_page(request, project, templates, context)


def _render(
    request: HttpRequest,
    project: Project,
    name: str,
    declared: DeclaredResource,
    form: ResourceForm,
    *,
    status: int = 200,
) -> HttpResponse:
    value = resources_of(project).get(name)
    context: dict[str, object] = {
        "name": name,
        "resource": declared,
        "form": form,
        **_entries(request, declared, value),
    }
    versions = versions_of(project=project, name=name)[:VERSIONS_SHOWN]
    submissions = count_submissions_by_version(project=project, versions=versions)
    context |= {
        "versions": [(version, submissions[version.version]) for version in versions],
        "counts": [
            (noun.capitalize(), f"{count:,}")
            for noun, count in (declared.count(value) if value is not None else {}).items()
        ],
        "lost": lost_parts(project=project, name=name) if "check" in request.GET else None,
    }
    return render_page(
        request,
        project,
        "consolidation/resource.html",
        context,
        fragment="consolidation/fragments/resource_entries.html",
        status=status,
    )


def _entries(request: HttpRequest, declared: DeclaredResource, value: object) -> dict[str, object]:
    """Return the page of matching entries, and the search form."""
    browser = declared.browser
    if browser is None or not isinstance(value, dict):
        return {}
    search = ResourceSearchForm(request.GET, help_text=browser.help)
    query = search.cleaned_data["query"] if search.is_valid() else ""
    entries = browser.search(value, query)
    number = request.GET.get("page", "")
    start = PAGE_SIZE * (int(number) - 1) if number.isdecimal() and 0 < len(number) < 7 else 0
    start = max(0, start)
    at, shown = start // PAGE_SIZE + 1, list(entries[start : start + PAGE_SIZE])
    more = start + PAGE_SIZE < len(entries)
    return {
        "browser": browser,
        "search": search,
        "filtered": bool(query),
        "query": f"{urlencode({'query': query})}&" if query else "",
        "found": browser.noun.count(len(entries)),
        "page": Page(shown, str(at - 1) if at > 1 else "", str(at + 1) if more else ""),
    }


def _import(project: Project, name: str, form: ResourceForm) -> ImportedResource:
    """Import the form's file from a temporary folder, under its own name for messages."""
    file: UploadedFile[bytes] | None = form.cleaned_data["file"]
    with TemporaryDirectory() as folder:
        path = None
        if file is not None:
            path = Path(folder, get_valid_filename(PurePath(file.name or "file").name[-100:]))
            with path.open("wb") as copy:
                copy.writelines(file.chunks())
        return import_resource(
            project=project,
            name=name,
            path=path,
            fmt=form.cleaned_data["fmt"],
            switches=form.switches(),
            now=timezone.now(),
        )


def _report(request: HttpRequest, imported: ImportedResource) -> None:
    version = imported.resource.version
    if imported.is_new:
        messages.success(request, f"Version {version} was imported and is current.")
    else:
        messages.info(request, f"Nothing changed. Version {version} stays current.")
