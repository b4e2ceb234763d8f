"""Preview the study that a publication would create."""

from collections.abc import Sequence

from annotation.domain.publishing.cost_model import expected_seconds
from annotation.domain.publishing.publish import membership_requirements, terms_of
from annotation.domain.publishing.queries import generation_cents
from crowd.domain.hits.plan_study import StudyPreview, preview_study
from crowd.models import HitType, QualificationType
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project


def preview_batch(
    *,
    project: Project,
    count: int,
    pool: QualificationType | None = None,
    groups: Sequence[int] = (),
) -> list[StudyPreview]:
    """Return the study of `count` items for generation, or nothing at a provider without sessions."""
    if not project.has_sessions:
        return []
    texts = scheme_of(project).vocabulary.tasks[Role.GENERATOR]
    hit_type = HitType(
        provider=project.provider,
        title=texts.title,
        description=texts.description,
        reward_cents=terms_of(project, Role.GENERATOR)["reward_cents"],
        qualifications=[*membership_requirements(pool, groups), *project.worker_requirements],
    )
    study = preview_study(
        hit_type=hit_type,
        budget=project.budget,
        expected_seconds=expected_seconds(project, Role.GENERATOR),
        hits=count,
        assignments=project.generators_per_item,
        cents=generation_cents(project=project, count=count),
        settings=project.study_settings,
    )
    return [study] if study else []
