"""Members of a pool receive a message when work is published for them."""

from datetime import timedelta

import pytest

from annotation.domain.publishing.publish import publish_batch
from consolidation.domain.cases.open_cases import publish_case
from consolidation.models import Case
from crowd.domain.workers.qualifications import grant_qualification, revoke_qualification
from crowd.models import Message, Worker
from projects.enums import Role
from qualification.domain.pool.admit import admit_worker, pool_of
from tests.annotation.factories import NOW, make_item, make_project
from tests.crowd.factories import make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = make_project()
    for _ in range(4):
        make_item(project)
    return project


def add_member(project, role=Role.GENERATOR, value=None) -> Worker:
    worker = make_worker()
    pool = pool_of(project, role)
    grant_qualification(qualification=pool, worker=worker, value=value, now=NOW)
    return worker


def publish(project, *, now=NOW, **options):
    pool = pool_of(project, Role.GENERATOR)
    return publish_batch(project=project, now=now, limit=1, pool=pool, **options)


def messaged() -> list[Worker]:
    return [message.worker for message in Message.objects.order_by("pk")]


def test_pool_is_told_of_new_work_at_most_once_a_day(project):
    worker = add_member(project)
    batch = publish(project)
    publish(project, now=NOW + timedelta(hours=23))
    message = Message.objects.get()
    assert (message.worker, message.budget) == (worker, project.budget)
    assert message.subject == f"New tasks: {project.title}"
    assert f"${batch.reward_cents / 100:.2f} each and a bonus" in message.text
    assert batch.title in message.text
    publish(project, now=NOW + timedelta(hours=25))
    assert messaged() == [worker, worker]


def test_only_members_who_can_take_the_work_and_read_are_told(project):
    first, second, withdrawn, simulated, erased, admitted = (
        add_member(project, value=value) for value in (1, 2, 1, 1, 1, 1)
    )
    pool = pool_of(project, Role.GENERATOR)
    revoke_qualification(qualification=pool, worker=withdrawn, reason="Done.", now=NOW)
    Worker.objects.filter(pk=simulated.pk).update(is_simulated=True)
    Worker.objects.filter(pk=erased.pk).update(external_id="erased:1")
    pool.grants.filter(worker=admitted).delete()
    admit_worker(project=project, worker=admitted, role="generator", actor="rita", now=NOW)
    pool.grants.filter(worker=admitted).update(value=1)
    publish(project, groups=[1])
    # The last worker received a message about the new tasks when they were admitted.
    assert messaged() == [admitted, first]
    assert second not in messaged()


def test_work_for_everyone_is_announced_to_nobody(project):
    add_member(project)
    publish_batch(project=project, now=NOW)
    assert messaged() == []


def test_consolidators_are_told_of_the_first_case_of_a_day(project):
    worker = add_member(project, Role.CONSOLIDATOR)
    for item in project.items.all():
        case = Case.objects.create(item=item, opened_at=NOW)
        publish_case(case_id=case.pk, now=NOW)
    assert messaged() == [worker]


def test_provider_with_studies_delivers_nothing_to_strangers(project):
    project.provider = "prolific"
    project.save()
    worker = add_member(project)
    Worker.objects.filter(pk=worker.pk).update(provider="prolific", external_id="a" * 24)
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = 500
    publish(project)
    assert messaged() == []
