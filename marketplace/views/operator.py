"""The operator's pages, for staff with the permission `marketplace.operate_marketplace`."""

from django.contrib import messages
from django.contrib.auth.views import LoginView, LogoutView
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from marketplace.domain import access_keys, ledger, queries
from marketplace.domain.accounts import accounts, payouts
from marketplace.domain.accounts.payment_details import payment_details
from marketplace.domain.errors import RefusalError
from marketplace.domain.money import format_cents
from marketplace.domain.work import appeals, close_account
from marketplace.enums import AppealStatus
from marketplace.forms import (
    AppealDecisionForm,
    DepositForm,
    InvitationForm,
    RequesterForm,
    RequesterProfileForm,
    WorkerForm,
)
from marketplace.models import AccessKey, Appeal, Invitation, LedgerEntry, Requester, WorkerAccount
from marketplace.views import operator_columns as columns
from marketplace.views.operator_pages import ask_first, listing, operator_required, render_list
from marketplace.views.posted import posted
from web.lists import Listing

INVITATIONS_SHOWN = 50

log_in = LoginView.as_view(
    template_name="marketplace/operator/login.html",
    next_page=reverse_lazy("marketplace:operator"),
)
log_out = LogoutView.as_view(next_page=reverse_lazy("marketplace:operator-login"))


@require_http_methods(["GET", "POST"])
@operator_required
def requesters(request: HttpRequest) -> HttpResponseBase:
    form = RequesterForm(posted(request))
    if form.is_valid():
        try:
            created = access_keys.open_account(
                name=form.cleaned_data["name"],
                email=form.cleaned_data["email"],
                balance_cents=int(form.cleaned_data["balance"] * 100),
                now=timezone.now(),
            )
        except RefusalError as refusal:
            form.add_error("name", refusal.message)
        else:
            return redirect("marketplace:operator-requester", code=created.code)
    rows = listing(
        request,
        Requester.objects.all(),
        columns.REQUESTERS,
        noun=("requester", "requesters"),
        order=["name"],
        empty="No requesters yet.",
    )
    template = "marketplace/operator/requesters.html"
    return render_list(request, template, rows, {"form": form}, file="requesters")


@require_GET
@operator_required
def requester(request: HttpRequest, code: str) -> HttpResponseBase:
    row = get_object_or_404(Requester, code=code)
    return _requester_page(request, row, DepositForm())


@require_POST
@operator_required
def deposit(request: HttpRequest, code: str) -> HttpResponseBase:
    row = get_object_or_404(Requester, code=code)
    form = DepositForm(request.POST)
    if not form.is_valid():
        return _requester_page(request, row, form)
    amount = form.cleaned_data["amount"]
    if confirmation := _ask_before_deposit(request, row, int(amount * 100)):
        return confirmation
    try:
        ledger.deposit(
            requester=row,
            amount_cents=int(amount * 100),
            note=form.cleaned_data["note"],
            now=timezone.now(),
        )
    except RefusalError:
        form.add_error("amount", "This is more than the available balance.")
        return _requester_page(request, row, form)
    messages.success(request, "The balance was updated.")
    return redirect("marketplace:operator-requester", code=code)


@require_POST
@operator_required
def change_profile(request: HttpRequest, code: str) -> HttpResponseBase:
    """Change the name and text that workers see, and the address for notifications by email."""
    row = get_object_or_404(Requester, code=code)
    form = RequesterProfileForm(request.POST)
    if form.is_valid():
        name = form.cleaned_data["name"]
        if Requester.objects.filter(name=name).exclude(pk=row.pk).exists():
            form.add_error("name", "Another requester has this name.")
    if not form.is_valid():
        return _requester_page(request, row, DepositForm(), profile_form=form)
    Requester.objects.filter(pk=row.pk).update(**form.cleaned_data)
    messages.success(request, "The profile was saved.")
    return redirect("marketplace:operator-requester", code=code)


@require_POST
@never_cache
@operator_required
def issue_key(request: HttpRequest, code: str) -> HttpResponseBase:
    """Create a key and show its secret once."""
    row = get_object_or_404(Requester, code=code)
    key, secret = access_keys.issue_key(requester=row, now=timezone.now())
    return _requester_page(request, row, DepositForm(), issued=(key.access_key_id, secret))


@require_POST
@operator_required
def revoke_key(request: HttpRequest, code: str, key_id: str) -> HttpResponseBase:
    key = get_object_or_404(AccessKey, access_key_id=key_id, requester__code=code)
    access_keys.revoke_key(key=key, now=timezone.now())
    messages.success(request, f"The key {key_id} was revoked.")
    return redirect("marketplace:operator-requester", code=code)


@require_http_methods(["GET", "POST"])
@operator_required
def workers(request: HttpRequest) -> HttpResponseBase:
    """List workers, filtered by id, name or email, and create invitations."""
    form = InvitationForm(posted(request))
    if form.is_valid():
        invitations = accounts.invite(**form.cleaned_data, now=timezone.now())
        messages.success(request, f"{len(invitations)} invitations were created.")
        return redirect("marketplace:operator-workers")
    query = request.GET.get("q", "").strip()
    is_simulated = request.GET.get("simulated") == "1"
    rows = WorkerAccount.objects.filter(is_simulated=is_simulated)
    if query:
        rows = rows.filter(
            Q(code__iexact=query) | Q(username__icontains=query) | Q(email__icontains=query)
        )
    found = listing(
        request,
        rows,
        columns.WORKERS,
        noun=("worker", "workers"),
        order=["username"],
        empty="No workers yet. Invite them below.",
        is_filtered=bool(query) or is_simulated,
    )
    unused = _invitations().filter(used_at__isnull=True)
    context = {
        "query": query,
        "is_simulated": is_simulated,
        "form": form,
        "invitations": unused.order_by("-pk")[:INVITATIONS_SHOWN],
        "unused": unused.count(),
    }
    return render_list(request, "marketplace/operator/workers.html", found, context, file="workers")


@require_GET
@operator_required
def invitations(request: HttpRequest) -> HttpResponseBase:
    """List the unused invitations, or all of them."""
    shows_all = request.GET.get("all") == "1"
    rows = _invitations().select_related("worker")
    if not shows_all:
        rows = rows.filter(used_at__isnull=True)
    shown = listing(
        request,
        rows,
        columns.invitations(request),
        noun=("invitation", "invitations")
        if shows_all
        else ("unused invitation", "unused invitations"),
        order=["-pk"],
        empty="No invitations yet." if shows_all else "No unused invitations.",
    )
    template = "marketplace/operator/invitations.html"
    return render_list(request, template, shown, {"shows_all": shows_all}, file="invitations")


def _invitations() -> QuerySet[Invitation]:
    """Return the invitations of people, without those of simulated workers."""
    return Invitation.objects.filter(is_simulated=False)


@require_http_methods(["GET", "POST"])
@operator_required
def worker(request: HttpRequest, code: str) -> HttpResponseBase:
    row = get_object_or_404(WorkerAccount, code=code)
    fields = ("country", "subdivision", "is_adult", "active")
    form = WorkerForm(posted(request), initial={field: getattr(row, field) for field in fields})
    if form.is_valid() and row.closed_at is None:
        is_closed = row.active and not form.cleaned_data["active"]
        if is_closed and (confirmation := _ask_before_closing(request, row)):
            return confirmation
        WorkerAccount.objects.filter(pk=row.pk).update(**form.cleaned_data)
        if not form.cleaned_data["active"]:
            accounts.close_account(worker=row)
        messages.success(request, "The account was updated.")
        return redirect("marketplace:operator-worker", code=code)
    context = {
        "row": row,
        "form": form,
        "months": queries.earnings_by_month(row),
        "due_cents": payouts.due_cents(row),
        "payment_details": payment_details([row.code]).get(row.code, ""),
    }
    return render(request, "marketplace/operator/worker.html", context)


@require_POST
@operator_required
def erase_email(request: HttpRequest, code: str) -> HttpResponseBase:
    """Erase the address that a worker left for the last payout."""
    row = get_object_or_404(WorkerAccount, code=code)
    close_account.erase_email(worker=row)
    messages.success(request, "The email address was erased.")
    return redirect("marketplace:operator-worker", code=code)


@require_GET
@operator_required
def appeals_list(request: HttpRequest) -> HttpResponseBase:
    rows = Appeal.objects.select_related("assignment__worker", "assignment__hit_type__requester")
    rows = rows.defer("assignment__answer")
    shows_all = request.GET.get("all") == "1"
    if not shows_all:
        rows = rows.filter(status=AppealStatus.OPEN)
    shown = listing(
        request,
        rows,
        columns.APPEALS,
        noun=("appeal", "appeals") if shows_all else ("pending appeal", "pending appeals"),
        order=[F("decided_at").asc(nulls_first=True), "pk"],
        empty="No appeals yet." if shows_all else "No pending appeals.",
    )
    template = "marketplace/operator/appeals.html"
    return render_list(request, template, shown, {"shows_all": shows_all}, file="appeals")


@require_http_methods(["GET", "POST"])
@operator_required
def appeal(request: HttpRequest, pk: int) -> HttpResponseBase:
    row = get_object_or_404(
        Appeal.objects.select_related("assignment__worker", "assignment__hit_type__requester"),
        pk=pk,
    )
    form = AppealDecisionForm(posted(request))
    if form.is_valid():
        pay = form.cleaned_data["outcome"] == AppealStatus.OVERTURNED
        if confirmation := _ask_before_decision(request, row, pay):
            return confirmation
        try:
            appeals.decide_appeal(
                appeal_pk=row.pk,
                pay=pay,
                answer=form.cleaned_data["answer"],
                now=timezone.now(),
            )
        except RefusalError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, "The appeal was decided. The worker has received a message.")
            return redirect("marketplace:operator-appeals")
    return render(request, "marketplace/operator/appeal.html", {"row": row, "form": form})


def _requester_page(
    request: HttpRequest,
    row: Requester,
    form: DepositForm,
    *,
    issued: tuple[str, str] | None = None,
    profile_form: RequesterProfileForm | None = None,
) -> HttpResponseBase:
    row.refresh_from_db()
    context = {
        "row": row,
        "form": form,
        "profile_form": profile_form
        or RequesterProfileForm(initial={"name": row.name, "about": row.about, "email": row.email}),
        "issued": issued,
        "keys": row.access_keys.order_by("revoked_at", "-pk"),
        "ledger": queries.books_of(row),
    }
    template, entries = "marketplace/operator/requester.html", _ledger_list(request, row)
    return render_list(request, template, entries, context, file=f"ledger-{row.code}")


def _ledger_list(request: HttpRequest, row: Requester) -> Listing:
    return listing(
        request,
        LedgerEntry.objects.filter(requester=row).select_related("worker"),
        columns.LEDGER,
        noun=("entry", "entries"),
        order=["-pk"],
        empty="No entries yet.",
        path=reverse("marketplace:operator-requester", args=[row.code]),
    )


def _ask_before_deposit(request: HttpRequest, row: Requester, cents: int) -> HttpResponse | None:
    amount, is_deposit = f"${format_cents(abs(cents))}", cents > 0
    verb = "Deposit" if is_deposit else "Withdraw"
    change = f"grows by {amount}" if is_deposit else f"shrinks by {amount}"
    return ask_first(
        request,
        title=f"{verb} {amount}?",
        consequences=[
            f"The balance of {row.name} {change}.",
            "The entry in the ledger can't be removed, only reversed by another.",
        ],
        button=f"{verb} {amount}",
        back=reverse("marketplace:operator-requester", args=[row.code]),
        spends=is_deposit,
    )


def _ask_before_closing(request: HttpRequest, row: WorkerAccount) -> HttpResponse | None:
    return ask_first(
        request,
        title=f"Close the account of {row.username}?",
        consequences=[
            f"{row.username} is signed out everywhere and can't sign in.",
            "Work that was submitted is still paid.",
        ],
        button=f"Close the account of {row.username}",
        back=request.path,
    )


def _ask_before_decision(request: HttpRequest, row: Appeal, pay: bool) -> HttpResponse | None:
    assignment = row.assignment
    worker, reward = assignment.worker.code, f"${format_cents(assignment.reward_cents)}"
    outcome = (
        f"{worker} is paid {reward}. {assignment.hit_type.requester.name} is charged this and the "
        f"fee of ${format_cents(assignment.fee_cents)}."
        if pay
        else f"The rejection stands, and {worker} isn't paid the reward of {reward}."
    )
    return ask_first(
        request,
        title="Pay for the rejected work?" if pay else "Uphold the rejection?",
        consequences=[outcome, f"{worker} receives your answer. The decision is final."],
        button=f"Pay {reward}" if pay else "Uphold the rejection",
        back=request.path,
        spends=pay,
    )
