"""What a project's work has cost, item by item and entry by entry."""

import csv
import io
import tempfile

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.queries import Cost, cost_by_role
from annotation.enums import Role
from annotation.models import Project
from annotation.permissions import project_page
from consolidation.domain.queries import finished_costs
from crowd.domain.queries import ledger_of, sums_of
from crowd.enums import LedgerKind
from crowd.models import LedgerEntry
from dashboard.cost_chart import Distribution, distribution_of, draw_distribution
from dashboard.forms import LedgerFilterForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of


def _distribution(costs: list[Cost]) -> Distribution:
    return distribution_of([one.total_cents for one in costs])


@require_GET
@project_page
def costs(request: HttpRequest, project: Project) -> HttpResponse:
    finished = finished_costs(project=project)
    by_role = cost_by_role(project=project)
    context = {
        "budget": project.budget,
        "distribution": _distribution(finished),
        "to_workers": sum(one.amount_cents for one in finished) / len(finished)
        if finished
        else None,
        "roles": [{"name": role.label, "cost": by_role[role]} for role in Role if role in by_role],
        "total": sum(by_role.values(), Cost()),
    }
    return render_page(request, project, "dashboard/costs.html", context)


@require_GET
@project_page
def cost_chart(request: HttpRequest, project: Project) -> HttpResponse:
    drawing = draw_distribution(_distribution(finished_costs(project=project)))
    response = HttpResponse(drawing, content_type="image/svg+xml")
    response["Cache-Control"] = "private, max-age=60"
    return response


@require_GET
@project_page
def ledger(request: HttpRequest, project: Project) -> HttpResponse:
    form = LedgerFilterForm(request.GET)
    entries = ledger_of(budget=project.budget, wanted=form.wanted())
    sums = sums_of(entries=entries)
    context = {
        "form": form,
        "filtered": any(form.cleaned_data.values()),
        "page": page_of(entries, cursor=request.GET.get("page", ""), by=("-pk",)),
        "sums": [{"name": kind.label, "cents": sums.get(kind, 0)} for kind in LedgerKind],
        "query": query_without_page(request),
    }
    return render_page(
        request,
        project,
        "dashboard/ledger.html",
        context,
        fragment="dashboard/fragments/ledger.html",
    )


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
