"""A project's settings, changed by its office: what may still change, and a log row for each change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.domain.create_project import current_guidelines, write_guidelines
from annotation.enums import ExclusionScope, Role, SubmissionState
from annotation.models import Batch, Guidelines, Project, Submission
from audit.domain.change_state import log_state_change
from crowd.domain.ledger import set_cap
from crowd.domain.pay_scheme import PayScheme, check_pay_scheme
from crowd.models import Budget

CHANGED = "changed"


class CanNotChange(ValueError):
    """The project is too far on for this change; nothing was changed. `setting` names the field."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message)
        self.setting = setting


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What the office decides about a project. Money in whole cents, None for no limit."""

    title: str
    generators_per_item: int
    exclusion_scope: str
    worker_requirements: list[dict[str, Any]]
    cap_cents: int | None
    minimum_hourly_cents: int | None

    @classmethod
    def of(cls, project: Project) -> "ProjectSettings":
        return cls(
            title=project.title,
            generators_per_item=project.generators_per_item,
            exclusion_scope=project.exclusion_scope,
            worker_requirements=project.worker_requirements,
            cap_cents=project.budget.cap_cents,
            minimum_hourly_cents=project.minimum_hourly_cents,
        )


def _money(cents: int | None, nothing: str) -> str:
    return nothing if cents is None else f"{cents / 100:.2f} dollars"


def _requirements(asked: list[dict[str, Any]]) -> str:
    told = [
        f"{one.get('system') or one.get('code')} {one['comparator']} "
        f"{', '.join(map(str, one.get('integers') or one.get('locales') or ()))}".strip()
        for one in asked
    ]
    return "; ".join(told) or "nothing"


# How the log words a setting, and a value of it.
WORDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "title": ("title", str),
    "generators_per_item": ("generators per item", str),
    "exclusion_scope": ("consolidators generated nothing for", lambda it: ExclusionScope(it).label),
    "worker_requirements": ("asked of every worker", _requirements),
    "cap_cents": ("budget cap", lambda it: _money(it, "no cap")),
    "minimum_hourly_cents": ("least hourly wage", lambda it: _money(it, "none")),
}


@transaction.atomic
def change_settings(
    *, project: Project, wanted: ProjectSettings, actor: str, now: datetime
) -> list[str]:
    """Make the settings those wanted; returns what changed, in words, and logs it. HITs that are out
    keep the terms that they were published under. Raises CanNotChange and CapTooLow."""
    row = (
        Project.objects.select_for_update(of=("self",)).select_related("budget").get(pk=project.pk)
    )
    before = ProjectSettings.of(row)
    changed = [name for name in WORDS if getattr(before, name) != getattr(wanted, name)]
    if "generators_per_item" in changed and row.batches.filter(role=Role.GENERATOR).exists():
        raise CanNotChange(
            "generators_per_item",
            "Items have been published for "
            f"{before.generators_per_item} generators each; the others have to be annotated alike.",
        )
    if "cap_cents" in changed:
        set_cap(budget=Budget.objects.get(pk=row.budget_id), cap_cents=wanted.cap_cents)
    own = [name for name in changed if name != "cap_cents"]
    for name in own:
        setattr(row, name, getattr(wanted, name))
    row.save(update_fields=own)
    told = [
        f"{words}: {show(getattr(before, name))} -> {show(getattr(wanted, name))}"
        for name, (words, show) in WORDS.items()
        if name in changed
    ]
    _log(row, told, actor, now)
    project.refresh_from_db()
    return told


@transaction.atomic
def change_pay(*, project: Project, pay_scheme: object, actor: str, now: datetime) -> list[str]:
    """Pay by this scheme from now on; returns what changed, in words. Raises PaySchemeError, and
    CanNotChange while workers can still be at work on a promise of the old terms."""
    wanted = check_pay_scheme(pay_scheme)
    row = Project.objects.select_for_update().get(pk=project.pk)
    before: PayScheme = row.pay_scheme
    changed = [
        role for role in before.keys() | wanted.keys() if before.get(role) != wanted.get(role)
    ]
    for role in sorted(changed):
        _check_nobody_works(row, role)
    told = [f"pay of {role}s: {before.get(role)} -> {wanted.get(role)}" for role in sorted(changed)]
    row.pay_scheme = wanted
    row.save(update_fields=["pay_scheme"])
    _log(row, told, actor, now)
    project.refresh_from_db()
    return told


def _check_nobody_works(project: Project, role: str) -> None:
    out = Batch.objects.filter(
        project=project, role=role, tasks__hit__state__in=["pending", "live"]
    )
    undecided = Submission.objects.filter(
        item__project=project, role=role, state=SubmissionState.SUBMITTED
    )
    if out.exists() or undecided.exists():
        raise CanNotChange(
            role,
            f"Workers have been promised these terms: HITs for {role}s are out, or work on them is "
            "undecided. End the batch and decide its work first.",
        )


@transaction.atomic
def change_guidelines(
    *, project: Project, role: str, text: str, actor: str, now: datetime
) -> Guidelines | None:
    """A new version of the guidelines; None if the text is the present one. Workers who have begun
    keep the version that they began with."""
    newest = current_guidelines(project_id=project.pk, role=role)
    written = write_guidelines(project=project, role=role, text=text, now=now)
    if newest is not None and written.pk == newest.pk:
        return None
    _log(project, [f"guidelines for {role}s: version {written.version}"], actor, now)
    return written


def _log(project: Project, told: list[str], actor: str, now: datetime) -> None:
    for one in told:
        log_state_change(instance=project, old="", new=CHANGED, actor=actor, now=now, reason=one)
