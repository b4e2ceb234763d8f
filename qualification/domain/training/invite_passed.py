"""Invite workers to a round that was added after they passed the round before it."""

from datetime import datetime

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext

from crowd.domain.workers.languages import language_of
from crowd.domain.workers.write_mail import also_by_mail
from crowd.models import Message, Worker
from projects.models import Project
from qualification.domain.pool.admit import outsiders_of
from qualification.domain.rounds.publish_round import invite_workers
from qualification.domain.rounds.set_up_rounds import RoundPlan, add_round, preceding_round
from qualification.domain.training.decide import ROUND_FOLLOWS
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Round


@transaction.atomic
def add_following_round(*, project: Project, plan: RoundPlan, actor: str, now: datetime) -> Round:
    """Add a round and invite those who passed the round before it. Raise RoundSetupError."""
    added = add_round(project=project, plan=plan, actor=actor, now=now)
    invite_passed(round=added, actor=actor, now=now)
    return added


@transaction.atomic
def invite_passed(*, round: Round, actor: str, now: datetime) -> list[Worker]:
    """Invite and message those who passed the previous round, if the round's entry admits them.

    Members of the pool, and workers who can't be admitted to it, are left out.
    """
    earlier = preceding_round(round)
    if round.entry != RoundEntry.PASSED or earlier is None:
        return []
    passed = earlier.enrolments.filter(state=EnrolmentState.PASSED).exclude(
        worker__enrolments__round=round
    )
    outsiders = outsiders_of(
        project=round.project, role=round.role, passed=list(passed.values_list("worker", flat=True))
    )
    workers = [standing.worker for standing in outsiders if not standing.refusal]
    invite_workers(round=round, workers=workers, actor=actor, now=now)
    for worker in workers:
        values = {"title": round.title}
        with translation.override(language_of(worker)):
            message = Message.objects.create(
                worker=worker,
                budget=round.project.budget,
                subject=(gettext("Invitation: %(title)s") % values)[:200],
                text=gettext(ROUND_FOLLOWS) % values,
                written_at=now,
            )
        also_by_mail(message=message)
    return workers
