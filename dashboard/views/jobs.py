"""The page of a project's jobs, pending work with the marketplace, and failures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.publishing.qualification_codes import qualifications_of
from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.hits.queries import PendingWork, failures_of, payments_of, pending_work
from crowd.domain.money.close_payment import close_payment
from crowd.enums import GrantState, HitState, MessageState, PaymentState
from dashboard.forms import ClosePaymentForm
from jobs.domain.cancel_job import cancel_job
from jobs.domain.queries import jobs_of
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import jobs_listing, render_list, render_page
from projects.permissions import STAFF, project_page
from web.lists import Empty


@require_GET
@project_page(STAFF)
def jobs(request: HttpRequest, project: Project) -> HttpResponseBase:
    listing = jobs_listing(
        request,
        jobs_of(scope=project.slug).select_related("rehearsal"),
        name="jobs",
        empty=Empty("No jobs yet", "Imports, exports and rehearsals appear here."),
    )
    context = {
        "job_list": listing.page_rows,
        "rows": _rows(figures_of(pending_of, project=project).value, f"{project.hit_noun}s"),
        "failures": {
            f"{project.hit_noun}s" if what == "HITs" else what: failures
            for what, failures in failures_of(
                budget=project.budget, qualifications=qualifications_of(project)
            ).items()
            if failures
        },
        "now": timezone.now(),
    }
    fragment = "dashboard/fragments/jobs.html"
    return render_list(request, project, "dashboard/jobs.html", listing, context, fragment=fragment)


@require_POST
@project_page(STAFF)
def cancel(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    job = get_object_or_404(jobs_of(scope=project.slug), pk=pk)
    try:
        cancel_job(job=job, actor=request.user.get_username(), now=timezone.now())
    except TransitionNotAllowedError:
        messages.info(request, "The job has already ended.")
    else:
        messages.success(request, "The job was cancelled.")
    return redirect("dashboard:jobs", slug=project.slug)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def close_payment_page(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show a payment that the marketplace rejected, and close it with a reason."""
    payments = payments_of(budget=project.budget).select_related("assignment__worker")
    payment = get_object_or_404(payments, pk=pk)
    form = ClosePaymentForm(request.POST or None)
    if not form.is_valid():
        context = {
            "payment": payment,
            "form": form,
            "is_failed": payment.state == PaymentState.FAILED,
        }
        status = 422 if request.method == "POST" else 200
        return render_page(request, project, "dashboard/close_payment.html", context, status=status)
    try:
        close_payment(
            payment=payment,
            actor=request.user.get_username(),
            reason=form.cleaned_data["reason"],
            now=timezone.now(),
        )
    except TransitionNotAllowedError:
        messages.error(request, "Only a payment that the marketplace rejected can be closed.")
    else:
        messages.success(request, "The payment is closed.")
    return redirect("dashboard:jobs", slug=project.slug)


def pending_of(*, project: Project) -> PendingWork:
    return pending_work(budget=project.budget, qualifications=qualifications_of(project))


@dataclass(frozen=True, slots=True)
class Row:
    """The number of unfinished rows of one kind and state. `cents` is their amount, if any."""

    what: str
    state: str
    count: int
    cents: int | None = None


def _rows(work: PendingWork, hits_noun: str) -> list[Row]:
    hits = (HitState.PENDING, HitState.FAILED)
    grants = (GrantState.PENDING, GrantState.REVOKING, GrantState.FAILED)
    messages = (MessageState.PENDING, MessageState.FAILED)
    payments = [
        Row("payments", state.label, work.payments[state], work.payment_cents[state])
        for state in PaymentState
        if state in work.payments
    ]
    rows = [
        *_in(hits, hits_noun, work.hits),
        *payments,
        Row("rejections", "to be sent", work.rejections),
        Row("assignments", "to be recorded", work.unrecorded),
        *_in(grants, "qualifications", work.grants),
        *_in(messages, "messages", work.messages),
    ]
    return [row for row in rows if row.count]


def _in(states: Iterable[TextChoices], what: str, counts: Mapping[str, int]) -> list[Row]:
    return [Row(what, str(state.label), counts.get(state, 0)) for state in states]
