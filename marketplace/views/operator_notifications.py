"""The operator's list of notifications whose delivery failed."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from marketplace.domain import notifications
from marketplace.models import Notification
from marketplace.views.operator import PER_PAGE, operator_required


@require_GET
@operator_required
def undelivered(request: HttpRequest) -> HttpResponseBase:
    rows = Notification.objects.filter(delivered_at=None, attempts__gt=0)
    rows = rows.select_related("requester")
    rows = rows.order_by(F("given_up_at").desc(nulls_last=True), "-pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "marketplace/operator/notifications.html", {"page": page})


@require_POST
@operator_required
def try_again(request: HttpRequest, pk: int) -> HttpResponseBase:
    row = get_object_or_404(Notification, pk=pk)
    notifications.try_again(notification=row, now=timezone.now())
    messages.success(request, "The notification is sent again within seconds.")
    return redirect("marketplace:operator-notifications")
