"""The report on arms: it finds a bias that a simulation put in, and none where there is none."""

import json
import random

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.enums import ModelUse, SubmissionState
from annotation.models import Arm, Batch, ItemArm, Submission
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold, SystemAnnotation
from datasets.domain.quality.assistance import (
    ANNOTATIONS,
    FOUND_OMISSIONS,
    KEPT_ERRORS,
    SECONDS,
    assistance_report,
)
from projects.command import InputError
from projects.enums import MemberRole, Role
from tests.consolidation.factories import make_item, make_project
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
PARSER = "parser"
# Each question has its own answer, so that units are the same or have nothing in common.
QUESTIONS = (
    "Who identified something?",
    "What did someone identify?",
    "When did someone identify something?",
    "Where did someone identify something?",
    "Why did someone identify something?",
    "How did someone identify something?",
)
WORDS = [f"word{number}" for number in range(12)]
TOKENS = [*WORDS, "identified", "it", "."]


def content_of(units):
    return {
        "questions": [
            {"question": QUESTIONS[unit], "answers": [[2 * unit, 2 * unit + 2]]}
            for unit in sorted(units)
        ],
        "no_question": "" if units else "no-argument",
    }


class Simulation:
    """Items with expert gold and a model's annotations, of which each arm gets a part.

    `bias` is the probability with which people keep an error of the model that they were shown, and
    with which they overlook what it missed. 0 means that they work as if they saw nothing.
    """

    def __init__(self, seed, *, items=120, bias=0.0, seconds=(60, 60), workers=2):
        self.rng = random.Random(seed)
        self.bias = bias
        self.project = make_project()
        self.workers = [make_worker() for _ in range(workers)]
        batch = Batch.objects.create(
            project=self.project, role=Role.GENERATOR, title="t", reward_cents=20, created_at=NOW
        )
        arms = [
            Arm.objects.create(batch=batch, ordinal=0, percent=50),
            Arm.objects.create(
                batch=batch, ordinal=1, percent=50, system=PARSER, use=ModelUse.PREANNOTATION
            ),
        ]
        for number in range(items):
            self.add(arms[number % 2], seconds[number % 2])

    def add(self, arm, seconds):
        item = make_item(TOKENS, TOKENS.index("identified"), self.project)
        expert = set(self.rng.sample(range(6), 3))
        model = self.chosen(range(6), expert, 0.75, 0.35)
        annotation = parse_generation(item, content_of(model))
        SystemAnnotation.objects.create(
            item=item, system=PARSER, content=annotation, schema_version=1, imported_at=NOW
        )
        shown = annotation if arm.system else None
        ItemArm.objects.create(item=item, arm=arm, content=shown, assigned_at=NOW)
        gold = parse_generation(item, content_of(expert))
        add_gold(item=item, source=GoldSource.EXPERT, content=gold, provenance=[], now=NOW)
        for worker in self.workers:
            units = self.chosen(range(6), expert, 0.85, 0.08)
            if shown is not None:
                units |= {unit for unit in model - expert if self.rng.random() < self.bias}
                units -= {unit for unit in expert - model if self.rng.random() < self.bias}
            Submission.objects.create(
                item=item,
                role=Role.GENERATOR,
                worker=worker,
                assignment=make_assignment(worker=worker),
                content=parse_generation(item, content_of(units)),
                schema_version=1,
                state=SubmissionState.ACCEPTED,
                opened_at=NOW,
                submitted_at=NOW,
                active_seconds=max(1, int(self.rng.gauss(seconds, 15))),
            )

    def chosen(self, units, expert, hit, error):
        return {unit for unit in units if self.rng.random() < (hit if unit in expert else error)}


def effects_of(report, key):
    return next(row.effects for row in report.measured[ANNOTATIONS] if row.key == key)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))]
)
def test_bias_is_found(seed):
    report = assistance_report(project=Simulation(seed, bias=0.4).project)
    first, helped = effects_of(report, KEPT_ERRORS)
    assert helped.sign == 1
    assert first.value < 0.25 < helped.value
    assert effects_of(report, FOUND_OMISSIONS)[1].sign == -1
    assert "Don't use it for test data" in report.recommendations[0]


@pytest.mark.parametrize("seed", [100])
def test_no_bias_is_found_where_there_is_none(seed):
    report = assistance_report(project=Simulation(seed, bias=0.0).project)
    assert effects_of(report, KEPT_ERRORS)[1].sign == 0
    assert "no effect on agreement" in report.recommendations[0]


@pytest.mark.long
def test_false_alarms_are_rare():
    """Of 20 campaigns without a bias, one false alarm is expected at most every other time."""
    alarms = [
        seed
        for seed in range(100, 120)
        if effects_of(assistance_report(project=Simulation(seed).project), KEPT_ERRORS)[1].sign
    ]
    assert len(alarms) <= 2, alarms


def test_saved_time_is_found():
    report = assistance_report(project=Simulation(3, seconds=(90, 50)).project)
    first, helped = effects_of(report, SECONDS)
    assert helped.sign == -1
    assert helped.value < first.value
    assert "clearly faster" in report.recommendations[0]


def test_units_of_pre_annotations_are_counted():
    simulation = Simulation(4, items=2, workers=1)
    item = simulation.project.items.get(item_arm__arm__system=PARSER)
    shown = parse_generation(item, content_of({0, 1, 2}))
    kept = parse_generation(item, content_of({0, 3}))
    ItemArm.objects.filter(item=item).update(content=shown)
    item.submissions.update(content=kept)
    edits = assistance_report(project=simulation.project).arms[1].edits
    assert (edits.accepted, edits.edited, edits.rejected, edits.added) == (1, 0, 2, 1)


def test_too_little_expert_gold_recommends_nothing():
    report = assistance_report(project=Simulation(5, items=20, bias=1).project)
    assert (
        "too few items with blind expert gold (10, at least 20 per arm)"
        in (report.recommendations[0])
    )


def test_gold_that_an_expert_corrected_is_not_blind():
    simulation = Simulation(6, items=4)
    for gold in Gold.objects.filter(item__project=simulation.project):
        review = gold.reviews.create(
            drawn_at=NOW,
            reviewed_at=NOW,
            state="corrected",
            expert=make_user(f"e{gold.pk}"),
        )
        review.correction = gold
        review.save()
    assert [arm.compared for arm in assistance_report(project=simulation.project).arms] == [0, 0]


def test_agreement_is_that_of_a_plain_count():
    simulation = Simulation(7, items=10, workers=1)
    report = assistance_report(project=simulation.project)
    found = of = 0
    for item in simulation.project.items.filter(item_arm__arm__system=""):
        expert, own = (
            {question["question"] for question in content["questions"]}
            for content in (item.gold.get().content, item.submissions.get().content)
        )
        found += 2 * len(expert & own)
        of += len(expert) + len(own)
    assert effects_of(report, "UA")[0].value == pytest.approx(found / of)


def test_page_shows_the_arms(client):
    simulation = Simulation(8, items=60, bias=0.5)
    client.force_login(make_user("adam", simulation.project, MemberRole.ADMIN))
    url = reverse("datasets:assistance", args=[simulation.project.slug])
    page = client.get(url).content.decode()
    assert "pre-annotation by parser" in page
    assert "clearly higher" in page
    assert "What became of pre-annotated units" in page


def test_page_without_arms_says_how_to_get_them(client):
    project = make_project()
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    page = client.get(reverse("datasets:assistance", args=[project.slug])).content.decode()
    assert "No batch has arms" in page


def test_command_prints_the_report(capsys):
    simulation = Simulation(9, items=44)
    call_command("assistance_report", simulation.project.slug, json=True)
    facts = json.loads(capsys.readouterr().out)
    assert [arm["items"] for arm in facts["arms"]] == [22, 22]
    call_command("assistance_report", simulation.project.slug)
    text = capsys.readouterr().out
    assert "pre-annotation by parser" in text
    with pytest.raises(InputError, match="has arms"):
        call_command("assistance_report", make_project().slug)


def test_help_for_consolidators_is_judged_by_the_gold():
    simulation = Simulation(10, items=4)
    Arm.objects.filter(system=PARSER).update(use=ModelUse.SOURCE)
    report = assistance_report(project=simulation.project)
    assert list(report.measured) == [ANNOTATIONS]
    assert report.recommendations == [
        "Parser as an unmarked source: there is no gold yet, which this help is about."
    ]
