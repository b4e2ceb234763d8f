"""The trainer's desk: the workers of a round as a table, and decisions on many of them at once."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Project
from annotation.permissions import pages_open_to, project_page
from audit.domain.change_state import MoveRefused
from qualification.domain.decide import Verdict, decide_all
from qualification.domain.queries import SORTS, desk_rows, rounds_of
from qualification.forms import VERDICTS, DecideForm, DeskFilterForm


@require_GET
@project_page
def desk(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    one = get_object_or_404(rounds_of(project=project), pk=pk)
    form = DeskFilterForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    sort = request.GET.get("sort", "")
    rows = desk_rows(one=one, state=wanted.get("state", ""), text=wanted.get("text", ""), sort=sort)
    context = {
        "project": project,
        "may": pages_open_to(request.user, project),
        "round": one,
        "rows": rows,
        "form": form,
        "filtered": any(wanted.values()),
        "columns": _columns(request, sort),
        "sort": sort,
        "verdicts": VERDICTS,
        "questions": [row for row in rows if row.feedback and row.feedback.asked_at],
        "changed": [row for row in rows if row.changed_side is not None],
    }
    return render(request, "qualification/round.html", context)


def _columns(request: HttpRequest, sort: str) -> list[dict[str, str]]:
    """Each sortable column with the address that sorts by it: a second time, the other way round."""
    kept = {name: value for name, value in request.GET.items() if name != "sort" and value}
    return [
        {
            "name": name,
            "title": title,
            "query": urlencode({**kept, "sort": f"-{name}" if sort == name else name}),
            "order": {name: "ascending", f"-{name}": "descending"}.get(sort, ""),
            "number": "" if name in ("worker", "state") else "number",
        }
        for name, title in SORTS.items()
    ]


@require_POST
@project_page
def decide(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    one = get_object_or_404(rounds_of(project=project), pk=pk)
    enrolments = {each.pk: each for each in one.enrolments.all()}
    form = DecideForm(request.POST, choices=list(enrolments))
    back = redirect("qualification:round", slug=project.slug, pk=pk)
    if not form.is_valid():
        told = " ".join(str(each) for errors in form.errors.values() for each in errors)
        messages.error(request, f"Nothing was decided: {told}")
        return back
    try:
        moved = decide_all(
            enrolments=[enrolments[int(each)] for each in form.cleaned_data["enrolment"]],
            verdict=Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except MoveRefused as error:
        messages.error(request, f"Nothing was decided: {error}")
    else:
        messages.success(request, f"Decided on {moved} workers. They are told by a message.")
    return back
