"""What a worker's session shows about its progress and its pay."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext

from crowd.domain.sessions.session_rules import done_tasks, least_tasks
from crowd.enums import SessionState
from crowd.models import StudySession


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """The finished HITs of a session, how many it may have, and the time that is left.

    With `least` of them, the session is completed with a code. Fewer are paid when it is returned.
    """

    done: int
    most: int
    least: int
    reward_cents: int
    time_left: timedelta
    is_active: bool

    @property
    def is_early(self) -> bool:
        return self.done < self.least

    @property
    def earned_cents(self) -> int:
        return self.done * self.reward_cents

    @property
    def minutes_left(self) -> int:
        return max(0, int(self.time_left.total_seconds() // 60))

    @property
    def time_left_text(self) -> str:
        """The time that is left, such as "2 h 5 min"."""
        hours, minutes = divmod(self.minutes_left, 60)
        numbers = {"hours": hours, "minutes": minutes}
        text = gettext("%(hours)s h %(minutes)s min") if hours else gettext("%(minutes)s min")
        return text % numbers

    @property
    def possible_cents(self) -> int:
        """The pay for all tasks of the session, without bonuses."""
        return self.most * self.reward_cents


def progress_of(*, session: StudySession, now: datetime) -> SessionProgress:
    return SessionProgress(
        done=done_tasks(session),
        least=least_tasks(session.study),
        most=session.study.hits_per_session,
        reward_cents=session.study.hit_type.reward_cents,
        time_left=max(timedelta(0), session.deadline - now),
        is_active=session.state == SessionState.ACTIVE and now < session.deadline,
    )
