"""Pages on which experts flag bad items, and on which staff decide about them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.corpus.item_context import headline_of
from annotation.domain.publishing.withdraw_items import WithdrawalError
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.experts.expert_queues import take_next
from consolidation.domain.experts.flag_item import (
    FlagError,
    dismiss_flag,
    flag_item,
    flags_of,
    withdraw_flagged,
)
from consolidation.enums import FlagState
from consolidation.forms import FlagForm
from consolidation.models import ItemFlag, QueuedItem
from consolidation.views.expert_pages import address_of_next
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import REVIEWERS, STAFF, project_page
from schemes.contract.values import Noun
from web.badges import badge_of
from web.lists import Column, Empty, Listing, link, time_column

FLAGS = Noun("flag", "flags")


@require_http_methods(["GET", "POST"])
@project_page(REVIEWERS)
def flag(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Flag an item of a queue, and open the expert's next item."""
    rows = QueuedItem.objects.select_related("queue", "item__sentence__image", "item__project")
    queued = get_object_or_404(rows, queue__project=project, pk=pk)
    form = FlagForm(request.POST or None)
    assert request.user.is_authenticated
    if form.is_valid():
        now, reason = timezone.now(), form.cleaned_data["reason"]
        try:
            flag_item(item=queued.item, expert=request.user, reason=reason, now=now)
        except FlagError as error:
            form.add_error("reason", str(error))
        else:
            messages.success(request, "The item is flagged. A requester decides about it.")
            following = take_next(queue=queued.queue, expert=request.user, now=now, leaving=pk)
            return redirect(address_of_next(project, queued.queue, following))
    context = {"form": form, "queued": queued, "headline": headline_of(queued.item, project)}
    status = 422 if form.is_bound else 200
    return render_page(request, project, "consolidation/flag_item.html", context, status=status)


@require_GET
@project_page(STAFF)
def flags(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the flagged items, those to be decided first."""

    def item_link(row: ItemFlag) -> str:
        url = reverse("consolidation:item", args=[project.slug, row.item_id])
        return link(url, headline_of(row.item, project))

    def reason_link(row: ItemFlag) -> str:
        if row.state != FlagState.OPEN:
            return row.reason
        return link(reverse("consolidation:decide_flag", args=[project.slug, row.pk]), row.reason)

    listing = Listing(
        request=request,
        name="flagged items",
        rows=flags_of(project=project),
        columns=[
            Column("Item", lambda row: headline_of(row.item, project), item_link),
            Column("Reason", lambda row: row.reason, reason_link),
            Column("Flagged by", lambda row: str(row.raised_by), order="raised_by__username"),
            Column(
                "State",
                lambda row: row.get_state_display(),
                badge_of,
                order="state",
            ),
            time_column("Flagged", lambda row: row.raised_at, order="raised_at"),
        ],
        count=FLAGS.count,
        order=("decided_at", "-pk"),
        empty=Empty("No flagged items", "Items that experts flag as bad or unclear appear here."),
    )
    return render_list(request, project, "consolidation/flags.html", listing)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def decide(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Withdraw a flagged item, or keep it."""
    flag = get_object_or_404(flags_of(project=project), pk=pk)
    if request.method == "POST":
        return _decide(request, project, flag)
    context = {"flag": flag, "item": flag.item, "headline": headline_of(flag.item, project)}
    return render_page(request, project, "consolidation/decide_flag.html", context)


def _decide(request: HttpRequest, project: Project, flag: ItemFlag) -> HttpResponseBase:
    decide = withdraw_flagged if "withdraw" in request.POST else dismiss_flag
    try:
        decide(flag=flag, actor=str(request.user), now=timezone.now())
    except (TransitionNotAllowedError, WithdrawalError) as error:
        messages.error(request, str(error))
    else:
        outcome = "was withdrawn" if decide is withdraw_flagged else "is kept"
        messages.success(request, f"{flag.item.key} {outcome}.")
    return redirect("consolidation:flags", project.slug)
