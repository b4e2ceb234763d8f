"""Test of `make demo` on data of an older version."""

from io import StringIO

import pytest

from annotation.domain.publishing.publish import publish_batch
from qualification.models import Round
from rehearsal.domain.demo import prepare_demo
from rehearsal.management.commands.rehearse_demo import Command
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def test_older_demo_without_rounds_continues_without_training(settings):
    settings.DEMO = True
    project, *_ = prepare_demo(now=NOW)
    publish_batch(project=project, now=NOW)
    output = StringIO()
    Command(stdout=output)._train(project)
    assert "has already been published to workers" in output.getvalue()
    assert "from an older demo" in output.getvalue()
    assert not Round.objects.exists()
