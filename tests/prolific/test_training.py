"""The whole protocol on Prolific: screening, two rounds with feedback, production and pay."""

from collections.abc import Callable

import pytest

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission, Task
from consolidation.models import Gold
from crowd.models import Assignment, Payment, QualificationGrant, StudySession
from projects.enums import MemberRole, Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.publish_round import publish_round
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.rounds.set_up_rounds import plans_of_preset, set_up_rounds
from qualification.domain.scores.figures import unmet_thresholds
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from qualification.models import Enrolment, Round
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.dashboard.campaign import make_user
from tests.prolific.campaign import (
    Campaign,
    Person,
    label,
    ledger_cents,
    make_project,
    open_settlements,
    wallet_cents,
)
from tests.walk import run

SENTENCES = {f"s{number}": ("A sentence", "positive") for number in range(12)}
# The sentences of each round.
ROUNDS = {0: ("s0", "s1"), 1: ("s2", "s3"), 2: ("s4", "s5")}
IN_PRODUCTION = 6


def wrong_label(task: Task, item: Json) -> Json:
    return {"label": "negative"}


@pytest.fixture
def project(server, tmp_path) -> Project:
    project = make_project(tmp_path, SENTENCES)
    corpus = tmp_path / "corpus.csv"
    run("import_gold", "moods", corpus, "--format", "labels-csv", "--source", "expert")
    keys = {
        number: [project.items.get(sentence__external_id=name).key for name in names]
        for number, names in ROUNDS.items()
    }
    plans = plans_of_preset(
        scheme=get_scheme(project.scheme), preset="controlled-crowdsourcing-2020", keys=keys
    )
    set_up_rounds(project=project, plans=plans, actor="ada", now=server.clock())
    return project


def teach(project: Project, round: Round, now: Callable) -> None:
    """Send feedback to every worker of the round, and decide by the thresholds."""
    trainer = make_user(f"trainer-{round.ordinal}", project, MemberRole.TRAINER)
    scheme = get_scheme(project.scheme)
    for enrolment in Enrolment.objects.filter(round=round, evaluations__isnull=False).distinct():
        evaluation = enrolment.evaluations.latest("pk")
        notes = Notes("Thank you. Here is what the expert chose.")
        feedback = send_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=now())
        assert link_of(feedback)
        unmet = unmet_thresholds(scheme, evaluation.figures, {"accuracy": 0.5})
        decide(
            enrolment=Enrolment.objects.get(pk=enrolment.pk),
            verdict=Verdict.DECLINE if unmet else Verdict.PASS,
            reason="by the thresholds",
            actor=trainer.username,
            now=now(),
        )


def test_whole_protocol(server, project):
    careless = Person(server, wrong_label)
    foreign = Person(server, label)
    foreign.participant.person.country = "3"
    people = [careless, *(Person(server, label) for _ in range(5))]
    campaign = Campaign(server, [*people, foreign])
    for round in rounds_of(project=project):
        slots = len(people) if round.entry == "open" else None
        publish_round(round=round, actor="ada", now=server.clock(), places=slots)
        campaign.run()
        teach(project, round, server.clock)
        campaign.sweep(minutes=5, times=3)
    assert foreign.participant.submissions == []
    careless_rows = Submission.objects.filter(worker__external_id=careless.id)
    assert careless_rows.count() == 2  # only from the screening
    pool = pool_of(project, Role.GENERATOR)
    assert QualificationGrant.objects.filter(qualification_type=pool, state="held").count() == 5
    publish_batch(project=project, now=server.clock(), pool=pool)
    campaign.run()
    gold = Gold.objects.filter(item__project=project, source="consolidated")
    assert gold.values("item").distinct().count() == IN_PRODUCTION
    for row in Submission.objects.filter(role="consolidator"):
        authors = Submission.objects.filter(item=row.item, role="generator", worker=row.worker)
        assert not authors.exists()
    campaign.settle()
    assert open_settlements() == 0
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert not Assignment.objects.filter(state="submitted").exists()
    assert ledger_cents() == wallet_cents(server)
    assert {row.state for row in StudySession.objects.all()} <= {"approved", "returned"}
    written_to = {key for message in server.messages for key in message.participants}
    assert written_to >= {person.id for person in people}
