"""The page that adds ticked items to an expert queue."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.domain.corpus.item_context import headline_of
from annotation.models import Item
from consolidation.domain.experts.expert_queues import (
    QueuePlan,
    QueueSetupError,
    add_to_queue,
    set_up_queue,
)
from consolidation.enums import ExpertWork, QueueState
from consolidation.forms import MAX_PICKED, ChosenItemsForm
from consolidation.models import ExpertQueue
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from schemes.contract.values import Noun

ITEMS = Noun("item", "items")


@require_POST
@project_page(STAFF)
def choose(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show the ticked items with the queues that can get them, and then add them."""
    items = _ticked(project, request.POST.getlist("row"))
    if not items:
        messages.error(request, "Tick at least one item.")
        return redirect("consolidation:items", project.slug)
    is_chosen = "experts_per_item" in request.POST
    queues = project.expert_queues.filter(
        kind=ExpertWork.ANNOTATE, state=QueueState.OPEN, is_for_disputes=False
    )
    form = ChosenItemsForm(
        request.POST if is_chosen else None,
        queues=[(str(queue.pk), queue.title) for queue in queues.order_by("-pk")],
    )
    if is_chosen and form.is_valid():
        try:
            queue = _put(request, project, form, items)
        except QueueSetupError as error:
            form.add_error(None, str(error))
        else:
            return redirect("consolidation:expert_queue", project.slug, queue.pk)
    context = {"form": form, "items": [(item, headline_of(item, project)) for item in items]}
    status = 422 if form.is_bound else 200
    return render_page(request, project, "consolidation/queue_items.html", context, status=status)


def _ticked(project: Project, ids: list[str]) -> list[Item]:
    """Return the project's items with these ids, in the order of the ids."""
    numbers = [int(pk) for pk in ids if pk.isdecimal() and len(pk) < 19][:MAX_PICKED]
    items = project.items.filter(withdrawn_at=None).select_related("project", "sentence__image")
    rows = items.in_bulk(numbers)
    return [rows[pk] for pk in dict.fromkeys(numbers) if pk in rows]


def _put(
    request: HttpRequest, project: Project, form: ChosenItemsForm, items: list[Item]
) -> ExpertQueue:
    """Add the items to the chosen queue, or create it. Raise QueueSetupError."""
    data, now = form.cleaned_data, timezone.now()
    assert request.user.is_authenticated
    if data["queue"]:
        queue: ExpertQueue = project.expert_queues.get(pk=data["queue"])
        added = add_to_queue(queue=queue, items=items, actor=str(request.user), now=now)
        messages.success(request, f"{ITEMS.count(added)} added to “{queue.title}”.")
        return queue
    queue = set_up_queue(
        project=project,
        plan=QueuePlan(
            title=data["title"],
            experts_per_item=data["experts_per_item"],
            makes_gold=data["makes_gold"],
        ),
        items=items,
        created_by=request.user,
        now=now,
    )
    messages.success(request, f"“{queue.title}” is set up: {ITEMS.count(len(items))}.")
    return queue
