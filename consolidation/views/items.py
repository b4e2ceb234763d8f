"""Pages that list items and show an item with its history."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.item_context import headline_of
from annotation.domain.queries import cost_of_entries, ledger_of_item, sections_of
from annotation.domain.withdraw_items import WithdrawalError, restore_items, withdraw_items
from consolidation.domain.queries import (
    disputes_of_item,
    gold_of_item,
    history_of_item,
    items_of,
    state_of,
)
from consolidation.forms import ItemFilterForm, WithdrawForm
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import CAN_SEE_WORKERS, MEMBERS, STAFF, project_page
from web.paging import page_of


@require_GET
@project_page(MEMBERS)
def items(request: HttpRequest, project: Project) -> HttpResponse:
    sections = figures_of(sections_of, project=project).value
    domains = sorted({domain for domain, _ in sections if domain})
    form = ItemFilterForm(request.GET, domains=domains)
    criteria = form.wanted()
    page = page_of(
        items_of(project=project, **criteria),
        cursor=request.GET.get("page", ""),
        by=("position", "pk"),
    )
    rows = [
        {
            "item": item,
            "headline": headline_of(item, project),
            "state": state_of(item),
        }
        for item in page.rows
    ]
    context = {
        "form": form,
        "filtered": any(criteria.values()),
        "page": page,
        "rows": rows,
        "query": query_without_page(request),
    }
    return render_page(
        request,
        project,
        "consolidation/items.html",
        context,
        fragment="consolidation/fragments/items.html",
    )


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
    messages.success(request, f"{withdrawn} Their HITs are being ended.")
    return redirect("consolidation:item", project.slug, pk)


@require_POST
@project_page(STAFF)
def restore(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    get_object_or_404(project.items, pk=pk)
    items = project.items.filter(pk=pk)
    if restore_items(items=items, actor=str(request.user), now=timezone.now()):
        messages.success(request, "The item was restored. Republish it if it lacks work.")
    return redirect("consolidation:item", project.slug, pk)


def _item_page(
    request: HttpRequest, project: Project, pk: int, form: WithdrawForm, status: int = 200
) -> HttpResponse:
    item = get_object_or_404(items_of(project=project), pk=pk)
    entries = list(ledger_of_item(item=item))
    context = {
        "item": item,
        "headline": headline_of(item, project),
        "state": state_of(item),
        "submissions": item.submissions.select_related("worker", "author").order_by("pk"),
        "gold": gold_of_item(item=item),
        "disputes": disputes_of_item(item=item),
        "history": history_of_item(item=item),
        "entries": entries,
        "cost": cost_of_entries(entries=entries),
        "form": form,
    }
    return render_page(request, project, "consolidation/item.html", context, status=status)
