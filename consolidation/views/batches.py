"""Pages that list a project's batches and manage a batch or some of its HITs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.corpus.item_context import headline_of
from annotation.domain.decisions.changed_figures import forget_batches
from annotation.domain.publishing.batch_actions import hits_of, set_terms
from annotation.domain.publishing.batch_figures import (
    HIT_FILTERS,
    BatchFigures,
    batch_figures_of,
    batches_of,
    displayed_state,
    figures_of_batches,
    tasks_of,
)
from annotation.domain.publishing.forecast import forecast_costs, total_of
from annotation.domain.publishing.publish import cost_of
from annotation.domain.publishing.publish_rest import has_stopped, published_count, rest_of
from annotation.enums import BatchPhase
from annotation.forms import TermsForm
from annotation.models import Batch, Item
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.cases.manage_batch import (
    Order,
    affected,
    apply_action,
    count_short,
    most_cents,
    nothing_to,
    short_hits,
)
from consolidation.enums import Action
from consolidation.forms import (
    HIT_STATES,
    BatchActionForm,
    BatchFilterForm,
    HitFilterForm,
    ManyBatchesForm,
)
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.domain.money.ledger import BudgetExceededError, CapTooLowError
from crowd.models import Hit, HitQuerySet
from crowd.tasks import publish_hits, send_hit_changes
from projects.definitions import DEFINITIONS
from projects.domain.cached_figures import Figures, figures_of, forget_figures
from projects.enums import Role
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import STAFF, project_page
from projects.protocols import TERMS
from schemes.contract.values import Noun
from web.badges import badge, badge_of, state_badge
from web.lists import Column, Empty, Listing, link, money_column, number_column, time_column
from web.states import State, Tone

BATCHES = Noun("batch", "batches")

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
def batches(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = BatchFilterForm(request.GET)
    criteria = form.wanted()
    cached, selects = _current_figures(project), "select" in request.GET
    forecasts = figures_of(forecast_costs, project=project).value
    listing = Listing(
        request=request,
        name="batches",
        rows=batches_of(project=project, **criteria),
        columns=_columns(project, cached.value),
        count=BATCHES.count,
        order=("-number",),
        load=_with_steps,
        is_filtered=any(criteria.values()),
        counted_at=cached.counted_at,
        # A refresh would clear the selection.
        refresh=0 if selects else 5,
        bulk="consolidation/fragments/batch_actions.html" if selects else "",
        note="“Pending review” and “Accepted” count submitted assignments.",
        empty=Empty(
            "No batches yet",
            "Publish items to create the first batch.",
            reverse("annotation:publish", args=[project.slug]),
            "Publish items",
        ),
    )
    context = {
        "form": form,
        "forecasts": forecasts,
        "forecast": total_of(forecasts),
        "selects": selects,
    }
    return render_list(request, project, "consolidation/batches.html", listing, context)


@dataclass(frozen=True, slots=True)
class BatchRow:
    batch: Batch
    step: str


def _with_steps(batches: list[Batch]) -> list[BatchRow]:
    steps = steps_of(batches)
    return [BatchRow(batch, steps[batch.pk]) for batch in batches]


def _columns(project: Project, figures: dict[int, BatchFigures]) -> list[Column]:
    def count(heading: str, name: str, about: str = "") -> Column:
        rank = partial(_figure, figures, name)
        return number_column(heading, lambda row: rank(row.batch.pk), order=rank, about=about)

    def money(heading: str, name: str, about: str) -> Column:
        rank = partial(_figure, figures, name)
        return money_column(heading, lambda row: rank(row.batch.pk), order=rank, about=about)

    def state(row: BatchRow) -> State:
        return displayed_state(row.batch, figures[row.batch.pk])

    return [
        Column(
            "Batch",
            lambda row: row.batch.name,
            lambda row: _batch_link(project, row.batch),
            order="number",
        ),
        Column("Step", lambda row: row.step),
        Column(
            "State",
            lambda row: state(row).label,
            lambda row: state_badge(state(row)),
            order="state",
        ),
        count(f"{capfirst(project.hit_noun)}s", "hits"),
        count("Open", "open"),
        count("Expired", "expired", "Ended before all of their assignments were done."),
        count("Pending review", "submitted"),
        count("Accepted", "accepted"),
        count("24\N{NO-BREAK SPACE}h", "paced", "Assignments submitted in the last 24 hours."),
        money("Spent", "spent_cents", DEFINITIONS["spent"].text),
        money("Reserved", "reserved_cents", DEFINITIONS["reserved"].text),
        money_column(
            "Available",
            lambda row: row.batch.budget.left_cents if row.batch.budget else None,
            none="no limit",
            about="The batch's own budget limit minus what is spent and reserved.",
        ),
        time_column("Published", lambda row: row.batch.created_at, order="created_at"),
    ]


def _figure(figures: dict[int, BatchFigures], name: str, pk: int) -> int:
    value: int = getattr(figures[pk], name)
    return value


def _batch_link(project: Project, batch: Batch) -> SafeString:
    url = reverse("consolidation:batch", args=[project.slug, batch.pk])
    name = link(url, batch.name.replace(" ", "\N{NO-BREAK SPACE}"))
    problem = batch.problem or batch.republish_problem
    if not problem:
        return name
    return format_html(
        '{} <span class="batch__problem">{} {}</span>',
        name,
        badge("failed", Tone.DANGER, "problem"),
        problem,
    )


def _current_figures(project: Project) -> Figures:
    """Return cached figures of all batches, with fresh figures of newer batches."""
    cached = figures_of(batch_figures_of, project=project)
    new = set(project.batches.values_list("pk", flat=True)) - cached.value.keys()
    newer = project.batches.filter(pk__in=new)
    added = figures_of_batches(batches=newer, now=timezone.now()) if new else {}
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
            terms = form.cleaned_data
            set_terms(
                batch=batch,
                wanted={"cap_cents": terms["cap"], **terms},
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except CapTooLowError as error:
            form.add_error("cap", str(error))
        else:
            forget_batches(project=project)
            messages.success(request, "The batch's terms were changed.")
            return redirect("consolidation:batch", slug=project.slug, pk=pk)
    return _page(request, project, _batch(project, pk), form, status=422)


def _batch(project: Project, pk: int) -> Batch:
    related = project.batches.select_related("budget", "project__budget", "publication")
    return get_object_or_404(related, pk=pk)


def _terms_form(batch: Batch, data: Any = None) -> TermsForm:
    initial = {
        "keep_open": batch.keep_open,
        "republish_limit": batch.republish_limit,
        "cap": batch.budget.cap_cents if batch.budget else None,
    }
    return TermsForm(data, initial=initial, can_top_up=batch.can_top_up)


def _page(
    request: HttpRequest,
    project: Project,
    batch: Batch,
    form: TermsForm,
    *,
    status: int = 200,
) -> HttpResponseBase:
    now, cached = timezone.now(), _current_figures(project)
    figures = cached.value[batch.pk]
    shown_state = displayed_state(batch, figures)
    short = figures_of(count_short, str(batch.pk), project=project).value
    filter_form = HitFilterForm(request.GET)
    state = filter_form.wanted()
    shown = filtered_hits(batch, state)
    tasks = tasks_of(batch=batch)
    if state:
        tasks = tasks.filter(hit__in=shown.values("pk"))
    listing = Listing(
        request=request,
        name=f"{project.hit_noun}s",
        rows=tasks,
        columns=_hit_columns(project),
        count=project.hits_noun.count,
        order=("pk",),
        is_filtered=bool(state),
        bulk="consolidation/fragments/hit_actions.html",
        bulk_name="hit",
        selects_all=True,
        bulk_id=lambda task: task.hit_id,
        empty=Empty(f"No {project.hit_noun}s", "Nothing has been published in this batch yet."),
    )
    published = published_count(batch) if batch.to_publish is not None else None
    context = {
        "batch": batch,
        "step": steps_of([batch])[batch.pk],
        "approval_hours": batch.auto_approval_seconds / 3600,
        "figures": figures,
        "published": published,
        "rest": rest_of(batch),
        "has_stopped": has_stopped(batch),
        "shown_state": state_badge(shown_state),
        "is_finished": shown_state == BatchPhase.FINISHED
        and not short
        and batch.to_publish is None,
        "cached": cached,
        "short": short,
        "form": filter_form,
        "terms": form,
        "state": state,
        "matching": shown.count() if state else cached.value[batch.pk].hits,
        "actions": Action,
        "now": now,
    }
    if request.GET.get("part") == "standing":
        fragment = "consolidation/fragments/batch.html"
        return render_page(request, project, "consolidation/batch.html", context, fragment=fragment)
    return render_list(
        request, project, "consolidation/batch.html", listing, context, status=status
    )


def _hit_columns(project: Project) -> list[Column]:
    def items(task: Any) -> list[Item]:
        return [task_item.item for task_item in task.task_items.all()]

    def links(task: Any) -> SafeString:
        shown = format_html_join(
            " ",
            '<a href="{}">{}</a>',
            (
                (
                    reverse("consolidation:item", args=[project.slug, item.pk]),
                    headline_of(item, project),
                )
                for item in items(task)
            ),
        )
        if not task.hit.error:
            return shown
        return format_html('{} <span class="batch__problem">{}</span>', shown, task.hit.error)

    def state(task: Any) -> SafeString:
        return badge("paused", Tone.WAITING) if task.hit.paused_at else badge_of(task.hit)

    return [
        Column(
            "Items",
            lambda task: "; ".join(headline_of(item, project) for item in items(task)),
            links,
        ),
        Column("State", lambda task: strip_tags(state(task)), state, order="hit__state"),
        Column(
            "Submitted",
            lambda task: task.done,
            lambda task: f"{task.done} of {task.hit.increase_to or task.hit.max_assignments}",
            about="Submitted assignments, of those published.",
            is_number=True,
        ),
        number_column("Accepted", lambda task: task.accepted),
        number_column("Rejected", lambda task: task.rejected),
        time_column("Ends", lambda task: task.hit.expires_at, order="hit__expires_at"),
    ]


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
        messages.error(request, f"Nothing was changed: {nothing_to(order.action, batch.project)}")
        return redirect("consolidation:batch", slug=project.slug, pk=pk)
    if "confirmed" not in request.POST or form.cleaned_data["seen"] != count:
        # A double click ends here, because the first request changed the number of affected HITs.
        cents = most_cents(batch=batch, order=order, hits=changed, now=now)
        rest = rest_of(batch) if hits is None and order.action is Action.RESUME else 0
        context = {
            "batch": batch,
            "order": order,
            "given": form.cleaned_data,
            "count": count,
            "whole": hits is None,
            "all_matching": form.cleaned_data["all"],
            "rest": rest,
            "cents": cents + cost_of(batch, rest),
            "state_label": dict(HIT_STATES)[form.cleaned_data["state"]],
        }
        return render_page(request, project, "consolidation/manage_batch.html", context)
    try:
        done = _carry_out(batch, order, hits, request.user.get_username())
    except (TransitionNotAllowedError, BudgetExceededError, HitChangeError) as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        forget_batches(project=project)
        forget_figures(count_short, str(pk), project=project)
        message = f"{DONE[order.action]}: {project.hits_noun.count(done)}."
        if order.action is Action.RESUME and batch.to_publish is not None:
            message = "The other items are being published."
        messages.success(
            request, f"{message} {capfirst(project.crowd_name)} will be updated shortly."
        )
    return redirect("consolidation:batch", slug=project.slug, pk=pk)


@require_POST
@project_page(STAFF)
def manage_batches(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Confirm an action on the selected batches with the number of affected HITs, then carry it out."""
    form, now = ManyBatchesForm(request.POST), timezone.now()
    if not form.is_valid():
        errors = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, f"Nothing was changed: {' '.join(errors)}")
        return redirect("consolidation:batches", slug=project.slug)
    order = Order(Action(form.cleaned_data["action"]))
    chosen = list(project.batches.filter(pk__in=form.cleaned_data["row"]).order_by("number"))
    changed = [affected(batch=batch, action=order.action, hits=None, now=now) for batch in chosen]
    count = sum(hits.count() for hits in changed)
    if "confirmed" not in request.POST or form.cleaned_data["seen"] != count:
        context = {
            "batches": chosen,
            "order": order,
            "counted": BATCHES.count(len(chosen)),
            "hits": project.hits_noun.count(count),
            "count": count,
        }
        return render_page(request, project, "consolidation/manage_batches.html", context)
    done = 0
    for batch in chosen:
        try:
            _carry_out(batch, order, None, request.user.get_username())
        except (TransitionNotAllowedError, HitChangeError) as error:
            messages.error(request, f"Not changed, {batch.name}: {error}")
        else:
            done += 1
    if done:
        forget_batches(project=project)
        message = f"{DONE[order.action]}: {BATCHES.count(done)}."
        messages.success(
            request, f"{message} {capfirst(project.crowd_name)} will be updated shortly."
        )
    return redirect("consolidation:batches", slug=project.slug)


def _selected_hits(batch: Batch, selection: dict[str, Any]) -> HitQuerySet | None:
    """Return the selected HITs, or all that match the filter. None means the whole batch."""
    if selection["scope"] == "batch":
        return None
    if not selection["all"]:
        return hits_of(batch).filter(pk__in=selection["hit"])
    return filtered_hits(batch, selection["state"])


def _carry_out(batch: Batch, order: Order, hits: HitQuerySet | None, actor: str) -> int:
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
