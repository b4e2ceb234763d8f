"""An SNS topic that passes a marketplace's notifications on to us, and its question whether it may.

The question comes to an address that is secret, but not signed by anyone we know: answering it by
itself would have this server fetch what a stranger names. So it is kept, for the topic of the
settings alone, and an operator answers it, who knows whether they have subscribed the topic.
"""

from datetime import datetime
from urllib.parse import urlsplit

import urllib3
from django.conf import settings

from crowd.models import TopicSubscription

_http = urllib3.PoolManager(timeout=urllib3.Timeout(connect=5, read=15), retries=False)


class StrangeTopic(ValueError):
    """Not the topic of the settings, or not an address of its service."""


class NotConfirmed(Exception):
    """The topic's service didn't take the confirmation; the message says why."""


def note_question(*, topic: str, confirm_url: str, now: datetime) -> TopicSubscription:
    """Keep the newest question of the settings' topic. Raises StrangeTopic."""
    if topic != settings.MTURK_NOTIFICATIONS:
        raise StrangeTopic("MTURK_NOTIFICATIONS names another topic.")
    _check_address(confirm_url)
    asked, _ = TopicSubscription.objects.update_or_create(
        topic=topic,
        defaults={"confirm_url": confirm_url, "asked_at": now, "confirmed_at": None},
    )
    return asked


def confirm_topic(*, asked: TopicSubscription, now: datetime) -> None:
    """Say yes, once. Raises StrangeTopic, NotConfirmed."""
    if asked.confirmed_at:
        return
    _check_address(asked.confirm_url)  # the settings may have changed since
    try:
        answer = _http.request("GET", asked.confirm_url, redirect=False)
    except urllib3.exceptions.HTTPError as error:
        raise NotConfirmed(f"{type(error).__name__}: {error}") from error
    if answer.status != 200:
        raise NotConfirmed(f"{urlsplit(asked.confirm_url).hostname} answers {answer.status}.")
    asked.confirmed_at = now
    asked.save(update_fields=["confirmed_at"])


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}" not in settings.MTURK_SNS_ORIGINS:
        raise StrangeTopic(f"{parts.netloc} is none of MTURK_SNS_ORIGINS.")
