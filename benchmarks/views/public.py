"""Pages of benchmarks that anyone may read. They are the same for everybody, and cacheable."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from benchmarks.domain.entries import MAX_FILE_BYTES
from benchmarks.domain.leaderboard import Leaderboard, compared_items, leaderboard_of, shown_entries
from benchmarks.domain.phase_files import open_inputs
from benchmarks.domain.queries import (
    current_phase,
    may_see_leaderboard,
    open_benchmarks,
    phases_of,
    scoring_of,
)
from benchmarks.models import Benchmark, Entry, Phase
from projects.permissions import public_page
from releases.domain.details import details_of_json
from releases.domain.licences import licence_name
from schemes.contract.scoring import SystemScoring
from web.charts import draw_heat_map
from web.downloads import download
from web.markdown import render_markdown

# Deadlines and new entries show within a minute.
MAX_AGE = 60
# The most types of a table, and those are the most frequent ones.
MAX_TYPES = 100
MAX_DRAWN = 40
ITEMS_SHOWN = 200
View = Callable[..., HttpResponseBase]


def _cached(response: HttpResponse, request: HttpRequest) -> HttpResponseBase:
    """Return the response with an ETag of its content, for caches."""
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=etag, response=response) or response
    answer.headers["ETag"] = etag
    patch_cache_control(answer, public=True, max_age=MAX_AGE)
    return answer


def find_benchmark(slug: str, version: str) -> Benchmark:
    """Return a benchmark. Raise Http404."""
    return get_object_or_404(
        open_benchmarks(), release__project__slug=slug, release__version=version
    )


def find_phase(benchmark: Benchmark, kind: str) -> Phase:
    """Return a phase. Raise Http404."""
    phase = next((phase for phase in phases_of(benchmark) if phase.kind == kind), None)
    if phase is None:
        raise Http404
    return phase


def page_of(view: View) -> View:
    """Declare a public page of a benchmark, which is passed on."""

    @public_page
    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, slug: str, version: str, **kwargs: Any) -> HttpResponseBase:
        return view(request, find_benchmark(slug, version), **kwargs)

    return shown


def _with_leaderboard(view: View) -> View:
    """Declare a page of a leaderboard, which may be for teams and staff only."""

    @page_of
    @wraps(view)
    def shown(request: HttpRequest, benchmark: Benchmark, **kwargs: Any) -> HttpResponseBase:
        if benchmark.has_public_leaderboard:
            return view(request, benchmark, **kwargs)
        if not may_see_leaderboard(benchmark=benchmark, user=request.user):
            raise Http404
        response = view(request, benchmark, **kwargs)
        response.headers["Cache-Control"] = "private, no-store"
        return response

    return shown


@public_page
@require_safe
def public_benchmarks(request: HttpRequest) -> HttpResponseBase:
    now = timezone.now()
    rows = [
        (benchmark, [(phase, state_of(phase, now)) for phase in phases_of(benchmark)])
        for benchmark in open_benchmarks().prefetch_related("phases")[:500]
    ]
    return _cached(render(request, "benchmarks/public/list.html", {"rows": rows}), request)


def state_of(phase: Phase, now: datetime) -> str:
    """Return the state of a phase in words."""
    if phase.has_ended(now):
        return "ended"
    return "open" if phase.has_started(now) else "not started"


@page_of
def public_benchmark(request: HttpRequest, benchmark: Benchmark) -> HttpResponseBase:
    now = timezone.now()
    scoring = scoring_of(benchmark)
    details = details_of_json(benchmark.release.details)
    context = {
        **common(benchmark),
        "rules": render_markdown(_below(benchmark.rules)),
        "phases": [
            (phase, state_of(phase, now), phase.has_started(now)) for phase in phases_of(benchmark)
        ],
        "scoring": scoring,
        "measures": [measure.title for measure in scoring.measures if measure.is_main],
        "ranked_by": _measure_title(scoring, benchmark.ranked_by),
        "licence": licence_name(details.licence),
        "text_licence": licence_name(details.text_licence) or "Not stated",
        "max_mib": MAX_FILE_BYTES >> 20,
        "is_public_release": hasattr(benchmark.release, "public"),
    }
    return _cached(render(request, "benchmarks/public/benchmark.html", context), request)


def _below(text: str) -> str:
    """Return the Markdown with headings below that of the page's section."""
    return "\n".join(f"##{line}" if line.startswith("#") else line for line in text.splitlines())


def _measure_title(scoring: SystemScoring, key: str) -> str:
    return next(measure.title for measure in scoring.measures if measure.key == key)


def common(benchmark: Benchmark) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "release": benchmark.release,
        "project": benchmark.release.project,
        "at": [benchmark.release.project.slug, benchmark.release.version],
    }


@_with_leaderboard
def leaderboard(request: HttpRequest, benchmark: Benchmark) -> HttpResponseBase:
    now = timezone.now()
    kind, task = request.GET.get("phase", ""), request.GET.get("task", "")
    phases = phases_of(benchmark)
    phase = next((phase for phase in phases if phase.kind == kind), current_phase(benchmark, now))
    assert phase is not None
    scoring = scoring_of(benchmark)
    variant = chosen_variant(scoring, task)
    context = {
        **common(benchmark),
        "phase": phase,
        "phases": phases,
        "state": state_of(phase, now),
        "variant": variant,
        "scoring": scoring,
        "is_hidden": not phase.reveals_scores(now),
        "has_started": phase.has_started(now),
    }
    if phase.reveals_scores(now):
        context |= leaderboard_context(phase, variant, now)
    response = render(request, "benchmarks/public/leaderboard.html", context)
    return _cached(response, request) if benchmark.has_public_leaderboard else response


def chosen_variant(scoring: SystemScoring, task: str) -> str:
    """Return the task that was chosen, or the first."""
    return task if task in scoring.variants else next(iter(scoring.variants), "")


def leaderboard_context(phase: Phase, variant: str, now: datetime) -> dict[str, Any]:
    """Return the context of a leaderboard. Tables by type name gold labels, so they wait for the end."""
    from metrics.document_bootstrap import MIN_DOCUMENTS  # noqa: PLC0415  # loads numpy

    has_ended = phase.has_ended(now)
    board = leaderboard_of(phase=phase, variant=variant, with_types=has_ended)
    return {
        "board": board,
        "has_ended": has_ended,
        "min_documents": MIN_DOCUMENTS,
        "tables": _tables(board),
        "has_chart": any(table.get("is_signed") for table in board.types),
    }


def _tables(board: Leaderboard) -> list[dict[str, Any]]:
    return [
        {
            **table,
            "rows": [
                {
                    **row,
                    "cells": [
                        figures.get(measure["key"])
                        for measure in table["measures"]
                        for figures in row["systems"]
                    ],
                }
                for row in table["rows"][:MAX_TYPES]
            ],
            "hidden": max(len(table["rows"]) - MAX_TYPES, 0),
        }
        for table in board.types
    ]


@page_of
def inputs(request: HttpRequest, benchmark: Benchmark, kind: str) -> HttpResponseBase:
    phase = find_phase(benchmark, kind)
    if not phase.has_started(timezone.now()):
        raise Http404
    found = open_inputs(phase)
    response = download(request, found.file, name=found.name, sha256=found.sha256)
    response.headers["Cache-Control"] = f"public, no-transform, max-age={MAX_AGE}"
    return response


@_with_leaderboard
def chart(request: HttpRequest, benchmark: Benchmark, kind: str) -> HttpResponseBase:
    """Draw the effect of each type on the score, with a column per system, once the phase has ended."""
    phase = find_phase(benchmark, kind)
    if not phase.reveals_items(timezone.now()):
        raise Http404
    variant = chosen_variant(scoring_of(benchmark), request.GET.get("task", ""))
    board = leaderboard_of(phase=phase, variant=variant, with_types=True)
    table = next((table for table in board.types if table.get("is_signed")), None)
    if table is None:
        raise Http404
    rows = sorted(table["rows"], key=lambda row: (-row["count"], row["type"]))[:MAX_DRAWN]
    [measure] = table["measures"]
    content = draw_heat_map(
        table["title"],
        [f"{row['type']} ({row['count']:,})" for row in rows],
        {
            _column(entry): [row["systems"][at].get(measure["key"]) for row in rows]
            for at, entry in enumerate(row.entry for row in board.rows)
        },
    )
    response = HttpResponse(content, content_type="image/svg+xml")
    return _cached(response, request) if benchmark.has_public_leaderboard else response


def _column(entry: Entry) -> str:
    return entry.team.name


@_with_leaderboard
def item_comparison(request: HttpRequest, benchmark: Benchmark, kind: str) -> HttpResponseBase:
    """Compare two entries on single items, once the phase has ended."""
    phase = find_phase(benchmark, kind)
    if not phase.reveals_items(timezone.now()):
        raise Http404
    scoring = scoring_of(benchmark)
    variant = chosen_variant(scoring, request.GET.get("task", ""))
    entries = [row.entry for row in leaderboard_of(phase=phase, variant=variant).rows]
    pair = _pair(request, entries, shown_entries(phase=phase, variant=variant))
    rows = compared_items(*pair) if pair else []
    context = {
        **common(benchmark),
        "phase": phase,
        "variant": variant,
        "scoring": scoring,
        "entries": entries,
        "pair": pair,
        "rows": rows[:ITEMS_SHOWN],
        "total": len(rows),
        "different": sum(first != second for _, first, second in rows),
    }
    response = render(request, "benchmarks/public/items.html", context)
    return _cached(response, request) if benchmark.has_public_leaderboard else response


def _pair(request: HttpRequest, entries: Sequence[Entry], shown: Any) -> list[Entry] | None:
    """Return the chosen entries with their scores of items, by default the first two."""
    if len(entries) < 2:
        return None
    by_pk = {str(entry.pk): entry.pk for entry in entries}
    first = by_pk.get(request.GET.get("first", ""), entries[0].pk)
    second = by_pk.get(request.GET.get("second", ""), entries[1].pk)
    found = shown.select_related("team").in_bulk([first, second])
    return [found[first], found[second]]
