"""When the work of a worker is accepted and its bonus decided: at once, or once the item has gold.

Only the work of generators waits, because consolidation shows what of it was kept. That of
consolidators, validators and revisers is accepted at once, and so is that of training rounds, which
has no gold.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F
from django.utils.translation import gettext, ngettext

from annotation.domain.publishing.publish import batch_terms
from annotation.domain.publishing.qualification_codes import pool_of
from annotation.models import Batch, Submission
from annotation.translated import translated
from crowd.enums import GrantState
from crowd.models import Assignment, Worker
from metrics.counts import ratio
from projects.domain.schemes import scheme_of
from projects.enums import BonusTiming, Role
from projects.models import Project
from projects.protocols import TERMS
from schemes.contract.texts import Translatable

# A worker's record covers their newest items with gold. It is good if this share of units was kept.
RECORD_ITEMS = 30
KEPT_SHARE = 0.5
# Work on an item without gold is then accepted, and its bonus paid in full.
MAX_WAIT = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What the gold of a worker's newest items has of their work.

    An item that was left empty counts as one unit that was not kept if its gold is not empty.
    """

    items: int
    kept: int
    units: int

    @property
    def is_good(self) -> bool:
        """True if enough was kept. Without any units, nothing speaks against the worker."""
        share = ratio(self.kept, self.units)
        return share is None or share >= KEPT_SHARE

    @property
    def is_trusted(self) -> bool:
        return self.items >= RECORD_ITEMS and self.is_good


def kept_record(*, project: Project, worker: Worker) -> KeptRecord:
    """Return the worker's record. Work in every state counts, also if it was rejected.

    Work that was accepted without a person's judgment, which keeps more than was judged, doesn't count.
    """
    judged = Submission.objects.filter(
        worker=worker,
        role=Role.GENERATOR,
        item__project=project,
        kept_units__lte=F("judged_units"),
    )
    rows = list(judged.order_by("-pk").values_list("kept_units", "judged_units")[:RECORD_ITEMS])
    return KeptRecord(
        items=len(rows),
        kept=sum(kept or 0 for kept, _ in rows),
        units=sum(units or 0 for _, units in rows),
    )


def waits_for_gold(*, assignment: Assignment, batch: Batch) -> bool:
    """Return True if the assignment's work and bonus are decided once its items have gold."""
    if not _may_wait(batch):
        return False
    timing = batch.project.bonus_timing
    if timing != BonusTiming.BY_TRUST:
        return bool(timing == BonusTiming.AFTER_CONSOLIDATION)
    return not is_trusted(project=batch.project, worker=assignment.worker)


def is_trusted(*, project: Project, worker: Worker) -> bool:
    """Return True if the work of the worker is accepted at once under "by trust"."""
    return _is_in_pool(project, worker) or kept_record(project=project, worker=worker).is_trusted


def stated_timing(*, batch: Batch, worker_ref: str) -> str:
    """Return when work of the worker is paid, or "" if there is nothing to state.

    The worker may be unknown, as in a preview.
    """
    waits, reason = _waits_on_page(batch, worker_ref)
    terms = batch_terms(batch)
    has_bonus = bool(terms.get("bonus_first_cents") or terms.get("bonus_step_cents"))
    if not waits:
        return gettext("Your bonus is paid as soon as your work is accepted.") if has_bonus else ""
    texts = [_until_accepted(batch)]
    if has_bonus:
        texts.append(
            gettext("Your bonus is in review %(until)s")
            % {"until": translated(until_gold(batch.project))}
        )
    return " ".join([*texts, reason]).strip()


def _waits_on_page(batch: Batch, worker_ref: str) -> tuple[bool, str]:
    project = batch.project
    if not _may_wait(batch) or project.bonus_timing == BonusTiming.AT_ONCE:
        return False, ""
    if project.bonus_timing == BonusTiming.AFTER_CONSOLIDATION:
        return True, ""
    if not worker_ref:
        return True, gettext("Workers who are trained for this project don't wait.")
    worker = Worker.objects.filter(provider=project.provider, external_id=worker_ref).first()
    if worker is not None and is_trusted(project=project, worker=worker):
        return False, ""
    text = gettext(
        "This applies until %(count)s of your items are %(done)s and at least %(share)s of their "
        "%(units)s were kept."
    )
    return True, text % {**_terms(project), "count": RECORD_ITEMS}


def _until_accepted(batch: Batch) -> str:
    """Return when work is accepted that waits for gold."""
    project = batch.project
    most = min(MAX_WAIT, timedelta(seconds=batch.auto_approval_seconds))
    text = gettext(
        "Your work is accepted when the item is %(done)s, or after %(time)s without a result. If "
        "less than %(share)s of the %(units)s in your newest %(count)s items were kept, or if the "
        "work was too fast, a person decides."
    )
    return text % {**_terms(project), "time": _duration(most), "count": RECORD_ITEMS}


def _duration(time: timedelta) -> str:
    hours = max(1, round(time.total_seconds() / 3600))
    if hours % 24 or hours < 48:
        return ngettext("an hour", "%(count)s hours", hours) % {"count": hours}
    return ngettext("%(count)s day", "%(count)s days", hours // 24) % {"count": hours // 24}


def until_gold(project: Project) -> Translatable:
    """Return how long a bonus waits and what is paid, as the end of a sentence."""
    return Translatable(
        "until the item is %(done)s. It is paid for the %(units)s that are kept, and in full if "
        "there is no result after %(days)s days.",
        done=Translatable(TERMS[project.protocol].done),
        units=Translatable(scheme_of(project).vocabulary.unit.plural),
        days=MAX_WAIT.days,
    )


def _terms(project: Project) -> dict[str, str]:
    """Return the words of the project in the texts about its bonuses."""
    return {
        "done": gettext(TERMS[project.protocol].done),
        "share": f"{KEPT_SHARE:.0%}",
        "units": gettext(scheme_of(project).vocabulary.unit.plural),
    }


def _may_wait(batch: Batch) -> bool:
    return batch.role == Role.GENERATOR and not batch.for_training


def _is_in_pool(project: Project, worker: Worker) -> bool:
    pool = pool_of(project=project, role=Role.GENERATOR)
    held = [GrantState.PENDING, GrantState.HELD]
    return pool is not None and pool.grants.filter(worker=worker, state__in=held).exists()
