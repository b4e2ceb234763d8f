"""The page of a round's workers, and decisions on several of them."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from audit.domain.change_state import TransitionNotAllowedError
from projects.models import Project
from projects.pages import render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.decide import Verdict, decide_all
from qualification.domain.queries import overview_rows, rounds_of, sorts_of
from qualification.forms import VERDICTS, DecideForm, OverviewFilterForm
from schemes.base import Scheme
from schemes.registry import get_scheme


@require_GET
@project_page(CAN_SEE_WORKERS)
def desk(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    form = OverviewFilterForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    sort = request.GET.get("sort", "")
    rows = overview_rows(
        round=round, state=filters.get("state", ""), text=filters.get("text", ""), sort=sort
    )
    scheme = get_scheme(project.scheme)
    context = {
        "round": round,
        "scheme": scheme,
        "rows": rows,
        "form": form,
        "filtered": any(filters.values()),
        "columns": _columns(request, scheme, sort),
        "sort": sort,
        "verdicts": VERDICTS,
        "replies": [row for row in rows if row.feedback and row.feedback.replied_at],
        "changed": [row for row in rows if row.changed_side is not None],
    }
    return render_page(request, project, "qualification/round.html", context)


def _columns(request: HttpRequest, scheme: Scheme, sort: str) -> list[dict[str, str]]:
    """Return the sortable columns. The query of the sorted column reverses the order."""
    explanations = {figure.key: figure.explanation for figure in scheme.comparison.figures}
    parameters = {name: value for name, value in request.GET.items() if name != "sort" and value}
    return [
        {
            "name": name,
            "title": title,
            "explanation": explanations.get(name, ""),
            "query": urlencode({**parameters, "sort": f"-{name}" if sort == name else name}),
            "order": {name: "ascending", f"-{name}": "descending"}.get(sort, ""),
            "number": "" if name in ("worker", "state") else "number",
        }
        for name, title in sorts_of(scheme).items()
    ]


@require_POST
@project_page(CAN_SEE_WORKERS)
def decide(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    enrolments = {enrolment.pk: enrolment for enrolment in round.enrolments.all()}
    form = DecideForm(request.POST, choices=list(enrolments))
    back = redirect("qualification:round", slug=project.slug, pk=pk)
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"No decision was made. {problem}")
        return back
    try:
        moved = decide_all(
            enrolments=[enrolments[int(pk)] for pk in form.cleaned_data["enrolment"]],
            verdict=Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"No decision was made: {error}")
    else:
        messages.success(request, f"Decided on {moved} workers. Each receives a message.")
    return back
