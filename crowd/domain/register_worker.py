"""The row of a worker that a marketplace, or an operator, has named."""

from datetime import datetime

from crowd.models import Worker


def register_worker(
    *, provider: str, external_id: str, now: datetime, is_simulated: bool = False
) -> Worker:
    worker, _ = Worker.objects.get_or_create(
        provider=provider,
        external_id=external_id,
        defaults={"first_seen_at": now, "is_simulated": is_simulated},
    )
    return worker
