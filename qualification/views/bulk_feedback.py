"""Feedback to several workers of a round, with a preview of its numbers."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from projects.models import Project
from projects.pages import ask_first
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.training.bulk_feedback import plan_feedback, send_feedback_to_all
from qualification.models import Enrolment
from schemes.contract.values import Noun

WORKERS, REMARKS = Noun("worker", "workers"), Noun("remark", "remarks")


@require_POST
@project_page(CAN_SEE_WORKERS)
def send_feedback(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Send the drafts or suggested remarks to the selected workers, after a confirmation."""
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    ids = [pk for pk in request.POST.getlist("enrolment") if pk.isdecimal() and len(pk) < 19]
    selected = list(round.enrolments.filter(pk__in=ids).select_related("worker").order_by("pk"))
    back = reverse("qualification:round", args=[project.slug, pk])
    count = len(plan_feedback(enrolments=selected).feedback)
    if not count:
        messages.error(
            request,
            "Nothing was sent. Select workers who finished the round and got no feedback yet.",
        )
        return redirect(back)
    if confirmation := ask_first(
        request,
        project,
        title=f"Send feedback to {WORKERS.count(count)} of {round.title}?",
        consequences=lines_of_plan(selected),
        button=f"Send feedback to {WORKERS.count(count)}",
        back=back,
        spends=True,
    ):
        return confirmation
    sent = send_feedback_to_all(enrolments=selected, trainer=request.user, now=timezone.now())
    messages.success(request, f"Feedback to {WORKERS.count(len(sent))} will be sent shortly.")
    return redirect(back)


def lines_of_plan(enrolments: Sequence[Enrolment]) -> list[str]:
    """Return sentences about the feedback that would be sent to the workers."""
    plan = plan_feedback(enrolments=enrolments)
    lines = []
    if plan.written:
        lines.append(f"{WORKERS.count(len(plan.written))}: the draft that a trainer wrote.")
    if plan.automatic:
        counted = f"{REMARKS.count(plan.remarks)} in all, beside the comparison"
        lines.append(f"{WORKERS.count(len(plan.automatic))}: automatic feedback, {counted}.")
    if plan.received:
        lines.append(
            f"{WORKERS.count(len(plan.received))}: nothing, because feedback was sent before."
        )
    if plan.unfinished:
        lines.append(
            f"{WORKERS.count(len(plan.unfinished))}: nothing, because the round is unfinished."
        )
    return lines
