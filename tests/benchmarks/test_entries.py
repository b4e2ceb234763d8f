"""The limits, deadlines and item sets of entries, and hostile files."""

import gzip
import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import close_old_connections, connection

from benchmarks.domain import entries as rules
from benchmarks.domain.check_items import ItemsDifferError, check_items
from benchmarks.domain.entries import LimitError, NewEntry, left_for, submit_entry, withdraw_entry
from benchmarks.domain.errors import BenchmarkError, EntryError, TeamError
from benchmarks.domain.leaderboard import chosen_entries, leaderboard_of
from benchmarks.domain.open_benchmark import change_benchmark, close_benchmark, open_benchmark
from benchmarks.domain.queries import scoring_of
from benchmarks.domain.score_entry import UNSCORED
from benchmarks.domain.teams import join_team, register_team, withdraw_team
from benchmarks.enums import EntryState
from benchmarks.models import Entry, Team
from dashboard.delete_project import delete_project
from jobs.domain.cancel_job import cancel_job
from jobs.models import Job
from tests.benchmarks.samples import (
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
def task(tmp_path):
    return make_benchmark("frames", tmp_path)


@pytest.fixture
def phase(task):
    return phase_of(task)


@pytest.fixture
def gold(phase, tmp_path):
    return gold_text(phase, tmp_path / "gold")


def stored_files() -> list[Path]:
    return [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]


def test_limits_per_day_and_in_total(task, phase, gold):
    phase.max_per_day, phase.max_total = 2, 3
    phase.save()
    team = make_team(task)
    for _ in range(2):
        send(team, phase, gold)
    with pytest.raises(LimitError, match="today's 2 entries"):
        send(team, phase, gold)
    # Another task and another team have limits of their own.
    other = gold_of(phase, "B.2")
    send(team, phase, other, variant="B.2")
    send(make_team(task, "Other"), phase, gold)
    tomorrow = NOW + timedelta(days=1)
    left = left_for(team=team, phase=phase, variant="A", now=tomorrow)
    assert (left.today, left.total) == (1, 1)
    send(team, phase, gold, now=tomorrow)
    with pytest.raises(LimitError, match="all 3 entries"):
        send(team, phase, gold, now=tomorrow)


def gold_of(phase, variant: str) -> str:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return gold_text(phase, Path(folder), variant)


def test_refused_files_do_not_count_up_to_a_cap(task, phase, gold, monkeypatch):
    phase.max_per_day = 1
    phase.save()
    monkeypatch.setattr(rules, "REFUSED_FACTOR", 3)
    team = make_team(task)
    for _ in range(3):
        assert send(team, phase, "no record\n").state == EntryState.REFUSED
    with pytest.raises(LimitError, match="Too many files were refused today"):
        send(team, phase, gold)
    assert send(team, phase, gold, now=NOW + timedelta(days=1)).state == EntryState.SCORED


def test_withdrawn_entries_still_count(task, phase, gold):
    phase.max_per_day = 1
    phase.save()
    team = make_team(task)
    entry = send(team, phase, gold)
    withdraw_entry(entry=entry, actor="member", now=NOW)
    assert not leaderboard_of(phase=phase, variant="A").rows
    with pytest.raises(LimitError):
        send(team, phase, gold)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_uploads_get_exactly_the_limit(tmp_path):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    benchmark = make_benchmark("frames", tmp_path)
    phase = phase_of(benchmark)
    phase.max_per_day, phase.max_total = 7, 100
    phase.save()
    team = make_team(benchmark)
    text = gold_text(phase, tmp_path / "gold")

    def attempt(number: int) -> bool:
        try:
            new = NewEntry(file=upload("frames", text), system=f"System {number}")
            submit_entry(team=team, phase=phase, new=new, actor="member", now=NOW)
        except LimitError:
            return False
        finally:
            close_old_connections()
            connection.close()
        return True

    with ThreadPoolExecutor(12) as pool:
        accepted = list(pool.map(attempt, range(1000)))
    assert sum(accepted) == 7
    assert Entry.objects.filter(team=team).count() == 7
    assert Job.objects.filter(kind="benchmark-entry").count() == 7
    assert len(stored_files()) == 7


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ((timedelta(minutes=1), timedelta(days=1)), "has not started"),
        ((-timedelta(days=2), timedelta(0)), "has ended"),
    ],
)
def test_deadlines_are_enforced(task, phase, gold, period, message):
    start, end = period
    phase.starts_at, phase.ends_at = NOW + start, NOW + end
    phase.save()
    with pytest.raises(EntryError, match=message):
        send(make_team(task), phase, gold)
    assert not Entry.objects.exists()
    assert not stored_files()


def test_entry_a_second_before_the_end_is_accepted_and_scored_after_it(task, phase, gold):
    phase.ends_at = NOW + timedelta(seconds=1)
    phase.save()
    entry = send(make_team(task), phase, gold, run=False)
    run_all(NOW + timedelta(hours=1))
    entry.refresh_from_db()
    assert entry.state == EntryState.SCORED


def test_closed_benchmark_accepts_nothing(task, gold):
    team = make_team(task)
    close_benchmark(benchmark=task, actor="ada", now=NOW)
    with pytest.raises(EntryError, match="has ended"):
        send(team, phase_of(task), gold, now=NOW + timedelta(seconds=1))
    with pytest.raises(TeamError, match="closed"):
        make_team(task, "Late")


def test_withdrawn_team_leaves_the_leaderboard_and_enters_nothing(task, phase, gold):
    team = make_team(task)
    send(team, phase, gold)
    withdraw_team(team=team, actor="ada", now=NOW, reason="It used the test data.")
    team.refresh_from_db()
    assert team.withdrawal_reason == "It used the test data."
    assert not leaderboard_of(phase=phase, variant="A").rows
    with pytest.raises(EntryError, match="withdrawn"):
        send(team, phase, gold)


def test_best_entry_counts_in_development_and_the_last_one_in_the_test_phase(task, tmp_path):
    team = make_team(task)
    for kind, counts in (("development", "good"), ("test", "bad")):
        phase = phase_of(task, kind)
        gold = gold_text(phase, tmp_path / kind)
        send(team, phase, gold, system="good")
        send(team, phase, predictions("frames", gold, share=0.1), system="bad")
        assert [row.system for row in chosen_entries(phase=phase, variant="A")] == [counts]


@pytest.mark.parametrize("scheme", SCORED)
def test_wrong_item_sets_are_refused_by_name(scheme, tmp_path):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    test = gold_text(phase_of(benchmark, "test"), tmp_path / "test")
    team = make_team(benchmark)
    lines = predictions(scheme, gold, share=1.0).splitlines(keepends=True)
    others = predictions(scheme, test, share=1.0).splitlines(keepends=True)
    start = 1 if scheme == "qasrl" else 0  # the header
    key = scoring_of(benchmark).item_keys(_written(tmp_path, scheme, "".join(lines)), "A")
    known = list(key)
    first = [line for line in lines[start:] if not _is_of(scheme, line, known[0])]
    lacking = send(team, phase, "".join([*lines[:start], *first]))
    assert lacking.state == EntryState.REFUSED
    assert f"is missing: {known[0]}." in lacking.error
    unknown = send(team, phase, "".join([*lines, *others[start:]]))
    assert unknown.state == EntryState.REFUSED
    assert " unknown: " in unknown.error
    if scheme != "qasrl":  # whose predicates have several rows
        repeated = send(team, phase, "".join([*lines, lines[0]]))
        assert f"is repeated: {known[0]}." in repeated.error
    assert not stored_files()


def _written(folder: Path, scheme: str, text: str) -> Path:
    path = folder / upload(scheme, "x").name
    path.write_text(text, "utf-8")
    return path


def _is_of(scheme: str, line: str, key: str) -> bool:
    if scheme == "frames":
        return line.startswith(f"{key} ")
    if scheme == "grounding":
        return f'"{key}"' in line
    sentence, _, position = key.rpartition("/")
    return line.startswith(f"{sentence},{position},")


def test_message_lists_ten_items_and_the_count(tmp_path, task):
    reference, system = tmp_path / "gold.txt", tmp_path / "system.txt"
    reference.write_text("".join(f"#{n} 1 run.Run\n" for n in range(25)))
    system.write_text("#0 1 run.1\n")
    with pytest.raises(ItemsDifferError) as error:
        check_items(scoring_of(task), [reference], system, "A")
    assert str(error.value) == (
        "24 items are missing: #1 1, #2 1, #3 1, #4 1, #5 1, #6 1, #7 1, #8 1, #9 1, #10 1 and 14 more."
    )


def archive_of(text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("system.txt", text)
    return content.getvalue()


HOSTILE = {
    "zip": archive_of("x" * 10_000_000),
    "gzip bomb": gzip.compress(b"0" * (201 << 20), 1),
    "broken gzip": gzip.compress(b"#1 1 run.Run\n" * 1000)[:40],
    "binary": bytes(range(256)) * 100,
    "NUL": b"#1 1 run.Run\0\n",
    "deep JSON": b"[" * 200_000,
    "long line": b"x" * (17 << 20),
    "returns": b"#1 1 run.Run\r#2 1 run.Run\r",
    "UTF-16": "#1 1 run.Run\n".encode("utf-16"),
    "blank lines": b"\n" * 1_000_000,
    "markup": b"<script>alert(1)</script> 1 run.Run\n",
}


@pytest.mark.parametrize("scheme", SCORED)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_and_deleted(tmp_path, scheme, name):
    benchmark = make_benchmark(scheme, tmp_path)
    phase = phase_of(benchmark)
    file = SimpleUploadedFile(upload(scheme, "x").name, HOSTILE[name])
    entry = submit_entry(
        team=make_team(benchmark),
        phase=phase,
        new=NewEntry(file=file, system="x"),
        actor="m",
        now=NOW,
    )
    run_all()
    entry.refresh_from_db()
    assert entry.state == EntryState.REFUSED
    assert entry.error
    assert entry.error != UNSCORED
    assert str(tmp_path) not in entry.error
    assert "/" not in entry.error.partition(":")[0]
    assert not stored_files()


def test_large_and_empty_files_are_refused_before_they_are_stored(task, phase, monkeypatch):
    team = make_team(task)
    monkeypatch.setattr(rules, "MAX_FILE_BYTES", 1 << 20)
    with pytest.raises(EntryError, match="larger than 1 MiB"):
        send(team, phase, "x" * ((1 << 20) + 1))
    with pytest.raises(EntryError, match="empty"):
        send(team, phase, "")
    assert not stored_files()


def test_names_of_files_lead_nowhere(task, phase, gold):
    file = SimpleUploadedFile("system.txt", gold.encode())
    file._name = "../../../etc/system.txt"
    entry = submit_entry(
        team=make_team(task),
        phase=phase,
        new=NewEntry(file=file, system="x"),
        actor="m",
        now=NOW,
    )
    [path] = stored_files()
    assert path == Path(settings.UPLOAD_DIR) / entry.file["path"]
    assert len(path.parent.name) == 32  # a random folder
    assert entry.file["name"] == "system.txt"


def test_cancelled_job_refuses_its_entry(task, phase, gold):
    entry = send(make_team(task), phase, gold, run=False)
    cancel_job(job=entry.job, actor="rita", now=NOW)
    entry.refresh_from_db()
    assert (entry.state, entry.error) == (EntryState.REFUSED, UNSCORED)
    assert not stored_files()


def test_scored_file_is_stored_until_the_project_is_deleted(task, phase, gold):
    send(make_team(task), phase, gold)
    assert len(stored_files()) == 1
    assert storages["uploads"].exists(Entry.objects.get().file["path"])
    delete_project(project=task.release.project, actor="ada", now=NOW)
    run_all()
    assert not stored_files()
    assert not Team.objects.exists()


def test_account_belongs_to_one_team(task):
    user = make_account("ann")
    team = make_team(task, "First", user)
    other = make_team(task, "Second")
    with pytest.raises(TeamError, match="in the team First"):
        register_team(benchmark=task, user=user, name="Third", now=NOW)
    with pytest.raises(TeamError, match="in the team First"):
        join_team(team=other, user=user, now=NOW)
    with pytest.raises(TeamError, match="Another team has this name"):
        make_team(task, " first ")
    join_team(team=team, user=user, now=NOW)
    assert team.members.count() == 1


def test_terms_that_make_no_sense_are_refused(task):
    release = task.release
    for changes, message in (
        ({"phases": []}, "needs a phase"),
        ({"ranked_by": "purity"}, "main measure"),
        ({"phases": [make_phase_terms("test", ["nowhere"])]}, "released partitions"),
        ({"phases": [make_phase_terms("test", [])]}, "released partitions"),
        ({"phases": [make_phase_terms("test", ["test"], ends_at=NOW - timedelta(days=2))]}, "ends"),
        ({"phases": [make_phase_terms("test", ["test"], max_per_day=9, max_total=8)]}, "at least"),
        (
            {"phases": [make_phase_terms(kind, ["dev"]) for kind in ("development", "test")]},
            "same items",
        ),
    ):
        with pytest.raises(BenchmarkError, match=message):
            change_benchmark(
                benchmark=task, terms=make_terms(release, **changes), actor="ada", now=NOW
            )
    with pytest.raises(BenchmarkError, match="already"):
        open_benchmark(release=release, terms=make_terms(release), actor="ada", now=NOW)


def test_items_of_a_phase_with_entries_do_not_change(task, phase, gold):
    send(make_team(task), phase, gold)
    release = task.release
    moved = [make_phase_terms("development", ["train"])]
    for phases in (moved, [make_phase_terms("test", ["test"])]):
        with pytest.raises(BenchmarkError, match="has entries"):
            change_benchmark(
                benchmark=task, terms=make_terms(release, phases=phases), actor="ada", now=NOW
            )
    later = make_phase_terms("development", ["dev"], ends_at=NOW + timedelta(days=90))
    change_benchmark(
        benchmark=task, terms=make_terms(release, phases=[later]), actor="ada", now=NOW
    )
    [kept] = task.phases.all()
    assert kept.ends_at == NOW + timedelta(days=90)
