"""Pages that list submissions for review and accept or reject them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.decide_submission import (
    accept_assignment,
    pay_without_using,
    reject_submissions,
)
from annotation.domain.queries import (
    can_be_accepted,
    can_be_used,
    submissions_of,
    waiting_for_a_person,
)
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.resolve_conflict import has_two_versions
from consolidation.forms import RejectForm
from crowd.models import Assignment
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import STAFF, project_page
from web.paging import page_of

PAGE_SIZE = 20


@require_GET
@project_page(STAFF)
def submissions(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project, RejectForm())


def _list(
    request: HttpRequest, project: Project, form: RejectForm, *, refused: int = 0
) -> HttpResponse:
    page = page_of(
        waiting_for_a_person(project=project).select_related(
            "item__project", "assignment__hit__task__batch"
        ),
        cursor=request.GET.get("page", ""),
        by=("pk",),
        size=PAGE_SIZE,
    )
    context = {
        "page": page,
        "rows": [
            {
                "submission": submission,
                "usable": can_be_used(submission),
                "copies": has_two_versions(submission),
                **_pay_of(submission),
            }
            for submission in page.rows
        ],
        "form": form,
        "refused": refused,
        "query": query_without_page(request),
    }
    status = 422 if refused else 200
    return render_page(request, project, "consolidation/submissions.html", context, status=status)


def _pay_of(submission: Submission) -> dict[str, Any]:
    """Return the reward of the submission's assignment, and whether it can earn a bonus."""
    assert submission.assignment
    batch = submission.assignment.hit.task.batch
    return {"reward": batch.reward_cents, "has_bonus": bool(batch.bonus_allowance_cents)}


@require_POST
@project_page(STAFF)
def accept(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    if not can_be_accepted(assignment):
        messages.error(
            request, "Nothing was accepted because this content is not a valid annotation."
        )
        return redirect("consolidation:submissions", slug=project.slug)
    success = f"Accepted. {assignment.worker} will be paid shortly."
    decision = partial(accept_assignment, assignment=assignment)
    return _decide(request, project, decision, success, "Nothing was accepted")


@require_POST
@project_page(STAFF)
def set_aside(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    success = f"{assignment.worker} will be paid shortly. The work isn't used."
    decision = partial(pay_without_using, assignment=assignment)
    return _decide(request, project, decision, success, "Nothing was changed")


@require_POST
@project_page(STAFF)
def reject(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    form = RejectForm(request.POST)
    if not form.is_valid():
        return _list(request, project, form, refused=pk)
    reason = form.cleaned_data["reason"]
    decision = partial(reject_submissions, assignment=assignment, reason=reason)
    success = f"Rejected. {assignment.worker} will receive the reason."
    return _decide(request, project, decision, success, "Not rejected")


def _decide(
    request: HttpRequest,
    project: Project,
    decision: Callable[..., None],
    success: str,
    failure: str,
) -> HttpResponseBase:
    """Make the decision and return to the list with a message."""
    try:
        decision(actor=request.user.get_username(), now=timezone.now())
    except TransitionNotAllowedError as error:
        messages.error(request, f"{failure}: {error}")
    else:
        messages.success(request, success)
    return redirect("consolidation:submissions", slug=project.slug)


def _assignment(project: Project, pk: int) -> Assignment:
    """Return the submission's assignment, which is decided as a whole."""
    submission = get_object_or_404(
        submissions_of(project=project).select_related("assignment__worker"),
        pk=pk,
        assignment__isnull=False,
    )
    assert submission.assignment
    return submission.assignment
