"""What the sweeps have before them, and what the marketplace refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import TextChoices
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.kept_figures import figures_of
from annotation.domain.qualification_codes import qualifications_of
from annotation.models import Project
from annotation.permissions import project_page
from crowd.domain.queries import PendingWork, pending_work, troubles_of
from crowd.enums import GrantState, HitState, MessageState, PaymentState
from dashboard.pages import render_page


@require_GET
@project_page
def jobs(request: HttpRequest, project: Project) -> HttpResponse:
    context = {
        "rows": _rows(figures_of(pending_of, project=project).value),
        "troubles": troubles_of(budget=project.budget, qualifications=qualifications_of(project)),
        "now": timezone.now(),
    }
    return render_page(
        request, project, "dashboard/jobs.html", context, fragment="dashboard/fragments/jobs.html"
    )


def pending_of(*, project: Project) -> PendingWork:
    return pending_work(budget=project.budget, qualifications=qualifications_of(project))


@dataclass(frozen=True, slots=True)
class Row:
    """Rows of one kind that are not finished, and what they are worth where they are money."""

    what: str
    state: str
    count: int
    cents: int | None = None


def _rows(work: PendingWork) -> list[Row]:
    hits = (HitState.PENDING, HitState.FAILED)
    grants = (GrantState.PENDING, GrantState.REVOKING, GrantState.FAILED)
    messages = (MessageState.PENDING, MessageState.FAILED)
    rows = [
        *_in(hits, "HITs", work.hits),
        *(
            Row("payments", state.label, work.payments[state], work.payment_cents[state])
            for state in PaymentState
            if state in work.payments
        ),
        Row("rejections", "to be sent", work.rejections),
        Row("assignments", "to be recorded", work.unrecorded),
        *_in(grants, "qualifications", work.grants),
        *_in(messages, "messages", work.messages),
    ]
    return [row for row in rows if row.count]


def _in(states: Iterable[TextChoices], what: str, counts: Mapping[str, int]) -> list[Row]:
    return [Row(what, str(state.label), counts.get(state, 0)) for state in states]
