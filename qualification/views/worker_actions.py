"""Actions on several workers of a project: messages, and the withdrawal of qualifications."""

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.domain.publishing.queries import known_workers
from audit.errors import TouchstoneError
from crowd.domain.workers.write_messages import write_messages
from crowd.models import Worker
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from qualification.domain.pool.withdraw_worker import withdraw_worker
from qualification.models import Enrolment
from qualification.worker_forms import MessageForm, WithdrawWorkersForm
from schemes.contract.values import Noun

MAX_SELECTED = 1000
MESSAGES, WORKERS = Noun("message", "messages"), Noun("worker", "workers")


@require_POST
@project_page(STAFF)
def message_workers(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Write a message to the selected workers, then send it."""
    workers = _selected(project, request.POST)
    form = MessageForm(request.POST if "confirmed" in request.POST else None)
    if not workers or not form.is_valid():
        return _confirmation(request, project, workers, form, "message")
    written = write_messages(
        budget=project.budget, workers=workers, now=timezone.now(), **form.cleaned_data
    )
    messages.success(request, f"{MESSAGES.count(len(written))} will be sent shortly.")
    return redirect("qualification:workers", slug=project.slug)


@require_POST
@project_page(STAFF)
def withdraw_workers(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Revoke the selected workers' qualifications of the project, after a confirmation."""
    workers = _selected(project, request.POST)
    form = WithdrawWorkersForm(request.POST if "confirmed" in request.POST else None)
    if not workers or not form.is_valid():
        return _confirmation(request, project, workers, form, "withdraw")
    done, now, actor = 0, timezone.now(), request.user.get_username()
    for worker in workers:
        try:
            reason = form.cleaned_data["reason"]
            withdraw_worker(project=project, worker=worker, reason=reason, actor=actor, now=now)
        except TouchstoneError as error:
            messages.error(request, f"Not changed, {worker.pseudonym}: {error}")
        else:
            done += 1
    if done:
        messages.success(request, f"The qualifications of {WORKERS.count(done)} are being revoked.")
    return redirect("qualification:workers", slug=project.slug)


def _selected(project: Project, data: QueryDict) -> list[Worker]:
    """Return the workers that were selected in a list of workers, or in a round."""
    trainees = Enrolment.objects.filter(
        round__project=project, pk__in=_ids(data, "enrolment")
    ).values("worker")
    selected = Q(pk__in=_ids(data, "row")) | Q(pk__in=trainees)
    return list(known_workers(project=project).filter(selected).order_by("pk"))


def _ids(data: QueryDict, name: str) -> list[str]:
    return [pk for pk in data.getlist(name) if pk.isdecimal() and len(pk) < 19][:MAX_SELECTED]


def _confirmation(
    request: HttpRequest, project: Project, workers: list[Worker], form: Any, action: str
) -> HttpResponseBase:
    if not workers:
        messages.error(request, "Nothing was changed: Select at least one worker.")
        return redirect("qualification:workers", slug=project.slug)
    context = {
        "workers": workers,
        "counted": WORKERS.count(len(workers)),
        "form": form,
        "action": action,
    }
    status = 422 if form.is_bound else 200
    return render_page(
        request, project, "qualification/act_on_workers.html", context, status=status
    )
