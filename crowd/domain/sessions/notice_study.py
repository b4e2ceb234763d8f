"""Tell the requesters what happened to a study at its provider."""

import logging
from datetime import datetime

from crowd.models import Study

log = logging.getLogger("touchstone.studies")


def notice_study(*, study: Study, notice: str, now: datetime) -> None:
    """Store the notice, which *Studies* shows and members are notified of. A repeat is ignored."""
    stored = Study.objects.filter(pk=study.pk).exclude(notice=notice)
    if stored.update(notice=notice, noticed_at=now):
        log.warning("study %s: %s", study, notice)


def unknown_state(thing: str, state: str) -> str:
    """Return the notice of a state at the provider that this site does not know."""
    return (
        f"The provider reports the state “{state}” for {thing}, which this site doesn’t know. "
        "Nothing is changed until the state is a known one. Look it up at the provider."
    )
