"""Settle steps of a project's set-up: defaults that are kept, and optional steps that are left out."""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from projects.enums import SettledStep
from projects.models import Project


@transaction.atomic
def settle_step(
    *, project: Project, step: SettledStep, is_settled: bool = True, actor: str, now: datetime
) -> None:
    """Settle the step, or open it again."""
    row = Project.objects.select_for_update().get(pk=project.pk)
    project.settled_steps = row.settled_steps
    if (step in row.settled_steps) == is_settled:
        return
    others = [name for name in row.settled_steps if name != step]
    project.settled_steps = [*others, str(step)] if is_settled else others
    project.save(update_fields=["settled_steps"])
    states = ("open", "settled") if is_settled else ("settled", "open")
    reason = f"set-up step {step.label}: {' -> '.join(states)}"
    log_state_change(instance=project, old="", new="changed", actor=actor, now=now, reason=reason)
