"""Pages that list items and show an item with its history."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.item_context import headline_of
from annotation.domain.queries import cost_of_entries, ledger_of_item, sections_of
from consolidation.domain.queries import (
    disputes_of_item,
    gold_of_item,
    history_of_item,
    items_of,
    state_of,
)
from consolidation.forms import ItemFilterForm
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import CAN_SEE_WORKERS, MEMBERS, project_page
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
    }
    return render_page(request, project, "consolidation/item.html", context)
