"""Views for the worker's own data: email address, submitted answers, a copy, closing the account."""

import tempfile
from smtplib import SMTPException

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import check_password
from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from marketplace.domain import queries
from marketplace.domain.accounts import change_email as emails
from marketplace.domain.accounts.operator_profile import operator_profile
from marketplace.domain.questions.stored_answer import fields_of
from marketplace.domain.work.close_account import close_and_erase
from marketplace.domain.work.export_account import write_export
from marketplace.enums import AssignmentStatus
from marketplace.forms import ChangeEmailForm, CloseAccountForm
from marketplace.models import Assignment, WorkerAccount
from marketplace.views.posted import posted
from marketplace.views.session import log_out_response, worker_required

WRONG_PASSWORD = gettext_lazy("The password is incorrect.")


@require_GET
@worker_required
def answer(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    """Show what the worker submitted."""
    rows = Assignment.objects.filter(worker=worker, submitted_at__isnull=False)
    row = get_object_or_404(rows.select_related("hit_type__requester"), code=assignment_code)
    context = {"worker": worker, "assignment": row, "fields": fields_of(row.answer)}
    return render(request, "marketplace/answer.html", context)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@worker_required
def change_email(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    form = ChangeEmailForm(posted(request))
    if form.is_valid() and not check_password(form.cleaned_data["password"], worker.password):
        form.add_error("password", WRONG_PASSWORD)
    if form.is_valid():
        email = form.cleaned_data["email"]
        if not settings.MAIL_IS_ON:
            emails.change_email(worker=worker, email=email)
            messages.success(
                request, gettext("Your email address is now %(email)s.") % {"email": email}
            )
            return redirect("marketplace:account")
        try:
            emails.send_confirmation(worker=worker, email=email)
        except (SMTPException, OSError):
            form.add_error(
                "email", gettext("The email could not be sent. Check the address, or try later.")
            )
        else:
            text = gettext(
                "A link was sent to %(email)s. Your address changes when you open it."
            ) % {"email": email}
            messages.success(request, text)
            return redirect("marketplace:account")
    context = {"worker": worker, "form": form, "mail_is_on": settings.MAIL_IS_ON}
    return render(request, "marketplace/change_email.html", context)


@require_http_methods(["GET", "POST"])
@worker_required
def confirm_email(request: HttpRequest, worker: WorkerAccount, token: str) -> HttpResponseBase:
    """Ask for a click, because mail programs open links too."""
    try:
        email = emails.email_of_link(worker=worker, token=token)
    except emails.EmailLinkError as error:
        messages.error(request, str(error))
        return redirect("marketplace:account")
    if request.method == "POST":
        emails.change_email(worker=worker, email=email)
        messages.success(
            request, gettext("Your email address is now %(email)s.") % {"email": email}
        )
        return redirect("marketplace:account")
    context = {"worker": worker, "email": email}
    return render(request, "marketplace/confirm_email.html", context)


@require_GET
@worker_required
def download(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    """Send a ZIP of all that the marketplace stores about the worker."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    write_export(worker=worker, file=file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=f"{worker.code}.zip")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@worker_required
def close(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    """Say what closing the account erases and what stays, and ask for the password."""
    now = timezone.now()
    waiting_cents = queries.waiting_cents(worker)
    month_cents = queries.month_cents(worker, now=now)
    form = CloseAccountForm(posted(request), initial={"keeps_email": True})
    if form.is_valid() and not check_password(form.cleaned_data["password"], worker.password):
        form.add_error("password", WRONG_PASSWORD)
    if form.is_valid():
        close_and_erase(worker=worker, keeps_email=form.cleaned_data["keeps_email"], now=now)
        messages.success(
            request, gettext("Your account is closed, and your personal data is erased.")
        )
        return log_out_response(request)
    context = {
        "worker": worker,
        "form": form,
        "waiting_cents": waiting_cents,
        "month_cents": month_cents,
        "operator": operator_profile(),
        "open_count": Assignment.objects.filter(
            worker=worker, status=AssignmentStatus.ACCEPTED
        ).count(),
    }
    return render(request, "marketplace/close_account.html", context)
