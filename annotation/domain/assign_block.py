"""Assign workers to the blocks of a batch. Each worker does one block."""

from annotation.domain.worker_page import InvalidPageError
from annotation.models import BlockAssignment, Task

OTHER_BLOCK = (
    "This task belongs to a different part. You have started part {block}, and each person does only "
    "one part. Please return this task and continue with your part."
)


def assign_block(*, task: Task, worker_ref: str) -> None:
    """Assign the worker to the block of the first task that they open.

    Concurrent calls assign only one block. Raise InvalidPageError if the worker has another block.
    """
    if task.block is None:
        return
    assignment, _ = BlockAssignment.objects.get_or_create(
        batch=task.batch, worker_ref=worker_ref, defaults={"block": task.block}
    )
    if assignment.block != task.block:
        raise InvalidPageError(OTHER_BLOCK.format(block=assignment.block))
