"""Pages that make, list and show releases, and their files."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.domain.publishing.queries import sections_of
from annotation.enums import Partition
from audit.errors import TouchstoneError
from consolidation.domain.cases.queries import count_gold
from jobs.enums import JobState
from projects.domain.cached_figures import figures_of
from projects.domain.create_project import ProjectExistsError
from projects.models import Project
from projects.pages import job_list, render_list, render_page
from projects.permissions import STAFF, project_creator_page, project_page
from releases.domain.build_release import ReleaseFilesError, open_archive, read_file
from releases.domain.comments import comments_of
from releases.domain.details import ReleaseDetailsError, details_of_json
from releases.domain.facts import previous_release
from releases.domain.layout import README
from releases.domain.licences import licence_name
from releases.domain.publishing.upload import publications_of, upload_jobs
from releases.domain.queue_release import queue_build, queue_release, release_jobs
from releases.domain.queue_release_import import queue_release_import
from releases.domain.topics import open_topics
from releases.enums import Service
from releases.forms import ImportReleaseForm, PublicForm, ReleaseForm
from releases.models import Publication, Release
from schemes.contract.errors import ContentError, FileError
from web.downloads import download
from web.lists import Column, Empty, Listing, link, number_column, time_column
from web.markdown import render_markdown

# Formats with folders have thousands of files.
FILES_SHOWN = 200


@require_GET
@project_page(STAFF)
def releases(request: HttpRequest, project: Project) -> HttpResponseBase:
    unfinished = (release_jobs(project) | upload_jobs(project)).exclude(state=JobState.FINISHED)
    jobs = unfinished[:5]
    listing = Listing(
        request=request,
        name="releases",
        rows=project.releases.defer("manifest"),
        columns=[
            Column(
                "Version",
                lambda release: release.version,
                lambda release: link(_url(release), release.version),
            ),
            number_column("Items", lambda release: release.facts["manifest"]["counts"]["items"]),
            Column("Gold", lambda release: release.get_source_display()),
            Column("Licence", lambda release: release.details["licence"]),
            Column("Released by", lambda release: release.released_by),
            time_column("Released", lambda release: release.frozen_at),
        ],
        count=lambda count: f"{count:,} release{'' if count == 1 else 's'}",
        empty=Empty("No releases yet", "A release is a numbered version of the gold."),
    )
    has_gold = bool(count_gold(project=project).items_by_source)
    context = {"has_gold": has_gold, **job_list(jobs, request.get_full_path())}
    return render_list(request, project, "releases/releases.html", listing, context)


def _url(release: Release) -> str:
    return reverse("releases:release_details", args=[release.project.slug, release.version])


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def new_release(request: HttpRequest, project: Project) -> HttpResponse:
    form = _form(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            queue_release(
                project=project,
                details=form.details(),
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except ReleaseDetailsError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The release has started. You can leave this page.")
            return redirect("releases:releases", slug=project.slug)
    status = 422 if form.errors else 200
    return render_page(request, project, "releases/new_release.html", {"form": form}, status=status)


@require_http_methods(["GET", "POST"])
@project_creator_page
def import_release(request: HttpRequest) -> HttpResponse:
    is_sent = request.method == "POST"
    form = ImportReleaseForm(*((request.POST, request.FILES) if is_sent else ()))
    if form.is_valid():
        try:
            project, job = queue_release_import(
                **form.cleaned_data,
                owner=request.user,  # type: ignore[arg-type]
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except ProjectExistsError as error:
            form.add_error("slug", str(error))
        except (FileError, ContentError, TouchstoneError) as error:
            form.add_error("file", str(error))
        else:
            title = job.parameters["title"]
            messages.success(
                request, f"{project.title} created. Release {title} is being imported."
            )
            return redirect("dashboard:jobs", slug=project.slug)
    status = 422 if form.errors else 200
    return render(request, "releases/import_release.html", {"form": form}, status=status)


def _form(project: Project, data: Any) -> ReleaseForm:
    newest = previous_release(project)
    sections = figures_of(sections_of, project=project).value
    used = {partition for _, partition in sections}
    return ReleaseForm(
        data,
        items=count_gold(project=project).items_by_source,
        partitions=[name for name in (*Partition.values, "") if name in used],
        has_images=project.images.exists(),
        previous=details_of_json(newest.details) if newest else None,
    )


@require_GET
@project_page(STAFF)
def release_details(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    files = sorted(release.manifest.get("files", {}).items())
    earlier = project.releases.filter(pk__lt=release.pk)
    details = details_of_json(release.details)
    context = {
        "release": release,
        "details": details,
        "licence": licence_name(details.licence),
        "text_licence": licence_name(details.text_licence) or "Not stated",
        "counts": release.facts["manifest"]["counts"],
        "files": files[:FILES_SHOWN],
        "hidden_files": len(files[FILES_SHOWN:]),
        "open_topics": open_topics(details.answers),
        "previous": earlier.first(),
        "card": card_of(release),
        "is_public": hasattr(release, "public"),
        "public_form": PublicForm(),
        "comments": comments_of(release).count(),
        "services": services_of(release),
    }
    return render_page(request, project, "releases/release.html", context)


def services_of(release: Release) -> list[tuple[Service, Publication | None]]:
    """Return each service with the release's publication there, if it has one."""
    found = {row.service: row for row in publications_of(release)}
    return [(service, found.get(service)) for service in Service]


def card_of(release: Release) -> str:
    """Return the dataset card as HTML without its front matter, or "" if it can't be read."""
    if not release.is_built:
        return ""
    try:
        text = read_file(release, README).decode()
    except ReleaseFilesError:
        return ""
    card = text.partition("\n---\n")[2]
    lines = (f"#{line}" if line.startswith("#") else line for line in card.split("\n"))
    return render_markdown("\n".join(lines))


@require_POST
@project_page(STAFF)
def build_release(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    if release.is_built:
        messages.info(request, "The files are stored already.")
    else:
        try:
            queue_build(release=release, actor=request.user.get_username(), now=timezone.now())
        except ReleaseDetailsError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, "The files are being written. You can leave this page.")
    return redirect("releases:releases", slug=project.slug)


@require_safe
@project_page(STAFF)
def release_archive(request: HttpRequest, project: Project, version: str) -> HttpResponseBase:
    release = get_object_or_404(project.releases.exclude(archive={}), version=version)
    try:
        file = open_archive(release)
    except ReleaseFilesError as error:
        raise Http404(str(error)) from error
    name = _download_name(project, release.archive["name"])
    return download(request, file, name=name, sha256=release.archive["sha256"])


def _download_name(project: Project, name: str) -> str:
    return f"simulated-{name}" if project.has_simulated_work else name
