"""The page of workers' requests for the project's qualifications."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.workers.qualification_requests import refuse_request
from crowd.enums import RequestState
from crowd.tasks import sync_qualification_requests
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of
from qualification.domain.rounds.answer_requests import Request, described, grant, requests_of
from qualification.forms import RefuseRequestForm

DECIDED_SHOWN = 20


@require_GET
@project_page(STAFF)
def requests(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project)


def _page(
    request: HttpRequest, project: Project, invalid: RefuseRequestForm | None = None, pk: int = 0
) -> HttpResponse:
    rows = requests_of(project=project)
    waiting = described(project=project, rows=rows.filter(state=RequestState.OPEN))
    decided = rows.exclude(state=RequestState.OPEN)[:DECIDED_SHOWN]
    context = {
        "waiting": [
            (
                asked,
                invalid if invalid and asked.row.pk == pk else RefuseRequestForm(key=asked.row.pk),
            )
            for asked in waiting
        ],
        "decided": list(described(project=project, rows=decided)),
    }
    page = "qualification/requests.html"
    return render_page(request, project, page, context, status=422 if invalid else 200)


@require_POST
@project_page(STAFF)
def grant_request(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    wanted = _request_of(project, pk)
    if not wanted.can_be_granted:
        messages.error(request, "This qualification is not granted on request.")
        return redirect("qualification:requests", slug=project.slug)
    try:
        grant(project=project, request=wanted, actor=actor_of(request), now=timezone.now())
    except TransitionNotAllowedError:
        messages.info(request, "This request has been decided already.")
    else:
        text = "is invited to " + wanted.round.title if wanted.round else "is admitted to the pool"
        messages.success(request, f"{wanted.row.worker.pseudonym} {text}.")
        # Robust, because the next sweep sends the decision if the broker is down.
        transaction.on_commit(sync_qualification_requests.delay, robust=True)
    return redirect("qualification:requests", slug=project.slug)


@require_POST
@project_page(STAFF)
def refuse(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    wanted = _request_of(project, pk)
    form = RefuseRequestForm(request.POST, key=pk)
    if not form.is_valid():
        return _page(request, project, form, pk)
    try:
        refuse_request(
            request=wanted.row,
            reason=form.cleaned_data["reason"],
            actor=actor_of(request),
            now=timezone.now(),
        )
    except TransitionNotAllowedError:
        messages.info(request, "This request has been decided already.")
    else:
        messages.success(request, f"The request of {wanted.row.worker.pseudonym} is refused.")
        transaction.on_commit(sync_qualification_requests.delay, robust=True)
    return redirect("qualification:requests", slug=project.slug)


def _request_of(project: Project, pk: int) -> Request:
    rows = requests_of(project=project).filter(pk=pk)
    for request in described(project=project, rows=rows):
        return request
    raise Http404
