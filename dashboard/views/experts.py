"""Experts' work: the queues, what is in them for whom, and what the merges took from which source."""

import tempfile
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Item, Project
from annotation.permissions import project_page
from audit.domain.change_state import MoveRefused
from consolidation.domain.expert_queues import (
    QueuePlan,
    QueueRefused,
    change_queue,
    items_named,
    items_of_queue,
    queues_of,
    read_item_keys,
    sample_of,
    set_up_queue,
    take_next,
)
from consolidation.domain.merge import sources_there
from consolidation.domain.merge_report import merge_report, write_report_csv
from consolidation.enums import ExpertWork, QueueState
from consolidation.models import ExpertDraft, ExpertQueue
from dashboard.forms.experts import AnnotateQueueForm, MergeQueueForm, QueueForm
from dashboard.pages import render_page
from dashboard.paging import page_of
from dashboard.views.expert_pages import address_of_next
from qualification.models import Round
from schemes.base import FileError
from schemes.registry import get_scheme

DIGITS = 18  # of a number that a database can look up


@require_GET
@project_page
def experts(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project)


def _list(
    request: HttpRequest, project: Project, bound: QueueForm | None = None, status: int = 200
) -> HttpResponse:
    forms = {kind: _form(project, kind) for kind in ExpertWork.values}
    if bound:
        kind = ExpertWork.MERGE if isinstance(bound, MergeQueueForm) else ExpertWork.ANNOTATE
        forms[kind] = bound
    context = {
        "queues": queues_of(project=project, expert=request.user, now=timezone.now()),
        "forms": forms,
        "bound": bound,
    }
    return render_page(request, project, "consolidation/experts.html", context, status=status)


# --- setting up ----------------------------------------------------------------------------------


def _form(project: Project, kind: str, *data: Any) -> QueueForm:
    there = _items_there(project)
    if kind == ExpertWork.MERGE:
        sources = sources_there(project=project)
        return MergeQueueForm(*data, there=there, sources=sources, prefix=kind)
    return AnnotateQueueForm(*data, there=there, prefix=kind)


def _items_there(project: Project) -> list[tuple[str, str]]:
    rounds = [(f"round-{one.pk}", f"Round: {one.title}") for one in project.rounds.all()]
    queues = [
        (f"queue-{one.pk}", f"As in: {one.title}") for one in project.expert_queues.order_by("-pk")
    ]
    return [
        ("sample", "A sample of all items"),
        ("sample-consolidated", "A sample of the consolidated items"),
        ("file", "Those of a file"),
        *rounds,
        *queues,
    ]


@require_POST
@project_page
def set_up(request: HttpRequest, project: Project, kind: str) -> HttpResponseBase:
    if kind not in ExpertWork.values:
        raise Http404(f"experts do no {kind}")
    form = _form(project, kind, request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, project, form, status=422)
    given = form.cleaned_data
    assert request.user.is_authenticated
    try:
        queue = set_up_queue(
            project=project,
            plan=QueuePlan(
                title=given["title"],
                kind=kind,
                experts_per_item=given.get("experts_per_item", 1),
                makes_gold=given.get("makes_gold", False),
                sources=given.get("sources", ()),
            ),
            items=_items(project, kind, given),
            created_by=request.user,
            now=timezone.now(),
        )
    except (QueueRefused, FileError) as error:
        form.add_error(None, str(error))
        return _list(request, project, form, status=422)
    messages.success(request, f"“{queue.title}” is set up: {queue.queued.count():,} items.")
    return redirect("dashboard:experts", project.slug)


def _items(project: Project, kind: str, given: dict[str, Any]) -> list[Item]:
    """Raises QueueRefused, FileError."""
    choice, _, pk = given["items"].partition("-")
    if choice == "sample":
        consolidated = pk == "consolidated"
        return sample_of(
            project=project, kind=kind, count=given["count"], consolidated=consolidated
        )
    if choice == "round":
        found: Round = project.rounds.get(pk=pk)
        rows = found.items.select_related("project", "sentence")
        return list(rows.order_by("round_items__ordinal"))
    if choice == "queue":
        return items_of_queue(queue=project.expert_queues.get(pk=pk))
    return items_named(project=project, keys=_read(given["file"]))


def _read(file: UploadedFile) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_bytes(file.read())
        return read_item_keys(path)


# --- one queue -----------------------------------------------------------------------------------


@require_GET
@project_page
def queue(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """An expert's own items in it; nobody else's."""
    found = _queue(project, pk)
    rows = queues_of(project=project, expert=request.user, now=timezone.now())
    own = ExpertDraft.objects.filter(author=request.user.pk, queued__queue=found)
    page = page_of(
        own.select_related("queued__item__sentence"),
        cursor=request.GET.get("page", ""),
        by=("-pk",),
    )
    scheme = get_scheme(project.scheme)
    begun = [
        {"draft": one, "headline": scheme.headline(_tokens(one), one.queued.item.target)}
        for one in page.rows
        if one.queued
    ]
    context = {
        "queue": found,
        "row": next(one for one in rows if one.queue.pk == found.pk),
        "begun": begun,
        "page": page,
        "query": "",
    }
    return render_page(request, project, "consolidation/expert_queue.html", context)


def _tokens(draft: ExpertDraft) -> list[str]:
    assert draft.queued
    tokens: list[str] = draft.queued.item.sentence.tokens
    return tokens


def _queue(project: Project, pk: int) -> ExpertQueue:
    return get_object_or_404(project.expert_queues, pk=pk)


@require_POST
@project_page
def take(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assert request.user.is_authenticated
    found = _queue(project, pk)
    left = request.POST.get("leaving", "")
    queued = take_next(
        queue=found,
        expert=request.user,
        now=timezone.now(),
        leaving=int(left) if left.isdecimal() and len(left) < DIGITS else None,
    )
    if queued is None:
        messages.info(request, "There is nothing else for you in this queue just now.")
    return redirect(address_of_next(project, found, queued))


@require_POST
@project_page
def state(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    found = _queue(project, pk)
    wanted = request.POST.get("state", "")
    try:
        change_queue(queue=found, state=wanted, actor=str(request.user), now=timezone.now())
    except MoveRefused as error:
        messages.error(request, str(error))
    else:
        told = "is closed" if wanted == QueueState.CLOSED else "is open again"
        messages.success(request, f"“{found.title}” {told}.")
    return redirect("dashboard:expert_queue", project.slug, pk)


@require_GET
@project_page
def report(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    found = get_object_or_404(project.expert_queues, pk=pk, kind=ExpertWork.MERGE)
    context = {"queue": found, "report": merge_report(queue=found)}
    return render_page(request, project, "consolidation/merge_report.html", context)


@require_GET
@project_page
def report_csv(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    found = get_object_or_404(project.expert_queues, pk=pk, kind=ExpertWork.MERGE)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{project.slug}-merges-{found.pk}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    write_report_csv(merge_report(queue=found), response)  # type: ignore[arg-type]
    return response
