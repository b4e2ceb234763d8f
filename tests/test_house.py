"""The rules of the house that an import linter cannot see."""

from itertools import chain

from django.apps import apps

STOREYS = [
    "audit",
    "rest",
    "crowd",
    "annotation",
    "consolidation",
    "qualification",
    "rehearsal",
    "accounts",
    "dashboard",
    "operation",
]
OWN = {*STOREYS, "marketplace"}


def test_foreign_keys_point_down():
    upward = []
    for model in apps.get_models(include_auto_created=True):
        app = model._meta.app_label
        if app not in OWN:
            continue
        for field in chain(model._meta.fields, model._meta.many_to_many):
            target = field.related_model._meta.app_label if field.related_model else app
            if target not in OWN or target == app:
                continue
            if "marketplace" in (app, target) or STOREYS.index(target) > STOREYS.index(app):
                upward.append(f"{model._meta.label}.{field.name} -> {target}")
    assert upward == []


def test_every_app_of_the_house_is_walked():
    own = {config.label for config in apps.get_app_configs() if config.label in OWN}
    assert own == OWN
