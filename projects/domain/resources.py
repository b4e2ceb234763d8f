"""Add, load and search the resources of projects, such as lexica."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit.errors import TouchstoneError
from projects.models import Project, Resource
from schemes.base import Json
from schemes.base import Resource as DeclaredResource
from schemes.registry import get_scheme

RESULT_LIMIT = 50
# The attribute of a project instance that caches its resources.
CACHE = "_current_resources"


class UnknownResourceError(TouchstoneError, LookupError):
    """The project's scheme has no resource of this name."""


@transaction.atomic
def add_resource(*, project: Project, name: str, value: object, now: datetime) -> Resource:
    """Create a new version of the resource, unless the value is unchanged.

    Raise UnknownResourceError, or ContentError for an invalid value.
    """
    parsed = _declared(project, name).parse(value)
    Project.objects.select_for_update().get(pk=project.pk)
    newest = project.resources.filter(name=name).order_by("-version").first()
    if newest and newest.value == parsed:
        return newest
    project.__dict__.pop(CACHE, None)
    version = newest.version + 1 if newest else 1
    return Resource.objects.create(
        project=project, name=name, version=version, value=parsed, created_at=now
    )


def resources_of(project: Project) -> Mapping[str, Any]:
    """Return the current values by name.

    The project instance caches them. Schemes without resources cause no query.
    """
    if not get_scheme(project.scheme).resources:
        return {}
    if CACHE not in project.__dict__:
        project.__dict__[CACHE] = dict(_current(project).values_list("name", "value"))
    resources: dict[str, Any] = project.__dict__[CACHE]
    return resources


def look_up(*, project: Project, name: str, query: str) -> list[Json]:
    """Return the results of a query, or none if the project lacks the resource.

    Raise UnknownResourceError.
    """
    declared = _declared(project, name)
    resource = _current(project).filter(name=name).first()
    return declared.look_up(resource.value, query)[:RESULT_LIMIT] if resource else []


def _declared(project: Project, name: str) -> DeclaredResource:
    resources = get_scheme(project.scheme).resources
    if name not in resources:
        raise UnknownResourceError(f"The scheme of {project} has no resource {name!r}.")
    return resources[name]


def _current(project: Project) -> QuerySet[Resource]:
    newer = Resource.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), version__gt=OuterRef("version")
    )
    return Resource.objects.filter(~Exists(newer), project=project)
