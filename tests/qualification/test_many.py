"""Tests that the queries of the training pages do not depend on the number of rows."""

from copy import deepcopy

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item, Sentence
from consolidation.models import Gold
from crowd.models import Worker
from qualification.domain.rounds.queries import overview_rows
from qualification.domain.training.evaluate import refresh_references
from qualification.models import Enrolment, Evaluation, Feedback, RoundItem
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, source
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_evaluated,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
    write_reference,
)

pytestmark = pytest.mark.django_db
FEW, MANY = 3, 300


def add_workers(enrolment, count, trainer):
    """Add workers who finished the round like the enrolled worker, each with feedback."""
    workers = Worker.objects.bulk_create(
        Worker(provider="mturk", external_id=f"B{enrolment.pk}X{count}X{number}", first_seen_at=NOW)
        for number in range(count)
    )
    rows = Enrolment.objects.bulk_create(
        Enrolment(
            round=enrolment.round,
            worker=worker,
            state="to-decide",
            enrolled_at=NOW,
            cohort=enrolment.cohort,
        )
        for worker in workers
    )
    base = enrolment.evaluations.get()
    evaluations = Evaluation.objects.bulk_create(
        Evaluation(
            enrolment=row,
            rule=base.rule,
            figures=base.figures,
            alignment=base.alignment,
            computed_from=base.computed_from,
            computed_at=NOW,
        )
        for row in rows
    )
    Feedback.objects.bulk_create(
        Feedback(evaluation=evaluation, trainer=trainer, written_at=NOW)
        for evaluation in evaluations
    )


def add_items(enrolment, count):
    """Add items to the round and to the worker's alignment."""
    model = enrolment.round.round_items.select_related("item__sentence", "reference").last()
    sentences = Sentence.objects.bulk_create(
        Sentence(
            project=model.item.project,
            external_id=f"more-{count}-{number}",
            tokens=model.item.sentence.tokens,
        )
        for number in range(count)
    )
    items = Item.objects.bulk_create(
        Item(
            project=model.item.project,
            sentence=sentence,
            key=f"{sentence.external_id}:1",
            target=model.item.target,
            position=sentence.pk,
            in_production=False,
        )
        for sentence in sentences
    )
    golds = Gold.objects.bulk_create(
        Gold(
            item=item,
            source="expert",
            version=1,
            content=model.reference.content,
            schema_version=1,
            created_at=NOW,
        )
        for item in items
    )
    first = enrolment.round.round_items.count()
    RoundItem.objects.bulk_create(
        RoundItem(round=enrolment.round, item=item, reference=gold, ordinal=first + number)
        for number, (item, gold) in enumerate(zip(items, golds, strict=True))
    )
    evaluation = enrolment.evaluations.get()
    entry = evaluation.alignment[-1]
    evaluation.alignment += [deepcopy(entry) | {"item": item.pk} for item in items]
    evaluation.save()


def pages(enrolment):
    slug, round_id, name = (
        enrolment.round.project.slug,
        enrolment.round_id,
        enrolment.worker.pseudonym,
    )
    return [
        reverse("qualification:rounds", args=[slug]),
        reverse("qualification:round", args=[slug, round_id]),
        reverse("qualification:trainee", args=[slug, round_id, name]),
        reverse("qualification:preview", args=[slug, round_id, name]),
    ]


def count_queries(client, enrolment, counter):
    counts = []
    for url in pages(enrolment):
        with counter(60) as counted:
            assert client.get(url).status_code == 200
        counts.append(len(counted.captured_queries))
    return counts


def test_queries_do_not_grow_from_3_to_300_workers(
    desk, enrolment, trainer, django_assert_max_num_queries
):
    add_workers(enrolment, FEW, trainer)
    few = count_queries(desk, enrolment, django_assert_max_num_queries)
    add_workers(enrolment, MANY - FEW, trainer)
    assert enrolment.round.enrolments.count() == MANY + 1
    assert count_queries(desk, enrolment, django_assert_max_num_queries) == few


def test_queries_do_not_grow_from_3_to_300_items(desk, enrolment, django_assert_max_num_queries):
    add_items(enrolment, FEW - 2)
    few = count_queries(desk, enrolment, django_assert_max_num_queries)
    add_items(enrolment, MANY - FEW)
    assert enrolment.round.round_items.count() == MANY
    assert count_queries(desk, enrolment, django_assert_max_num_queries) == few


def test_workers_of_a_round_are_sorted_and_downloaded(desk, enrolment, trainer):
    add_workers(enrolment, 60, trainer)
    address = reverse(
        "qualification:round", args=[enrolment.round.project.slug, enrolment.round_id]
    )
    page = desk.get(address, {"sort": "-worker", "page": 2})
    listing = page.context["listing"]
    names = list(enrolment.round.enrolments.values_list("worker__pseudonym", flat=True))
    assert [str(row.name) for row in listing.shown] == sorted(names, reverse=True)[50:]
    assert "61 workers" in page.content.decode()
    rows = desk.get(address, {"format": "csv"}).getvalue().decode().splitlines()
    assert rows[0].startswith("Worker,")
    assert len(rows) == 62
    assert desk.get(address, {"text": names[3]}).context["listing"].total == 1


def test_trainer_sees_only_their_projects(desk, enrolment):
    other = make_evaluated()
    listed = desk.get(reverse("dashboard:projects")).content.decode()
    assert enrolment.round.project.slug in listed
    assert other.round.project.slug not in listed
    assert [desk.get(url).status_code for url in pages(other)] == [404] * 4
    # The round and worker of another project are not found under this project's address.
    slug = enrolment.round.project.slug
    mixed = [slug, other.round_id, other.worker.pseudonym]
    assert desk.get(reverse("qualification:trainee", args=mixed)).status_code == 404
    assert desk.get(reverse("qualification:round", args=mixed[:2])).status_code == 404
    own = [slug, enrolment.round_id, other.worker.pseudonym]
    assert desk.get(reverse("qualification:trainee", args=own)).status_code == 404


def test_corrected_reference_re_evaluates_each_affected_worker_once_and_lists_changed_verdicts():
    training_round, untouched = make_rounds()
    good, poor, idle = (make_worker() for _ in range(3))
    cohort = open_round(training_round, [good, poor, idle])
    work_through(cohort, good, EXPERT)
    work_through(cohort, poor)
    submit_work(cohort.batch.tasks.first(), idle)
    record()
    elsewhere = make_evaluated()
    training_round.thresholds = {"UA": 0.9}
    training_round.save()
    item = training_round.items.get(target__verb_idx=IDENTIFIED)
    survey = ["the U.S. Geological Survey ( USGS )"]
    questions = (("Who identified something?", survey), ("What did someone identify?", ["a basin"]))
    write_reference(item, source(SURVEY, *questions))
    assert refresh_references(clock=lambda: LATER) == 1
    assert refresh_references(clock=lambda: LATER) == 0
    by_worker = {enrolment.worker: enrolment for enrolment in training_round.enrolments.all()}
    changes = {
        row.enrolment.worker: row.changed_side for row in overview_rows(round=training_round)
    }
    assert changes == {good: False, poor: True, idle: None}
    assert [by_worker[worker].evaluations.count() for worker in (good, poor, idle)] == [2, 2, 0]
    assert elsewhere.evaluations.count() == 1
    assert not untouched.enrolments.exists()
    client = Client()
    client.force_login(make_user("tina", training_round.project, "trainer"))
    page = client.get(
        reverse("qualification:round", args=[training_round.project.slug, training_round.pk])
    )
    html = page.content.decode()
    assert f"{good.pseudonym} no longer meets all thresholds" in " ".join(html.split())
    assert f"{poor.pseudonym} meets all thresholds" in " ".join(html.split())


def test_changed_reference_does_not_reevaluate_other_rounds():
    enrolment = make_evaluated()
    other = make_evaluated()
    write_reference(other.round.items.get(target__verb_idx=CONTAIN), EXPERT[CONTAIN])
    refresh_references(clock=lambda: LATER)
    assert (enrolment.evaluations.count(), other.evaluations.count()) == (1, 2)
