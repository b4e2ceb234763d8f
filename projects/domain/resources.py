"""Add, load and search the resources of projects, such as lexica."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.domain.change_project import CHANGED
from projects.domain.schemes import digest_of, scheme_of
from projects.models import Project, Resource
from schemes.contract.errors import FileError
from schemes.contract.resources import Resource as DeclaredResource
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json

RESULT_LIMIT = 50
# The attribute of a project instance that caches its resources.
CACHE = "_current_resources"
# The number of values that a process keeps. A large lexicon takes about 30 MB.
VALUES_CACHED = 4


class UnknownResourceError(TouchstoneError, LookupError):
    """The project's scheme has no resource of this name."""


class ResourceFormatError(TouchstoneError, ValueError):
    """The resource cannot be imported from files of this format, or has no such preset."""


class ResourceChangedError(TouchstoneError):
    """Somebody else changed the resource during the import."""


@dataclass(frozen=True, slots=True)
class ImportedResource:
    """The version that is current after an import. `is_new` is False for an unchanged value."""

    resource: Resource
    is_new: bool
    counts: Mapping[str, int]


def import_resource(
    *,
    project: Project,
    name: str,
    path: Path | None,
    fmt: str,
    switches: Mapping[str, bool],
    actor: str,
    now: datetime,
    presets: Mapping[str, str] | None = None,
) -> ImportedResource:
    """Read a file or folder into a new version of the resource, and set switches by their keys.

    Then fields of presets get the values that `presets` names. Without a path, only switches and
    presets change. A new version is logged.

    Raise UnknownResourceError, ResourceFormatError, ResourceChangedError, FileError, or ContentError
    for an invalid value.
    """
    declared = declared_resource(project, name)
    newest = current_version(project=project, name=name)
    value: Any = newest.value if newest else None
    if path is not None:
        value = _read(declared, path, fmt, value)
    elif value is None:
        value = declared.empty
    fields = {**switches, **_preset_values(declared, presets or {})}
    if fields:
        value = {**(value or {}), **fields}
    return _imported(project, name, declared.parse(value), actor, now, based_on=newest)


def read_value(*, project: Project, name: str, path: Path, fmt: str) -> Json:
    """Return the value that a file or folder would give the resource, without storing it.

    Raise UnknownResourceError, ResourceFormatError, FileError, or ContentError for an invalid value.
    """
    declared = declared_resource(project, name)
    newest = current_version(project=project, name=name)
    value = declared.parse(_read(declared, path, fmt, newest.value if newest else None))
    check_change(project=project, name=name, value=value)
    return value


def change_resource(
    *,
    project: Project,
    name: str,
    value: object,
    actor: str,
    now: datetime,
    changed_version: int | None = None,
    origin: str = "",
) -> ImportedResource:
    """Store a changed value as a new version, which is logged with the origin of the change.

    `changed_version` is the version that was changed, or 0 if there was none. By default, it is the
    current one. Raise UnknownResourceError, ResourceChangedError, or ContentError for an invalid value.
    """
    parsed = declared_resource(project, name).parse(value)
    newest = current_version(project=project, name=name)
    if changed_version not in (None, newest.version if newest else 0):
        raise ResourceChangedError(
            "Someone else saved a new version meanwhile. Compare it with yours, and save again."
        )
    return _imported(project, name, parsed, actor, now, based_on=newest, origin=origin)


def check_change(*, project: Project, name: str, value: Json) -> None:
    """Raise ContentError if a parsed value can't follow the current version.

    Only resources that staff write have such values.
    """
    declared = declared_resource(project, name)
    if declared.written is None:
        return
    if newest := current_version(project=project, name=name):
        declared.check_change(value_of(newest), value)


def resources_of(project: Project) -> Mapping[str, Any]:
    """Return the current values by name, which must not be changed.

    The project instance caches them, and the process the values of recent versions. Schemes without
    resources cause no query.
    """
    if not scheme_of(project).resources:
        return {}
    if CACHE not in project.__dict__:
        project.__dict__[CACHE] = {row.name: value_of(row) for row in current_versions(project)}
    resources: dict[str, Any] = project.__dict__[CACHE]
    return resources


def current_versions(project: Project) -> QuerySet[Resource]:
    """Return the newest version of each resource, without its value."""
    newer = Resource.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), version__gt=OuterRef("version")
    )
    return Resource.objects.filter(~Exists(newer), project=project).defer("value").order_by("name")


def current_version(*, project: Project, name: str) -> Resource | None:
    return current_versions(project).filter(name=name).first()


def versions_since(*, project: Project, name: str, since: datetime) -> list[Resource]:
    """Return the version that was current at a time and all later ones, the oldest first.

    Without an earlier version, the first one counts as current. Values are not loaded.
    """
    versions = Resource.objects.filter(project=project, name=name).defer("value")
    ordered = list(versions.order_by("version"))
    earlier = sum(version.created_at <= since for version in ordered)
    return ordered[max(0, earlier - 1) :]


def value_of(resource: Resource) -> Any:
    """Return the value of a version, which must not be changed."""
    # The time distinguishes versions whose transaction was rolled back, because SQLite reuses keys.
    return load_value(resource.pk, resource.created_at)


@lru_cache(maxsize=VALUES_CACHED)
def load_value(pk: int, created_at: datetime) -> Any:
    """Return the value of a version, which the process keeps."""
    return Resource.objects.values_list("value", flat=True).get(pk=pk, created_at=created_at)


def look_up(*, project: Project, name: str, query: str) -> list[Json]:
    """Return the results of a query, or none if the project lacks the resource.

    Raise UnknownResourceError.
    """
    declared = declared_resource(project, name)
    resources = resources_of(project)
    return declared.look_up(resources[name], query)[:RESULT_LIMIT] if name in resources else []


def declared_resource(project: Project, name: str) -> DeclaredResource:
    """Return the scheme's resource of this name. Raise UnknownResourceError."""
    resources = scheme_of(project).resources
    if name not in resources:
        known = ", ".join(resources) or "none"
        raise UnknownResourceError(
            f"The scheme of {project} has no resource {name!r}. Resources: {known}."
        )
    return resources[name]


def _preset_values(declared: DeclaredResource, chosen: Mapping[str, str]) -> Json:
    """Return the values of presets by their fields. Raise ResourceFormatError."""
    known = {preset.key: preset.values for preset in declared.presets}
    for key, choice in chosen.items():
        if choice not in known.get(key, {}):
            choices = ", ".join(known.get(key, {})) or "none"
            raise ResourceFormatError(f"{choice!r} is not a preset of {key}. Presets: {choices}.")
    return {key: known[key][choice] for key, choice in chosen.items()}


def _read(declared: DeclaredResource, path: Path, fmt: str, current: Json | None) -> object:
    reader = declared.formats.get(fmt)
    if reader is None:
        known = ", ".join(declared.formats) or "none"
        raise ResourceFormatError(f"{fmt!r} is not a format of this resource. Formats: {known}.")
    if not path.exists():
        raise FileError(str(path), None, "does not exist; check the path.")
    return reader(path, current)


@transaction.atomic
def _imported(
    project: Project,
    name: str,
    value: Json,
    actor: str,
    now: datetime,
    *,
    based_on: Resource | None,
    origin: str = "",
) -> ImportedResource:
    """Add a version, and log it if it is new."""
    declared = declared_resource(project, name)
    check_change(project=project, name=name, value=value)
    added = _add(project, name, value, now, based_on=based_on)
    is_new = based_on is None or added.pk != based_on.pk
    if is_new:
        change = f"{declared.label.lower()}: version {added.version}"
        change = f"{change}, {origin}" if origin else change
        log_state_change(instance=project, old="", new=CHANGED, actor=actor, now=now, reason=change)
    return ImportedResource(added, is_new, declared.count(value))


@transaction.atomic
def _add(
    project: Project, name: str, value: Json, now: datetime, *, based_on: Resource | None
) -> Resource:
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_version(project=project, name=name)
    if (newest and newest.pk) != (based_on and based_on.pk):
        raise ResourceChangedError("The resource was changed at the same time. Import it again.")
    if newest and newest.value == value:
        return newest
    project.__dict__.pop(CACHE, None)
    if name == DEFINITION:
        project.definition_digest = digest_of(value)
        project.save(update_fields=["definition_digest"])
    version = newest.version + 1 if newest else 1
    return Resource.objects.create(
        project=project, name=name, version=version, value=value, created_at=now
    )
