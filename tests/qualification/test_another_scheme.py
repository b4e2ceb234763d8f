"""Tests of a round of a labels scheme, which has no F1 and no spans."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Draft, Item, Sentence
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from crowd.models import Assignment
from datasets.models import Decision
from projects.domain.create_project import create_project
from qualification.domain.rounds.set_up_rounds import plans_of_preset, set_up_rounds
from qualification.domain.scores.figures import unmet_thresholds
from qualification.domain.training.evaluate import compute_figures
from qualification.domain.training.feedback import Notes, link_of, send_feedback
from qualification.models import Enrolment
from schemes.registry import SCHEMES
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import LATER, open_round, record
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db
REFERENCE, CHOSEN = ["positive", "negative"], ["positive", "neutral"]


@pytest.fixture(autouse=True)
def _registered(monkeypatch) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)


@pytest.fixture
def enrolment() -> Enrolment:
    """Create a worker who selected the expert's label for the first of two sentences."""
    project = create_project(slug="moods", scheme="labels", now=NOW)
    items = []
    for position, label in enumerate(REFERENCE):
        sentence = Sentence.objects.create(
            project=project, external_id=f"m{position}", tokens=["A", "fine", "match"]
        )
        item = Item.objects.create(
            project=project, sentence=sentence, key=f"m{position}/0", target={}, position=position
        )
        content = {"label": label}
        add_gold(item=item, source=GoldSource.EXPERT, content=content, provenance=[{}], now=NOW)
        items.append(item)
    plans = plans_of_preset(
        scheme=SCHEME,
        preset="controlled-crowdsourcing-2020",
        keys={1: [item.key for item in items]},
    )
    [round] = set_up_rounds(project=project, plans=plans, actor="tests", now=NOW)
    round.thresholds |= {"accuracy": 0.6}
    round.entry = "invited"
    round.save()
    worker = make_worker()
    cohort = open_round(round, [worker])
    for task, label in zip(cohort.batch.tasks.order_by("pk"), CHOSEN, strict=True):
        _submit(task, worker, {"label": label})
    record()
    return Enrolment.objects.get(round=round, worker=worker)


def _submit(task, worker, content) -> None:
    assignment = Assignment.objects.create(
        hit=task.hit,
        worker=worker,
        external_id=f"A-{task.pk}",
        accepted_at=NOW,
        submitted_at=LATER,
    )
    contents = {str(task.items.get().pk): content}
    assignment.answer = {"content": json.dumps(contents)}
    assignment.save(update_fields=["answer"])
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content=contents,
        opened_at=NOW,
        saved_at=NOW,
        active_seconds=20,
    )


@pytest.fixture
def desk(enrolment) -> Client:
    client = Client()
    client.force_login(make_user("tina", enrolment.round.project, "trainer"))
    return client


def address(name, enrolment):
    project, worker = enrolment.round.project, enrolment.worker
    args = [project.slug, enrolment.round_id, worker.pseudonym]
    return reverse(f"qualification:{name}", args=args)


def test_figures_are_those_of_the_scheme(enrolment):
    evaluation = enrolment.evaluations.get()
    assert evaluation.rule == "labels.accuracy.v1"
    assert evaluation.figures == {
        "items": 2,
        "answered": 2,
        "accuracy": {"items": 2, "value": 0.5},
        "units_per_item": 1,
        "seconds_per_item": 20,
        "by_item": [1, 0],
    }
    assert [row["state"] for entry in evaluation.alignment for row in entry["rows"]] == [
        "found",
        "label-differs",
    ]
    assert unmet_thresholds(SCHEME, evaluation.figures, enrolment.round.thresholds) == ["accuracy"]


def test_pages_show_the_terms_and_figures_of_the_scheme(desk, enrolment, client):
    slug = enrolment.round.project.slug
    overview = desk.get(reverse("qualification:round", args=[slug, enrolment.round_id]))
    for text in ("Accuracy of 60 % or more", "Accuracy (%), item by item", "Labels per item"):
        assert text in overview.content.decode()
    page = desk.get(address("trainee", enrolment)).content.decode()
    for text in ("other label", "Accept this label", "Thresholds not met: Accuracy"):
        assert text in page
    trainer = make_user("tom")
    sent = send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Hello"), now=LATER)
    html = client.get(link_of(sent)).content.decode()
    for text in ("Your average is 1.0 labels per sentence.", "You chose the expert's label."):
        assert text in html.replace("&#x27;", "'")


def test_decision_changes_the_corrected_figures(desk, enrolment):
    item = enrolment.round.items.order_by("position")[1]
    for kind, corrected in (("accepted", 1.0), ("refused", 0.5)):
        value = json.dumps([item.pk, kind, "label", "label"])
        desk.post(address("overrule", enrolment), {"decision": value})
        assert Decision.objects.get().kind == kind
        figures = compute_figures(enrolment)
        assert figures.automatic["accuracy"]["value"] == 0.5
        assert figures.corrected["accuracy"]["value"] == corrected


def test_form_has_a_field_per_figure(enrolment):
    requester = Client()
    requester.force_login(make_user("rita", enrolment.round.project, "requester"))
    url = reverse("qualification:edit", args=[enrolment.round.project.slug, enrolment.round_id])
    page = requester.get(url).content.decode()
    for text in (
        "Minimum Accuracy (percent)",
        "Minimum labels per item",
        "for the first additional label",
    ):
        assert text in page
    fields = {"title": "Moods", "entry": "invited", "threshold_accuracy": "75"}
    assert requester.post(url, fields).status_code == 302
    enrolment.round.refresh_from_db()
    assert enrolment.round.thresholds == {"accuracy": 0.75}
