"""Content of earlier versions of a scheme's definition, in the form of the current version."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from projects.domain.resources import value_of, versions_since
from projects.domain.schemes import digest_of, scheme_of
from projects.models import Project, Resource
from schemes.contract.errors import ContentError
from schemes.contract.resources import ContentMapping
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class EarlierContent:
    """Content that fits an earlier version of the definition.

    `mapped` is the same in the form of the current version. It may lack answers that only the current
    version requires.
    """

    content: Json
    version: int
    mapped: Json


def definitions_since(project: Project, since: datetime) -> list[Resource]:
    """Return the version that was current at a time and all later ones, the oldest first.

    Schemes that no definition declares have none.
    """
    if scheme_of(project).declaration is None:
        return []
    return versions_since(project=project, name=DEFINITION, since=since)


def mapping_of(project: Project, versions: list[Resource]) -> ContentMapping | None:
    """Return what maps content of the first version to the last one."""
    declared = scheme_of(project).resources[DEFINITION]
    return declared.mapping([value_of(version) for version in versions])


def fit_content(content: Any, *, item: Item, since: datetime, digest: str = "") -> Any:
    """Return unfinished content, begun at a time, in the form of the current version.

    `digest` is that of the definition whose form it has. Without it, what the current version can read
    stays as it is.
    """
    if digest and isinstance(content, dict):
        return _fit_exactly(content, item, digest)
    versions = definitions_since(item.project, since)
    if len(versions) < 2 or not isinstance(content, dict):
        return content
    context = context_of(item)
    mapping = mapping_of(item.project, versions)
    try:
        scheme_of(item.project).content.parse_gold(content, context)
    except ContentError:
        return mapping.map_content(content, context).content if mapping else content
    return content


def _fit_exactly(content: Json, item: Item, digest: str) -> Json:
    """Return content of the definition with a digest in the form of the current version."""
    project = item.project
    if digest == project.definition_digest:
        return content
    versions = definitions_since(project, project.created_at)
    known = [at for at, row in enumerate(versions) if digest_of(value_of(row)) == digest]
    mapping = mapping_of(project, versions[known[-1] :]) if known else None
    return mapping.map_content(content, context_of(item)).content if mapping else content


def parse_earlier(
    item: Item,
    content: object,
    *,
    parse: Callable[[Item, object], Json],
    since: datetime,
    digest: str = "",
) -> EarlierContent | None:
    """Return content that fits a version that was current since then, or None.

    With a `digest`, only versions with that digest are tried, whenever they were current. Later
    versions come first. `parse` raises ContentError for content that doesn't fit the version of the
    item's project.
    """
    versions = definitions_since(item.project, item.project.created_at if digest else since)
    for at in reversed(range(len(versions) - 1)):
        earlier, project = copy(item), copy(item.project)
        project.definition_digest = digest_of(value_of(versions[at]))
        if digest not in ("", project.definition_digest):
            continue
        earlier.project = project
        try:
            parsed = parse(earlier, content)
        except ContentError:
            continue
        if mapping := mapping_of(item.project, versions[at:]):
            mapped = mapping.map_content(parsed, context_of(item)).content
            return EarlierContent(parsed, versions[at].version, mapped)
    return None
