"""The page of a round's workers, and decisions on several of them."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from audit.domain.change_state import TransitionNotAllowedError
from projects.models import Project
from projects.pages import ask_first, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.decide import Verdict, decide_all
from qualification.domain.queries import overview_rows, rounds_of, sorts_of
from qualification.forms import VERDICTS, DecideForm, OverviewFilterForm
from qualification.models import Enrolment, Round
from schemes.base import Noun, Scheme
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
    enrolments = {
        enrolment.pk: enrolment for enrolment in round.enrolments.select_related("worker")
    }
    form = DecideForm(request.POST, choices=list(enrolments))
    back = redirect("qualification:round", slug=project.slug, pk=pk)
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"No decision was made. {problem}")
        return back

    chosen = [enrolments[int(pk)] for pk in form.cleaned_data["enrolment"]]
    verdict = Verdict(form.cleaned_data["verdict"])
    if confirmation := _ask_first(request, round, chosen, verdict):
        return confirmation
    try:
        moved = decide_all(
            enrolments=chosen,
            verdict=verdict,
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"No decision was made: {error}")
    else:
        messages.success(request, f"Decided on {moved} workers. Each receives a message.")
    return back


_OUTCOMES = {
    Verdict.PASS: "They receive the qualifications that the round opens, and a message.",
    Verdict.REPEAT: "Their work in the round is set aside. They receive a message.",
    Verdict.DECLINE: "Their qualifications for the round are withdrawn. They receive a message.",
    Verdict.WITHDRAW: "Their qualifications for the round are withdrawn. No message is sent.",
}


def _ask_first(
    request: HttpRequest, round: Round, chosen: list[Enrolment], verdict: Verdict
) -> HttpResponse | None:
    """Return a page that names the workers and the outcome, or None if it is confirmed."""
    count, title = Noun("worker", "workers").count(len(chosen)), dict(VERDICTS)[verdict]
    names = ", ".join(sorted(enrolment.worker.pseudonym for enrolment in chosen))
    return ask_first(
        request,
        round.project,
        title=f"{title}: {count} of {round.title}?",
        consequences=[f"{names}.", _OUTCOMES[verdict]],
        button=f"{title}: {count}",
        back=reverse("qualification:round", args=[round.project.slug, round.pk]),
        spends=verdict in (Verdict.PASS, Verdict.REPEAT),
    )
