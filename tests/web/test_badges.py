from enum import EnumMeta
from importlib import import_module

import pytest
from django.apps import apps
from django.db.models import TextChoices

from web.badges import TONES, badge

APPS = ("annotation", "consolidation", "crowd", "jobs", "qualification")


def states() -> set[str]:
    values = set()
    for app in APPS:
        for name, item in vars(import_module(f"{app}.enums")).items():
            if (
                name.endswith("State")
                and isinstance(item, EnumMeta)
                and issubclass(item, TextChoices)
            ):
                values |= set(item.values)
    return values


@pytest.mark.parametrize("state", sorted(states()))
def test_state_has_a_tone(state):
    assert state in TONES


def test_every_field_named_state_has_choices():
    fields = [
        field
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.get_fields()
        if field.name == "state"
    ]
    assert all(getattr(field, "choices", None) for field in fields)


def test_passed_and_declined_look_different():
    assert TONES["passed"] != TONES["declined"]


def test_badge_has_a_label():
    assert badge("passed", "passed & paid") == (
        '<span class="state state--passed tone--success">passed &amp; paid</span>'
    )
