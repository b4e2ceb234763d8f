"""Pages that publish releases on other services: tokens, dry runs, and uploads."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from jobs.enums import UNFINISHED
from projects.models import Project
from projects.pages import render_page
from projects.permissions import ADMINS, STAFF, project_page
from projects.views.settings import actor_of
from releases.domain.publishing.plan import Plan, PublishingError, Target
from releases.domain.publishing.tokens import forget_token, store_token
from releases.domain.publishing.upload import plan_upload, queue_upload
from releases.enums import PublicationState, Service
from releases.forms import ConfirmUploadForm, HubForm, TokenForm
from releases.models import Publication, Release

CHECK = "check"
# The page shows the first files, and the number of the others.
FILES_SHOWN = 200


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def publish_release(
    request: HttpRequest, project: Project, version: str, service: str
) -> HttpResponseBase:
    """Show what an upload would do, and queue it once the user has confirmed exactly that."""
    kind = _service(service)
    release = get_object_or_404(project.releases.exclude(archive={}), version=version)
    publication = release.publications.filter(service=kind).select_related("job").first()
    data = request.POST if request.method == "POST" else request.GET
    is_checked = request.method == "POST" or CHECK in data
    form = HubForm(data if is_checked else None, initial=_initial(project, publication))
    plan, confirm, status = None, None, 200
    if is_checked and form.is_valid():
        target = Target(kind, **form.target(kind))
        try:
            plan = plan_upload(release=release, target=target)
            confirm = _confirmation(request, plan)
            if confirm and confirm.is_bound and confirm.is_valid():
                queue_upload(
                    release=release,
                    target=plan.target,
                    actor=actor_of(request),
                    now=timezone.now(),
                )
                messages.success(request, "The upload has started. You can leave this page.")
                return redirect("releases:release_details", project.slug, version)
        except PublishingError as error:
            form.add_error(None, str(error))
    if form.errors or (confirm and confirm.errors):
        status = 422
    context = {
        "release": release,
        "service": kind,
        "publication": publication,
        "is_uploading": is_uploading(publication),
        "is_hub": kind == Service.HUGGINGFACE,
        "form": form,
        "plan": plan,
        "files": plan.files[:FILES_SHOWN] if plan else [],
        "hidden_files": len(plan.files[FILES_SHOWN:]) if plan else 0,
        "confirm": confirm,
        "token": project.service_tokens.filter(service=kind).exclude(sealed="").first(),
        "token_form": TokenForm(),
    }
    return render_page(request, project, "releases/publish_release.html", context, status=status)


def is_uploading(publication: Publication | None) -> bool:
    """Return True if a job is uploading the release. An upload without a job was interrupted."""
    if publication is None or publication.state != PublicationState.UPLOADING:
        return False
    return publication.job is not None and publication.job.state in UNFINISHED


def _confirmation(request: HttpRequest, plan: Plan) -> ConfirmUploadForm | None:
    """Return the form that confirms the plan, or None if it has problems."""
    if plan.problems:
        return None
    data = request.POST if request.method == "POST" else None
    return ConfirmUploadForm(data, plan=plan)


def _initial(project: Project, publication: Publication | None) -> dict[str, Any]:
    """Return the dataset of the earlier attempt, or of the newest release on the Hub."""
    newest = publication or (
        Publication.objects.filter(release__project=project, service=Service.HUGGINGFACE)
        .order_by("-release__pk")
        .first()
    )
    if newest is None:
        return {"repository": project.slug}
    return {"repository": newest.repository, "private": newest.private}


def _service(name: str) -> Service:
    try:
        return Service(name)
    except ValueError:
        raise Http404(f"No service is called {name}.") from None


@require_POST
@project_page(ADMINS)
def store_service_token(
    request: HttpRequest, project: Project, version: str, service: str
) -> HttpResponse:
    kind = _service(service)
    release: Release = get_object_or_404(project.releases, version=version)
    form = TokenForm(request.POST)
    if form.is_valid():
        token = form.cleaned_data["token"]
        store_token(
            project=project,
            service=kind,
            token=token,
            actor=actor_of(request),
            now=timezone.now(),
        )
        messages.success(request, f"The token for {kind.label} is stored.")
    else:
        messages.error(request, " ".join(map(str, form.errors["token"])))
    return redirect("releases:publish_release", project.slug, release.version, service)


@require_POST
@project_page(ADMINS)
def forget_service_token(
    request: HttpRequest, project: Project, version: str, service: str
) -> HttpResponse:
    kind = _service(service)
    release: Release = get_object_or_404(project.releases, version=version)
    forget_token(project=project, service=kind, actor=actor_of(request), now=timezone.now())
    messages.success(request, f"The token for {kind.label} is deleted.")
    return redirect("releases:publish_release", project.slug, release.version, service)
