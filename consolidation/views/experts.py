"""Pages that list, set up and report on expert queues."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import headline_of
from annotation.models import Item
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.cases.queries import count_expert_items
from consolidation.domain.experts.expert_queues import (
    QueuePlan,
    QueueRow,
    QueueSetupError,
    change_queue,
    items_of_queue,
    queues_of,
    sample_of,
    set_up_queue,
    take_next,
)
from consolidation.domain.experts.flag_item import count_open_flags
from consolidation.domain.experts.queue_setup import queue_setup, queue_setups
from consolidation.domain.gold.merge import sources_there
from consolidation.domain.gold.merge_report import merge_report, write_report_csv
from consolidation.domain.gold.use_as_gold import (
    GoldSettingError,
    count_not_yet_gold,
    plan_gold,
    set_gold_use,
    use_as_gold,
)
from consolidation.enums import ExpertWork, QueueState
from consolidation.forms import AnnotateQueueForm, MergeQueueForm, QueueForm
from consolidation.models import ExpertDraft, ExpertQueue
from consolidation.views.expert_pages import address_of_next
from projects.domain.cached_figures import forget_figures
from projects.models import Project
from projects.pages import job_state, render_list, render_page, wants_fragment
from projects.permissions import REVIEWERS, STAFF, pages_open_to, project_page
from schemes.contract.values import Noun
from web.badges import badge
from web.lists import Column, Empty, Listing, link, time_column
from web.states import Tone

ITEMS = Noun("item", "items")
SETUP = "consolidation/fragments/queue_setup.html"
DIGITS = 18  # the most digits of an id that fits into a database column


@require_GET
@project_page(STAFF | REVIEWERS)
def experts(request: HttpRequest, project: Project) -> HttpResponse:
    if "setup" in request.GET and wants_fragment(request):
        return job_state(request, project, queue_setups(project).first(), SETUP)
    return _list(request, project)


def _list(
    request: HttpRequest, project: Project, bound: QueueForm | None = None, status: int = 200
) -> HttpResponse:
    forms = {kind: _form(project, kind) for kind in ExpertWork.values}
    kind = ExpertWork.MERGE if isinstance(bound, MergeQueueForm) else ExpertWork.ANNOTATE
    if bound:
        forms[kind] = bound
    job = queue_setups(project).first()
    context = {
        # What an earlier set-up did is of no interest.
        "job": job if job and (job.is_unfinished or "setup" in request.GET) else None,
        "queues": queues_of(project=project, expert=request.user, now=timezone.now()),
        "flags": count_open_flags(project=project),
        "not_yet_gold": count_not_yet_gold(project=project),
        "forms": forms,
        "opened": kind if bound else request.GET.get("new"),
    }
    return render_page(request, project, "consolidation/experts.html", context, status=status)


def _form(project: Project, kind: str, *data: Any) -> QueueForm:
    choices = _item_choices(project)
    if kind == ExpertWork.MERGE:
        sources = sources_there(project=project)
        return MergeQueueForm(*data, item_choices=choices, sources=sources, prefix=kind)
    return AnnotateQueueForm(*data, item_choices=choices, prefix=kind)


def _item_choices(project: Project) -> list[tuple[str, str]]:
    rounds = [(f"round-{row.pk}", f"Round: {row.title}") for row in project.rounds.all()]
    queues = [
        (f"queue-{row.pk}", f"As in: {row.title}") for row in project.expert_queues.order_by("-pk")
    ]
    return [
        ("sample", "A sample of all items"),
        ("sample-consolidated", "A sample of the consolidated items"),
        ("file", "Items listed in a file"),
        *rounds,
        *queues,
    ]


@require_POST
@project_page(STAFF)
def set_up(request: HttpRequest, project: Project, kind: str) -> HttpResponseBase:
    if kind not in ExpertWork.values:
        raise Http404(f"experts do no {kind}")
    form = _form(project, kind, request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    data = form.cleaned_data
    user, now = request.user, timezone.now()
    assert user.is_authenticated
    plan = QueuePlan(
        title=data["title"],
        kind=kind,
        experts_per_item=data.get("experts_per_item", 1),
        makes_gold=data.get("makes_gold", False),
        sources=data.get("sources", ()),
    )
    if data["items"] == "file":
        queue_setup(project=project, plan=plan, file=data["file"], user=user, now=now)
        return redirect(f"{reverse('consolidation:experts', args=[project.slug])}?setup=1")
    try:
        items = _items(project, kind, data)
        queue = set_up_queue(project=project, plan=plan, items=items, created_by=user, now=now)
    except QueueSetupError as error:
        form.add_error(None, str(error))
        return _list(request, project, form, status=422)
    messages.success(request, f"“{queue.title}” is set up: {queue.queued.count():,} items.")
    return redirect("consolidation:experts", project.slug)


def _items(project: Project, kind: str, data: dict[str, Any]) -> list[Item]:
    """Return the chosen items. Raise QueueSetupError."""
    choice, _, pk = data["items"].partition("-")
    if choice == "sample":
        consolidated = pk == "consolidated"
        return sample_of(project=project, kind=kind, count=data["count"], consolidated=consolidated)
    if choice == "round":
        round_ = project.rounds.get(pk=pk)
        rows = round_.items.select_related("project", "sentence__image")
        return list(rows.order_by("round_items__ordinal"))
    return items_of_queue(queue=project.expert_queues.get(pk=pk))


@require_GET
@project_page(STAFF | REVIEWERS)
def queue(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show the expert's own items in the queue."""
    queue = _queue(project, pk)
    rows = queues_of(project=project, expert=request.user, now=timezone.now())
    row = next(row for row in rows if row.queue.pk == queue.pk)
    own = ExpertDraft.objects.filter(author=request.user.pk, queued__queue=queue)
    listing = Listing(
        request=request,
        name="your items",
        rows=own.select_related("queued__item__sentence__image"),
        columns=_draft_columns(project),
        count=ITEMS.count,
        empty=Empty("Nothing started yet", _how_to_start(row)),
    )
    manages = "consolidation:expert_gold" in pages_open_to(request.user, project)
    plan = plan_gold(queue=queue) if manages else None
    context = {"queue": queue, "row": row, "gold_plan": plan}
    return render_list(request, project, "consolidation/expert_queue.html", listing, context)


def _draft_columns(project: Project) -> list[Column]:
    def headline(draft: ExpertDraft) -> str:
        return headline_of(draft.queued.item, project) if draft.queued else ""

    def item_link(draft: ExpertDraft) -> str:
        url = reverse("consolidation:expert_item", args=[project.slug, draft.queued_id])
        return link(url, headline(draft))

    return [
        Column("Item", headline, item_link),
        Column(
            "State",
            lambda draft: "done" if draft.submitted_at else "started",
            lambda draft: (
                badge("accepted", Tone.SUCCESS, "done")
                if draft.submitted_at
                else badge("started", Tone.NEUTRAL)
            ),
        ),
        time_column("Saved", lambda draft: draft.saved_at, order="saved_at"),
    ]


def _how_to_start(row: QueueRow) -> str:
    if row.left:
        return "Choose “Next item” to start. After you submit an item, the next one opens."
    return "No items left for you. Every item has enough experts, or you've seen one of its annotations."


def _queue(project: Project, pk: int) -> ExpertQueue:
    return get_object_or_404(project.expert_queues, pk=pk)


@require_POST
@project_page(REVIEWERS)
def take(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assert request.user.is_authenticated
    queue = _queue(project, pk)
    left = request.POST.get("leaving", "")
    queued = take_next(
        queue=queue,
        expert=request.user,
        now=timezone.now(),
        leaving=int(left) if left.isdecimal() and len(left) < DIGITS else None,
    )
    if queued is None:
        messages.info(request, "There are no more items for you in this queue.")
    return redirect(address_of_next(project, queue, queued))


@require_POST
@project_page(STAFF)
def state(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    queue = _queue(project, pk)
    new = request.POST.get("state", "")
    try:
        change_queue(queue=queue, state=new, actor=str(request.user), now=timezone.now())
    except TransitionNotAllowedError as error:
        messages.error(request, str(error))
    else:
        outcome = "is closed" if new == QueueState.CLOSED else "is open again"
        messages.success(request, f"“{queue.title}” {outcome}.")
    return redirect("consolidation:expert_queue", project.slug, pk)


@require_POST
@project_page(STAFF)
def gold(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Use finished annotations as expert gold, or choose if further ones are used at once."""
    queue, actor, now = _queue(project, pk), str(request.user), timezone.now()
    if "makes_gold" in request.POST:
        makes_gold = request.POST["makes_gold"] == "on"
        try:
            set_gold_use(queue=queue, makes_gold=makes_gold, actor=actor, now=now)
        except GoldSettingError as error:
            messages.error(request, str(error))
        else:
            time = "as soon as they are submitted" if makes_gold else "only when you choose to"
            messages.success(request, f"Further annotations become expert gold {time}.")
        return redirect("consolidation:expert_queue", project.slug, pk)
    count = len(use_as_gold(queue=queue, actor=actor, now=now).usable)
    forget_figures(count_expert_items, project=project)
    if count:
        messages.success(request, f"{ITEMS.count(count)} now have expert gold from this queue.")
    else:
        messages.info(request, "There was nothing to use. No annotation was changed.")
    return redirect("consolidation:expert_queue", project.slug, pk)


@require_GET
@project_page(STAFF)
def report(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    queue = get_object_or_404(project.expert_queues, pk=pk, kind=ExpertWork.MERGE)
    context = {"queue": queue, "report": merge_report(queue=queue)}
    return render_page(request, project, "consolidation/merge_report.html", context)


@require_GET
@project_page(STAFF)
def report_csv(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    queue = get_object_or_404(project.expert_queues, pk=pk, kind=ExpertWork.MERGE)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{project.slug}-merges-{queue.pk}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    write_report_csv(merge_report(queue=queue), response)  # type: ignore[arg-type]
    return response
