"""Tests of the setup and publication of rounds: reserved items, places and eligibility."""

import pytest

from annotation.domain.publishing.publish import NothingToPublishError, publish_batch
from annotation.enums import SubmissionState
from annotation.models import Submission
from consolidation.domain.cases.open_cases import open_due_cases
from consolidation.models import Case
from crowd.models import Hit, QualificationGrant
from projects.domain.create_project import create_project
from qualification.domain.rounds.publish_round import (
    RoundPublishError,
    invite_workers,
    publish_round,
    round_cents,
)
from qualification.domain.rounds.set_up_rounds import (
    PRESETS,
    RoundPlan,
    RoundSetupError,
    plans_of_preset,
    read_round_items,
    set_up_rounds,
)
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round
from schemes.contract.errors import FileError
from schemes.qasrl.scheme import SCHEME as QASRL
from schemes.registry import SCHEMES
from tests.consolidation.factories import CONTAIN, SURVEY, make_item, make_project
from tests.crowd.factories import NOW, make_worker
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_items,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
)
from tests.schemes.labels.scheme import SCHEME as LABELS

pytestmark = pytest.mark.django_db


def test_sample_file_yields_two_rounds_of_fifteen_predicates():
    keys = read_round_items(make_project(), QASRL.sample.rounds)
    plans = plans_of_preset(scheme=QASRL, preset="controlled-crowdsourcing-2020", keys=keys)
    assert [(plan.title, len(plan.keys), plan.thresholds) for plan in plans] == [
        ("Training 1", 15, {"UA": 0.6, "LA": 0.4}),
        ("Training 2", 15, {"UA": 0.7, "LA": 0.5, "units_per_item": 2}),
    ]


def test_preset_screens_with_qualifications_of_the_marketplace():
    screening = PRESETS["controlled-crowdsourcing-2020"][0]
    assert screening.entry == RoundEntry.OPEN
    assert [requirement["system"] for requirement in screening.requirements] == [
        "approval-rate",
        "locale",
    ]


def test_file_without_a_column_is_refused_with_its_line(tmp_path):
    project = make_project()
    path = tmp_path / "rounds.csv"
    path.write_text("qasrl_id,verb_idx\ns1,2\n", "utf-8")
    with pytest.raises(FileError, match=r"rounds.csv, line 2: round"):
        read_round_items(project, path)


@pytest.mark.parametrize("scheme", ["qasrl", "labels", "custom"])
def test_file_identifies_items_by_key(scheme, tmp_path, monkeypatch):
    monkeypatch.setitem(SCHEMES, LABELS.name, LABELS)
    project = create_project(slug="lists", scheme=scheme, now=NOW)
    path = tmp_path / "rounds.csv"
    path.write_text("item,round\nnews/1/4,1\ns2/0,2\ns3/7,1\n", "utf-8")
    assert read_round_items(project, path) == {1: ["news/1/4", "s3/7"], 2: ["s2/0"]}
    path.write_text("item,round\nnews,1\n", "utf-8")
    if scheme == "custom":  # the only item of each text
        assert read_round_items(project, path) == {1: ["news/0"]}
        return
    with pytest.raises(FileError, match=r"rounds.csv, line 2: item"):
        read_round_items(project, path)


def test_scheme_suggests_the_thresholds_of_a_preset():
    plans = plans_of_preset(
        scheme=LABELS, preset="controlled-crowdsourcing-2020", keys={0: ["a/0"], 2: ["b/0"]}
    )
    assert [plan.thresholds for plan in plans] == [{}, {"accuracy": 0.8}]


def test_items_of_a_round_leave_production():
    project = make_project()
    make_rounds(project)
    with pytest.raises(NothingToPublishError):
        publish_batch(project=project, now=NOW)
    spare = make_item(SURVEY, CONTAIN, project)
    batch = publish_batch(project=project, now=NOW)
    assert [row.item for row in batch.tasks.get().task_items.all()] == [spare]


def test_item_without_a_reference_is_refused():
    project = make_project()
    good, bare = make_items(project)[0], make_item(SURVEY, CONTAIN, project)
    with pytest.raises(RoundSetupError, match="has no expert gold"):
        set_up_rounds(
            project=project,
            plans=[RoundPlan("One", keys=[good.key, bare.key])],
            actor="tests",
            now=NOW,
        )
    assert Round.objects.count() == 0
    good.refresh_from_db()
    assert good.in_production


def test_item_offered_in_production_is_refused():
    project = make_project()
    items = make_items(project)
    publish_batch(project=project, now=NOW, limit=1)
    with pytest.raises(RoundSetupError, match="has already been published to workers"):
        set_up_rounds(
            project=project,
            plans=[RoundPlan("One", keys=[item.key for item in items])],
            actor="tests",
            now=NOW,
        )


def test_rounds_are_set_up_once():
    project = make_project()
    make_rounds(project)
    with pytest.raises(RoundSetupError, match="already has rounds for generators"):
        make_rounds(project)


def test_published_round_offers_each_item_once_to_every_trainee():
    training_round = make_rounds(pairs=2)[0]
    workers = [make_worker() for _ in range(11)]
    expected = round_cents(round=training_round, places=11)
    cohort = open_round(training_round, workers)
    hits = Hit.objects.filter(task__batch=cohort.batch)
    assert [hit.max_assignments for hit in hits] == [11] * 4
    training_round.project.budget.refresh_from_db()
    assert training_round.project.budget.reserved_cents == expected
    grants = QualificationGrant.objects.filter(qualification_type__code__endswith="round-1")
    assert {(grant.worker, grant.value) for grant in grants} == {(worker, 1) for worker in workers}
    requirement = hits[0].hit_type.qualifications[-1]
    assert (requirement["comparator"], requirement["integers"]) == ("EqualTo", [1])


def test_later_group_gets_separate_places():
    training_round = make_rounds()[0]
    open_round(training_round, [make_worker()])
    second = open_round(training_round, [make_worker(), make_worker()])
    assert (second.number, second.places) == (2, 2)
    tasks = second.batch.tasks.all()
    assert {item.attempt for task in tasks for item in task.task_items.all()} == {101}
    assert tasks[0].hit.hit_type.qualifications[-1]["integers"] == [2]


def test_round_without_workers_is_not_published():
    with pytest.raises(RoundPublishError, match="Invite workers first"):
        publish_round(round=make_rounds()[0], actor="tests", now=NOW)


def test_open_round_enrols_every_arriving_worker():
    project = make_project()
    plan = RoundPlan(
        "Screening", entry=RoundEntry.OPEN, keys=[item.key for item in make_items(project)]
    )
    [training_round] = set_up_rounds(project=project, plans=[plan], actor="tests", now=NOW)
    cohort = publish_round(round=training_round, actor="tests", now=NOW, places=5)
    worker = make_worker()
    work_through(cohort, worker)
    enrolment = Enrolment.objects.get(worker=worker)
    assert (enrolment.state, enrolment.cohort) == (EnrolmentState.FINISHED, cohort)


def test_repeated_invitation_creates_one_place():
    training_round, worker = make_rounds()[0], make_worker()
    for _ in range(2):
        invite_workers(round=training_round, workers=[worker], actor="tests", now=LATER)
    assert training_round.enrolments.count() == 1


def test_training_never_opens_a_case():
    training_round = make_rounds()[0]
    workers = [make_worker() for _ in range(2)]
    cohort = open_round(training_round, workers)
    for worker in workers:
        work_through(cohort, worker)
    assert Submission.objects.filter(state=SubmissionState.ACCEPTED).count() == 4
    assert open_due_cases(clock=lambda: LATER) == 0
    assert not Case.objects.exists()


def test_worker_in_two_projects_is_evaluated_in_each():
    worker = make_worker()
    for _ in range(2):
        cohort = open_round(make_rounds()[0], [worker])
        work_through(cohort, worker)
    assert [enrolment.evaluations.count() for enrolment in worker.enrolments.all()] == [1, 1]


def test_unfinished_round_is_not_evaluated():
    training_round, worker = make_rounds()[0], make_worker()
    cohort = open_round(training_round, [worker])
    submit_work(cohort.batch.tasks.first(), worker, EXPERT)
    record()
    enrolment = training_round.enrolments.get()
    assert (enrolment.state, enrolment.evaluations.count()) == (EnrolmentState.WORKING, 0)


def test_round_without_items_is_refused():
    with pytest.raises(RoundSetupError, match="has no items"):
        set_up_rounds(project=make_project(), plans=[RoundPlan("Empty")], actor="tests", now=NOW)
    with pytest.raises(RoundSetupError, match="There are no rounds to set up"):
        set_up_rounds(project=make_project(), plans=[], actor="tests", now=NOW)
