"""Pages on which members of teams enter their systems. They give no access to the project."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from benchmarks.domain.entries import (
    MAX_FILE_BYTES,
    REFUSED_FACTOR,
    NewEntry,
    left_for,
    next_day,
    submit_entry,
    withdraw_entry,
)
from benchmarks.domain.errors import EntryError, TeamError
from benchmarks.domain.queries import entries_of, phases_of, scoring_of, team_of
from benchmarks.domain.teams import join_team, register_team, withdraw_team
from benchmarks.enums import EntryState
from benchmarks.forms import EntryForm, TeamForm
from benchmarks.models import Benchmark, Entry, Team
from benchmarks.views.public import common as public_context
from benchmarks.views.public import find_benchmark, state_of
from projects.permissions import signed_in_page
from web.confirmations import confirmation

ENTRIES_SHOWN = 200
View = Callable[..., HttpResponseBase]


def _page(view: View) -> View:
    """Declare a page for signed-in users, which the benchmark is passed on to."""

    @signed_in_page
    @wraps(view)
    def shown(request: HttpRequest, slug: str, version: str, **kwargs: Any) -> HttpResponseBase:
        return view(request, find_benchmark(slug, version), **kwargs)

    return shown


def common(benchmark: Benchmark) -> dict[str, Any]:
    """Return the context of the pages without the project, whose menu is not for participants."""
    context = public_context(benchmark)
    del context["project"]
    return context


def _own_team(request: HttpRequest, benchmark: Benchmark) -> Team:
    """Return the user's team. Raise Http404 if the user has none."""
    team = team_of(benchmark=benchmark, user=request.user)
    if team is None:
        raise Http404
    return team


def _to_team(benchmark: Benchmark) -> HttpResponse:
    return redirect("benchmarks:benchmark_team", *common(benchmark)["at"])


@require_http_methods(["GET", "POST"])
@_page
def team(request: HttpRequest, benchmark: Benchmark) -> HttpResponseBase:
    """Show the user's team and entries, or register a team."""
    own = team_of(benchmark=benchmark, user=request.user)
    if own is not None:
        return (
            _team_page(request, benchmark, own) if request.method == "GET" else _to_team(benchmark)
        )
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        user: Any = request.user
        try:
            register_team(benchmark=benchmark, user=user, now=timezone.now(), **form.cleaned_data)
        except TeamError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The team is registered.")
            return _to_team(benchmark)
    context = {**common(benchmark), "form": form}
    status = 422 if form.errors else 200
    return render(request, "benchmarks/register.html", context, status=status)


def _team_page(
    request: HttpRequest,
    benchmark: Benchmark,
    own: Team,
    form: EntryForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    phases, scoring = phases_of(benchmark), scoring_of(benchmark)
    takes_part = own.withdrawn_at is None
    accepting = [phase for phase in phases if phase.is_open(now) and takes_part]
    entries = list(entries_of(own)[: ENTRIES_SHOWN + 1])
    join = reverse("benchmarks:join_team", args=[*common(benchmark)["at"], own.code])
    context = {
        **common(benchmark),
        "team": own,
        "members": own.members.select_related("user").order_by("pk"),
        "join": f"{settings.SITE_URL}{join}",
        "form": form or (EntryForm(scoring=scoring, phases=accepting) if accepting else None),
        "scoring": scoring,
        "phases": [(phase, state_of(phase, now)) for phase in phases],
        "left": [
            (phase, label, left_for(team=own, phase=phase, variant=variant, now=now))
            for phase in accepting
            for variant, label in (scoring.variants or {"": ""}).items()
        ],
        "next_day": next_day(now),
        "max_mib": MAX_FILE_BYTES >> 20,
        "refused_factor": REFUSED_FACTOR,
        "entries": [_shown(entry, now) for entry in entries[:ENTRIES_SHOWN]],
        "hidden": len(entries) > ENTRIES_SHOWN,
        "is_waiting": any(entry.state == EntryState.WAITING for entry in entries),
        "fragment": "benchmarks/fragments/entries.html",
    }
    is_fragment = bool(request.htmx) and request.method == "GET"  # type: ignore[attr-defined]
    template = context["fragment"] if is_fragment else "benchmarks/team.html"
    return render(request, template, context, status=status)


def _shown(entry: Entry, now: Any) -> dict[str, Any]:
    """Return what the team may see of its entry now."""
    is_revealed = entry.state == EntryState.SCORED and entry.phase.reveals_scores(now)
    figure = entry.figures.get(entry.phase.benchmark.ranked_by) if is_revealed else None
    return {"entry": entry, "figure": figure, "is_revealed": is_revealed}


@require_POST
@_page
def enter(request: HttpRequest, benchmark: Benchmark) -> HttpResponseBase:
    """Store predictions and queue their scoring."""
    own = _own_team(request, benchmark)
    now = timezone.now()
    accepting = {phase.kind: phase for phase in phases_of(benchmark) if phase.is_open(now)}
    if not accepting:
        messages.error(request, "No phase accepts entries now.")
        return _to_team(benchmark)
    form = EntryForm(
        request.POST, request.FILES, scoring=scoring_of(benchmark), phases=list(accepting.values())
    )
    if not form.is_valid():
        return _team_page(request, benchmark, own, form, status=422)
    data = form.cleaned_data
    new = NewEntry(
        file=data["file"],
        system=data["system"],
        variant=data.get("variant", ""),
        description=data["description"],
    )
    actor = request.user.get_username()
    try:
        submit_entry(team=own, phase=accepting[data["phase"]], new=new, actor=actor, now=now)
    except EntryError as error:
        form.add_error(None, str(error))
        return _team_page(request, benchmark, own, form, status=422)
    messages.success(request, "The file is received. You can leave this page while it is scored.")
    return _to_team(benchmark)


@require_GET
@_page
def entry(request: HttpRequest, benchmark: Benchmark, pk: int) -> HttpResponseBase:
    own = _own_team(request, benchmark)
    row = get_object_or_404(entries_of(own), pk=pk)
    scoring = scoring_of(benchmark)
    shown = _shown(row, timezone.now())
    figures = [
        (measure, row.figures[measure.key])
        for measure in scoring.measures
        if shown["is_revealed"] and measure.key in row.figures
    ]
    context = {
        **common(benchmark),
        **shown,
        "team": own,
        "scoring": scoring,
        "figures": figures,
        "fragment": "benchmarks/fragments/entry.html",
    }
    is_fragment = bool(request.htmx)  # type: ignore[attr-defined]
    template = context["fragment"] if is_fragment else "benchmarks/entry.html"
    return render(request, template, context)


@require_http_methods(["GET", "POST"])
@_page
def join(request: HttpRequest, benchmark: Benchmark, code: str) -> HttpResponseBase:
    """Ask whether the user joins the team of a link, and add the user to it."""
    found = get_object_or_404(benchmark.teams.filter(is_baseline=False), code=code)
    if team_of(benchmark=benchmark, user=request.user) == found:
        return _to_team(benchmark)
    if request.method == "POST":
        user: Any = request.user
        try:
            join_team(team=found, user=user, now=timezone.now())
        except TeamError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"You have joined {found.name}.")
        return _to_team(benchmark)
    return render(request, "benchmarks/join.html", {**common(benchmark), "team": found})


@require_POST
@_page
def withdraw_own(request: HttpRequest, benchmark: Benchmark, pk: int) -> HttpResponseBase:
    """Withdraw an entry, after asking."""
    own = _own_team(request, benchmark)
    row = get_object_or_404(entries_of(own), pk=pk)
    context = confirmation(
        request,
        title=f"Withdraw {row.system}",
        consequences=[
            "The entry leaves the leaderboard, and it can't come back.",
            "It still counts towards the limits of the phase.",
        ],
        button="Withdraw entry",
        back=reverse("benchmarks:benchmark_entry", args=[*common(benchmark)["at"], pk]),
    )
    if context:
        return render(request, "benchmarks/confirm.html", {**common(benchmark), **context})
    withdraw_entry(entry=row, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, "The entry was withdrawn.")
    return _to_team(benchmark)


@require_POST
@_page
def withdraw_own_team(request: HttpRequest, benchmark: Benchmark) -> HttpResponseBase:
    """Withdraw the user's team, after asking."""
    own = _own_team(request, benchmark)
    context = confirmation(
        request,
        title=f"Withdraw {own.name}",
        consequences=[
            "The team and all its entries leave the leaderboards.",
            "The team can't enter anything more, and its members can't join another one.",
        ],
        button="Withdraw team",
        back=reverse("benchmarks:benchmark_team", args=common(benchmark)["at"]),
    )
    if context:
        return render(request, "benchmarks/confirm.html", {**common(benchmark), **context})
    withdraw_team(team=own, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, "The team was withdrawn.")
    return _to_team(benchmark)
