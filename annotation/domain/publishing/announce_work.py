"""Tell the members of a pool that work was published for them, at most once a day."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from annotation.models import Batch
from crowd.domain.provider.providers import capabilities_of
from crowd.domain.workers.announce import announce, reachable
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH
from crowd.enums import GrantState
from crowd.models import Message, QualificationType, Worker
from projects.models import Project
from web.money import dollars

EVERY = timedelta(days=1)
TEXT = (
    "New tasks of the project “{project}” are available to you, {reward} each{bonus}. {directions}"
)
IN_LIST = "They are in the marketplace's list, under the title “{title}”."
AS_STUDY = "They are in a study, under the title “{title}”."


def announce_work(
    *, batch: Batch, pool: QualificationType | None, now: datetime, groups: Sequence[int] = ()
) -> list[Message]:
    """Message the members of the pool, or of its groups, about new HITs of the batch.

    Workers who received a message about new tasks of the project in the last day are left out.
    Without a pool, nobody is messaged.
    """
    if pool is None:
        return []
    project = batch.project
    grants = pool.grants.filter(state__in=[GrantState.PENDING, GrantState.HELD])
    if groups:
        grants = grants.filter(value__in=groups)
    subject = subject_for(project)
    recent = Message.objects.filter(
        budget=project.budget_id, subject=subject, written_at__gt=now - EVERY
    )
    members = Worker.objects.filter(pk__in=grants.values("worker"))
    unaware = reachable(members).exclude(pk__in=recent.values("worker")).order_by("pk")
    text = TEXT.format(
        project=project.title,
        reward=dollars(batch.reward_cents),
        bonus=" and a bonus" if batch.bonus_allowance_cents else "",
        directions=directions_to(project, batch.title),
    )
    return announce(budget=project.budget, workers=unaware, subject=subject, text=text, now=now)


def subject_for(project: Project) -> str:
    return f"New tasks: {project.title}"[:MAX_SUBJECT_LENGTH]


def directions_to(project: Project, title: str) -> str:
    """Return where workers find the tasks with this title."""
    has_studies = capabilities_of(project.provider).has_sessions
    return (AS_STUDY if has_studies else IN_LIST).format(title=title)
