"""The project's cumulative cost over time, against its budget limit."""

from django.db.models import Sum

from annotation.domain.publishing.queries import settled_entries
from projects.charts import Column, PageChart
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.time_buckets import Bucket, aggregate_over_time
from web.charts import Axis, Chart, Series, Unit
from web.money import dollars

COLUMNS = (
    Column("period", "From (UTC)", Unit.TIME),
    Column("to_workers_cents", "To workers", Unit.DOLLARS),
    Column("fee_cents", "Fees", Unit.DOLLARS),
    Column("total_cents", "Total so far", Unit.DOLLARS),
)


def cost_chart(*, project: Project) -> PageChart:
    """Return the confirmed payments with fees, cumulated, with a line at the budget limit."""
    cached = figures_of(payments_over_time, project=project)
    total, rows = 0, []
    for bucket in cached.value:
        amount, fee = bucket.values
        total += amount + fee
        rows.append((bucket.start, amount, fee, total))
    limit = project.budget.cap_cents
    against = f" of a budget limit of {dollars(limit)}" if limit is not None else ""
    chart = Chart(
        "Cost so far",
        Axis("UTC", Unit.TIME),
        Axis("fees included", Unit.DOLLARS),
        [Series("Cost", [(row[0].timestamp(), float(row[3])) for row in rows])],
        levels={} if limit is None else {f"Budget limit {dollars(limit)}": float(limit)},
    )
    return PageChart(
        name="cost",
        title="Cost over time",
        description=f"{dollars(total)}{against} has been paid, fees included.",
        columns=COLUMNS,
        rows=rows,
        counted_at=cached.counted_at,
        chart=chart if rows else None,
        empty="The chart starts with the first payment.",
    )


def payments_over_time(*, project: Project) -> list[Bucket]:
    """Sum the confirmed payments by time."""
    entries = settled_entries(project=project)
    return aggregate_over_time(entries, "at", amount=Sum("amount_cents"), fee=Sum("fee_cents"))
