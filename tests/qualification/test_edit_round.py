"""Tests of the page that edits a round: immediate changes, later changes and refusals."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.work.open_page import open_page
from audit.models import StateChange
from crowd.domain.sessions.arrivals import Arrival
from crowd.models import Hit, Payment
from projects.domain.create_project import write_guidelines
from qualification.domain.rounds.publish_round import round_cents
from qualification.domain.training.edit_round import admission_of
from qualification.enums import RoundEntry
from qualification.models import Round
from schemes.qasrl.pay import PAY_PRESETS
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import EXPERT, make_rounds, open_round, work_through

pytestmark = pytest.mark.django_db


@pytest.fixture
def training_round(db):
    return make_rounds(pairs=2)[0]


@pytest.fixture
def send(training_round):
    client = Client()
    client.force_login(make_user("rita", training_round.project, "requester"))
    url = reverse("qualification:edit", args=[training_round.project.slug, training_round.pk])

    def of(**fields):
        defaults = {
            "title": training_round.title,
            "entry": training_round.entry,
            "threshold_UA": "70",
            "threshold_LA": "65",
            **fields,
        }
        return client.post(url, defaults)

    of.page = lambda: client.get(url)
    return of


def test_unchanged_form_changes_nothing(send, training_round):
    assert send.page().status_code == 200
    assert send().status_code == 302
    assert not StateChange.objects.filter(new="edited").exists()


def test_changes_are_saved_and_logged(send, training_round):
    fields = {
        "title": "Screening", "entry": "open", "approval_rate": "98", "hits_approved": "100",
        "locales": "us gb", "items_per_worker": "2", "threshold_UA": "62.5", "threshold_LA": "",
        "threshold_units_per_item": "2",
    }  # fmt: skip
    assert send(**fields).status_code == 302
    training_round.refresh_from_db()
    assert (training_round.title, training_round.entry, training_round.items_per_worker) == (
        "Screening",
        RoundEntry.OPEN,
        2,
    )
    assert training_round.thresholds == {"UA": 0.625, "units_per_item": 2}
    admission = admission_of(training_round)
    assert (admission.approval_rate, admission.hits_approved) == (98, 100)
    assert admission.locales == ("GB", "US")
    logged = StateChange.objects.get(new="edited")
    assert (logged.aggregate, logged.actor) == ("qualification.Round", "rita")
    assert "items per worker: none -> 2" in logged.reason


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": ""}, "required"),
        ({"entry": "passed"}, "There is no round before this one"),
        ({"items_per_worker": "5"}, "1 to 4 items"),
        ({"locales": "Europe"}, "two letters"),
        ({"threshold_UA": "101"}, "less than or equal to 100"),
        ({"reward_cents": "7"}, "Fill in all the pay fields"),
        ({"guidelines": "99999"}, "Select a valid choice"),
        ({"approval_rate": "-1"}, "greater than or equal to 0"),
    ],
)
def test_invalid_input_is_explained_and_changes_nothing(send, training_round, fields, message):
    before = Round.objects.values().get(pk=training_round.pk)
    response = send(**fields)
    assert response.status_code == 422
    assert message in response.content.decode()
    assert Round.objects.values().get(pk=training_round.pk) == before


def test_entry_is_fixed_while_workers_are_enrolled(send, training_round):
    open_round(training_round, [make_worker()])
    response = send(entry="open")
    assert "Workers are doing this round now" in response.content.decode()


PAY = {"reward_cents": 20, "free_units": 1, "bonus_first_cents": 7, "bonus_step_cents": 0}


def test_round_pays_by_its_terms(send, training_round):
    project_cents = round_cents(round=training_round, places=1)
    send(**PAY)
    training_round.refresh_from_db()
    expected = round_cents(round=training_round, places=1)
    assert expected > project_cents
    worker = make_worker()
    cohort = open_round(training_round, [worker])
    training_round.project.budget.refresh_from_db()
    assert training_round.project.budget.reserved_cents == expected
    assert {hit.hit_type.reward_cents for hit in Hit.objects.all()} == {20}
    work_through(cohort, worker, EXPERT)
    paid = sorted(Payment.objects.values_list("kind", "amount_cents"))
    # Three questions twice and two twice, which is 14 and 7 cents beyond the first question.
    assert paid == [("bonus", 7)] * 2 + [("bonus", 14)] * 2 + [("reward", 20)] * 4
    task = cohort.batch.tasks.first()
    page = open_page(public_id=task.public_id, role=task.role, arrival=Arrival(), now=NOW)
    assert page.data["pay"]["reward_cents"] == 20
    assert training_round.project.pay_scheme == PAY_PRESETS["qasrl-2020"]


def test_round_shows_its_own_version_of_the_guidelines(send, training_round):
    first = write_guidelines(
        project=training_round.project, role="generator", text="# One", now=NOW
    )
    send(guidelines=str(first.pk))
    write_guidelines(project=training_round.project, role="generator", text="# Two", now=NOW)
    training_round.refresh_from_db()
    cohort = open_round(training_round, [make_worker()])
    task = cohort.batch.tasks.first()
    page = open_page(public_id=task.public_id, role=task.role, arrival=Arrival(), now=NOW)
    assert page.guidelines.text == first.text
