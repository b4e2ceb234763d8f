"""What the sweeps have before them, and what the marketplace refused."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.models import Project
from crowd.domain.queries import PendingWork, pending_work, troubles_of
from crowd.enums import GrantState, HitState, MessageState, PaymentState
from dashboard.pages import render_page
from dashboard.permissions import project_page


@require_GET
@project_page
def jobs(request: HttpRequest, project: Project) -> HttpResponse:
    prefix = f"{project.slug}-"
    work = pending_work(budget=project.budget, qualification_prefix=prefix)
    context = {
        "rows": _rows(work),
        "troubles": troubles_of(budget=project.budget, qualification_prefix=prefix),
        "now": timezone.now(),
    }
    return render_page(
        request, project, "dashboard/jobs.html", context, fragment="dashboard/fragments/jobs.html"
    )


def _rows(work: PendingWork) -> list[dict[str, object]]:
    """What is not finished: (what, how it stands, how many, cents)."""
    rows: list[dict[str, object]] = [
        {"what": "HITs", "state": HitState(state).label, "count": count}
        for state, count in work.hits.items()
        if state in (HitState.PENDING, HitState.FAILED)
    ]
    rows += [
        {
            "what": "payments",
            "state": PaymentState(state).label,
            "count": count,
            "cents": work.payment_cents[state],
        }
        for state, count in work.payments.items()
        if state != PaymentState.CONFIRMED
    ]
    rows += [
        {"what": "rejections", "state": "to be sent", "count": work.rejections},
        {"what": "assignments", "state": "to be recorded", "count": work.unrecorded},
    ]
    rows += [
        {"what": "qualifications", "state": GrantState(state).label, "count": count}
        for state, count in work.grants.items()
        if state in (GrantState.PENDING, GrantState.REVOKING)
    ]
    rows += [
        {"what": "messages", "state": MessageState(state).label, "count": count}
        for state, count in work.messages.items()
        if state != MessageState.SENT
    ]
    return [row for row in rows if row["count"]]
