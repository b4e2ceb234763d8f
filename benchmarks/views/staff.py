"""Pages on which a project's admins open a release as a benchmark, and look after it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from benchmarks.domain.codabench import write_bundle
from benchmarks.domain.entries import NewEntry, add_baseline, withdraw_entry
from benchmarks.domain.errors import BenchmarkError, EntryError
from benchmarks.domain.open_benchmark import (
    change_benchmark,
    close_benchmark,
    open_benchmark,
    reason_against,
    released_partitions,
)
from benchmarks.domain.queries import phases_of, scoring_of
from benchmarks.domain.teams import withdraw_team
from benchmarks.enums import PhaseKind
from benchmarks.forms import BaselineForm, BenchmarkForm, ReasonForm
from benchmarks.models import Benchmark, Entry, Team
from benchmarks.views.public import state_of
from projects.models import Project
from projects.pages import ask_first, render_page
from projects.permissions import ADMINS, project_page
from releases.domain.released import Released
from releases.models import Release
from web.downloads import download

ROWS_SHOWN = 500


def _release(project: Project, version: str) -> Release:
    return get_object_or_404(project.releases.all(), version=version)


def _benchmark(project: Project, version: str) -> Benchmark:
    rows = Benchmark.objects.select_related("release__project")
    return get_object_or_404(rows, release__project=project, release__version=version)


def _home(project: Project, version: str) -> HttpResponse:
    return redirect("benchmarks:benchmark", project.slug, version)


@require_GET
@project_page(ADMINS)
def benchmark(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    """Show the benchmark of a release, or what opening one means."""
    release = _release(project, version)
    row = Benchmark.objects.select_related("release__project").filter(release=release).first()
    if row is None:
        context = {"release": release, "reason": reason_against(release)}
        return render_page(request, project, "benchmarks/no_benchmark.html", context)
    return _page(request, project, row)


def _page(
    request: HttpRequest,
    project: Project,
    row: Benchmark,
    form: BaselineForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    phases = phases_of(row)
    scoring = scoring_of(row)
    entries = Entry.objects.filter(phase__benchmark=row).defer("draws", "item_scores")
    entries = entries.select_related("team", "phase").order_by("-pk")
    test = next((phase for phase in phases if phase.kind == PhaseKind.TEST), None)
    context = {
        "benchmark": row,
        "release": row.release,
        "phases": [(phase, state_of(phase, now)) for phase in phases],
        "scoring": scoring,
        "teams": row.teams.prefetch_related("members__user")[:ROWS_SHOWN],
        "entries": [(entry, entry.figures.get(row.ranked_by)) for entry in entries[:ROWS_SHOWN]],
        "entry_count": entries.count(),
        "ranked_by": next(m.title for m in scoring.measures if m.key == row.ranked_by),
        "form": form or BaselineForm(scoring=scoring, phases=phases),
        "gold_is_public": test is not None and hasattr(row.release, "public"),
    }
    return render_page(request, project, "benchmarks/benchmark.html", context, status=status)


@require_http_methods(["GET", "POST"])
@project_page(ADMINS)
def open_page(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    """Open a release as a benchmark."""
    release = _release(project, version)
    if Benchmark.objects.filter(release=release).exists() or reason_against(release):
        return _home(project, version)
    form = _form(request, release)
    if request.method == "POST" and form.is_valid():
        actor = request.user.get_username()
        try:
            open_benchmark(release=release, terms=form.terms(), actor=actor, now=timezone.now())
        except BenchmarkError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The benchmark is open.")
            return _home(project, version)
    return _form_page(request, project, release, form, is_new=True)


@require_http_methods(["GET", "POST"])
@project_page(ADMINS)
def edit(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    row = Benchmark.objects.filter(release=_release(project, version)).first()
    if row is None:
        return _home(project, version)
    form = _form(request, row.release, row)
    if request.method == "POST" and form.is_valid():
        actor = request.user.get_username()
        try:
            change_benchmark(benchmark=row, terms=form.terms(), actor=actor, now=timezone.now())
        except BenchmarkError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The benchmark was changed.")
            return _home(project, version)
    return _form_page(request, project, row.release, form, is_new=False)


def _form(request: HttpRequest, release: Release, row: Benchmark | None = None) -> BenchmarkForm:
    return BenchmarkForm(
        request.POST if request.method == "POST" else None,
        scoring=Released(release).scheme.get_scoring(),
        partitions=released_partitions(release),
        benchmark=row,
        title=f"{release.facts['title']} {release.version}",
    )


def _form_page(
    request: HttpRequest, project: Project, release: Release, form: BenchmarkForm, *, is_new: bool
) -> HttpResponse:
    context = {"form": form, "release": release, "is_new": is_new}
    status = 422 if form.errors else 200
    return render_page(request, project, "benchmarks/form.html", context, status=status)


@require_POST
@project_page(ADMINS)
def close(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    row = _benchmark(project, version)
    page = ask_first(
        request,
        project,
        title=f"Close {row.title}",
        consequences=[
            "All phases end now, and no team can enter anything more.",
            "Scores and tables by type that were hidden until the end are shown.",
            "A closed benchmark can't be opened again.",
        ],
        button="Close benchmark",
        back=reverse("benchmarks:benchmark", args=[project.slug, version]),
    )
    if page:
        return page
    close_benchmark(benchmark=row, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, "The benchmark is closed.")
    return _home(project, version)


@require_POST
@project_page(ADMINS)
def baseline(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    row = _benchmark(project, version)
    phases = {phase.kind: phase for phase in phases_of(row)}
    form = BaselineForm(
        request.POST, request.FILES, scoring=scoring_of(row), phases=list(phases.values())
    )
    if not form.is_valid():
        return _page(request, project, row, form, status=422)
    data = form.cleaned_data
    new = NewEntry(
        file=data["file"],
        system=data["system"],
        variant=data.get("variant", ""),
        description=data["description"],
    )
    try:
        add_baseline(
            phase=phases[data["phase"]],
            name=data["name"],
            new=new,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except EntryError as error:
        form.add_error(None, str(error))
        return _page(request, project, row, form, status=422)
    messages.success(
        request, "The baseline is received. It is on the leaderboard once it is scored."
    )
    return _home(project, version)


@require_POST
@project_page(ADMINS)
def remove_team(request: HttpRequest, project: Project, version: str, pk: int) -> HttpResponse:
    team = get_object_or_404(Team, benchmark=_benchmark(project, version), pk=pk)
    return _remove(request, project, version, withdraw_team, team=team)


@require_POST
@project_page(ADMINS)
def remove_entry(request: HttpRequest, project: Project, version: str, pk: int) -> HttpResponse:
    entry = get_object_or_404(Entry, phase__benchmark=_benchmark(project, version), pk=pk)
    return _remove(request, project, version, withdraw_entry, entry=entry)


def _remove(
    request: HttpRequest, project: Project, version: str, withdraw: Any, **row: Any
) -> HttpResponse:
    form = ReasonForm(request.POST)
    if form.is_valid():
        actor = request.user.get_username()
        withdraw(actor=actor, now=timezone.now(), reason=form.cleaned_data["reason"], **row)
        messages.success(request, "Withdrawn. The team sees the reason.")
    else:
        messages.error(request, "Enter a reason. Nothing was withdrawn.")
    return _home(project, version)


@require_GET
@project_page(ADMINS)
def codabench(request: HttpRequest, project: Project, version: str) -> HttpResponseBase:
    """Download the benchmark with its gold as a bundle for Codabench."""
    row = _benchmark(project, version)
    try:
        bundle = write_bundle(row)
    except BenchmarkError as error:
        raise Http404(str(error)) from error
    return download(request, bundle.file, name=bundle.name, sha256=bundle.sha256)
