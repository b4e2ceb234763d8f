"""Participant ids are personal data. They are exported as pseudonyms and can be erased."""

import json

import pytest
from django.core import serializers

from annotation.models import Submission
from crowd.models import Assignment, Deal, Payment, Settlement, StudySession, Worker
from qualification.domain.pool.erase_worker import Erasure, ErasureError, erase_worker
from tests.prolific.campaign import Campaign, Person, label
from tests.walk import run


@pytest.fixture
def person(server, study) -> Person:
    person = Person(server, label)
    person.take_part(study.external_id)
    return person


def erase(server, how: Erasure) -> Worker:
    worker = Worker.objects.get()
    return erase_worker(worker=worker, how=how, reason="requested", actor="ada", now=server.clock())


def test_erasure_waits_for_the_payment(server, person):
    with pytest.raises(ErasureError, match="1 sessions to end"):
        erase(server, Erasure.ERASE)


def test_erased_worker_leaves_no_id(server, person):
    Campaign(server, []).settle()
    session = person.participant.submissions[-1].id
    erase(server, Erasure.ERASE)
    rows = [
        row
        for model in (Worker, StudySession, Deal, Assignment, Submission, Payment, Settlement)
        for row in model.objects.all()
    ]
    text = serializers.serialize("json", rows)
    assert person.id not in text
    assert session not in text
    assert Payment.objects.filter(state="confirmed").count() == 8


def test_exports_have_pseudonyms(server, project, person, tmp_path):
    people = [Person(server, label) for _ in range(3)]
    campaign = Campaign(server, [person, *people])
    campaign.run()
    run("export_gold", "moods", "--format", "jsonl", "--out", tmp_path / "gold")
    text = "".join(path.read_text() for path in (tmp_path / "gold").iterdir())
    assert json.loads((tmp_path / "gold" / "manifest.json").read_text())
    for participant in [person, *people]:
        assert participant.id not in text
