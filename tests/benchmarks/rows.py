"""Rows of benchmarks for tests that open pages of a campaign's project."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.domain.open_benchmark import open_benchmark, released_partitions
from benchmarks.domain.teams import new_code
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark, Entry, Team, TeamMember
from projects.models import Project
from releases.domain.released import Released
from tests.benchmarks.samples import make_phase_terms, make_terms


def open_on(project: Project, version: str) -> Benchmark:
    """Open the release as a benchmark whose only phase is open and has all items."""
    release = project.releases.get(version=version)
    now = timezone.now()
    phase = make_phase_terms("development", released_partitions(release), now=now)
    terms = make_terms(release, phases=[phase])
    return open_benchmark(release=release, terms=terms, actor="ada", now=now)


def scored(benchmark: Benchmark, value: float = 0.5) -> dict[str, object]:
    """Return the fields of a scored entry with the same value for all figures."""
    measures = Released(benchmark.release).scheme.get_scoring().measures
    figure = {"value": value, "low": value - 0.1, "high": value + 0.1}
    return {
        "state": EntryState.SCORED,
        "scored_at": timezone.now(),
        "result": {
            "items": 1,
            "documents": 1,
            "facts": {"clusters": 3},
            "figures": {measure.key: figure for measure in measures},
            "types": [
                {
                    "title": title,
                    "unit": "Items",
                    "measures": [{"key": "effect", "title": "Effect"}],
                    "rows": [{"type": "Run", "count": 2, "systems": [{"effect": 0.1}]}],
                    "is_signed": is_signed,
                }
                for title, is_signed in (("By type", False), ("Effects", True))
            ],
        },
        "draws": {measure.key: [value] * 3 for measure in measures},
        "item_scores": {"s1/1": value},
    }


def make_entry(project: Project, version: str, user: User | None = None) -> Entry:
    """Return a scored entry of a team in the release's benchmark, whose member is the user."""
    benchmark = Benchmark.objects.filter(
        release__project=project, release__version=version
    ).first() or open_on(project, version)
    return add_entry(benchmark, f"Team {benchmark.teams.count() + 1}", user)


def add_entry(benchmark: Benchmark, name: str, user: User | None = None) -> Entry:
    now = timezone.now()
    team = Team.objects.create(
        benchmark=benchmark, name=name, code=new_code(), created_by="ann", created_at=now
    )
    if user:
        TeamMember.objects.create(benchmark=benchmark, team=team, user=user, joined_at=now)
    return Entry.objects.create(
        team=team,
        phase=benchmark.phases.get(kind="development"),
        variant="",
        system="System",
        file={"name": "system.csv", "path": "0/system.csv", "bytes": 1, "encoding": "utf-8"},
        sha256="0" * 64,
        created_by="ann",
        created_at=now - timedelta(minutes=1),
        **scored(benchmark),
    )
