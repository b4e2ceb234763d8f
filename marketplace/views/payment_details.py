"""The page on which a worker states how they want to be paid."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from marketplace.domain.accounts.payment_details import (
    UNREADABLE,
    payment_details,
    save_payment_details,
)
from marketplace.forms import PaymentDetailsForm
from marketplace.models import WorkerAccount
from marketplace.views.posted import posted
from marketplace.views.session import worker_required


@never_cache
@require_http_methods(["GET", "POST"])
@worker_required
def details_page(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    text = payment_details([worker.code]).get(worker.code, "")
    initial = {"details": "" if text == UNREADABLE else text}
    form = PaymentDetailsForm(posted(request), initial=initial)
    if form.is_valid():
        save_payment_details(worker=worker, text=form.cleaned_data["details"], now=timezone.now())
        messages.success(request, gettext("Your payment details were saved."))
        return redirect("marketplace:earnings")
    context = {"worker": worker, "form": form, "is_lost": text == UNREADABLE}
    return render(request, "marketplace/payment_details.html", context)
