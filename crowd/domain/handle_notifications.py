"""Handle notifications of a marketplace, which are not trusted and only trigger an early sync."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from crowd.domain.hits.sync_hits import schedule_sync
from crowd.domain.provider.providers import provider_of
from crowd.domain.sessions.notice_study import notice_study
from crowd.domain.sessions.sync_sessions import schedule_session_sync
from crowd.enums import DEFAULT_PROVIDER
from crowd.models import NotificationReceipt, Study
from crowd.providers.base import RECEIPTS_KEPT


def receive_notification(
    *, body: bytes, headers: Mapping[str, str], now: datetime, provider: str = DEFAULT_PROVIDER
) -> bool:
    """Schedule a sync of the HITs. Return False for a repeated notification, which is ignored.

    Raise InvalidNotificationError.
    """
    # May ask the provider for its secret, so that no transaction is open.
    event = provider_of(provider).read_event(body=body, headers=headers, now=now)
    with transaction.atomic():
        created = [
            NotificationReceipt.objects.get_or_create(
                doc_id=receipt, defaults={"received_at": now}
            )[1]
            for receipt in event.receipts
        ]
        if is_new := all(created):
            schedule_sync(external_ids=event.postings, now=now)
            schedule_session_sync(external_ids=event.sessions, now=now)
            studies = Study.objects.filter(external_id__in=event.postings)
            studies.update(sync_due_at=now)
            if event.notice:
                for study in studies:
                    notice_study(study=study, notice=event.notice, now=now)
    return is_new


def forget_notifications(*, now: datetime) -> int:
    deleted, _ = NotificationReceipt.objects.filter(received_at__lt=now - RECEIPTS_KEPT).delete()
    return deleted
