"""`make demo` on data that an older version left behind."""

from io import StringIO

import pytest

from annotation.domain.publish import publish_batch
from qualification.models import Round
from rehearsal.domain.demo import prepare_demo
from rehearsal.management.commands.rehearse_demo import Command
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def test_demo_from_before_the_rounds_goes_on_without_training(settings):
    settings.DEMO = True
    project, *_ = prepare_demo(now=NOW)
    publish_batch(project=project, now=NOW)
    told = StringIO()
    Command(stdout=told)._train(project)
    assert "has already been published to workers" in told.getvalue()
    assert "from an older demo" in told.getvalue()
    assert not Round.objects.exists()
