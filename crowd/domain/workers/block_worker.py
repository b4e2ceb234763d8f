"""Block workers from our HITs, and lift blocks."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from crowd.domain.provider.providers import provider_of
from crowd.enums import BlockState
from crowd.models import Block, Worker
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

FINAL_STATES = {BlockState.PENDING: BlockState.BLOCKED, BlockState.LIFTING: BlockState.LIFTED}


def block_worker(*, worker: Worker, reason: str, actor: str, now: datetime) -> None:
    """Block the worker, who does not see the reason. Raises ValueError without one."""
    if not reason.strip():
        raise ValueError("Enter the reason for the block.")
    _change(worker, BlockState.PENDING, reason, actor, now)


def lift_block(*, worker: Worker, reason: str, actor: str, now: datetime) -> bool:
    """Lift the worker's block. Return False if there is none."""
    blocks = Block.objects.filter(worker=worker, state__in=[BlockState.PENDING, BlockState.BLOCKED])
    if not blocks.exists():
        return False
    _change(worker, BlockState.LIFTING, reason, actor, now)
    return True


@transaction.atomic
def _change(worker: Worker, state: str, reason: str, actor: str, now: datetime) -> None:
    new = {"state": state, "reason": reason[:1000], "changed_at": now}
    block, created = Block.objects.select_for_update().get_or_create(worker=worker, defaults=new)
    old = "" if created else block.state
    Block.objects.filter(pk=block.pk).update(**new, leased_until=None, error="")
    log_state_change(instance=block, old=old, new=state, actor=actor, now=now, reason=reason)


def send_due_blocks(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` blocks and unblocks. Return how many the marketplace accepted."""
    due = Block.objects.filter(state__in=list(FINAL_STATES), error="").select_related("worker")
    return for_each_row(
        sweep="send blocks", rows=due, process=_send, clock=clock, limit=limit, leased=True
    )


def _send(block: Block, now: datetime) -> bool:
    market, worker = provider_of(block.worker.provider), block.worker.external_id
    rows = Block.objects.filter(pk=block.pk, changed_at=block.changed_at)
    try:
        if block.state == BlockState.PENDING:
            market.block(worker, reason=block.reason)
        else:
            market.unblock(worker, reason=block.reason)
    except OutcomeUnknownError:
        return False  # both calls are safe to repeat once the lease expires
    except ProviderRefusedError as refused:
        rows.update(error=str(refused), leased_until=None)
        return False
    return bool(rows.update(state=FINAL_STATES[BlockState(block.state)], leased_until=None))
