import json

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project

pytestmark = pytest.mark.django_db


def test_project_goes_by_consolidation_unless_told(capsys):
    call_command("create_project", "news", "--scheme", "qasrl", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told == {"project": "news", "scheme": "qasrl", "protocol": "consolidation"}
    assert Project.objects.get().generators_per_item == 2


def test_project_is_made_with_its_protocol(capsys):
    call_command(
        *("create_project", "dense", "--scheme", "qasrl", "--pay", "qasrl-2018"),
        *("--protocol", "validation", "--validators", "5", "--agree", "4"),
    )
    assert "ready" in capsys.readouterr().out
    project = Project.objects.get()
    assert (project.protocol, project.validators_per_item, project.validators_to_agree) == (
        *("validation", 5, 4),
    )


def test_protocol_that_can_not_be_leaves_no_project():
    with pytest.raises(CommandError, match="4 of 2 validators can't agree"):
        call_command(
            *("create_project", "dense", "--scheme", "qasrl"),
            *("--protocol", "validation", "--agree", "4"),
        )
    assert not Project.objects.exists()
