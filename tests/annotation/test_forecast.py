import json
from math import sqrt

import pytest
from django.core.cache import cache as cached
from django.core.management import call_command

from annotation.domain.publishing.cost_model import role_costs
from annotation.domain.publishing.forecast import Forecast, forecast_costs, total_of
from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission
from crowd.domain.money.decide_assignment import approve_assignment, reject_assignment
from crowd.models import Worker
from projects.domain.choose_protocol import choose_protocol
from tests.annotation.factories import NOW, make_item, make_project
from tests.annotation.test_batch_actions import go_live, hits_of
from tests.crowd.factories import make_assignment

pytestmark = pytest.mark.django_db
# The reward of a generator with its fee, and the same with the allowance of 5 + 6 + 7 cents and its fee.
BARE, PLACE = 6, 6 + 18 + 4


@pytest.fixture
def project():
    project = make_project()
    for _ in range(6):
        make_item(project)
    return project


def test_forecast_without_work_is_within_the_reservation(project):
    publish_batch(project=project, now=NOW, limit=2)
    generator, consolidator = forecast_costs(project=project)
    # The forecast assumes three questions. One earns a bonus of 5 cents, with a fee of 1.
    cents = 12 * BARE, 12 * (BARE + 6), 12 * PLACE, 8 * (BARE + 6)
    assert generator == Forecast("generator", 4, 8, 0, *cents)
    assert (consolidator.offered, consolidator.to_come, consolidator.role) == (0, 6, "consolidator")
    project.budget.refresh_from_db()
    assert project.budget.reserved_cents == 4 * PLACE


def test_forecast_follows_the_mean_and_variance_of_accepted_work(project):
    batch = publish_batch(project=project, now=NOW, limit=3)
    go_live(hits_of(batch))
    assignments = [make_assignment(hit) for hit in hits_of(batch) for _ in range(2)]
    # The costs are 6, 6, 6 + 5 + 1, and twice 6 + 11 + 2. The rejected work costs nothing.
    for assignment, questions in zip(assignments[:5], [0, 2, 3, 4, 4], strict=True):
        accept(assignment, questions)
    reject_assignment(assignment=assignments[5], reason="no", actor="me", now=NOW)
    cached.clear()
    generator = forecast_costs(project=project)[0]
    costs = [6, 6, 12, 19, 19]
    mean = sum(costs) / 5
    s2 = sum((cost - mean) ** 2 for cost in costs) / 4
    spread = 1.96 * sqrt(s2 * (6 + 36 / 5))
    assert (generator.offered, generator.to_come, generator.seen) == (0, 6, 5)
    assert not role_costs(project=project)[0].is_simulated
    Worker.objects.update(is_simulated=True)
    cached.clear()
    assert role_costs(project=project)[0].is_simulated
    assert generator.expected_cents == round(6 * mean)
    assert generator.high_cents == round(6 * mean + spread)
    assert generator.low_cents == max(6 * BARE, round(6 * mean - spread))


def accept(assignment, questions: int) -> None:
    """Accept work with a number of questions."""
    Submission.objects.create(
        item=assignment.hit.task.items.get(),
        role="generator",
        worker=assignment.worker,
        assignment=assignment,
        content={"questions": [{"question": f"Who {n}?", "answers": []} for n in range(questions)]},
        schema_version=1,
        state="accepted",
        active_seconds=60,
        opened_at=NOW,
        submitted_at=NOW,
    )
    approve_assignment(assignment=assignment, bonus=None, actor="me", now=NOW)


def test_undecided_work_is_still_to_be_paid(project):
    batch = publish_batch(project=project, now=NOW, limit=1)
    (hit,) = hits_of(batch)
    go_live([hit])
    assert forecast_costs(project=project)[0].offered == 2
    make_assignment(hit)
    assert forecast_costs(project=project)[0].offered == 2


def test_variances_of_roles_add_up():
    generator = Forecast("generator", 1, 0, 9, 70, 100, 130)
    consolidator = Forecast("consolidator", 1, 0, 9, 160, 200, 240)
    assert total_of([generator, consolidator]) == (250, 300, 350)


def test_limits_of_roles_without_work_add_up():
    generator = Forecast("generator", 1, 0, 0, 70, 100, 130)
    consolidator = Forecast("consolidator", 1, 0, 0, 160, 200, 240)
    measured = Forecast("validator", 1, 0, 9, 90, 100, 110)
    assert total_of([generator, consolidator]) == (230, 300, 370)
    assert total_of([generator, consolidator, measured]) == (320, 400, 480)


def test_command_prints_the_forecast(project, capsys):
    call_command("forecast", "news", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["expected_cents"] == sum(role["expected_cents"] for role in report["roles"])
    assert report["low_cents"] < report["expected_cents"] <= report["high_cents"]


def test_forecast_has_the_roles_of_the_protocol(project):
    choose_protocol(
        project=project, protocol="validation", validators=3, agree=2, actor="test", now=NOW
    )
    project.refresh_from_db()
    generator, validator = forecast_costs(project=project)
    assert (generator.to_come, validator.role, validator.to_come) == (6, "validator", 18)
    # 8 cents and a fee of 2. The allowance is four questions at 2 cents, with a fee of 2.
    assert (validator.low_cents, validator.high_cents) == (18 * 10, 18 * 20)
