"""The schemes of projects, some of which a project declares itself."""

import hashlib
import json
from functools import lru_cache

from projects.models import Project, Resource
from schemes.contract.scheme import DEFINITION, Scheme
from schemes.contract.values import Json
from schemes.registry import get_scheme

# The number of declared schemes that a process keeps.
SCHEMES_CACHED = 64


def scheme_of(project: Project) -> Scheme:
    """Return the project's scheme, which is built from its definition if it declares one."""
    scheme = get_scheme(project.scheme)
    if scheme.declaration is None:
        return scheme
    return _declared(scheme.name, project.pk, project.definition_digest)


def digest_of(definition: Json) -> str:
    """Return the SHA-256 of a parsed definition, in hexadecimal digits."""
    text = json.dumps(definition, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def definition_of(project: Project) -> Resource:
    """Return the version of the definition that the project uses. Raise Resource.DoesNotExist."""
    versions = Resource.objects.filter(project=project, name=DEFINITION).order_by("-version")
    for version in versions:
        if digest_of(version.value) == project.definition_digest:
            return version
    raise Resource.DoesNotExist(f"{project} has no definition of its scheme.")


# A digest names one definition, so an entry is never outdated.
@lru_cache(maxsize=SCHEMES_CACHED)
def _declared(name: str, project_id: int, digest: str) -> Scheme:
    declaration = get_scheme(name).declaration
    if declaration is None:
        raise ValueError(f"The scheme {name} is the same in all projects.")
    project = Project(pk=project_id, definition_digest=digest)
    return declaration.build(definition_of(project).value)
