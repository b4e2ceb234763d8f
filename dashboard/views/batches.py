"""A project's batches: how they stand, and what is done with them or with some of their HITs."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain import kept_figures
from annotation.domain.batch_figures import (
    HIT_FILTERS,
    BatchFigures,
    batches_of,
    figures_of_batches,
    tasks_of,
)
from annotation.domain.forecast import forecast_costs, total_of
from annotation.domain.publish import cap_batch
from annotation.domain.steer_batch import hits_of, keep_open, limit_reoffers
from annotation.enums import Role
from annotation.models import Batch, Project
from annotation.permissions import project_page
from audit.domain.change_state import MoveRefused
from consolidation.domain.steer import (
    NOTHING,
    affected,
    carry_out,
    most_cents,
    short_hits,
)
from consolidation.enums import Action
from crowd.domain.ledger import BudgetExceeded, CapTooLow
from crowd.domain.steer_hits import CanNotSteer
from crowd.models import Hit, HitQuerySet
from crowd.tasks import create_pending_hits
from dashboard.forms.batches import HIT_STATES, BatchFilterForm, HitFilterForm, SteerForm, TermsForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of
from qualification.models import Intake
from schemes.registry import get_scheme

# What each action is called on a button; its consequences, on the page that asks once more.
DONE = {
    Action.PAUSE: "Paused",
    Action.RESUME: "Resumed",
    Action.EXTEND: "Extended",
    Action.ADD: "Enlarged",
    Action.EXPIRE: "Ended",
    Action.REOFFER: "Offered again",
}


@require_GET
@project_page
def batches(request: HttpRequest, project: Project) -> HttpResponse:
    form = BatchFilterForm(request.GET)
    wanted = form.wanted()
    page = page_of(
        batches_of(project=project, wanted=wanted),
        cursor=request.GET.get("page", ""),
        by=("-pk",),
    )
    now = timezone.now()
    standing, steps = _standing(project, page.rows), steps_of(page.rows)
    figures = standing.value
    forecasts = kept_figures.figures_of(forecast_costs, project=project).value
    context = {
        "form": form,
        "filtered": any([wanted.state, wanted.role]),
        "page": page,
        "rows": [
            {"batch": one, "figures": figures[one.pk], "step": steps[one.pk]} for one in page.rows
        ],
        "kept": standing,
        "forecasts": forecasts,
        "forecast": total_of(forecasts),
        "now": now,
        "query": query_without_page(request),
    }
    return render_page(
        request,
        project,
        "dashboard/batches.html",
        context,
        fragment="dashboard/fragments/batches.html",
    )


def batch_figures_of(*, project: Project) -> dict[int, BatchFigures]:
    """Of all of the project's batches, as of now."""
    return figures_of_batches(batches=project.batches.all(), now=timezone.now())


def _standing(project: Project, rows: list[Batch]) -> kept_figures.Kept:
    """The figures of all batches, kept from a little while ago; those of batches made since, too."""
    kept = kept_figures.figures_of(batch_figures_of, project=project)
    since = [one for one in rows if one.pk not in kept.value]
    added = figures_of_batches(batches=since, now=timezone.now()) if since else {}
    return replace(kept, value={**kept.value, **added})


def steps_of(rows: list[Batch]) -> dict[int, str]:
    """Batch id -> the step of the protocol that it belongs to, in words."""
    intakes = Intake.objects.filter(batch__in=rows).select_related("round")
    rounds = {one.batch_id: one.round.title for one in intakes}
    names = {Role.GENERATOR.value: "generation", Role.CONSOLIDATOR.value: "consolidation"}
    return {one.pk: rounds.get(one.pk) or names.get(one.role, one.role) for one in rows}


@require_http_methods(["GET", "POST"])
@project_page
def batch(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """The batch as it stands; posted to, its terms are changed."""
    found = _batch(project, pk)
    if request.method != "POST":
        return _page(request, project, found, _terms_form(found))
    form = _terms_form(found, request.POST)
    if form.is_valid():
        try:
            _set_terms(found, form, request.user.get_username())
        except CapTooLow as error:
            form.add_error("cap", str(error))
        else:
            kept_figures.forget_figures(batch_figures_of, project=project)
            messages.success(request, "The batch's terms are changed.")
            return redirect("dashboard:batch", slug=project.slug, pk=pk)
    return _page(request, project, _batch(project, pk), form, status=422)


def _batch(project: Project, pk: int) -> Batch:
    related = project.batches.select_related("budget", "project__budget")
    return get_object_or_404(related, pk=pk)


def _terms_form(found: Batch, data: Any = None) -> TermsForm:
    cap = found.budget.cap_cents if found.budget else None
    initial = {
        "keep_open": found.keep_open,
        "reoffer_limit": found.reoffer_limit,
        "cap": None if cap is None else f"{cap / 100:.2f}",
    }
    return TermsForm(data, initial=initial, can_top_up=_is_topped_up(found))


def _is_topped_up(found: Batch) -> bool:
    """Batches of generations offer more items by themselves; the rest has what it has."""
    return found.role == Role.GENERATOR and not Intake.objects.filter(batch=found).exists()


def _page(
    request: HttpRequest,
    project: Project,
    found: Batch,
    form: TermsForm,
    *,
    status: int = 200,
) -> HttpResponse:
    standing = request.GET.get("part") == "standing"
    now, kept = timezone.now(), _standing(project, [found])
    filter_form = HitFilterForm(request.GET)
    state = filter_form.wanted()
    shown = filtered_hits(found, state)
    tasks = tasks_of(batch=found)
    if state:
        tasks = tasks.filter(hit__in=shown.values("pk"))
    page = page_of(tasks, cursor=request.GET.get("page", ""), by=("pk",))
    scheme = get_scheme(project.scheme)
    context = {
        "batch": found,
        "step": steps_of([found])[found.pk],
        "approval_hours": found.auto_approval_seconds / 3600,
        "figures": kept.value[found.pk],
        "kept": kept,
        "short": kept_figures.figures_of(count_short, str(found.pk), project=project).value,
        "form": filter_form,
        "terms": form,
        "state": state,
        "matching": shown.count() if state else kept.value[found.pk].hits,
        "page": page,
        "rows": [
            {
                "task": one,
                "items": [
                    (each.item, scheme.headline(each.item.sentence.tokens, each.item.target))
                    for each in one.task_items.all()
                ],
            }
            for one in page.rows
        ],
        "actions": Action,
        "now": now,
        "query": query_without_page(request),
    }
    fragment = "dashboard/fragments/batch.html" if standing else "dashboard/fragments/hits.html"
    return render_page(
        request, project, "dashboard/batch.html", context, fragment=fragment, status=status
    )


def count_short(batch: str, *, project: Project) -> int:
    """How many HITs of the project's batch with this id could be offered again."""
    found = project.batches.get(pk=batch)
    return short_hits(batch=found, now=timezone.now()).count()


def filtered_hits(found: Batch, state: str) -> HitQuerySet:
    """The batch's HITs that a filter shows; all of them for a filter that is none."""
    if state == "short":
        return short_hits(batch=found, now=timezone.now())
    hits = hits_of(found)
    return hits.filter(HIT_FILTERS[state]) if state in HIT_FILTERS else hits


@require_POST
@project_page
def steer(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Name what the order would move and ask once more; then have it done."""
    found = _batch(project, pk)
    form = SteerForm(request.POST)
    if not form.is_valid():
        told = " ".join(str(one) for errors in form.errors.values() for one in errors)
        messages.error(request, f"Nothing was changed: {told}")
        return redirect("dashboard:batch", slug=project.slug, pk=pk)
    order, now = form.order(), timezone.now()
    hits = _meant(found, form.cleaned_data)
    moved = affected(batch=found, action=order.action, hits=hits, now=now)
    count = moved.count()
    if hits is not None and not count:
        messages.error(request, f"Nothing was changed: {NOTHING[order.action]}")
        return redirect("dashboard:batch", slug=project.slug, pk=pk)
    if "confirmed" not in request.POST or form.cleaned_data["seen"] != count:
        # A second click on the button ends here: the first one has changed what there is to move.
        context = {
            "batch": found,
            "order": order,
            "given": form.cleaned_data,
            "count": count,
            "whole": hits is None,
            "all_matching": hits is not None and not form.cleaned_data["hit"],
            "cents": most_cents(batch=found, order=order, hits=moved, now=now),
            "state_label": dict(HIT_STATES)[form.cleaned_data["state"]],
        }
        return render_page(request, project, "dashboard/steer.html", context)
    try:
        done = _carry_out(found, order, hits, request.user.get_username())
    except (MoveRefused, BudgetExceeded, CanNotSteer) as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        kept_figures.forget_figures(batch_figures_of, project=project)
        kept_figures.forget_figures(count_short, str(pk), project=project)
        told = f"{DONE[order.action]}: {done:,} HIT{'' if done == 1 else 's'}."
        messages.success(request, f"{told} The marketplace is being told.")
    return redirect("dashboard:batch", slug=project.slug, pk=pk)


def _meant(found: Batch, given: dict[str, Any]) -> HitQuerySet | None:
    """None: the whole batch. Else those picked or, where none is, all that the filter shows."""
    if given["scope"] == "batch":
        return None
    if given["hit"]:
        return hits_of(found).filter(pk__in=given["hit"])
    return filtered_hits(found, given["state"])


def _carry_out(found: Batch, order: Any, hits: HitQuerySet | None, actor: str) -> int:
    # As numbers: what the filter shows changes while the order is carried out.
    chosen = None
    if hits is not None:
        chosen = Hit.objects.filter(pk__in=list(hits.values_list("pk", flat=True)))
    with transaction.atomic():
        done = carry_out(batch=found, order=order, hits=chosen, actor=actor, now=timezone.now())
        # Robust: with the broker away the rows stand, and the sweep tells the marketplace later.
        transaction.on_commit(create_pending_hits.delay, robust=True)
    return done


@transaction.atomic
def _set_terms(found: Batch, form: TermsForm, actor: str) -> None:
    now, given = timezone.now(), form.cleaned_data
    limit_reoffers(batch=found, limit=given["reoffer_limit"], actor=actor, now=now)
    if "keep_open" in given:
        keep_open(batch=found, count=given["keep_open"], actor=actor, now=now)
    if form.cap_cents() is not None or found.budget is not None:
        cap_batch(batch=found, cap_cents=form.cap_cents())
