"""Views for workers: what is known about a requester, and the messages with them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from marketplace.domain.accounts.operator_profile import operator_profile
from marketplace.domain.accounts.requester_statistics import requester_statistics
from marketplace.domain.errors import RefusalError
from marketplace.domain.notifications.worker_messages import thread_of, write_to_requester
from marketplace.forms import WorkerMessageForm
from marketplace.models import Assignment, Hit, Requester, WorkerAccount
from marketplace.views.posted import posted
from marketplace.views.session import worker_required

PER_PAGE = 25


@require_GET
@worker_required
def requester(request: HttpRequest, worker: WorkerAccount, code: str) -> HttpResponseBase:
    """Show who the requester is, how they decide, and how workers are paid."""
    row = get_object_or_404(Requester, code=code)
    statistics = requester_statistics(requesters=[row], now=timezone.now())
    context = {
        "worker": worker,
        "requester": row,
        "statistics": statistics.get(row.pk),
        "operator": operator_profile(),
    }
    return render(request, "marketplace/requester.html", context)


@require_http_methods(["GET", "POST"])
@worker_required
def thread(request: HttpRequest, worker: WorkerAccount, code: str) -> HttpResponseBase:
    """Show the messages with a requester, newest first, and send another."""
    row = get_object_or_404(Requester, code=code)
    hits = Hit.objects.filter(requester=row).select_related("hit_type")
    hit = hits.filter(code=request.GET.get("hit", "")).first()
    form, now = WorkerMessageForm(posted(request)), timezone.now()
    if form.is_valid():
        try:
            write_to_requester(
                worker=worker, requester=row, text=form.cleaned_data["text"], hit=hit, now=now
            )
        except RefusalError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(
                request, gettext("Your message was sent. You'll find the answer here.")
            )
            return redirect("marketplace:thread", code=code)
    rows = thread_of(worker=worker, requester=row)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {"worker": worker, "requester": row, "hit": hit, "form": form, "page": page}
    response = render(request, "marketplace/thread.html", context)
    rows.filter(
        pk__in=[message.pk for message in page], from_worker=False, read_at__isnull=True
    ).update(read_at=now)
    return response


@require_GET
@worker_required
def ask(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    """Redirect to the thread, for a message about the HIT of this assignment."""
    rows = Assignment.objects.filter(worker=worker).select_related("hit__requester")
    hit = get_object_or_404(rows.defer("answer", "hit__question"), code=assignment_code).hit
    return redirect(f"{reverse('marketplace:thread', args=[hit.requester.code])}?hit={hit.code}")
