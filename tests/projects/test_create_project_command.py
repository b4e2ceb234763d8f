import json

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project
from schemes.qasrl.pay import PAY_PRESETS

pytestmark = pytest.mark.django_db


def test_project_uses_consolidation_by_default(capsys):
    call_command("create_project", "news", "--scheme", "qasrl", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary == {"project": "news", "scheme": "qasrl", "protocol": "consolidation"}
    project = Project.objects.get()
    assert project.generators_per_item == 2
    assert project.pay_scheme == PAY_PRESETS["qasrl-2020"]


def test_project_is_created_with_its_protocol(capsys):
    call_command(
        *("create_project", "dense", "--scheme", "qasrl", "--pay", "qasrl-2018"),
        *("--protocol", "validation", "--validators", "5", "--agree", "4"),
    )
    assert "ready" in capsys.readouterr().out
    project = Project.objects.get()
    assert (project.protocol, project.validators_per_item, project.validators_to_agree) == (
        *("validation", 5, 4),
    )


def test_impossible_protocol_creates_no_project():
    with pytest.raises(CommandError, match="4 of 2 validators can't agree"):
        call_command(
            *("create_project", "dense", "--scheme", "qasrl"),
            *("--protocol", "validation", "--agree", "4"),
        )
    assert not Project.objects.exists()


def test_preset_of_another_scheme_is_refused():
    with pytest.raises(CommandError, match=r"no pay scheme .labels.\. Choose from qasrl-2020"):
        call_command("create_project", "dense", "--scheme", "qasrl", "--pay", "labels")
    assert not Project.objects.exists()


def test_decision_on_bonuses_is_chosen(capsys):
    call_command("create_project", "news", "--scheme", "qasrl")
    call_command("create_project", "fast", "--scheme", "qasrl", "--bonuses", "at-once")
    timings = Project.objects.order_by("slug").values_list("bonus_timing", flat=True)
    assert list(timings) == ["at-once", "by-trust"]
