"""Store new versions of resources, and map the annotations to them."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from django.db import transaction

from audit.errors import TouchstoneError
from consolidation.domain.gold.map_contents import map_contents, maps_contents
from consolidation.domain.gold.version_effects import VersionEffects, effects_of
from projects.domain.resources import (
    ImportedResource,
    change_resource,
    declared_resource,
    import_resource,
    read_value,
)
from projects.models import Project
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json


class VersionEffectsError(TouchstoneError):
    """Annotations would lose parts or become incomplete, and nobody agreed to that."""

    def __init__(self, effects: VersionEffects) -> None:
        super().__init__("Annotations don't fit the new version.")
        self.effects = effects


@transaction.atomic
def save_version(
    *,
    project: Project,
    name: str,
    value: object,
    actor: str,
    now: datetime,
    changed_version: int | None = None,
    accepts_effects: bool = True,
    origin: str = "",
) -> ImportedResource:
    """Store a changed value as a new version, and map the annotations to a definition.

    Without `accepts_effects`, raise VersionEffectsError if annotations would lose parts or become
    incomplete. Raise the errors of `change_resource`.
    """
    if not accepts_effects:
        _require_no_loss(project, name, declared_resource(project, name).parse(value))
    imported = change_resource(
        project=project,
        name=name,
        value=value,
        actor=actor,
        now=now,
        changed_version=changed_version,
        origin=origin,
    )
    _map(project, name, imported, now)
    return imported


@transaction.atomic
def import_version(
    *,
    project: Project,
    name: str,
    path: Path | None,
    fmt: str,
    switches: Mapping[str, bool],
    actor: str,
    now: datetime,
    presets: Mapping[str, str] | None = None,
    accepts_effects: bool = True,
) -> ImportedResource:
    """Import a new version from a file, and map the annotations to a definition.

    Without `accepts_effects`, raise VersionEffectsError if annotations would lose parts or become
    incomplete. Raise the errors of `import_resource`.
    """
    if path and not accepts_effects:
        value = read_value(project=project, name=name, path=path, fmt=fmt)
        _require_no_loss(project, name, value)
    imported = import_resource(
        project=project,
        name=name,
        path=path,
        fmt=fmt,
        switches=switches,
        presets=presets,
        actor=actor,
        now=now,
    )
    _map(project, name, imported, now)
    return imported


def _require_no_loss(project: Project, name: str, value: Json) -> None:
    """Raise VersionEffectsError if annotations would lose parts or become incomplete."""
    if name == DEFINITION and maps_contents(project):
        effects = effects_of(project=project, value=value)
        if effects.needs_a_decision:
            raise VersionEffectsError(effects)


def _map(project: Project, name: str, imported: ImportedResource, now: datetime) -> None:
    if imported.is_new and name == DEFINITION and maps_contents(project):
        map_contents(project=project, now=now)
