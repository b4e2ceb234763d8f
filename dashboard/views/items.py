"""The table of items, and one item with everything that happened to it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from annotation.domain.kept_figures import figures_of
from annotation.domain.queries import cost_of_entries, ledger_of_item, sections_of
from annotation.models import Item, Project
from annotation.permissions import project_page
from consolidation.domain.queries import (
    ItemFilter,
    ItemState,
    gold_of_item,
    history_of_item,
    items_of,
    state_of,
)
from dashboard.forms.items import ItemFilterForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of
from schemes.registry import get_scheme


@require_GET
@project_page
def items(request: HttpRequest, project: Project) -> HttpResponse:
    sections = figures_of(sections_of, project=project).value
    domains = sorted({domain for domain, _ in sections if domain})
    form = ItemFilterForm(request.GET, domains=domains)
    wanted = form.wanted()
    page = page_of(
        items_of(project=project, wanted=wanted),
        cursor=request.GET.get("page", ""),
        by=("position", "pk"),
    )
    scheme = get_scheme(project.scheme)
    rows = [
        {
            "item": one,
            "headline": scheme.headline(one.sentence.tokens, one.target),
            "state": _state(one),
        }
        for one in page.rows
    ]
    context = {
        "form": form,
        "filtered": any([wanted.state, wanted.domain, wanted.partition, wanted.text.strip()]),
        "page": page,
        "rows": rows,
        "query": query_without_page(request),
    }
    return render_page(
        request, project, "dashboard/items.html", context, fragment="dashboard/fragments/items.html"
    )


def _state(item: Item) -> ItemState:
    return state_of(offered=item.offered, case_state=item.case_state)  # type: ignore[attr-defined]


@require_GET
@project_page
def item(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    found = get_object_or_404(items_of(project=project, wanted=ItemFilter()), pk=pk)
    entries = list(ledger_of_item(item=found))
    context = {
        "item": found,
        "headline": get_scheme(project.scheme).headline(found.sentence.tokens, found.target),
        "state": _state(found),
        "submissions": found.submissions.select_related("worker", "author").order_by("pk"),
        "gold": gold_of_item(item=found),
        "history": history_of_item(item=found),
        "entries": entries,
        "cost": cost_of_entries(entries=entries),
    }
    return render_page(request, project, "dashboard/item.html", context)
