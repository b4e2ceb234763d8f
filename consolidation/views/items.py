"""Pages that list items and show an item with its history."""

from collections.abc import Container
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import headline_of
from annotation.domain.publishing.queries import cost_of_entries, ledger_of_item, sections_of
from annotation.domain.publishing.withdraw_items import (
    WithdrawalError,
    restore_items,
    withdraw_items,
)
from annotation.models import Item
from consolidation.domain.cases.queries import (
    disputes_of_item,
    gold_of_item,
    history_of_item,
    items_of,
    state_of,
)
from consolidation.domain.cases.reopen_item import (
    ReopenError,
    annotate_again,
    can_reopen,
    plan_reopening,
    reopen_item,
)
from consolidation.domain.gold.current_gold import FIRST_CASES, newest_of
from consolidation.enums import ItemState
from consolidation.forms import ItemFilterForm, ReopenForm, WithdrawForm
from crowd.domain.money.ledger import BudgetExceededError
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from projects.pages import ask_first, render_list, render_page
from projects.permissions import CAN_SEE_WORKERS, MEMBERS, STAFF, pages_open_to, project_page
from schemes.contract.values import Noun
from web.badges import badge, state_badge
from web.lists import Column, Empty, Listing, link
from web.money import dollars
from web.states import Tone

ITEMS = Noun("item", "items")
QUEUE_ITEMS = "consolidation/fragments/item_actions.html"
SETTLED_STATES = (ItemState.CONSOLIDATED, ItemState.VALIDATED, ItemState.RESOLVED)


@require_GET
@project_page(MEMBERS)
def items(request: HttpRequest, project: Project) -> HttpResponseBase:
    sections = figures_of(sections_of, project=project).value
    domains = sorted({domain for domain, _ in sections if domain})
    has_skips = bool(scheme_of(project).content.skip_field)
    form = ItemFilterForm(request.GET, domains=domains, has_skips=has_skips)
    criteria = form.wanted()
    may = pages_open_to(request.user, project)
    listing = Listing(
        request=request,
        name="items",
        rows=items_of(project=project, **criteria),
        columns=_columns(project, may),
        count=ITEMS.count,
        order=("position",),
        reads_once=bool(criteria.get("text")),
        unfiltered=items_of(project=project),
        is_filtered=any(criteria.values()),
        bulk=QUEUE_ITEMS if "consolidation:choose_queue_items" in may else "",
        empty=Empty(
            "No items yet",
            "Items appear here after you import a corpus.",
            *_import_link(project, may),
        ),
    )
    return render_list(request, project, "consolidation/items.html", listing, {"form": form})


def _columns(project: Project, may: Container[str]) -> list[Column]:
    def headline(item: Item) -> str:
        return headline_of(item, project)

    def item_link(item: Item) -> str:
        shown = format_html('<bdi lang="{}">{}</bdi>', project.language, headline(item))
        if "consolidation:item" not in may:
            return shown
        return link(reverse("consolidation:item", args=[project.slug, item.pk]), shown)

    return [
        Column("Item", headline, item_link),
        Column("Key", lambda item: item.key, order="key"),
        Column("State", lambda item: state_of(item).label, _state_badges),
        Column(
            "Accepted",
            lambda item: item.generations,
            _accepted,
            about="Accepted annotations, of those wanted for each item.",
            is_number=True,
        ),
        Column("Domain", lambda item: item.sentence.domain),
        Column("Partition", lambda item: item.sentence.partition),
    ]


def _state_badges(item: Any) -> SafeString:
    state = state_of(item)
    if item.golds and state not in SETTLED_STATES:
        gold = badge("gold", Tone.SUCCESS, "has gold")
        return format_html("{} {}", state_badge(state), gold)
    return state_badge(state)


def _accepted(item: Any) -> str:
    if not item.in_production:
        return str(item.generations)
    return f"{item.generations} of {item.wanted}" if item.offered else "–"


def _import_link(project: Project, may: Container[str]) -> tuple[str, str]:
    if "annotation:corpus" not in may:
        return "", ""
    return reverse("annotation:corpus", args=[project.slug]), "Import a corpus"


@require_GET
@project_page(CAN_SEE_WORKERS)
def item(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    return _item_page(request, project, pk, WithdrawForm())


@require_POST
@project_page(STAFF)
def withdraw(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    form = WithdrawForm(request.POST)
    item = get_object_or_404(project.items, pk=pk)
    if not form.is_valid():
        return _item_page(request, project, pk, form, status=422)
    items = project.items.filter(pk=pk)
    if form.cleaned_data["whole_sentence"]:
        items = project.items.filter(sentence=item.sentence_id)
    try:
        count = withdraw_items(
            items=items,
            reason=form.cleaned_data["reason"],
            actor=str(request.user),
            now=timezone.now(),
        )
    except WithdrawalError as error:
        form.add_error(None, str(error))
        return _item_page(request, project, pk, form, status=422)
    withdrawn = "The item was withdrawn." if count == 1 else f"{count} items were withdrawn."
    messages.success(request, f"{withdrawn} Their {project.hit_noun}s are being ended.")
    return redirect("consolidation:item", project.slug, pk)


@require_POST
@project_page(STAFF)
def restore(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    item = get_object_or_404(project.items, pk=pk)
    items = project.items.filter(pk=pk)
    if "whole_sentence" in request.POST:
        items = project.items.filter(sentence=item.sentence_id)
    count = restore_items(items=items, actor=str(request.user), now=timezone.now())
    if count == 1:
        messages.success(request, "The item was restored. Republish it if it lacks work.")
    elif count:
        messages.success(request, f"{count} items were restored. Republish those that lack work.")
    return redirect("consolidation:item", project.slug, pk)


@require_POST
@project_page(STAFF)
def reopen(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Have other workers decide a finished item again, after its cost was confirmed."""
    item = get_object_or_404(project.items.select_related("project__budget"), pk=pk)
    back = reverse("consolidation:item", args=[project.slug, pk])
    form = ReopenForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose what happens, and enter a reason.")
        return redirect(back)
    try:
        annotates = form.cleaned_data["kind"] == "annotate"
        plan = plan_reopening(item=item, now=timezone.now(), annotates=annotates)
        workers = f"{plan.workers} other {Role(plan.role).label}{'s' * (plan.workers > 1)}"
        if annotates:
            count, plural = plan.generators, "s" * (plan.generators > 1)
            workers = f"{count} other {Role.GENERATOR.label}{plural}, and then to {workers}"
        asked = ask_first(
            request,
            project,
            title=f"Reopen {item.key}?",
            consequences=[
                f"The item is published to {workers}. It costs up to {dollars(plan.cents)} with fees.",
                "The work that the present gold is based on stays paid.",
                "The present gold stays current until the new one is there. All versions are kept.",
            ],
            button=f"Reopen for up to {dollars(plan.cents)}",
            back=back,
            spends=True,
        )
        if asked:
            return asked
        reason = form.cleaned_data["reason"]
        open_again = annotate_again if annotates else reopen_item
        open_again(item=item, reason=reason, actor=str(request.user), now=timezone.now())
    except (ReopenError, BudgetExceededError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{item.key} is open again.")
    return redirect(back)


def _item_page(
    request: HttpRequest, project: Project, pk: int, form: WithdrawForm, status: int = 200
) -> HttpResponse:
    item = get_object_or_404(items_of(project=project), pk=pk)
    entries = list(ledger_of_item(item=item))
    context = {
        "item": item,
        "headline": headline_of(item, project),
        "state": state_of(item),
        "state_badges": _state_badges(item),
        "submissions": item.submissions.select_related("worker", "author").order_by("pk"),
        "gold": gold_of_item(item=item),
        "current": set(newest_of(item.gold.filter(FIRST_CASES)).values_list("pk", flat=True)),
        "reopen_form": ReopenForm() if can_reopen(item=item) else None,
        "disputes": disputes_of_item(item=item),
        "history": history_of_item(item=item),
        "entries": entries,
        "cost": cost_of_entries(entries=entries),
        "form": form,
    }
    return render_page(request, project, "consolidation/item.html", context, status=status)
