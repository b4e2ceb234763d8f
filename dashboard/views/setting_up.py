"""The decision to keep a default of the set-up, or to leave a step out."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dashboard.setting_up import path_of
from projects.domain.settle_step import settle_step
from projects.enums import SettledStep
from projects.models import Project
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of


@require_POST
@project_page(STAFF)
def settle(request: HttpRequest, project: Project, step: str) -> HttpResponseBase:
    """Settle a step and show the next one, or open the step again and show its page."""
    if step not in SettledStep.values:
        raise Http404(f"no step {step}")
    settle_step(
        project=project,
        step=SettledStep(step),
        is_settled="reopen" not in request.POST,
        actor=actor_of(request),
        now=timezone.now(),
    )
    path = path_of(project)
    reopened = [row for row in path.steps if row.settled == step and "reopen" in request.POST]
    shown = next(iter(reopened), path.next)
    return redirect(shown.url(project))
