"""What a project's work has cost, item by item and entry by entry."""

import csv
import io
import tempfile

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.kept_figures import figures_of
from annotation.models import Project
from annotation.permissions import project_page
from crowd.domain.queries import LedgerFilter, ledger_of, sums_of
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry
from dashboard.cost_chart import drawing_of
from dashboard.cost_figures import cost_figures_of
from dashboard.forms.costs import LedgerFilterForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of


@require_GET
@project_page
def costs(request: HttpRequest, project: Project) -> HttpResponse:
    kept = figures_of(cost_figures_of, project=project)
    context = {"budget": project.budget, "kept": kept, "figures": kept.value}
    return render_page(
        request,
        project,
        "dashboard/costs.html",
        context,
        fragment="dashboard/fragments/costs.html",
    )


@require_GET
@project_page
def cost_chart(request: HttpRequest, project: Project) -> HttpResponse:
    figures = figures_of(cost_figures_of, project=project).value
    response = HttpResponse(drawing_of(figures.distribution), content_type="image/svg+xml")
    response["Cache-Control"] = "private, max-age=60"
    return response


@require_GET
@project_page
def ledger(request: HttpRequest, project: Project) -> HttpResponse:
    form = LedgerFilterForm(request.GET)
    wanted = form.wanted()
    entries = ledger_of(budget=project.budget, wanted=wanted)
    # Of everything, the sums are kept: a look at a kind of entries needs one of them.
    kept = figures_of(ledger_sums, project=project) if wanted.is_whole else None
    sums = kept.value if kept else sums_of(entries=entries)
    context = {
        "form": form,
        "filtered": any(form.cleaned_data.values()),
        "page": page_of(entries, cursor=request.GET.get("page", ""), by=("-pk",)),
        "kept": kept,
        "sums": [
            {"name": kind.label, "cents": sums.get(kind, 0) if wanted.kind in ("", kind) else 0}
            for kind in LedgerKind
        ],
        "query": query_without_page(request),
    }
    return render_page(
        request,
        project,
        "dashboard/ledger.html",
        context,
        fragment="dashboard/fragments/ledger.html",
    )


def ledger_sums(*, project: Project) -> dict[str, int]:
    """`sums_of` the project's whole ledger."""
    return sums_of(entries=ledger_of(budget=project.budget, wanted=LedgerFilter()))


CSV_COLUMNS = (
    "at",
    "kind",
    "role",
    "worker",
    "to_worker_dollars",
    "fee_dollars",
    "hit",
    "payment",
    "key",
)


@require_GET
@project_page
def ledger_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = LedgerFilterForm(request.GET)
    entries = ledger_of(budget=project.budget, wanted=form.wanted())
    day = timezone.now().strftime("%Y-%m-%d")
    # Written out before the answer begins: what arrives is whole, and its length is known.
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(_csv_row, entries.iterator(chunk_size=2000)))
    text.detach()
    file.seek(0)
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"{project.slug}-ledger-{day}.csv",
        content_type="text/csv; charset=utf-8",
    )


def _csv_row(entry: LedgerEntry) -> tuple[str, ...]:
    payment = entry.payment
    return (
        entry.at.isoformat(),
        entry.kind,
        entry.hit.task.role if hasattr(entry.hit, "task") else "",
        payment.assignment.worker.pseudonym if payment else "",
        f"{entry.amount_cents / 100:.2f}",
        f"{entry.fee_cents / 100:.2f}",
        entry.hit.external_id or "",
        payment.kind if payment else "",
        entry.key,
    )
