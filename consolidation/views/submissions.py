"""Pages that list submissions for review and accept or reject them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.decisions.changed_figures import forget_decided
from annotation.domain.decisions.decide_submission import (
    accept_assignment,
    pay_without_using,
    reject_submissions,
)
from annotation.domain.decisions.project_signals import signals_of
from annotation.domain.publishing.queries import (
    can_be_accepted,
    can_be_used,
    count_waiting,
    submissions_of,
    waiting_for_a_person,
)
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.reviews.decide_many import cost_of, decide_many
from consolidation.domain.reviews.resolve_conflict import has_two_versions
from consolidation.enums import Decision
from consolidation.forms import DecideManyForm, RejectForm
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import WORK_CATEGORIES
from crowd.models import Assignment
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import STAFF, project_page
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, time_column

PAGE_SIZE = 20
SUBMISSIONS = Noun("submission", "submissions")
ASSIGNMENTS = Noun("assignment", "assignments")
# The decision in success messages.
MADE = {
    Decision.ACCEPT: "Accepted",
    Decision.PAY: "Paid, but not used",
    Decision.REJECT: "Rejected",
}


@require_GET
@project_page(STAFF)
def submissions(request: HttpRequest, project: Project) -> HttpResponseBase:
    return _list(request, project, RejectForm(provider=project.provider))


def _list(
    request: HttpRequest, project: Project, form: RejectForm, *, refused: int = 0
) -> HttpResponseBase:
    listing = Listing(
        request=request,
        name="review queue",
        rows=waiting_for_a_person(project=project).select_related(
            "item__project", "assignment__hit__task__batch"
        ),
        columns=_columns(project),
        count=SUBMISSIONS.count,
        order=("pk",),
        size=PAGE_SIZE,
        path=reverse("consolidation:submissions", args=[project.slug]),
        known_total=figures_of(count_waiting, project=project).value,
        empty=Empty(
            "No submissions to review",
            "Submissions that automatic checks can't decide appear here.",
        ),
    )
    signals = signals_of(project)
    context = {
        "rows": [
            {
                "submission": submission,
                "signals": signals.evidence_of(submission.pk) if signals else (),
                "usable": can_be_used(submission),
                "copies": has_two_versions(submission),
                **_pay_of(submission),
            }
            for submission in listing.page_rows
        ],
        "form": form,
        "refused": refused,
        "categories": WORK_CATEGORIES if "category" in form.fields else (),
        "min_reason": capabilities_of(project.provider).min_rejection_reason,
    }
    status = 422 if refused else 200
    page = "consolidation/submissions.html"
    return render_list(request, project, page, listing, context, status=status)


def _columns(project: Project) -> list[Column]:
    """Return the columns of the CSV file. The page shows the annotations themselves."""
    return [
        Column("Submission", lambda row: row.pk),
        Column("Item", lambda row: row.item.key),
        Column("Role", lambda row: row.get_role_display()),
        Column("Worker", lambda row: row.worker.pseudonym if row.worker else ""),
        Column("State", lambda row: row.get_state_display()),
        Column("Problem", lambda row: row.problem),
        time_column("Submitted", lambda row: row.submitted_at, order="submitted_at"),
        Column("Active seconds", lambda row: row.active_seconds, order="active_seconds"),
    ]


@require_POST
@project_page(STAFF)
def decide(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Confirm a decision on the selected submissions with its cost, then make it."""
    form = DecideManyForm(request.POST, provider=project.provider)
    if not form.is_valid():
        errors = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, f"Nothing was changed: {' '.join(errors)}")
        return redirect("consolidation:submissions", slug=project.slug)
    decision, reason = Decision(form.cleaned_data["decision"]), form.cleaned_data["reason"]
    assignments = _selected(project, form.cleaned_data["row"])
    cents = cost_of(assignments=assignments, decision=decision)
    # The cost changes if somebody else decides meanwhile, or in a double click.
    if "confirmed" not in request.POST or form.cleaned_data["seen"] != cents:
        context = {
            "decision": decision,
            "reason": reason,
            "category": form.cleaned_data["category"],
            "category_label": dict(WORK_CATEGORIES).get(form.cleaned_data["category"], ""),
            "chosen": form.cleaned_data["row"],
            "count": len(assignments),
            "workers": sorted({str(assignment.worker) for assignment in assignments}),
            "cents": cents,
            "budget": project.budget,
        }
        return render_page(request, project, "consolidation/decide_submissions.html", context)
    outcome = decide_many(
        assignments=assignments,
        decision=decision,
        reason=reason,
        category=form.cleaned_data["category"],
        actor=request.user.get_username(),
        now=timezone.now(),
    )
    if outcome.done:
        forget_decided(project=project)
        done = ASSIGNMENTS.count(len(outcome.done))
        messages.success(request, f"{MADE[decision]}: {done}.")
    for assignment, problem in outcome.failed:
        messages.error(request, f"Not changed, {assignment.worker}: {problem}")
    return redirect("consolidation:submissions", slug=project.slug)


def _selected(project: Project, pks: list[int]) -> list[Assignment]:
    """Return the assignments of the selected submissions that still need a decision."""
    rows = waiting_for_a_person(project=project).filter(pk__in=pks, assignment__isnull=False)
    chosen = Assignment.objects.filter(pk__in=rows.values("assignment"))
    related = chosen.select_related("worker", "hit__hit_type").order_by("pk")
    return list(related.prefetch_related("submissions"))


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
    form = RejectForm(request.POST, provider=project.provider)
    if not form.is_valid():
        return _list(request, project, form, refused=pk)
    decision = partial(reject_submissions, assignment=assignment, **form.cleaned_data)
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
        forget_decided(project=project)
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
