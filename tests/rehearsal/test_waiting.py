"""Tests of rehearsals that wait or fail."""

import pytest

from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from rehearsal.domain.dry_run import RehearsalStartError, start_rehearsal
from rehearsal.models import Rehearsal
from schemes.original_text import align
from tests.annotation.factories import make_item, make_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def queue_rehearsal(slug: str = "spring") -> Rehearsal:
    project = make_project(slug)
    make_item(project)
    return start_rehearsal(project=project, actor="fay", now=NOW)


def test_rehearsals_wait_while_another_is_running(settings):
    first = queue_rehearsal("spring").job
    Job.objects.filter(pk=first.pk).update(
        state=JobState.RUNNING, attempts=1, leased_until=NOW + settings.LEASE
    )
    second = queue_rehearsal("summer").job
    assert not run_next_job(clock=lambda: NOW)
    second.refresh_from_db()
    assert (second.state, second.attempts) == (JobState.QUEUED, 0)


def test_rehearsed_sentences_keep_their_text():
    project = make_project("spring")
    sentence = make_item(project).sentence
    sentence.text = "The rebels carried the old radio out of the burning village on Sunday."
    sentence.offsets = align(sentence.tokens, sentence.text)
    sentence.save()
    copied = start_rehearsal(project=project, actor="fay", now=NOW).copy.sentences.get()
    assert copied.text == sentence.text
    assert copied.offsets == [list(offset) for offset in sentence.offsets]


def test_rehearsed_sentences_keep_their_context():
    project = make_project("spring")
    project.shown_context = "1"
    project.save()
    own = make_item(project).sentence
    names = ("far before", "before", own.external_id, "after", "far after")
    for position, name in enumerate(names):
        fields = {"tokens": own.tokens, "group": "a report", "position": position}
        project.sentences.update_or_create(external_id=name, defaults=fields)
    copy = start_rehearsal(project=project, actor="fay", now=NOW).copy
    assert copy.shown_context == "1"
    assert list(copy.sentences.order_by("position").values_list("external_id", flat=True)) == [
        "before",
        own.external_id,
        "after",
    ]


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.RUNNING])
def test_project_has_one_rehearsal_at_a_time(state):
    rehearsal = queue_rehearsal()
    Job.objects.update(state=state)
    with pytest.raises(RehearsalStartError):
        start_rehearsal(project=rehearsal.original, actor="fay", now=NOW)


@pytest.mark.parametrize("state", [JobState.FINISHED, JobState.FAILED, JobState.CANCELLED])
def test_next_rehearsal_can_start_after_the_first_has_ended(state):
    rehearsal = queue_rehearsal()
    Job.objects.update(state=state)
    assert start_rehearsal(project=rehearsal.original, actor="fay", now=NOW).pk != rehearsal.pk


def test_impossible_rehearsal_fails_with_its_reason(settings):
    job = queue_rehearsal().job
    settings.MTURK_IS_OURS = False
    settings.MTURK_ENDPOINT_URL = "https://mturk-requester.us-east-1.amazonaws.com"
    assert run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.problem
