"""Pages that list a project's batches and manage a batch or some of its HITs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.batch_actions import hits_of, keep_open, limit_republications
from annotation.domain.batch_figures import (
    HIT_FILTERS,
    BatchFigures,
    batches_of,
    figures_of_batches,
    tasks_of,
)
from annotation.domain.forecast import forecast_costs, total_of
from annotation.domain.item_context import headline_of
from annotation.domain.publish import cap_batch
from annotation.forms import TermsForm
from annotation.models import Batch
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.manage_batch import (
    NOTHING,
    affected,
    apply_action,
    most_cents,
    short_hits,
)
from consolidation.enums import Action
from consolidation.forms import HIT_STATES, BatchActionForm, BatchFilterForm, HitFilterForm
from crowd.domain.ledger import BudgetExceededError, CapTooLowError
from crowd.domain.manage_hits import HitChangeError
from crowd.models import Hit, HitQuerySet
from crowd.tasks import publish_hits, send_hit_changes
from projects.domain.cached_figures import Figures, figures_of, forget_figures
from projects.enums import Role
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import STAFF, project_page
from projects.protocols import TERMS
from web.paging import page_of

STEPS: Mapping[str, str] = {
    Role.GENERATOR: "generation",
    Role.CONSOLIDATOR: "consolidation",
    Role.VALIDATOR: "validation",
    Role.REVISER: "revision",
}
# The action in success messages.
DONE = {
    Action.PAUSE: "Paused",
    Action.RESUME: "Resumed",
    Action.EXTEND: "Extended",
    Action.ADD: "Enlarged",
    Action.EXPIRE: "Ended",
    Action.REPUBLISH: "Republished",
}


@require_GET
@project_page(STAFF)
def batches(request: HttpRequest, project: Project) -> HttpResponse:
    form = BatchFilterForm(request.GET)
    criteria = form.wanted()
    rows = batches_of(project=project, **criteria)
    page = page_of(rows, cursor=request.GET.get("page", ""), by=("-pk",))
    now = timezone.now()
    cached, steps = _current_figures(project, page.rows), steps_of(page.rows)
    figures = cached.value
    forecasts = figures_of(forecast_costs, project=project).value
    context = {
        "form": form,
        "filtered": any(criteria.values()),
        "page": page,
        "rows": [
            {"batch": batch, "figures": figures[batch.pk], "step": steps[batch.pk]}
            for batch in page.rows
        ],
        "cached": cached,
        "forecasts": forecasts,
        "forecast": total_of(forecasts),
        "now": now,
        "query": query_without_page(request),
    }
    return render_page(
        request,
        project,
        "consolidation/batches.html",
        context,
        fragment="consolidation/fragments/batches.html",
    )


def batch_figures_of(*, project: Project) -> dict[int, BatchFigures]:
    """Return the current figures of all batches of the project."""
    return figures_of_batches(batches=project.batches.all(), now=timezone.now())


def _current_figures(project: Project, rows: list[Batch]) -> Figures:
    """Return cached figures of all batches, with fresh figures of newer batches."""
    cached = figures_of(batch_figures_of, project=project)
    new = [batch for batch in rows if batch.pk not in cached.value]
    added = figures_of_batches(batches=new, now=timezone.now()) if new else {}
    return replace(cached, value={**cached.value, **added})


def steps_of(rows: list[Batch]) -> dict[int, str]:
    """Return the label of each batch's step in the protocol by batch id."""
    titles = Batch.objects.filter(pk__in=[row.pk for row in rows])
    rounds = dict(titles.values_list("pk", "cohort__round__title"))
    return {row.pk: rounds.get(row.pk) or _step_of(row) for row in rows}


def _step_of(batch: Batch) -> str:
    """Return the name of the batch's step. Validators' step is named after the protocol."""
    if batch.role == Role.VALIDATOR and TERMS[batch.project.protocol].role == Role.VALIDATOR:
        return str(batch.project.protocol)
    return STEPS[batch.role]


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def batch(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show the batch, or change its terms."""
    batch = _batch(project, pk)
    if request.method != "POST":
        return _page(request, project, batch, _terms_form(batch))
    form = _terms_form(batch, request.POST)
    if form.is_valid():
        try:
            _set_terms(batch, form, request.user.get_username())
        except CapTooLowError as error:
            form.add_error("cap", str(error))
        else:
            forget_figures(batch_figures_of, project=project)
            messages.success(request, "The batch's terms were changed.")
            return redirect("consolidation:batch", slug=project.slug, pk=pk)
    return _page(request, project, _batch(project, pk), form, status=422)


def _batch(project: Project, pk: int) -> Batch:
    related = project.batches.select_related("budget", "project__budget")
    return get_object_or_404(related, pk=pk)


def _terms_form(batch: Batch, data: Any = None) -> TermsForm:
    initial = {
        "keep_open": batch.keep_open,
        "republish_limit": batch.republish_limit,
        "cap": batch.budget.cap_cents if batch.budget else None,
    }
    # Batches of generations publish more items automatically.
    can_top_up = batch.role == Role.GENERATOR and not batch.for_training
    return TermsForm(data, initial=initial, can_top_up=can_top_up)


def _page(
    request: HttpRequest,
    project: Project,
    batch: Batch,
    form: TermsForm,
    *,
    status: int = 200,
) -> HttpResponse:
    now, cached = timezone.now(), _current_figures(project, [batch])
    filter_form = HitFilterForm(request.GET)
    state = filter_form.wanted()
    shown = filtered_hits(batch, state)
    tasks = tasks_of(batch=batch)
    if state:
        tasks = tasks.filter(hit__in=shown.values("pk"))
    page = page_of(tasks, cursor=request.GET.get("page", ""), by=("pk",))
    context = {
        "batch": batch,
        "step": steps_of([batch])[batch.pk],
        "approval_hours": batch.auto_approval_seconds / 3600,
        "figures": cached.value[batch.pk],
        "cached": cached,
        "short": figures_of(count_short, str(batch.pk), project=project).value,
        "form": filter_form,
        "terms": form,
        "state": state,
        "matching": shown.count() if state else cached.value[batch.pk].hits,
        "page": page,
        "rows": [
            {
                "task": task,
                "items": [
                    (task_item.item, headline_of(task_item.item, project))
                    for task_item in task.task_items.all()
                ],
            }
            for task in page.rows
        ],
        "actions": Action,
        "now": now,
        "query": query_without_page(request),
    }
    part = "batch" if request.GET.get("part") == "standing" else "hits"
    fragment = f"consolidation/fragments/{part}.html"
    return render_page(
        request, project, "consolidation/batch.html", context, fragment=fragment, status=status
    )


def count_short(batch: str, *, project: Project) -> int:
    """Count the HITs of the batch that could be offered again."""
    row = project.batches.get(pk=batch)
    return short_hits(batch=row, now=timezone.now()).count()


def filtered_hits(batch: Batch, state: str) -> HitQuerySet:
    """Return the batch's HITs that match the filter. An unknown filter matches all HITs."""
    if state == "short":
        return short_hits(batch=batch, now=timezone.now())
    hits = hits_of(batch)
    return hits.filter(HIT_FILTERS[state]) if state in HIT_FILTERS else hits


@require_POST
@project_page(STAFF)
def manage_batch(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Confirm the order with the number of affected HITs, then carry it out."""
    batch = _batch(project, pk)
    form = BatchActionForm(request.POST)
    if not form.is_valid():
        message = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"Nothing was changed: {message}")
        return redirect("consolidation:batch", slug=project.slug, pk=pk)
    order, now = form.order(), timezone.now()
    hits = _selected_hits(batch, form.cleaned_data)
    changed = affected(batch=batch, action=order.action, hits=hits, now=now)
    count = changed.count()
    if hits is not None and not count:
        messages.error(request, f"Nothing was changed: {NOTHING[order.action]}")
        return redirect("consolidation:batch", slug=project.slug, pk=pk)
    if "confirmed" not in request.POST or form.cleaned_data["seen"] != count:
        # A double click ends here, because the first request changed the number of affected HITs.
        context = {
            "batch": batch,
            "order": order,
            "given": form.cleaned_data,
            "count": count,
            "whole": hits is None,
            "all_matching": hits is not None and not form.cleaned_data["hit"],
            "cents": most_cents(batch=batch, order=order, hits=changed, now=now),
            "state_label": dict(HIT_STATES)[form.cleaned_data["state"]],
        }
        return render_page(request, project, "consolidation/manage_batch.html", context)
    try:
        done = _carry_out(batch, order, hits, request.user.get_username())
    except (TransitionNotAllowedError, BudgetExceededError, HitChangeError) as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        forget_figures(batch_figures_of, project=project)
        forget_figures(count_short, str(pk), project=project)
        message = f"{DONE[order.action]}: {done:,} HIT{'' if done == 1 else 's'}."
        messages.success(request, f"{message} The marketplace will be updated shortly.")
    return redirect("consolidation:batch", slug=project.slug, pk=pk)


def _selected_hits(batch: Batch, selection: dict[str, Any]) -> HitQuerySet | None:
    """Return the selected HITs, or all that match the filter. None means the whole batch."""
    if selection["scope"] == "batch":
        return None
    if selection["hit"]:
        return hits_of(batch).filter(pk__in=selection["hit"])
    return filtered_hits(batch, selection["state"])


def _carry_out(batch: Batch, order: Any, hits: HitQuerySet | None, actor: str) -> int:
    # A list of ids, because the filter's result changes while the order is carried out.
    chosen = None
    if hits is not None:
        chosen = Hit.objects.filter(pk__in=list(hits.values_list("pk", flat=True)))
    with transaction.atomic():
        done = apply_action(batch=batch, order=order, hits=chosen, actor=actor, now=timezone.now())
        # Robust, because the next sweep publishes the rows if the broker is down.
        transaction.on_commit(publish_hits.delay, robust=True)
        transaction.on_commit(send_hit_changes.delay, robust=True)
    return done


@transaction.atomic
def _set_terms(batch: Batch, form: TermsForm, actor: str) -> None:
    now, terms = timezone.now(), form.cleaned_data
    limit_republications(batch=batch, limit=terms["republish_limit"], actor=actor, now=now)
    if "keep_open" in terms:
        keep_open(batch=batch, count=terms["keep_open"], actor=actor, now=now)
    if terms["cap"] is not None or batch.budget is not None:
        cap_batch(batch=batch, cap_cents=terms["cap"])
