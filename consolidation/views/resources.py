"""Pages of a project's resources, such as a lexicon: versions, imports and entries."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.resource_use import count_submissions_by_version, versions_of
from consolidation.domain.experts.queue_resource import last_import, queue_resource
from consolidation.domain.gold.lost_parts import lost_parts
from consolidation.forms import ResourceForm, ResourceSearchForm
from consolidation.views.written_resources import show_editor
from projects.domain.resources import UnknownResourceError, declared_resource, resources_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import job_state, render_list, render_page, wants_fragment
from projects.permissions import MEMBERS, STAFF, project_page
from projects.views.settings import actor_of
from schemes.contract.resources import Resource as DeclaredResource
from schemes.contract.resources import ResourceEntry
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, link

PAGE_SIZE = 25
TEXT_LENGTH = 200
VERSIONS_SHOWN = 50


@require_GET
@project_page(MEMBERS)
def resources(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the resources, or open the only one."""
    declared = scheme_of(project).resources
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
    if declared.written:
        return show_editor(request, project, name)
    if "import" in request.GET and wants_fragment(request):
        job = last_import(project=project, name=name)
        return job_state(request, project, job, "consolidation/fragments/resource_import.html")
    form = ResourceForm(resource=declared, value=resources_of(project).get(name))
    return _render(request, project, name, declared, form)


@require_POST
@project_page(STAFF)
def import_file(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """Have a worker process import an uploaded file as a new version, and set the switches."""
    try:
        declared = declared_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    value = resources_of(project).get(name)
    form = ResourceForm(request.POST, request.FILES, resource=declared, value=value)
    if form.is_valid():
        queue_resource(
            project=project,
            name=name,
            file=form.cleaned_data["file"],
            fmt=form.cleaned_data["fmt"],
            switches=form.switches(),
            presets=form.presets(),
            actor=actor_of(request),
            now=timezone.now(),
        )
        address = reverse("consolidation:resource", args=[project.slug, name])
        return redirect(f"{address}?check=1")
    return _render(request, project, name, declared, form, status=422)


@require_GET
@project_page(MEMBERS)
def entry(request: HttpRequest, project: Project, name: str, entry: str) -> HttpResponseBase:
    """Show an entry of the current version on the scheme's page."""
    declared = scheme_of(project).resources.get(name)
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
) -> HttpResponseBase:
    value = resources_of(project).get(name)
    browser = declared.browser
    versions = versions_of(project=project, name=name)[:VERSIONS_SHOWN]
    submissions = count_submissions_by_version(project=project, versions=versions)
    job = last_import(project=project, name=name)
    context: dict[str, object] = {
        "name": name,
        # What an earlier import did is of no interest.
        "job": job if job and (job.is_unfinished or "check" in request.GET) else None,
        "resource": declared,
        "form": form,
        "versions": [(version, submissions[version.version]) for version in versions],
        "counts": [
            (noun.capitalize(), f"{count:,}")
            for noun, count in (declared.count(value) if value is not None else {}).items()
        ],
        "lost": None
        if "check" not in request.GET or (job and job.is_unfinished)
        else lost_parts(project=project, name=name),
    }
    template = "consolidation/resource.html"
    if browser is None or not isinstance(value, dict):
        return render_page(request, project, template, context, status=status)
    search = ResourceSearchForm(request.GET, help_text=browser.help)
    query = search.cleaned_data["query"] if search.is_valid() else ""
    listing = _entries(
        request,
        project=project,
        name=name,
        noun=browser.noun,
        entries=browser.search(value, query),
        is_filtered=bool(query),
    )
    context |= {"browser": browser, "search": search}
    return render_list(request, project, template, listing, context, status=status)


def _entries(
    request: HttpRequest,
    *,
    project: Project,
    name: str,
    noun: Noun,
    entries: Sequence[ResourceEntry],
    is_filtered: bool,
) -> Listing:

    def name_link(entry: ResourceEntry) -> SafeString:
        args = [project.slug, name, entry.name]
        return link(reverse("consolidation:resource_entry", args=args), entry.name)

    return Listing(
        request=request,
        name=noun.plural,
        rows=entries,
        columns=[
            Column(
                "Name",
                lambda entry: entry.name,
                name_link,
                order=lambda position: entries[position].name.lower(),
            ),
            Column("Description", lambda entry: entry.text, lambda entry: _short(entry.text)),
            Column("Details", lambda entry: entry.detail, lambda entry: _short(entry.detail)),
        ],
        count=noun.count,
        size=PAGE_SIZE,
        is_filtered=is_filtered,
        empty=Empty("No entries", "The current version has no entries."),
        path=reverse("consolidation:resource", args=[project.slug, name]),
    )


def _short(text: str) -> str:
    return Truncator(text).chars(TEXT_LENGTH)
