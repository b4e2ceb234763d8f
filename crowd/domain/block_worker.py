"""Workers who may take no more of our HITs."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from crowd.domain.lease import BITE, take_leases
from crowd.domain.marketplace import marketplace_of
from crowd.enums import BlockState
from crowd.models import Block, Worker
from crowd.providers.base import ProviderInDoubt, ProviderRefused

DONE = {BlockState.PENDING: BlockState.BLOCKED, BlockState.LIFTING: BlockState.LIFTED}


def block_worker(*, worker: Worker, reason: str, actor: str, now: datetime) -> None:
    """Keep the worker out from now on. What they have handed in is decided and paid as ever; the
    reason is not shown to them. Raises ValueError without one."""
    if not reason.strip():
        raise ValueError("A block needs a reason: the next person will ask.")
    _change(worker, BlockState.PENDING, reason, actor, now)


def lift_block(*, worker: Worker, reason: str, actor: str, now: datetime) -> bool:
    """Let the worker in again; says whether they were kept out."""
    held = Block.objects.filter(worker=worker, state__in=[BlockState.PENDING, BlockState.BLOCKED])
    if not held.exists():
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


def send_due_blocks(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Tell the marketplace of up to `limit` blocks and liftings; returns how many it took."""
    due = Block.objects.filter(state__in=list(DONE), error="").select_related("worker")
    return sum(_send(one) for one in take_leases(due, now=clock(), limit=limit))


def _send(block: Block) -> bool:
    market, worker = marketplace_of(block.worker.provider), block.worker.external_id
    rows = Block.objects.filter(pk=block.pk, changed_at=block.changed_at)
    try:
        if block.state == BlockState.PENDING:
            market.block(worker, reason=block.reason)
        else:
            market.unblock(worker, reason=block.reason)
    except ProviderInDoubt:
        return False  # both may be repeated without harm; the lease runs out by itself
    except ProviderRefused as refused:
        rows.update(error=str(refused), leased_until=None)
        return False
    return bool(rows.update(state=DONE[BlockState(block.state)], leased_until=None))
