"""Benchmarks on releases of the schemes' samples, teams, and predictions of made-up systems."""

import csv
import io
import json
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.domain.entries import NewEntry, submit_entry
from benchmarks.domain.open_benchmark import BenchmarkTerms, PhaseTerms, open_benchmark
from benchmarks.domain.phase_files import open_inputs, write_references
from benchmarks.domain.queries import phases_of, scoring_of
from benchmarks.domain.teams import register_team
from benchmarks.models import Benchmark, Entry, Phase, Team
from jobs.domain.run_jobs import run_next_job
from releases.models import Release
from tests.crowd.factories import NOW
from tests.releases.projects import make_release, make_sample_project

# The schemes that score systems.
SCORED = ("frames", "grounding", "qasrl")
ENDINGS = {"qasrl": "csv", "frames": "txt", "grounding": "jsonl"}


def make_terms(release: Release, *, now: datetime = NOW, **changes: object) -> BenchmarkTerms:
    """Return terms with a development phase on `dev`, which is open, and a test phase on `test`."""
    ranked_by = get_ranked_by(release)
    fields: dict[str, object] = {
        "title": "Shared task",
        "rules": "# Data\n\nAny data may be used.",
        "ranked_by": ranked_by,
        "has_public_leaderboard": True,
        "phases": [
            make_phase_terms("development", ["dev"], now=now),
            make_phase_terms("test", ["test"], now=now, shows_scores=False),
        ],
    }
    return BenchmarkTerms(**{**fields, **changes})  # type: ignore[arg-type]


def get_ranked_by(release: Release) -> str:
    from releases.domain.released import Released

    scoring = Released(release).scheme.scoring
    return scoring.ranked_by if scoring else "none"


def make_phase_terms(
    kind: str, partitions: Sequence[str], *, now: datetime = NOW, **changes: object
) -> PhaseTerms:
    fields: dict[str, object] = {
        "kind": kind,
        "partitions": partitions,
        "starts_at": now - timedelta(days=1),
        "ends_at": now + timedelta(days=30),
        "max_per_day": 5,
        "max_total": 20,
        "shows_scores": True,
    }
    return PhaseTerms(**{**fields, **changes})  # type: ignore[arg-type]


def make_benchmark(
    scheme: str, folder: Path, *, now: datetime = NOW, slug: str = "", **changes: object
) -> Benchmark:
    release = make_release(make_sample_project(scheme, folder, slug))
    terms = make_terms(release, now=now, **changes)
    return open_benchmark(release=release, terms=terms, actor="ada", now=now)


def make_account(name: str) -> User:
    return get_user_model().objects.create_user(name, f"{name}@touchstone.example", "secret-pass")


def make_team(benchmark: Benchmark, name: str = "Team", user: User | None = None) -> Team:
    user = user or make_account(f"{name.lower().replace(' ', '-')}-member")
    return register_team(benchmark=benchmark, user=user, name=name, now=NOW)


def phase_of(benchmark: Benchmark, kind: str = "development") -> Phase:
    return next(phase for phase in phases_of(benchmark) if phase.kind == kind)


def gold_text(phase: Phase, folder: Path, variant: str = "") -> str:
    folder.mkdir(exist_ok=True)
    [path] = write_references(phase, variant or first_variant(phase), folder)
    return path.read_text("utf-8")


def first_variant(phase: Phase) -> str:
    return next(iter(scoring_of(phase.benchmark).variants), "")


def predictions(scheme: str, gold: str, *, share: float = 0.7, seed: int = 1) -> str:
    """Return the output of a system that gets about a share of the gold right, for all items."""
    chance = random.Random(seed)
    if scheme == "frames":
        lines = [line.rpartition(".") for line in gold.splitlines()]
        return "".join(
            f"{start}.{frame if chance.random() < share else chance.randint(0, 3)}\n"
            for start, _, frame in lines
        )
    if scheme == "grounding":
        return "".join(
            json.dumps(
                {
                    "id": line["id"],
                    "image": line["image"],
                    "predicted": line["gold"] if chance.random() < share else [[0, 0, 5, 5]],
                }
            )
            + "\n"
            for line in map(json.loads, gold.splitlines())
        )
    return _roles(gold, chance, share)


def _roles(gold: str, chance: random.Random, share: float) -> str:
    rows = list(csv.DictReader(io.StringIO(gold)))
    kept = [row for row in rows if chance.random() < share]
    have = {(row["qasrl_id"], row["verb_idx"]) for row in kept}
    for row in rows:
        key = row["qasrl_id"], row["verb_idx"]
        if key not in have:
            have.add(key)
            kept.append(
                {
                    **dict.fromkeys(row, ""),
                    "qasrl_id": key[0],
                    "verb_idx": key[1],
                    "verb": row["verb"],
                }
            )
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept)
    return text.getvalue()


def upload(scheme: str, text: str, name: str = "system") -> SimpleUploadedFile:
    return SimpleUploadedFile(f"{name}.{ENDINGS[scheme]}", text.encode())


def send(
    team: Team,
    phase: Phase,
    text: str,
    *,
    system: str = "System",
    now: datetime = NOW,
    variant: str = "",
    run: bool = True,
) -> Entry:
    """Send an entry, and score it."""
    scheme = phase.benchmark.release.project.scheme
    new = NewEntry(file=upload(scheme, text), system=system, variant=variant)
    entry = submit_entry(team=team, phase=phase, new=new, actor="member", now=now)
    if run:
        run_all(now)
    entry.refresh_from_db()
    return entry


def run_all(now: datetime = NOW) -> None:
    while run_next_job(clock=lambda: now):
        pass


def inputs_of(phase: Phase) -> dict[str, str]:
    """Return the texts of the blind inputs by name."""
    found = open_inputs(phase)
    with found.file as file, ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}
