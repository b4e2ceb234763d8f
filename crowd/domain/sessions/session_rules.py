"""When a session has enough work to be completed with a code, and how long a request to return stands."""

from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.db.models import Q

from crowd.enums import DealState, SessionIssue, SessionState
from crowd.models import Study, StudySession

# The time that a worker has to return a session, before it is approved or rejected as it is.
TIME_TO_RETURN = timedelta(days=7)


def least_tasks(study: Study) -> int:
    """Return the number of tasks with which a session of the study is completed with a code."""
    return ceil(settings.SESSION_MIN_SHARE * study.hits_per_session)


def done_tasks(session: StudySession) -> int:
    return session.deals.filter(state=DealState.DONE).count()


def issue_of(session: StudySession, new: SessionState) -> str:
    """Return what is unusual about a session that ends in the state `new`, or an empty text."""
    done, most = done_tasks(session), session.study.hits_per_session
    if done == 0 and session.declined_at:
        return ""
    if done == 0:
        is_handed_in = new in (SessionState.SUBMITTED, SessionState.APPROVED)
        return SessionIssue.EMPTY if is_handed_in else ""
    is_early = session.finished_at is None and done < least_tasks(session.study)
    return SessionIssue.SHORT if is_early or done == 1 < most else ""


# Sessions that were submitted early, without a code of this site. Their workers are asked to return
# the place, and are paid by bonus if they do.
SUBMITTED_EARLY = Q(state=SessionState.SUBMITTED, issue=SessionIssue.SHORT, finished_at=None)


def may_return(now: datetime) -> Q:
    """Return the condition for early submitted sessions that can still be returned."""
    return SUBMITTED_EARLY & Q(issue_at__gt=now - TIME_TO_RETURN)
