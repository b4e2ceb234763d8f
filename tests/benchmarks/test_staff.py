"""Pages of organisers, the log, and the bundle for Codabench."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from benchmarks.domain.codabench import write_bundle
from benchmarks.domain.leaderboard import leaderboard_of
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark, Entry, Team
from projects.enums import MemberRole
from tests.benchmarks.rows import add_entry
from tests.benchmarks.samples import (
    SCORED,
    first_variant,
    gold_text,
    make_benchmark,
    make_team,
    phase_of,
    predictions,
    run_all,
    send,
    upload,
)
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.environment import ROOT
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


def at(release, name: str, *more: object) -> str:
    return reverse(f"benchmarks:{name}", args=[release.project.slug, release.version, *more])


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


def staff_of(project, role: MemberRole = MemberRole.ADMIN) -> Client:
    client = Client()
    client.force_login(make_user("ada", project, role))
    return client


def form_of(**changes: object) -> dict[str, object]:
    now = timezone.now()
    fields: dict[str, object] = {
        "title": "Shared task",
        "rules": "Be fair.",
        "ranked_by": "bcubed_f",
    }
    for kind, partition in (("development", "dev"), ("test", "test")):
        fields |= {
            f"{kind}_partitions": [partition],
            f"{kind}_starts_at": f"{now - timedelta(days=1):%Y-%m-%dT%H:%M}",
            f"{kind}_ends_at": f"{now + timedelta(days=9):%Y-%m-%dT%H:%M}",
            f"{kind}_max_per_day": "3",
            f"{kind}_max_total": "9",
        }
    return {**fields, **changes}


@pytest.fixture
def release(tmp_path):
    return make_release(make_sample_project("frames", tmp_path))


def test_admin_opens_edits_and_closes(release):
    ada = staff_of(release.project)
    details = reverse("releases:release_details", args=[release.project.slug, release.version])
    assert at(release, "benchmark") in text_of(ada.get(details))
    assert "Open a benchmark" in text_of(ada.get(at(release, "benchmark")))
    assert ada.get(at(release, "open_benchmark")).status_code == 200
    wrong = ada.post(at(release, "open_benchmark"), form_of(test_max_total="2"))
    assert wrong.status_code == 422
    assert "at least as many in total" in text_of(wrong)
    missing = ada.post(at(release, "open_benchmark"), form_of(test_ends_at=""))
    assert "This field is required for the phase." in text_of(missing)
    assert Client().get(at(release, "public_benchmark")).status_code == 404

    assert ada.post(at(release, "open_benchmark"), form_of()).status_code == 302
    benchmark = Benchmark.objects.get()
    assert sorted(phase.kind for phase in benchmark.phases.all()) == ["development", "test"]
    assert not benchmark.has_public_leaderboard
    assert "Be fair." in text_of(Client().get(at(release, "public_benchmark")))
    assert ada.get(at(release, "edit_benchmark")).status_code == 200
    ada.post(at(release, "edit_benchmark"), form_of(rules="# New rules", test_partitions=[]))
    benchmark.refresh_from_db()
    assert [phase.kind for phase in benchmark.phases.all()] == ["development"]
    assert "<h3" in text_of(Client().get(at(release, "public_benchmark")))

    question = text_of(ada.post(at(release, "close_benchmark")))
    assert "can&#x27;t be opened again" in question
    ada.post(at(release, "close_benchmark"), {"confirmed": "yes"})
    benchmark.refresh_from_db()
    assert benchmark.closed_at
    log = StateChange.objects.filter(aggregate="benchmarks.Benchmark").order_by("pk")
    assert list(log.values_list("new", "actor")) == [
        ("opened", "ada"),
        ("edited", "ada"),
        ("closed", "ada"),
    ]
    activity = text_of(ada.get(reverse("dashboard:log", args=[release.project.slug])))
    assert "closed" in activity
    assert "the benchmark “Shared task”" in activity


def test_only_admins_look_after_a_benchmark(release):
    client = staff_of(release.project, MemberRole.REQUESTER)
    for name in ("benchmark", "open_benchmark", "codabench_bundle"):
        assert client.get(at(release, name)).status_code == 403
    details = reverse("releases:release_details", args=[release.project.slug, release.version])
    assert at(release, "benchmark") not in text_of(client.get(details))


def test_schemes_without_scores_are_explained(tmp_path):
    release = make_release(make_sample_project("custom", tmp_path))
    ada = staff_of(release.project)
    page = text_of(ada.get(at(release, "benchmark")))
    assert "no evaluation of systems" in page
    assert "Open a benchmark" not in page
    assert ada.get(at(release, "open_benchmark")).status_code == 302
    ada.post(at(release, "open_benchmark"), form_of())
    assert not Benchmark.objects.exists()


def test_baseline_is_marked_and_has_no_rank(tmp_path):
    benchmark = make_benchmark("frames", tmp_path)  # whose phases have ended
    ada = staff_of(benchmark.release.project)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    send(make_team(benchmark), phase, predictions("frames", gold, share=0.3))
    form = {"phase": "development", "variant": "A", "name": "1CPH", "system": "Lemmas"}
    assert ada.post(at(benchmark.release, "add_baseline"), form).status_code == 422
    taken = {**form, "name": "team", "file": upload("frames", gold)}
    assert "A team has this name." in text_of(
        ada.post(at(benchmark.release, "add_baseline"), taken)
    )
    ada.post(at(benchmark.release, "add_baseline"), {**form, "file": upload("frames", gold)})
    run_all()
    rows = leaderboard_of(phase=phase, variant="A").rows
    assert [(row.entry.team.name, row.rank) for row in rows] == [("1CPH", None), ("Team", 1)]
    page = text_of(Client().get(f"{at(benchmark.release, 'leaderboard')}?phase=development"))
    assert "Baseline" in page


def test_staff_withdraw_with_a_reason(tmp_path):
    benchmark = make_benchmark("frames", tmp_path)
    ada = staff_of(benchmark.release.project)
    phase = phase_of(benchmark)
    team = make_team(benchmark)
    entry = send(team, phase, gold_text(phase, tmp_path / "gold"))
    for name, row in (("remove_entry", entry), ("remove_team", team)):
        page = ada.post(at(benchmark.release, name, row.pk), follow=True)
        assert "Enter a reason." in text_of(page)
        row.refresh_from_db()
        assert row.withdrawn_at is None
        ada.post(at(benchmark.release, name, row.pk), {"reason": "Test data were used."})
        row.refresh_from_db()
        assert (row.withdrawn_by, row.withdrawal_reason) == ("ada", "Test data were used.")
    changes = StateChange.objects.filter(new="withdrawn").order_by("pk")
    assert list(changes.values_list("aggregate", "reason")) == [
        ("benchmarks.Entry", "Test data were used."),
        ("benchmarks.Team", "Test data were used."),
    ]
    assert "Test data were used." in text_of(ada.get(at(benchmark.release, "benchmark")))


def test_rows_of_another_benchmark_are_not_found(tmp_path):
    mine = make_benchmark("frames", tmp_path, slug="mine")
    other = make_benchmark("frames", tmp_path, slug="other")
    ada = staff_of(mine.release.project)
    team = make_team(other)
    answer = ada.post(at(mine.release, "remove_team", team.pk), {"reason": "No."})
    assert answer.status_code == 404
    assert Team.objects.get().withdrawn_at is None


@pytest.mark.parametrize("scheme", SCORED)
def test_bundle_scores_as_the_site_does(scheme, tmp_path):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    text = predictions(scheme, gold)
    entry = send(make_team(benchmark), phase, text)
    assert entry.state == EntryState.SCORED
    bundle = write_bundle(benchmark)
    folder = tmp_path / "bundle"
    with bundle.file as file, ZipFile(file) as archive:
        archive.extractall(folder)
    competition = yaml.safe_load((folder / "competition.yaml").read_text("utf-8"))
    assert competition["version"] == 2
    assert len(competition["phases"]) == 2
    for key in ("image", "terms"):
        assert (folder / competition[key]).is_file()
    indexes = [task["index"] for task in competition["tasks"]]
    assert indexes == list(range(len(indexes)))
    assert [at for row in competition["phases"] for at in row["tasks"]] == indexes
    task = competition["tasks"][0]
    for key in ("input_data", "reference_data", "scoring_program"):
        assert (folder / task[key]).is_dir()

    variant = first_variant(phase)
    place, out = tmp_path / "input", tmp_path / "output"
    (place / "res").mkdir(parents=True)
    out.mkdir()
    (folder / task["reference_data"]).rename(place / "ref")
    (place / "res" / f"{variant or 'system'}{Path(upload(scheme, 'x').name).suffix}").write_text(
        text
    )
    assert run_program(folder, place, out).returncode == 0
    scores = json.loads((out / "scores.json").read_text())
    columns = {column["key"] for column in competition["leaderboards"][0]["columns"]}
    assert set(scores) == columns
    for key, figure in entry.figures.items():
        assert scores[key] == (None if figure["value"] is None else round(100 * figure["value"], 4))

    [system] = (place / "res").iterdir()
    system.write_text(text + text)
    if scheme != "qasrl":
        refused = run_program(folder, place, out)
        assert refused.returncode != 0
        assert "repeated" in refused.stderr


def run_program(folder: Path, place: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Run the scoring program as Codabench does, without Django and its settings."""
    return subprocess.run(
        [sys.executable, folder / "scoring_program" / "score.py", place, out],
        env={"TOUCHSTONE": str(ROOT), "PATH": os.environ["PATH"]},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_bundle_is_downloaded_by_staff(tmp_path):
    benchmark = make_benchmark("qasrl", tmp_path)
    response = staff_of(benchmark.release.project).get(at(benchmark.release, "codabench_bundle"))
    assert response.status_code == 200
    assert "private" in response["Cache-Control"]
    assert response.getvalue()[:2] == b"PK"
    assert Entry.objects.count() == 0
    assert benchmark.opened_at == NOW


def test_query_counts_do_not_depend_on_the_number_of_entries(tmp_path):
    benchmark = make_benchmark("qasrl", tmp_path)
    release = benchmark.release
    ada = staff_of(release.project)
    user = get_user_model().objects.get(username="ada")
    addresses = [
        at(release, "benchmark"),
        f"{at(release, 'leaderboard')}?phase=development",
        at(release, "benchmark_team"),
        reverse("benchmarks:public_benchmarks"),
        reverse("api:benchmarks"),
        reverse("api:entries", args=[release.project.slug, release.version]),
    ]

    def counts() -> list[int]:
        counted = []
        for address in addresses:
            ada.get(address)
            with CaptureQueriesContext(connection) as queries:
                assert ada.get(address).status_code == 200
            counted.append(len(queries))
        return counted

    own = add_entry(benchmark, "Own", user)
    add_entry(benchmark, "Other")
    few = counts()
    for number in range(40):
        add_entry(benchmark, f"Team {number}")
        copy = Entry.objects.get(pk=own.pk)
        copy.pk = None
        copy.save()
    assert counts() == few
    assert max(few) <= 30


def test_page_of_a_release_warns_before_the_gold_of_a_benchmark_becomes_public(tmp_path):
    benchmark = make_benchmark("frames", tmp_path)
    release = benchmark.release
    ada = staff_of(release.project)
    details = reverse("releases:release_details", args=[release.project.slug, release.version])
    warning = "teams can read the gold that their systems are scored with"
    assert warning in text_of(ada.get(details))
    Benchmark.objects.update(closed_at=NOW)
    assert warning not in text_of(ada.get(details))
