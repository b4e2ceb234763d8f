"""Hands: the parts into which a batch is dealt. Each worker does one."""

from annotation.domain.worker_page import BadPage
from annotation.models import HandTaken, Task

OTHER_HAND = (
    "This task belongs to another part than the one that you have begun (part {hand}). Each person "
    "does one part: please return this task, and go on with yours."
)


def take_hand(*, task: Task, worker_ref: str) -> None:
    """Let the worker into the task's hand: the first one that they open, and no other. Whatever they
    open at the same moment, one wins. Raises BadPage."""
    if task.hand is None:
        return
    taken, _ = HandTaken.objects.get_or_create(
        batch=task.batch, worker_ref=worker_ref, defaults={"hand": task.hand}
    )
    if taken.hand != task.hand:
        raise BadPage(OTHER_HAND.format(hand=taken.hand))
