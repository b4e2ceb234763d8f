"""Pages that show a project's costs and ledger."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from crowd.domain.hits.queries import LedgerFilter, ledger_of, sums_of
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry
from datasets.domain.costs.cost_distribution import distribution_chart
from datasets.domain.costs.cost_figures import cost_figures_of
from datasets.domain.costs.cost_over_time import cost_chart
from datasets.forms.costs import LedgerFilterForm
from projects.charts import chart_response
from projects.domain.cached_figures import figures_of
from projects.enums import Role
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import STAFF, project_page
from projects.worker_names import named_link
from schemes.contract.values import Noun
from web.downloads import csv_download
from web.lists import Column, Empty, Listing, money_column, time_column

ENTRIES = Noun("entry", "entries")


@require_GET
@project_page(STAFF)
def costs(request: HttpRequest, project: Project) -> HttpResponse:
    cached = figures_of(cost_figures_of, project=project)
    context = {"budget": project.budget, "cached": cached, "figures": cached.value}
    fragment = "datasets/fragments/costs.html"
    return render_page(request, project, "datasets/costs.html", context, fragment=fragment)


@require_GET
@project_page(STAFF)
def cost_per_item(request: HttpRequest, project: Project) -> HttpResponseBase:
    figures = figures_of(cost_figures_of, project=project)
    shown = distribution_chart(figures.value.distribution, counted_at=figures.counted_at)
    return chart_response(request, project, shown)


@require_GET
@project_page(STAFF)
def cost_over_time(request: HttpRequest, project: Project) -> HttpResponseBase:
    return chart_response(request, project, cost_chart(project=project))


@require_GET
@project_page(STAFF)
def ledger(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = LedgerFilterForm(request.GET)
    criteria = form.wanted()
    entries = ledger_of(budget=project.budget, wanted=criteria)
    # Cached sums exist for the whole ledger. They also cover a filter by kind.
    cached = figures_of(ledger_sums, project=project) if criteria.is_whole else None
    sums = cached.value if cached else sums_of(entries=entries)
    listing = Listing(
        request=request,
        name="ledger",
        rows=entries,
        columns=_columns(project),
        count=ENTRIES.count,
        is_filtered=any(form.cleaned_data.values()),
        download=reverse("datasets:ledger_csv", args=[project.slug]),
        empty=Empty(
            "No transactions yet",
            "Publishing items reserves money and creates the first entries.",
            reverse("annotation:publish", args=[project.slug]),
            "Publish items",
        ),
    )
    context = {
        "form": form,
        "sums": [
            {"name": kind.label, "cents": sums.get(kind, 0) if criteria.kind in ("", kind) else 0}
            for kind in LedgerKind
        ],
    }
    fragment = "datasets/fragments/ledger.html"
    return render_list(
        request, project, "datasets/ledger.html", listing, context, fragment=fragment
    )


def _columns(project: Project) -> list[Column]:
    def purpose(entry: LedgerEntry) -> str:
        if entry.kind == LedgerKind.MODEL:
            return "annotations by a model"
        role = Role(entry.role).label if entry.role else ""
        kind = entry.payment.get_kind_display() if entry.payment else ""
        return f"{role} {kind}".strip()

    def pseudonym(entry: LedgerEntry) -> str:
        return entry.payment.assignment.worker.pseudonym if entry.payment else ""

    def worker_link(entry: LedgerEntry) -> str:
        if not (name := pseudonym(entry)):
            return "–"
        url = reverse("qualification:worker", args=[project.slug, name])
        worker = entry.payment.assignment.worker_id if entry.payment else 0
        return named_link(url, name, project=project, worker_id=worker)

    return [
        time_column("Date", lambda entry: entry.at, order="pk"),
        Column(
            "Type",
            lambda entry: entry.get_kind_display(),
            about="Publishing reserves money. An approval settles a part, and the rest is released.",
        ),
        Column("For", purpose),
        Column("Worker", pseudonym, worker_link),
        money_column(
            "Amount",
            lambda entry: entry.amount_cents,
            about="Paid to the worker, or charged for the answers of a model.",
        ),
        money_column("Fee", lambda entry: entry.fee_cents, about="The fee of the crowd provider."),
    ]


def ledger_sums(*, project: Project) -> dict[str, int]:
    """Return the sums of the project's whole ledger."""
    return sums_of(entries=ledger_of(budget=project.budget, wanted=LedgerFilter()))


CSV_COLUMNS = (
    "at", "kind", "role", "worker", "to_worker_dollars", "fee_dollars", "hit", "payment", "key",
)  # fmt: skip


@require_GET
@project_page(STAFF)
def ledger_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    entries = ledger_of(budget=project.budget, wanted=LedgerFilterForm(request.GET).wanted())
    name = f"{project.slug}-ledger-{timezone.now():%Y-%m-%d}.csv"
    return csv_download(name, CSV_COLUMNS, map(_csv_row, entries.iterator(chunk_size=2000)))


def _csv_row(entry: LedgerEntry) -> tuple[str, ...]:
    payment = entry.payment
    return (
        entry.at.isoformat(),
        entry.kind,
        entry.role,
        payment.assignment.worker.pseudonym if payment else "",
        f"{entry.amount_cents / 100:.2f}",
        f"{entry.fee_cents / 100:.2f}",
        (entry.hit.external_id or "") if entry.hit else "",
        payment.kind if payment else "",
        entry.key,
    )
