"""Architecture rules that import-linter cannot check."""

import tomllib
from itertools import chain

from django.apps import apps

from tests.environment import ROOT

LAYERS = [
    "audit",
    "web",
    "jobs",
    "crowd",
    "projects",
    "annotation",
    "consolidation",
    "datasets",
    "qualification",
    "model_annotators",
    "releases",
    "benchmarks",
    "rehearsal",
    "accounts",
    "dashboard",
    "operations",
]
OWN = {*LAYERS, "marketplace"}


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
            if "marketplace" in (app, target) or LAYERS.index(target) > LAYERS.index(app):
                upward.append(f"{model._meta.label}.{field.name} -> {target}")
    assert upward == []


def test_every_app_is_checked():
    own = {config.label for config in apps.get_app_configs() if config.label in OWN}
    assert own == OWN


def test_import_contracts_list_every_scheme():
    folders = {path.parent.name for path in (ROOT / "schemes").glob("*/scheme.py")}
    schemes = sorted(folders - {"contract"})
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = {row["name"]: row for row in settings["tool"]["importlinter"]["contracts"]}
    from_registry = contracts["Apps get schemes from the registry"]
    assert from_registry["forbidden_modules"] == [f"schemes.{name}" for name in schemes]
    layers = contracts["Schemes stand beside each other, on the contract"]["layers"]
    assert layers == ["registry", " | ".join(schemes), "contract"]
