from django.db import transaction
from django.db.models import F

from operation.models import TaskTally


def count_run(*, task: str, outcome: str, seconds: float) -> None:
    """Add one run to its tally."""
    rows = TaskTally.objects.filter(task=task, outcome=outcome)
    more = {"runs": F("runs") + 1, "seconds": F("seconds") + seconds}
    if rows.update(**more):
        return
    with transaction.atomic():
        TaskTally.objects.get_or_create(task=task, outcome=outcome)
        rows.update(**more)
