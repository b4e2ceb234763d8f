"""Files, names and requests of participants who attack a benchmark, or make its pages hard to read."""

import gzip
import io
import zipfile
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from benchmarks.domain import score_entry
from benchmarks.domain.entries import NewEntry, add_baseline, submit_entry
from benchmarks.domain.errors import EntryError, TeamError
from benchmarks.domain.open_benchmark import change_benchmark, close_benchmark
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark, Entry, Phase
from dashboard.archive import WorkLeftError, archive_project
from schemes.qasrl.score_systems import MAX_ANSWERS
from tests.benchmarks.samples import (
    ENDINGS,
    SCORED,
    gold_text,
    make_account,
    make_benchmark,
    make_phase_terms,
    make_team,
    make_terms,
    phase_of,
    predictions,
    run_all,
    send,
    upload,
)
from tests.crowd.factories import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.fixture
def task(tmp_path) -> Benchmark:
    return make_benchmark("frames", tmp_path)


@pytest.fixture
def phase(task) -> Phase:
    return phase_of(task)


def send_bytes(phase: Phase, content: bytes, name: str) -> Entry:
    team = make_team(phase.benchmark, f"Team {phase.benchmark.teams.count()}")
    new = NewEntry(file=SimpleUploadedFile(name, content), system="System")
    entry = submit_entry(team=team, phase=phase, new=new, actor="m", now=NOW)
    run_all()
    entry.refresh_from_db()
    return entry


def zip_of(content: bytes, name: str = "system.csv") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def test_limit_of_unpacked_files_holds_in_every_archive(tmp_path, monkeypatch):
    phase = phase_of(make_benchmark("qasrl", tmp_path))
    text = predictions("qasrl", gold_text(phase, tmp_path / "gold")).encode()
    for packed in (gzip.compress(text), zip_of(text)):
        assert send_bytes(phase, packed, "system.csv").state == EntryState.SCORED
    monkeypatch.setattr(score_entry, "MAX_UNPACKED_BYTES", 1 << 20)
    large = text + b"\n" * (1 << 20)
    for packed in (gzip.compress(large), zip_of(large)):
        assert "unpacks to more than 1 MiB" in send_bytes(phase, packed, "system.csv").error
    inner = gzip.compress(large)
    for packed in (
        gzip.compress(inner),
        zip_of(inner),
        gzip.compress(zip_of(large)),
        zip_of(zip_of(large)),
    ):
        assert "is compressed twice" in send_bytes(phase, packed, "system.csv").error


def test_predicate_with_thousands_of_answers_is_refused(tmp_path):
    phase = phase_of(make_benchmark("qasrl", tmp_path))
    header, first, *others = gold_text(phase, tmp_path / "gold").splitlines()
    fields = first.split(",")
    assert fields[8].count(":") == 1  # the answer
    many = [",".join([*fields[:8], f"{at}:{at + 1}", *fields[9:]]) for at in range(MAX_ANSWERS + 1)]
    entry = send_bytes(phase, "\n".join([header, *many, *others]).encode(), "system.csv")
    assert entry.state == EntryState.REFUSED
    assert f"has more than {MAX_ANSWERS} answers for {fields[0]}/{fields[1]}" in entry.error


@pytest.mark.parametrize("scheme", SCORED)
@pytest.mark.parametrize("form", ["bom", "returns", "utf-16", "blank lines", "no last line end"])
def test_usual_variants_of_a_file_have_the_same_scores(scheme, form, tmp_path):
    phase = phase_of(make_benchmark(scheme, tmp_path))
    text = predictions(scheme, gold_text(phase, tmp_path / "gold"))
    plain = send_bytes(phase, text.encode(), f"system.{ENDINGS[scheme]}")
    content = {
        "bom": text.encode("utf-8-sig"),
        "returns": text.replace("\n", "\r\n").encode(),
        "utf-16": text.encode("utf-16"),
        "blank lines": text.replace("\n", "\n\n").encode(),
        "no last line end": text.rstrip("\n").encode(),
    }[form]
    entry = send_bytes(phase, content, f"system.{ENDINGS[scheme]}")
    assert (entry.state, entry.error) == (EntryState.SCORED, "")
    assert entry.figures == plain.figures


@pytest.mark.parametrize(
    "name", ["\u200b", "\u3164", "\u2800", "\u200d", "Best\u202eteam", "A\u2066", " "]
)
def test_names_that_nobody_can_read_are_refused(task, phase, name, tmp_path):
    text = gold_text(phase, tmp_path / "gold")
    user = make_account("ann")
    with pytest.raises(TeamError, match="invisible"):
        make_team(task, name, user)
    team = make_team(task, "Team", user)
    with pytest.raises(EntryError, match="invisible"):
        send(team, phase, text, system=name)
    with pytest.raises(EntryError, match="invisible"):
        add_baseline(
            phase=phase,
            name=name,
            new=NewEntry(file=upload("frames", text), system="1"),
            actor="ada",
            now=NOW,
        )
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    "name", ["Equipe", "Команда", "تیم می‌خواهم", "👩‍💻 lab", "C++ & <b>co</b>"]
)
def test_names_of_all_scripts_are_accepted(task, name):
    assert make_team(task, name, make_account("ann")).name == name


@pytest.mark.parametrize("name", ["ÉQUIPE", "Ｅ\u0301quipe", "É\u200cquipe", "E\u0301QUIPE"])
def test_names_that_look_alike_are_refused(task, name):
    make_team(task, "Équipe", make_account("ann"))
    with pytest.raises(TeamError, match="Another team"):
        make_team(task, name, make_account("ben"))


def test_entry_for_items_that_have_changed_is_refused(task, phase, tmp_path):
    team, text = make_team(task), gold_text(phase, tmp_path / "gold")
    others = [
        make_phase_terms("development", ["train"]),
        make_phase_terms("test", ["test"]),
    ]
    terms = make_terms(task.release, phases=others)
    change_benchmark(benchmark=task, terms=terms, actor="ada", now=NOW)
    with pytest.raises(EntryError, match="just changed"):
        send(team, phase, text)
    terms = make_terms(task.release, phases=others[1:])
    change_benchmark(benchmark=task, terms=terms, actor="ada", now=NOW)
    with pytest.raises(EntryError, match="just changed"):
        send(team, phase, text)
    assert not Entry.objects.exists()


def test_task_of_a_benchmark_without_tasks_is_named(tmp_path):
    phase = phase_of(make_benchmark("qasrl", tmp_path))
    with pytest.raises(EntryError, match="has no tasks"):
        send(make_team(phase.benchmark), phase, "x", variant="A")


def test_project_with_an_open_benchmark_is_not_archived(task):
    project = task.release.project
    with pytest.raises(WorkLeftError, match="A benchmark is open"):
        archive_project(project=project, actor="ada", now=NOW)
    close_benchmark(benchmark=task, actor="ada", now=NOW)
    archive_project(project=project, actor="ada", now=NOW + timedelta(seconds=1))
    project.refresh_from_db()
    assert project.archived_at


def test_phase_that_never_started_shows_nothing_of_its_gold(tmp_path, client):
    now = timezone.now()
    later = make_phase_terms("test", ["test"], now=now, starts_at=now + timedelta(days=2))
    task = make_benchmark("frames", tmp_path, now=now, phases=[later])
    phase = phase_of(task, "test")
    text = gold_text(phase, tmp_path / "gold")
    for name in ("First", "Second"):
        new = NewEntry(file=upload("frames", text), system="1")
        add_baseline(phase=phase, name=name, new=new, actor="ada", now=now)
    run_all(now)
    at = [task.release.project.slug, task.release.version]
    board = reverse("benchmarks:leaderboard", args=at)
    pages = [
        reverse(f"benchmarks:{name}", args=[*at, "test"])
        for name in ("benchmark_inputs", "benchmark_chart", "item_comparison")
    ]

    def shows_nothing() -> bool:
        shown = client.get(board).content.decode()
        return [client.get(page).status_code for page in pages] == [
            404
        ] * 3 and "First" not in shown

    assert shows_nothing()
    close_benchmark(benchmark=task, actor="ada", now=now)
    assert shows_nothing()
    assert "closed before the phase started" in client.get(board).content.decode()
    assert not phase_of(task, "test").has_started(now + timedelta(days=3))
