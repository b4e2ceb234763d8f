"""Send news of held bonuses, in one message per worker for what is decided together."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Min

from annotation.enums import HeldBonusState
from annotation.models import HeldBonus
from crowd.domain.write_messages import write_messages
from jobs.domain.sweep import for_each_group

# A message follows when nothing was added for so long, or at the latest after the first text is so old.
QUIET = timedelta(minutes=10)
LONGEST_WAIT = timedelta(hours=1)
MOST_CHARACTERS = 4000
LIMIT = 500
SUBJECTS = {
    HeldBonusState.HELD: "Your bonus is being reviewed",
    HeldBonusState.ACCEPTED: "Your bonus was accepted",
    HeldBonusState.DECLINED: "Your bonus was declined",
}


def send_bonus_news(*, clock: Callable[[], datetime], limit: int = LIMIT) -> int:
    """Write a message to each worker with due news in a project. Return the number of messages."""
    now = clock()
    new = HeldBonus.objects.exclude(news="").order_by()
    workers = new.values_list("project", "payment__assignment__worker")
    due = [
        (project, worker)
        for project, worker, first, last in workers.annotate(
            first=Min("news_at"), last=Max("news_at")
        )
        if last <= now - QUIET or first <= now - LONGEST_WAIT
    ]
    rows = new.filter(
        project__in={project for project, _ in due},
        payment__assignment__worker__in={worker for _, worker in due},
    )
    return for_each_group(
        sweep="send bonus news",
        rows=rows.select_related("project__budget", "payment__assignment__worker").order_by("pk"),
        key=_key,
        process=lambda group, now: _send(group, now) if _key(group[0]) in due else 0,
        clock=clock,
        limit=limit,
    )


def _key(held: HeldBonus) -> tuple[int, int]:
    return held.project_id, held.payment.assignment.worker_id


@transaction.atomic
def _send(group: Sequence[HeldBonus], now: datetime) -> int:
    """Write one message with as many texts as fit. The rest follows with the next sweep."""
    locked = HeldBonus.objects.select_for_update().filter(pk__in=[held.pk for held in group])
    rows = list(locked.exclude(news="").order_by("news_at", "pk"))
    if not rows:
        return 0
    chosen, length = rows[:1], len(rows[0].news)
    for held in rows[1:]:
        length += len("\n\n") + len(held.news)
        if length > MOST_CHARACTERS:
            break
        chosen.append(held)
    write_messages(
        budget=group[0].project.budget,
        workers=[group[0].payment.assignment.worker],
        subject=_subject(chosen),
        text="\n\n".join(held.news for held in chosen)[:MOST_CHARACTERS],
        now=now,
    )
    locked.filter(pk__in=[held.pk for held in chosen]).update(news="")
    return 1


def _subject(bonuses: Sequence[HeldBonus]) -> str:
    if len(bonuses) == 1:
        return SUBJECTS[HeldBonusState(bonuses[0].state)]
    return f"Your bonuses: {len(bonuses)} updates"
