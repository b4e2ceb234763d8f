"""Send news of held bonuses, with a pause between the messages to a worker."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Min
from django.utils import translation
from django.utils.translation import gettext, gettext_noop, ngettext

from annotation.enums import HeldBonusState
from annotation.models import BonusAppeal, HeldBonus
from crowd.domain.workers.languages import language_of
from crowd.domain.workers.write_messages import write_messages
from jobs.domain.sweep import for_each_group

# A message has all news since the last one. Later news never delay it.
PAUSE = timedelta(minutes=10)
# What belongs together, such as the HITs of a minute, is in one message.
MIN_AGE = timedelta(minutes=1)
MAX_CHARACTERS = 4000
LIMIT = 500
SUBJECTS = {
    HeldBonusState.HELD: gettext_noop("Your bonus is being reviewed"),
    HeldBonusState.ACCEPTED: gettext_noop("Your bonus was accepted"),
    HeldBonusState.DECLINED: gettext_noop("Your bonus was declined"),
}
ANSWERED = gettext_noop("Your appeal was answered")


def send_bonus_news(*, clock: Callable[[], datetime], limit: int = LIMIT) -> int:
    """Write a message to each worker with due news in a project. Return the number of messages."""
    now = clock()
    new = HeldBonus.objects.exclude(news="").order_by()
    first = new.values_list("project", "payment__assignment__worker").annotate(Min("news_at"))
    sent = HeldBonus.objects.filter(news_sent_at__gt=now - PAUSE).order_by()
    recently = set(sent.values_list("project", "payment__assignment__worker"))
    due = [
        (project, worker)
        for project, worker, at in first
        if at <= now - MIN_AGE and (project, worker) not in recently
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
        if length > MAX_CHARACTERS:
            break
        chosen.append(held)
    worker = group[0].payment.assignment.worker
    with translation.override(language_of(worker)):
        subject = _subject(chosen)
    write_messages(
        budget=group[0].project.budget,
        workers=[worker],
        subject=subject,
        text="\n\n".join(held.news for held in chosen)[:MAX_CHARACTERS],
        now=now,
    )
    locked.filter(pk__in=[held.pk for held in chosen]).update(news="", news_sent_at=now)
    return 1


def _subject(bonuses: Sequence[HeldBonus]) -> str:
    if len(bonuses) == 1:
        is_answer = BonusAppeal.objects.filter(held=bonuses[0]).exists()
        return gettext(ANSWERED if is_answer else SUBJECTS[HeldBonusState(bonuses[0].state)])
    count = len(bonuses)
    text = ngettext("Your bonuses: %(count)s update", "Your bonuses: %(count)s updates", count)
    return text % {"count": count}
