"""Tests of rounds for consolidators.

Trainees merge given annotations, are compared with the expert, and join the second pool.
"""

import csv
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.publishing.qualification_codes import pool_code
from audit.models import StateChange
from consolidation.domain.cases.open_cases import case_batch
from consolidation.models import Case, Gold
from crowd.models import Message, Payment, QualificationGrant
from projects.enums import MemberRole, Role
from qualification.domain.rounds.set_up_rounds import (
    RoundPlan,
    RoundSetupError,
    plans_of_preset,
    read_given_annotations,
    set_up_rounds,
)
from qualification.domain.training.comparison_view import comparison_view
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Feedback, Round
from schemes.contract.errors import FileError
from schemes.qasrl.scheme import SCHEME as QASRL
from tests.annotation.uploads import run_jobs
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, make_item, make_project
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    GIVEN,
    LATER,
    make_consolidator_round,
    make_items,
    make_rounds,
    merge_through,
    open_round,
    work_through,
)
from tests.signed import signed

pytestmark = pytest.mark.django_db
PRESET = "controlled-crowdsourcing-2020"


def make_trained(training_round: Round, *, skill=1.0) -> Enrolment:
    worker = make_worker()
    merge_through(open_round(training_round, [worker]), worker, skill=skill)
    return training_round.enrolments.get(worker=worker)


def pools_of(worker, project):
    codes = {pool_code(project, role): role for role in ("generator", "consolidator")}
    grants = QualificationGrant.objects.filter(worker=worker, qualification_type__code__in=codes)
    return {codes[grant.qualification_type.code] for grant in grants}


def test_perfect_consolidation_equals_the_experts():
    enrolment = make_trained(make_consolidator_round())
    figures = enrolment.evaluations.get().figures
    assert enrolment.state == EnrolmentState.FINISHED
    assert [figures[name]["f1"] for name in ("UA", "LA")] == [1, 1]
    # All questions are judged: three of the expert's and two of the worker's, then two and two.
    assert figures["units_per_item"] == 4.5


def test_careless_consolidation_lowers_the_figures_and_is_paid():
    enrolment = make_trained(make_consolidator_round(pairs=4), skill=0.4)
    figures = enrolment.evaluations.get().figures
    assert figures["UA"]["fn"] > 0
    assert figures["UA"]["f1"] < 1
    assert Payment.objects.filter(kind="reward").count() == 8


def test_consolidations_of_a_round_never_become_gold():
    training_round = make_consolidator_round()
    before = Gold.objects.count()
    make_trained(training_round)
    assert Gold.objects.count() == before
    assert set(Case.objects.values_list("state", "attempt")) == {("offered", 100)}


def test_every_trainee_merges_the_same_annotations():
    training_round = make_consolidator_round()
    workers = [make_worker(), make_worker()]
    cohort = open_round(training_round, workers)
    for worker in workers:
        merge_through(cohort, worker)
    figures = [
        enrolment.evaluations.get().figures["UA"] for enrolment in training_round.enrolments.all()
    ]
    assert figures[0] == figures[1]
    assert {len(case.given) for case in Case.objects.all()} == {2}


def test_trainees_open_the_consolidators_page(client):
    training_round = make_consolidator_round()
    cohort = open_round(training_round, [make_worker()])
    task = cohort.batch.tasks.first()
    url = reverse("consolidation:consolidate", args=[task.public_id])
    query = {"assignmentId": "A1", "workerId": "W1", "turkSubmitTo": settings.SITE_URL}
    page = client.get(signed(f"{url}?{urlencode(query)}"))
    assert page.status_code == 200
    assert "Who identified something?" in page.content.decode()


def test_batch_of_a_round_is_not_used_for_production():
    training_round = make_consolidator_round()
    cohort = open_round(training_round, [make_worker()])
    batch = case_batch(project=training_round.project, role="consolidator", now=NOW)
    assert batch != cohort.batch
    assert (batch.for_training, cohort.batch.for_training) == (False, True)
    # A second cohort does not conflict with the only open batch of production.
    open_round(training_round, [make_worker()])


def test_pass_opens_the_consolidators_pool_and_no_other():
    enrolment = make_trained(make_consolidator_round())
    decide(enrolment=enrolment, verdict=Verdict.PASS, reason="", actor="t", now=LATER)
    assert pools_of(enrolment.worker, enrolment.round.project) == {"consolidator"}
    assert "now a trained annotator" in Message.objects.get().text


def test_declined_worker_stays_in_the_generators_pool():
    project = make_project()
    first = make_rounds(project, rounds=1)[0]
    second = make_consolidator_round(project)
    worker = make_worker()
    work_through(open_round(first, [worker]), worker, EXPERT)
    decide(enrolment=first.enrolments.get(), verdict=Verdict.PASS, reason="", actor="t", now=LATER)
    assert pools_of(worker, project) == {"generator"}
    merge_through(open_round(second, []), worker, skill=0.3)
    enrolment = second.enrolments.get()
    decide(enrolment=enrolment, verdict=Verdict.DECLINE, reason="", actor="t", now=LATER)
    [grant] = worker.grants.filter(qualification_type__code=pool_code(project, "generator"))
    assert grant.state == "pending"


def test_generators_who_pass_are_invited_to_the_consolidators_round():
    project = make_project()
    first = make_rounds(project, rounds=1)[0]
    second = make_consolidator_round(project)
    worker = make_worker()
    work_through(open_round(first, [worker]), worker, EXPERT)
    decide(enrolment=first.enrolments.get(), verdict=Verdict.PASS, reason="", actor="t", now=LATER)
    assert second.enrolments.get().worker == worker
    message = Message.objects.get().text
    assert "now a trained annotator" in message
    assert "The next round, “Consolidation training”" in message


def test_consolidator_rounds_remove_their_pool_from_generator_rounds():
    project = make_project()
    last = make_rounds(project)[-1]
    assert last.pool_roles == ["generator", "consolidator"]
    make_consolidator_round(project)
    last.refresh_from_db()
    assert last.pool_roles == ["generator"]


def test_items_of_another_round_are_refused():
    project = make_project()
    item = make_rounds(project)[0].items.first()
    plan = RoundPlan("Merge", role=Role.CONSOLIDATOR, keys=[item.key], given={})
    with pytest.raises(RoundSetupError, match="is already in the round 'Training 1'"):
        set_up_rounds(project=project, plans=[plan], actor="tests", now=NOW)


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ([], "annotations of 0 people"),
        ([EXPERT[CONTAIN]], "annotations of 1 people"),
        ([{"questions": [{"question": "What?", "answers": []}]}] * 2, "can't be used"),
    ],
)
def test_unmergeable_annotations_are_refused(annotations, message):
    project = make_project()
    item = make_items(project)[1]
    plan = RoundPlan(
        "Merge", role=Role.CONSOLIDATOR, keys=[item.key], given={item.key: annotations}
    )
    with pytest.raises(RoundSetupError, match=message):
        set_up_rounds(project=project, plans=[plan], actor="tests", now=NOW)
    assert not Round.objects.exists()


COLUMNS = (
    "qasrl_id", "verb_idx", "verb", "worker_id", "assign_id", "source_assign_id", "question",
    "is_redundant", "answer_range", "answer", "wh", "subj", "obj", "obj2", "aux", "prep",
    "verb_prefix", "is_passive", "is_negated", "verb_slot_inflection",
)  # fmt: skip


def write_annotations(path, item, annotations):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS, restval="")
        rows.writeheader()
        for writer, annotation in annotations.items():
            for question in annotation["questions"]:
                rows.writerow(
                    {
                        "qasrl_id": item.sentence.external_id,
                        "verb_idx": item.target["verb_idx"],
                        "verb": item.target["verb"],
                        "worker_id": writer,
                        "question": question["question"],
                        "is_redundant": "False",
                        "is_passive": "False",
                        "is_negated": "False",
                        "answer_range": "~!~".join(f"{a}:{b}" for a, b in question["answers"]),
                        "answer": "~!~".join(" ".join(SURVEY[a:b]) for a, b in question["answers"]),
                    }
                )


def make_file(tmp_path, project, writers):
    item = make_item(SURVEY, IDENTIFIED, project)
    item.key = item_key(item.sentence.external_id, str(IDENTIFIED))
    item.save()
    path = tmp_path / "annotations.csv"
    write_annotations(path, item, dict(zip(writers, GIVEN[IDENTIFIED], strict=True)))
    return item, path


def test_annotations_file_provides_the_items_of_a_round(tmp_path):
    project = make_project()
    item, path = make_file(tmp_path, project, ("ann", "bob"))
    annotations = read_given_annotations(project, path)
    assert list(annotations) == [item.key]
    questions = [
        [question["question"] for question in annotation["questions"]]
        for annotation in annotations[item.key]
    ]
    expected = [
        [question["question"] for question in annotation["questions"]]
        for annotation in GIVEN[IDENTIFIED]
    ]
    assert questions == expected
    [plan] = plans_of_preset(scheme=QASRL, preset=PRESET, keys={}, given=annotations)
    assert (plan.role, plan.keys) == (Role.CONSOLIDATOR, [item.key])


def test_file_without_annotations_is_refused(tmp_path):
    path = tmp_path / "annotations.csv"
    path.write_text(",".join(COLUMNS) + "\n", "utf-8")
    with pytest.raises(FileError, match="has a header, but no rows"):
        read_given_annotations(make_project(), path)


def test_annotations_that_contradict_the_items_are_refused(tmp_path, client, job_files):
    project = make_project()
    _, path = make_file(tmp_path, project, ("ann", "bob"))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cases = [
        ({"verb": "barked"}, "verb: .*, not “barked”"),
        ({"answer": "another answer"}, "answer: .*, not “another answer”"),
        ({"qasrl_id": "b:1"}, "no item 'b:1/"),
    ]
    for changes, message in cases:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list({**rows[0], **changes}))
            writer.writeheader()
            writer.writerows({**row, **changes} for row in rows)
        with pytest.raises(FileError, match=message):
            read_given_annotations(project, path)
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    with path.open("rb") as file:
        form = {"preset": PRESET, "annotations": file}
        set_up = reverse("qualification:set_up", args=[project.slug])
        page = client.post(set_up, form, follow=True)
    run_jobs()
    page = client.get(page.redirect_chain[-1][0])
    assert "no item &#x27;b:1/" in page.content.decode()
    assert not Round.objects.exists()


def test_preset_without_annotations_trains_one_pool_for_both_roles():
    plans = plans_of_preset(scheme=QASRL, preset=PRESET, keys={1: ["a"], 2: ["b"]})
    every = (Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR)
    assert [plan.pool_roles for plan in plans] == [(), every]
    [single] = plans_of_preset(scheme=QASRL, preset=PRESET, keys={1: ["a"]})
    assert single.pool_roles == every
    with pytest.raises(RoundSetupError, match="Remove them from this file"):
        plans_of_preset(scheme=QASRL, preset=PRESET, keys={3: ["a"]})


def test_side_by_side_shows_given_annotations_and_their_results():
    enrolment = make_trained(make_consolidator_round())
    items = comparison_view(feedback=Feedback(evaluation=enrolment.evaluations.get()))
    first = [(unit.writer, unit.label, unit.outcome) for unit in items[0].judged]
    assert first == [
        ("A", "Who identified something?", "kept"),
        ("A", "What did someone identify?", "kept"),
        ("A", "When did someone identify something?", "kept"),
        ("B", "Who identified something?", "the same as “Who identified something?”"),
        ("B", "What did someone identify?", "the same as “What did someone identify?”"),
    ]


def test_training_pages_and_feedback_show_consolidators(client):
    enrolment = make_trained(make_consolidator_round(pairs=2), skill=0.5)
    project, worker = enrolment.round.project, enrolment.worker
    trainer = make_user("tina", project, "trainer")
    desk = Client()
    desk.force_login(trainer)
    at = [project.slug, enrolment.round_id]
    assert worker.pseudonym in desk.get(reverse("qualification:round", args=at)).content.decode()
    page = desk.get(reverse("qualification:trainee", args=[*at, worker.pseudonym]))
    assert "Annotations to merge: 5 questions" in page.content.decode()
    sent = send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Hm"), now=LATER)
    html = client.get(link_of(sent)).content.decode()
    assert "Your decision" in html
    assert escape("the same as “") in html or "kept" in html


def test_setup_and_removal_of_the_pool_are_logged():
    project = make_project()
    make_rounds(project)
    make_consolidator_round(project)
    moves = StateChange.objects.filter(aggregate="qualification.Round").order_by("pk")
    assert [move.new for move in moves] == ["set up", "set up", "set up", "edited"]
    assert "generator, consolidator -> generator" in moves.last().reason
