import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from crowd.models import Hit
from qualification.enums import EnrolmentState
from web.badges import badge, badge_of, state_badge
from web.states import State, Tone, states_of

OWN = {path.name for path in Path(settings.BASE_DIR).iterdir() if (path / "models.py").exists()}


def models_with_states():
    return [
        model
        for app in sorted(OWN)
        for model in apps.get_app_config(app).get_models()
        if any(field.name == "state" for field in model._meta.fields)
    ]


@pytest.mark.parametrize("model", models_with_states(), ids=lambda model: model._meta.label)
def test_field_named_state_has_the_choices_of_its_states(model):
    assert issubclass(states_of(model), State)
    assert states_of(model).choices == model._meta.get_field("state").choices


def test_models_with_states_are_found():
    assert len(models_with_states()) > 20


def test_passed_and_declined_look_different():
    assert EnrolmentState.PASSED.tone != EnrolmentState.DECLINED.tone


def test_every_tone_has_a_style():
    css = (Path(settings.BASE_DIR) / "static/css/table.css").read_text("utf-8")
    styled = set(re.findall(r"\.tone--([a-z]+)", css))
    assert styled == set(Tone)


def test_badge_has_a_label():
    assert badge("passed", Tone.SUCCESS, "passed & paid") == (
        '<span class="state state--passed tone--success">passed &amp; paid</span>'
    )
    assert badge("started", Tone.NEUTRAL) == (
        '<span class="state state--started tone--neutral">started</span>'
    )


def test_badge_of_a_row_is_that_of_its_state():
    expected = '<span class="state state--failed tone--danger">failed</span>'
    assert badge_of(Hit(state="failed")) == expected


def test_state_is_its_value_in_text_and_has_tone_phrase_and_label():
    state = EnrolmentState("to-decide")
    assert state is EnrolmentState.FINISHED
    assert (f"{state}", state.value, state.label) == (
        "to-decide",
        "to-decide",
        "finished, awaiting decision",
    )
    assert state.tone == Tone.WAITING
    assert state.phrase is not None
    assert state.phrase.was == "{it} finished"
    assert state_badge(state) == (
        '<span class="state state--to-decide tone--waiting">finished, awaiting decision</span>'
    )
