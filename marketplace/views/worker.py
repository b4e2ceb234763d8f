"""Views for the worker's history, earnings, messages, qualifications and appeals."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from marketplace.domain import queries
from marketplace.domain.accounts.operator_profile import operator_profile
from marketplace.domain.errors import RefusalError
from marketplace.domain.qualifications import qualifications
from marketplace.domain.qualifications.requirements import ADULT, SYSTEM
from marketplace.domain.work import announced_bonuses, appeals
from marketplace.enums import AssignmentStatus, GrantStatus, QualificationTypeStatus, RequestStatus
from marketplace.forms import AppealForm, QualificationAnswerForm
from marketplace.models import (
    Assignment,
    Grant,
    Message,
    PaymentDetails,
    QualificationRequest,
    QualificationType,
    WorkerAccount,
)
from marketplace.views.posted import posted
from marketplace.views.session import worker_required

PER_PAGE = 25


@require_GET
@worker_required
def history(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    rows = (
        Assignment.objects.filter(worker=worker, is_refused=False)
        .select_related("hit_type__requester", "appeal", "announced_bonus")
        .prefetch_related("bonuses")
        .annotate(total_cents=F("reward_cents") + Coalesce(Sum("bonuses__amount_cents"), 0))
        .defer("answer")
        .order_by("-accepted_at", "-pk")
    )
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "marketplace/history.html", {"worker": worker, "page": page})


@require_GET
@worker_required
def earnings(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    context = {
        "worker": worker,
        "months": (months := list(queries.earnings_by_month(worker))),
        "total_cents": sum(month["total_cents"] for month in months),
        "paid_cents": sum(month["paid_cents"] for month in months),
        "due_cents": sum(month["due_cents"] for month in months),
        "payouts": worker.payouts.filter(withdrawn_at=None).order_by("-paid_on", "-pk"),
        "has_details": PaymentDetails.objects.filter(worker=worker).exists(),
        "waiting_cents": queries.waiting_cents(worker),
        "operator": operator_profile(),
        "in_review_cents": announced_bonuses.in_review_cents(worker),
    }
    return render(request, "marketplace/earnings.html", context)


@require_GET
@worker_required
def inbox(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    rows = Message.objects.filter(worker=worker, from_worker=False).select_related("requester")
    rows = rows.order_by("-pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    unread = [message.pk for message in page if message.read_at is None]
    response = render(request, "marketplace/messages.html", {"worker": worker, "page": page})
    Message.objects.filter(pk__in=unread).update(read_at=timezone.now())
    return response


@require_GET
@worker_required
def own_qualifications(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    grants = (
        Grant.objects.filter(worker=worker, status=GrantStatus.GRANTED)
        .select_related("qualification_type__requester")
        .order_by("qualification_type__name")
    )
    page = Paginator(_requestable(worker), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "worker": worker,
        "system": [
            (SYSTEM[code], _shown_value(code, value))
            for code, value in qualifications.system_values(worker).items()
        ],
        "grants": grants,
        "page": page,
        "waiting": set(
            QualificationRequest.objects.filter(
                worker=worker, status=RequestStatus.PENDING
            ).values_list("qualification_type_id", flat=True)
        ),
    }
    return render(request, "marketplace/qualifications.html", context)


@require_http_methods(["GET", "POST"])
@worker_required
def request_qualification(
    request: HttpRequest, worker: WorkerAccount, type_code: str
) -> HttpResponseBase:
    kind = get_object_or_404(
        QualificationType.objects.select_related("requester"),
        code=type_code,
        deleted_at__isnull=True,
    )
    if kind.test:
        return redirect("marketplace:qualification-test", type_code=kind.code)
    form = QualificationAnswerForm(posted(request))
    if form.is_valid():
        try:
            created = qualifications.request_qualification(
                worker=worker, kind=kind, answer=form.cleaned_data["answer"], now=timezone.now()
            )
        except RefusalError as refusal:
            form.add_error(None, refusal.message)
        else:
            is_granted = created.status == RequestStatus.ACCEPTED
            messages.success(
                request,
                gettext("Qualification granted.")
                if is_granted
                else gettext("Your request was sent."),
            )
            return redirect("marketplace:qualifications")
    context = {"worker": worker, "kind": kind, "form": form}
    return render(request, "marketplace/request_qualification.html", context)


@require_http_methods(["GET", "POST"])
@worker_required
def appeal(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    assignment = get_object_or_404(
        Assignment.objects.select_related("hit_type__requester").defer("answer"),
        code=assignment_code,
        worker=worker,
        status=AssignmentStatus.REJECTED,
    )
    form = AppealForm(posted(request))
    if form.is_valid():
        try:
            appeals.appeal(
                assignment=assignment, text=form.cleaned_data["text"], now=timezone.now()
            )
        except RefusalError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, gettext("Your appeal was sent to the operator."))
            return redirect("marketplace:history")
    context = {"worker": worker, "assignment": assignment, "form": form}
    return render(request, "marketplace/appeal.html", context)


def _shown_value(code: str, value: object) -> object:
    if code == ADULT:
        return "yes"
    return "-".join(filter(None, value)) if isinstance(value, tuple) else value


def _requestable(worker: WorkerAccount) -> QuerySet[QualificationType]:
    held = Q(grants__worker=worker, grants__status=GrantStatus.GRANTED)
    return (
        QualificationType.objects.filter(
            status=QualificationTypeStatus.ACTIVE, is_requestable=True, deleted_at__isnull=True
        )
        .exclude(pk__in=QualificationType.objects.filter(held).values("pk"))
        .select_related("requester")
        .order_by("name", "pk")
    )
