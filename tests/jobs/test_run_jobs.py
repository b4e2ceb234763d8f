"""Running jobs with leases, attempts, progress and cancellation."""

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from jobs.domain.cancel_job import UPLOAD_MAX_AGE, cancel_job, cancel_old_uploads
from jobs.domain.kinds import ATTEMPTS, JobCancelledError, JobKind, JobRun
from jobs.domain.queue_job import confirm_job, queue_job
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from tests.forked import in_fork
from tests.jobs import kinds

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _kinds(settings):
    names = ("plain", "alone", "failing", "broken", "own", "reader", "other_reader", "hungry")
    settings.JOB_KINDS = {name: f"tests.jobs.kinds.{name.upper()}" for name in names}
    kinds.CALLS.clear()


@pytest.fixture
def own_kind(monkeypatch) -> Callable[[JobKind], None]:
    def use(kind: JobKind) -> None:
        monkeypatch.setattr(kinds, "OWN", kind, raising=False)

    return use


def queued(kind: str = "plain", **fields: object) -> Job:
    job = queue_job(kind=kind, scope="demo", parameters={}, actor="rita", now=NOW)
    Job.objects.filter(pk=job.pk).update(**fields)
    job.refresh_from_db()
    return job


def run(at: datetime = NOW, **options: float) -> bool:
    return run_next_job(clock=lambda: at, **options)


def test_nothing_is_due():
    assert not run()


def test_job_runs_to_its_result_and_every_state_is_logged():
    job = queued()
    assert run()
    job.refresh_from_db()
    assert (job.state, job.result, job.problem) == (JobState.FINISHED, {"answer": 42}, "")
    assert (job.progress, job.total, job.attempts) == ({"items": 2}, 2, 1)
    assert (job.started_at, job.ended_at, job.leased_until) == (NOW, NOW, None)
    assert [("run", job.pk), ("clean up", job.pk)] == kinds.CALLS
    changes = StateChange.objects.filter(aggregate="jobs.Job").order_by("pk")
    assert [(change.old, change.new) for change in changes] == [
        ("", "queued"),
        ("queued", "running"),
        ("running", "finished"),
    ]


def test_oldest_job_runs_first():
    first, second = queued(), queued()
    assert run()
    assert run()
    assert not run()
    assert [pk for call, pk in kinds.CALLS if call == "run"] == [first.pk, second.pk]


def test_failure_is_stored_with_its_partial_result():
    job = queued("failing")
    assert run()
    job.refresh_from_db()
    assert (job.state, job.problem) == (JobState.FAILED, "The corpus is empty.")
    assert (job.result, job.attempts) == ({"rows": 0}, 1)
    assert [("clean up", job.pk)] == kinds.CALLS


def test_unexpected_error_is_stored_and_retried():
    job = queued("broken")
    for attempt in range(1, ATTEMPTS + 1):
        with pytest.raises(RuntimeError, match="disk I/O error"):
            run()
        job.refresh_from_db()
        assert (job.attempts, job.leased_until) == (attempt, None)
        assert len(job.log) == attempt
        if attempt < ATTEMPTS:
            assert (job.state, job.problem) == (JobState.QUEUED, "RuntimeError: disk I/O error")
    assert job.state == JobState.FAILED
    assert job.problem == (
        f"Gave up after {ATTEMPTS} attempts. The last error was RuntimeError: disk I/O error"
    )
    assert not run()


def test_one_upload_of_each_project_is_read_at_a_time(settings):
    lease = {"state": JobState.RUNNING, "attempts": 1, "leased_until": NOW + settings.LEASE}
    running = queued("reader", **lease)
    waiting, plain = queued("other_reader"), queued("plain")
    other = queue_job(kind="reader", scope="news", parameters={}, actor="rita", now=NOW)
    while run():
        pass
    assert [pk for call, pk in kinds.CALLS if call == "run"] == [plain.pk, other.pk]
    Job.objects.filter(pk=running.pk).update(state=JobState.FINISHED)
    assert run()
    waiting.refresh_from_db()
    assert waiting.state == JobState.FINISHED


def test_job_that_ran_out_of_memory_is_not_repeated():
    job = queued("hungry")
    with pytest.raises(MemoryError):
        run()
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.problem == "The worker process ran out of memory. Try a smaller file."
    assert [("clean up", job.pk)] == kinds.CALLS
    assert not run()


def test_job_with_one_attempt_fails_after_its_process_was_killed():
    job = queued("other_reader", state=JobState.RUNNING, attempts=1, leased_until=NOW)
    assert run(NOW + timedelta(seconds=1))
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.problem.startswith("The worker process ended before the file was read.")


def test_result_so_far_is_shown_until_another_process_takes_the_job():
    job = queued(state=JobState.RUNNING, attempts=1)
    JobRun(job).show({"rows": 5})
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.RUNNING, {"rows": 5})
    Job.objects.filter(pk=job.pk).update(attempts=2)
    with pytest.raises(JobCancelledError):
        JobRun(job).show({"rows": 6})


def test_job_of_a_live_process_is_left_alone_until_its_lease_expires(settings):
    job = queued(state=JobState.RUNNING, attempts=1, leased_until=NOW + settings.LEASE)
    assert not run(NOW + settings.LEASE)
    assert run(NOW + settings.LEASE + timedelta(seconds=1))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.FINISHED, 2)
    assert [line["text"] for line in job.log] == [
        "The worker process of attempt 1 ended before the job was done."
    ]


def test_job_that_kills_every_process_fails():
    job = queued(state=JobState.RUNNING, attempts=ATTEMPTS, leased_until=NOW)
    assert run(NOW + timedelta(seconds=1))
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.problem.startswith(f"Gave up after {ATTEMPTS} attempts. Each time")
    assert [("clean up", job.pk)] == kinds.CALLS


def test_exclusive_job_only_blocks_jobs_of_its_kind(settings):
    queued("alone", state=JobState.RUNNING, attempts=1, leased_until=NOW + settings.LEASE)
    waiting = queued("alone")
    assert not run()
    other = queued()
    assert run()
    assert [pk for call, pk in kinds.CALLS if call == "run"] == [other.pk]
    waiting.refresh_from_db()
    assert waiting.state == JobState.QUEUED


@pytest.mark.django_db(transaction=True)
def test_job_of_a_killed_process_is_resumed(own_kind, settings):
    def end_process_once(run: JobRun) -> dict[str, int]:
        if run.job.attempts == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"attempt": run.job.attempts}

    own_kind(JobKind(run=end_process_once))
    job = queued("own")
    assert os.WTERMSIG(in_fork(run)) == signal.SIGKILL
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.RUNNING, 1)
    assert not run()
    assert run(NOW + settings.LEASE + timedelta(seconds=1))
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.FINISHED, {"attempt": 2})


# --- heartbeat


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_committed(pk: int, **fields: object) -> bool:
    """Return whether a separate connection reads the job with these values."""
    results = []

    def read() -> None:
        try:
            results.append(Job.objects.filter(pk=pk, **fields).exists())
        finally:
            connection.close()

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return results[0]


@pytest.mark.django_db(transaction=True)
def test_progress_and_lease_are_saved_while_the_job_runs(own_kind, settings):
    def work(run: JobRun) -> dict[str, int]:
        run.report(sentences=7, total=9)
        until(lambda: is_committed(run.job.pk, progress={"sentences": 7}, total=9))
        return {}

    own_kind(JobKind(run=work))
    job = queued("own")
    assert run(heartbeat=0.02)
    job.refresh_from_db()
    assert (job.state, job.progress) == (JobState.FINISHED, {"sentences": 7})


@pytest.mark.django_db(transaction=True)
def test_heartbeat_leaves_a_result_alone_that_the_job_stores(own_kind):
    """A job counts what is done in the transactions that do it, and goes on from there."""
    seen = []

    def work(run: JobRun) -> dict[str, int]:
        seen.append(Job.objects.get(pk=run.job.pk).result)
        Job.objects.filter(pk=run.job.pk).update(result={"changed": len(seen)})
        run.report(items=len(seen))
        until(lambda: is_committed(run.job.pk, progress={"items": len(seen)}))
        seen.append(Job.objects.get(pk=run.job.pk).result)
        if run.job.attempts == 1:
            raise RuntimeError("out of reach")
        return {"changed": len(seen)}

    own_kind(JobKind(run=work))
    job = queued("own")
    with pytest.raises(RuntimeError):
        run(heartbeat=0.02)
    assert run(heartbeat=0.02)
    assert seen == [{}, {"changed": 1}, {"changed": 1}, {"changed": 3}]
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.FINISHED, {"changed": 4})


@pytest.mark.django_db(transaction=True)
def test_heartbeat_keeps_what_a_job_has_shown(own_kind):
    def work(run: JobRun) -> dict[str, int]:
        run.show({"rows": 30})
        run.report(items=1)
        until(lambda: is_committed(run.job.pk, progress={"items": 1}))
        assert Job.objects.get(pk=run.job.pk).result == {"rows": 30}
        return {"rows": 90}

    own_kind(JobKind(run=work))
    job = queued("own")
    assert run(heartbeat=0.02)
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.FINISHED, {"rows": 90})


@pytest.mark.django_db(transaction=True)
def test_cancelled_job_stops_when_it_reports_progress(own_kind):
    reports = []

    def work(run: JobRun) -> dict[str, int]:
        cancel_job(job=run.job, actor="rita", now=NOW)
        until(lambda: run.is_lost)
        run.report(items=1)
        reports.append("went on")
        return {}

    own_kind(JobKind(run=work, clean_up=lambda job: reports.append("cleaned up")))
    job = queued("own")
    assert run(heartbeat=0.02)
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.CANCELLED, {})
    assert reports == ["cleaned up", "cleaned up"]


def test_result_of_a_job_taken_over_by_another_process_is_ignored(own_kind):
    def work(run: JobRun) -> dict[str, int]:
        Job.objects.filter(pk=run.job.pk).update(attempts=2)
        return {"late": 1}

    own_kind(JobKind(run=work))
    job = queued("own")
    assert run()
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.RUNNING, {})


# --- queueing and cancelling


def test_queued_job_requests_a_run_when_it_is_committed(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        queued()
    assert len(callbacks) == 1


def uploaded(at: datetime = NOW) -> Job:
    return queue_job(
        kind="plain", scope="demo", parameters={}, actor="rita", now=at, state=JobState.UPLOADED
    )


def test_upload_runs_once_it_is_confirmed():
    job = uploaded()
    assert not run()
    confirm_job(job=job, actor="rita", now=NOW)
    assert run()
    with pytest.raises(TransitionNotAllowedError):
        confirm_job(job=job, actor="rita", now=NOW)


@pytest.mark.parametrize("state", [JobState.UPLOADED, JobState.QUEUED, JobState.RUNNING])
def test_unfinished_job_can_be_cancelled(state):
    job = queued(state=state)
    cancel_job(job=job, actor="rita", now=NOW)
    assert not run()
    job.refresh_from_db()
    assert (job.state, job.ended_at) == (JobState.CANCELLED, NOW)
    assert [("clean up", job.pk)] == kinds.CALLS


@pytest.mark.parametrize("state", [JobState.FINISHED, JobState.FAILED])
def test_finished_job_cannot_be_cancelled(state):
    job = queued(state=state)
    with pytest.raises(TransitionNotAllowedError):
        cancel_job(job=job, actor="rita", now=NOW)
    assert kinds.CALLS == []


def test_unconfirmed_upload_is_cancelled_after_a_day():
    old, young = uploaded(), uploaded(NOW + timedelta(minutes=1))
    cancel_old_uploads(now=NOW + UPLOAD_MAX_AGE + timedelta(seconds=1))
    old.refresh_from_db()
    young.refresh_from_db()
    assert (old.state, young.state) == (JobState.CANCELLED, JobState.UPLOADED)
    assert old.problem == "The upload was not confirmed within a day."


@pytest.mark.failing_rows
def test_upload_with_undeletable_files_does_not_stop_the_others(own_kind, caplog):
    def fail(job: Job) -> None:
        raise OSError("The storage is full.")

    own_kind(JobKind(run=lambda run: {}, clean_up=fail))
    jobs = [
        queue_job(
            kind=kind, scope="demo", parameters={}, actor="rita", now=NOW, state=JobState.UPLOADED
        )
        for kind in ("own", "plain")
    ]
    cancel_old_uploads(now=NOW + UPLOAD_MAX_AGE + timedelta(hours=1))
    states = [Job.objects.get(pk=job.pk).state for job in jobs]
    assert states == [JobState.CANCELLED, JobState.CANCELLED]
    assert "were not deleted" in caplog.text
