import pytest
from django.test import Client

from projects.enums import MemberRole
from tests.dashboard.campaign import make_user
from tests.qualification.factories import make_evaluated


@pytest.fixture
def enrolment(db):
    """Create an enrolment whose worker has finished the first round and awaits a decision."""
    return make_evaluated()


@pytest.fixture
def trainer(enrolment):
    return make_user("tina", enrolment.round.project, MemberRole.TRAINER)


@pytest.fixture
def desk(trainer):
    """Return a client that is signed in as the trainer."""
    client = Client()
    client.force_login(trainer)
    return client
