import pytest
from django.test import Client

from projects.enums import MemberRole
from tests.dashboard.campaign import make_user
from tests.qualification.factories import make_evaluated


@pytest.fixture
def enrolment(db):
    """A worker who has done the first round and waits for the trainer."""
    return make_evaluated()


@pytest.fixture
def trainer(enrolment):
    return make_user("tina", enrolment.round.project, MemberRole.TRAINER)


@pytest.fixture
def desk(trainer):
    """The trainer's browser."""
    client = Client()
    client.force_login(trainer)
    return client
