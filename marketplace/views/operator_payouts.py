"""The operator's pages of what workers are owed, and of the payouts that were recorded."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from marketplace.domain.accounts import payouts
from marketplace.domain.accounts.payment_details import payment_details
from marketplace.domain.errors import RefusalError
from marketplace.domain.money import format_cents
from marketplace.forms import RecordPayoutForm, StatementForm
from marketplace.models import Payout
from marketplace.views import operator_columns as columns
from marketplace.views.operator_pages import ask_first, listing, operator_required, render_list

WORKERS_NAMED = 20


@require_GET
@operator_required
def statement(request: HttpRequest) -> HttpResponseBase:
    """Show or download what workers earned in a period, this month at first, and what is due."""
    today = timezone.now().date()
    period = {"first": today.replace(day=1), "last": today}
    form = StatementForm(request.GET if "first" in request.GET else period)
    return _statement_page(request, form, RecordPayoutForm(initial={"paid_on": today}))


def _statement_page(
    request: HttpRequest, form: StatementForm, record_form: RecordPayoutForm
) -> HttpResponseBase:
    context: dict[str, Any] = {"form": form, "record_form": record_form}
    if not form.is_valid():
        return render(request, "marketplace/operator/statement.html", context)
    rows = list(payouts.payouts(**form.period()))
    workers = listing(
        request,
        rows,
        columns.payouts(rows),
        noun=("worker", "workers"),
        order=["worker_code"],
        empty="No earnings in this period.",
        path=reverse("marketplace:operator-statement"),
    )
    if workers.wants_csv:
        first, last = form.cleaned_data["first"], form.cleaned_data["last"]
        response = HttpResponse(content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="payouts-{first}-{last}.csv"'
        payouts.write_statement(workers.all_rows(), response)  # type: ignore[arg-type] # it has write()
        return response
    names = ("total_cents", "paid_cents", "due_cents")
    totals = {name: sum(row[name] for row in rows) for name in names}
    context |= {"listing": workers, **totals}
    status = 422 if record_form.is_bound else 200
    return render(request, "marketplace/operator/statement.html", context, status=status)


@require_POST
@operator_required
def record_payout(request: HttpRequest) -> HttpResponseBase:
    """Record that what is due to workers for a period was paid, after a confirmation of the total."""
    period_form, form = StatementForm(request.POST), RecordPayoutForm(request.POST)
    if not period_form.is_valid() or not form.is_valid():
        return _statement_page(request, period_form, form)
    data, period = form.cleaned_data, period_form.period()
    chosen = set(data["worker"])
    due = {
        row["worker_code"]: row["due_cents"]
        for row in payouts.payouts(**period)
        if row["due_cents"] and (data["everyone"] or row["worker_code"] in chosen)
    }
    if not due:
        form.add_error(None, "Nothing is due to these workers for this period.")
        return _statement_page(request, period_form, form)
    if confirmation := _ask_before_recording(request, period_form, form, due):
        return confirmation
    try:
        done = payouts.record_payouts(
            **period,
            worker_codes=list(due),
            expected_cents=data["seen"],
            reference=data["reference"],
            paid_on=data["paid_on"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except RefusalError as refusal:
        form.add_error(None, refusal.message)
        return _statement_page(request, period_form, form)
    total = format_cents(sum(payout.amount_cents for payout in done))
    messages.success(request, f"Recorded: ${total} to {_workers(len(done))}. Messages were sent.")
    return redirect("marketplace:operator-payouts")


def _workers(count: int) -> str:
    return f"{count} worker{'' if count == 1 else 's'}"


def _ask_before_recording(
    request: HttpRequest, period: StatementForm, form: RecordPayoutForm, due: dict[str, int]
) -> HttpResponse | None:
    total = f"${format_cents(sum(due.values()))}"
    workers = _workers(len(due))
    without = len(due.keys() - payment_details(due).keys())
    named = [f"{code}: ${format_cents(cents)}" for code, cents in due.items()][:WORKERS_NAMED]
    rest = len(due) - len(named)
    first, last = period.cleaned_data["first"], period.cleaned_data["last"]
    return ask_first(
        request,
        title=f"Record {total} to {workers} as paid?",
        consequences=[
            f"For work from {first} to {last} (UTC), paid on {form.cleaned_data['paid_on']} with the "
            f"reference “{form.cleaned_data['reference']}”.",
            "No money is moved by this site. The workers receive a message with the reference.",
            *([f"{without} of them entered no payment details."] if without else []),
            *named,
            *([f"And {rest} more."] if rest else []),
        ],
        button=f"Record {total} as paid",
        back=f"{reverse('marketplace:operator-statement')}?first={first}&last={last}",
        spends=True,
        shown={"seen": sum(due.values())},
    )


@require_GET
@operator_required
def payout_list(request: HttpRequest) -> HttpResponseBase:
    recorded = listing(
        request,
        Payout.objects.select_related("worker"),
        columns.RECORDED_PAYOUTS,
        noun=("payout", "payouts"),
        order=["-pk"],
        empty="No payouts yet. Record them on the statement of a period.",
    )
    return render_list(request, "marketplace/operator/payouts.html", recorded, file="payouts")


@require_http_methods(["GET", "POST"])
@operator_required
def withdraw_payout(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Withdraw the record of a payout that was not made, after a confirmation."""
    payout = get_object_or_404(Payout.objects.select_related("worker"), pk=pk)
    amount = f"${format_cents(payout.amount_cents)}"
    if confirmation := ask_first(
        request,
        title=f"Withdraw the payout of {amount}?",
        consequences=[
            f"{amount} is due to {payout.worker.code} again.",
            "The worker receives a message.",
        ],
        button=f"Withdraw the payout of {amount}",
        back=reverse("marketplace:operator-payouts"),
    ):
        return confirmation
    try:
        payouts.withdraw_payout(payout_pk=pk, now=timezone.now())
    except RefusalError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, f"{amount} is due again.")
    return redirect("marketplace:operator-payouts")
