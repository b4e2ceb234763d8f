"""Tell the members of a pool that work was published for them, at most once a day."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import translation
from django.utils.translation import gettext

from annotation.models import Batch
from crowd.domain.provider.providers import capabilities_of
from crowd.domain.workers.announce import announce, reachable
from crowd.domain.workers.languages import by_language, in_all_languages
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH
from crowd.enums import GrantState
from crowd.models import Message, QualificationType, Worker
from projects.models import Project
from web.money import dollars

EVERY = timedelta(days=1)


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
    recent = Message.objects.filter(
        budget=project.budget_id,
        subject__in=in_all_languages(lambda: subject_for(project)),
        written_at__gt=now - EVERY,
    )
    members = Worker.objects.filter(pk__in=grants.values("worker"))
    unaware = reachable(members).exclude(pk__in=recent.values("worker")).order_by("pk")
    messages = []
    for language, workers in by_language(unaware).items():
        with translation.override(language):
            subject, text = subject_for(project), _text(batch)
        messages += announce(
            budget=project.budget, workers=workers, subject=subject, text=text, now=now
        )
    return messages


def subject_for(project: Project) -> str:
    text = gettext("New tasks: %(project)s") % {"project": project.title}
    return text[:MAX_SUBJECT_LENGTH]


def _text(batch: Batch) -> str:
    project = batch.project
    if batch.bonus_allowance_cents:
        text = gettext(
            "New tasks of the project “%(project)s” are available to you, %(reward)s each and a bonus."
        )
    else:
        text = gettext(
            "New tasks of the project “%(project)s” are available to you, %(reward)s each."
        )
    values = {"project": project.title, "reward": dollars(batch.reward_cents)}
    return f"{text % values} {directions_to(project, batch.title)}"


def directions_to(project: Project, title: str) -> str:
    """Return where workers find the tasks with this title."""
    if capabilities_of(project.provider).has_sessions:
        text = gettext("They are in a study, under the title “%(title)s”.")
    else:
        text = gettext("They are in the marketplace's list, under the title “%(title)s”.")
    return text % {"title": title}
