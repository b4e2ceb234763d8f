"""Choose who may accept the HITs of a publication. Pages, commands and the API share this rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.domain.publishing.qualification_codes import belongs_to, pool_of
from audit.errors import TouchstoneError
from crowd.models import QualificationType
from projects.enums import Role
from projects.models import Project


class Who(StrEnum):
    POOL = "pool"
    ANYONE = "anyone"


class WorkersError(TouchstoneError, ValueError):
    """These workers can't be chosen. `field` is the wrong choice."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class ChosenWorkers:
    """The holders of a qualification, or of its values in `groups`. Without one, any worker."""

    pool: QualificationType | None
    groups: Sequence[int] = ()


def choose_workers(
    *, project: Project, who: str = "", code: str = "", groups: Sequence[int] = ()
) -> ChosenWorkers:
    """Return the workers of a publication for generation.

    Without a choice, these are the project's trained pool, or any worker if it has none. `code` names
    another qualification of the project instead of the pool. Raise WorkersError.
    """
    if who == Who.ANYONE:
        if code or groups:
            raise WorkersError("who", "A pool and its groups are not for anyone. Leave one out.")
        return ChosenWorkers(None)
    pool = _named(project, code) if code else pool_of(project=project, role=Role.GENERATOR)
    if pool is None and who == Who.POOL:
        raise WorkersError(
            "who", f"{project.slug} has no trained pool yet. Train workers, or publish to anyone."
        )
    if pool is None and groups:
        raise WorkersError("groups", "The project has no trained pool yet, and so no groups.")
    return ChosenWorkers(pool, groups)


def _named(project: Project, code: str) -> QualificationType:
    """Return the project's qualification. Others don't exist for its members."""
    kind = QualificationType.objects.filter(provider=project.provider, code=code).first()
    if kind is None or not belongs_to(project, code):
        raise WorkersError("pool", f"{project.slug} has no qualification {code!r}.")
    return kind
