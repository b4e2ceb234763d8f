"""Change a project's settings, pay and guidelines, and log each change."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.text import capfirst

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.money.ledger import set_cap
from crowd.domain.money.pay_scheme import TERM_FIELDS, PayScheme, Terms
from crowd.domain.provider.providers import ProviderUnavailableError, choose_provider
from crowd.enums import Provider
from crowd.models import Budget, Hit
from projects.domain.create_project import current_guidelines, pay_of, write_guidelines
from projects.domain.schemes import scheme_of
from projects.domain.settle_step import settle_step
from projects.enums import (
    AfterDisputes,
    BonusTiming,
    ExclusionScope,
    InputSignals,
    Role,
    SettledStep,
    ShownContext,
    SuggestionChoice,
)
from projects.languages import DEFAULT_LANGUAGE, LANGUAGES
from projects.models import Guidelines, Project
from projects.protocols import TERMS
from schemes.contract.values import Noun
from web.money import dollars

CHANGED = "changed"
MAX_GUIDELINES = 100_000  # characters


class ProjectChangeError(TouchstoneError, ValueError):
    """The project can no longer be changed in this way. `setting` names the field."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(message)
        self.setting = setting


class GuidelinesError(TouchstoneError, ValueError):
    """The guidelines can't be changed in this way. `field` names what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class GuidelinesChangedError(TouchstoneError):
    """Another person has written a version since the one that was changed."""


def _money(cents: int | None, nothing: str) -> str:
    return nothing if cents is None else dollars(cents)


def _requirements(requirements: list[dict[str, Any]]) -> str:
    descriptions = [
        f"{requirement.get('system') or requirement.get('code')} {requirement['comparator']} "
        f"{', '.join(map(str, requirement.get('integers') or requirement.get('locales') or ()))}".strip()
        for requirement in requirements
    ]
    return "; ".join(descriptions) or "nothing"


def _study_settings(fields: dict[str, Any]) -> str:
    parts = [
        f"content warning {fields['content_warning']}" if fields.get("content_warning") else "",
        fields.get("content_warning_details", ""),
        "on " + ", ".join(fields["devices"]) if fields.get("devices") else "",
        f"filter set {fields['filter_set']}" if fields.get("filter_set") else "",
    ]
    return "; ".join(filter(None, parts)) or "default"


# The name of each setting in the log, and the formatter of its value.
WORDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "title": ("title", str),
    "provider": ("crowd provider", lambda name: Provider(name).label),
    "generators_per_item": ("generators per item", str),
    "exclusion_scope": (
        "people who judge annotations generated nothing for",
        lambda scope: ExclusionScope(scope).label,
    ),
    "revision_limit": ("revisions of a disputed annotation", str),
    "after_disputes": ("after the last dispute", lambda value: AfterDisputes(value).label),
    "bonus_timing": ("decision on pay", lambda timing: BonusTiming(timing).label),
    "input_signals": (
        "record of how answers are entered",
        lambda use: InputSignals(use).label,
    ),
    "worker_requirements": ("worker requirements", _requirements),
    "study_settings": ("offer of studies", _study_settings),
    "accepts_identical": (
        "accepts identical annotations",
        lambda accepts: "yes" if accepts else "no",
    ),
    "adaptive_percent": (
        "target of adaptive redundancy",
        lambda percent: "off" if percent is None else f"{percent} %",
    ),
    "adaptive_cents": (
        "budget of adaptive redundancy",
        lambda cents: _money(cents, "none"),
    ),
    "monitoring_per_thousand": (
        "reviewed share of finished items",
        lambda share: f"{share / 10:g} %",
    ),
    "cap_cents": ("budget limit", lambda cents: _money(cents, "none")),
    "allow_free_form": ("free-form units", lambda allowed: "yes" if allowed else "no"),
    "suggestions": ("suggestions", lambda choice: SuggestionChoice(choice).label),
    "language": ("language of the corpus", lambda tag: LANGUAGES.get(tag, tag)),
    "shown_context": ("context", lambda choice: ShownContext(choice).label),
    "asks_implied": ("asks what is only implied", lambda asks: "yes" if asks else "no"),
    "allows_context_answers": ("answers in the context", lambda allows: "yes" if allows else "no"),
    "contact": ("contact for workers", lambda contact: contact or "none"),
    "minimum_hourly_cents": ("minimum hourly pay", lambda cents: _money(cents, "none")),
}


@transaction.atomic
def change_settings(
    *, project: Project, wanted: Mapping[str, Any], actor: str, now: datetime
) -> list[str]:
    """Apply the settings to new HITs, and return a description of each change.

    Settings that are not in `wanted` stay as they are.
    Raise ProjectChangeError, CapTooLowError.
    """
    row = (
        Project.objects.select_for_update(of=("self",)).select_related("budget").get(pk=project.pk)
    )
    before = {name: getattr(row, name) for name in WORDS if name != "cap_cents"}
    before["cap_cents"] = row.budget.cap_cents
    changed = [name for name in WORDS if name in wanted and before[name] != wanted[name]]
    if "generators_per_item" in changed and row.batches.filter(role=Role.GENERATOR).exists():
        raise ProjectChangeError(
            "generators_per_item",
            "You can't change this, because items have been published for "
            f"{before['generators_per_item']} generators each.",
        )
    generators = TERMS[row.protocol].generators
    if "generators_per_item" in changed and generators == 1:
        raise ProjectChangeError(
            "generators_per_item", f"Under {row.protocol}, each item has one annotator."
        )
    if "provider" in changed:
        _check_provider(row, wanted["provider"])
    if "cap_cents" in changed:
        set_cap(budget=Budget.objects.get(pk=row.budget_id), cap_cents=wanted["cap_cents"])
    fields = [name for name in changed if name != "cap_cents"]
    for name in fields:
        setattr(row, name, wanted[name])
    row.save(update_fields=fields)
    changes = [
        f"{words}: {show(before[name])} -> {show(wanted[name])}"
        for name, (words, show) in WORDS.items()
        if name in changed
    ]
    _log(row, changes, actor, now)
    project.refresh_from_db()
    return changes


@transaction.atomic
def change_pay(*, project: Project, pay_scheme: object, actor: str, now: datetime) -> list[str]:
    """Replace the terms of the given roles, and describe each change.

    `pay_scheme` is that of `pay_of`. An unchanged one settles the set-up's step.
    Raise PaySchemeError, ProjectChangeError.
    """
    row = Project.objects.select_for_update().get(pk=project.pk)
    before: PayScheme = row.pay_scheme
    new_scheme = pay_of(scheme_of(row), pay_scheme, present=before)
    changed = [
        role
        for role in before.keys() | new_scheme.keys()
        if before.get(role) != new_scheme.get(role)
    ]
    for role in sorted(changed):
        _check_nobody_works(row, role)
    unit = scheme_of(project).vocabulary.unit
    changes = [
        change
        for role in sorted(changed)
        for change in _pay_changes(role, before.get(role), new_scheme.get(role), unit)
    ]
    row.pay_scheme = new_scheme
    row.save(update_fields=["pay_scheme"])
    _log(row, changes, actor, now)
    if not changes:
        settle_step(project=row, step=SettledStep.PAY, actor=actor, now=now)
    project.refresh_from_db()
    return changes


def _pay_changes(role: str, old: Terms | None, new: Terms | None, unit: Noun) -> list[str]:
    """Describe the changed terms of a role, such as "reward of generators: $0.05 -> $0.06"."""
    if old is None or new is None:
        return [f"pay of {role}s: {'none' if old is None else 'set'} -> {'set' if new else 'none'}"]
    changes = []
    for term in TERM_FIELDS:
        before, after = old.get(term.key), new.get(term.key)
        if before != after:
            show = _amount if term.is_amount else _number
            title = term.log_label.format(unit=unit.singular, units=unit.plural)
            changes.append(f"{title} of {role}s: {show(before)} -> {show(after)}")
    return changes


def _amount(cents: Any) -> str:
    return dollars(cents) or "none"


def _number(value: Any) -> str:
    return str(value) if value else "none"


def _check_nobody_works(project: Project, role: str) -> None:
    published = project.batches.filter(role=role, tasks__hit__state__in=["pending", "live"])
    states = ["submitted", "waiting"]
    undecided = project.items.filter(submissions__role=role, submissions__state__in=states)
    if published.exists() or undecided.exists():
        hits = f"{project.hit_noun}s"
        raise ProjectChangeError(
            role,
            f"Published {hits} use these terms. {capfirst(hits)} for {role}s are published, or their "
            "work is undecided. End the batch and decide its work first.",
        )


@transaction.atomic
def change_guidelines(
    *,
    project: Project,
    role: str,
    actor: str,
    now: datetime,
    text: str | None = None,
    language: str = "",
    translations: Mapping[str, str] | None = None,
    changed_version: int | None = None,
) -> Guidelines | None:
    """Write a new version of the guidelines. What is left out stays as it is.

    `text` is the main text, and `language` its language. An empty translation is removed.
    `changed_version` is the version that was changed, or 0 if there was none. By default, it is the
    current one. Return None if nothing is changed, which settles the step of the set-up. Raise
    GuidelinesError, GuidelinesChangedError.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_guidelines(project_id=project.pk, role=role)
    if changed_version not in (None, newest.version if newest else 0):
        raise GuidelinesChangedError(
            "Someone else saved a new version meanwhile. Compare it with yours, and save again."
        )
    main_text = newest.text if newest and text is None else clean_guidelines(text or "")
    if not main_text:
        raise GuidelinesError("text", f"Write the guidelines for {role}s. They can't be empty.")
    changed = {tag: clean_guidelines(other) for tag, other in (translations or {}).items()}
    wanted = {**(newest.translations if newest else {}), **changed}
    wanted = {tag: other for tag, other in wanted.items() if other}
    main_language = language or (newest.language if newest else DEFAULT_LANGUAGE)
    if main_language in changed:
        raise GuidelinesError("translations", f"The main text is in {LANGUAGES[main_language]}.")
    if main_language in wanted:
        raise GuidelinesError(
            "language", "There is a translation into this language. Remove it first."
        )
    current = write_guidelines(
        project=project,
        role=role,
        text=main_text,
        now=now,
        language=language,
        translations=wanted,
    )
    if newest is not None and current.pk == newest.pk:
        settle_step(project=project, step=SettledStep.GUIDELINES, actor=actor, now=now)
        return None
    _log(project, [f"guidelines for {role}s: version {current.version}"], actor, now)
    return current


def clean_guidelines(text: str) -> str:
    """Return the text with the line ends that are stored, so that an unchanged text stays the same.

    Browsers send CR LF.
    """
    text = text.replace("\r\n", "\n").rstrip()
    return text and text + "\n"


def is_published(project: Project) -> bool:
    """Return True if tasks of the project were ever published, in a batch or in a round."""
    return Hit.objects.filter(budget=project.budget_id).exists()


def _check_provider(project: Project, name: str) -> None:
    if is_published(project):
        raise ProjectChangeError(
            "provider",
            "You can't change the crowd provider, because tasks have been published. Create "
            "another project for another provider.",
        )
    try:
        choose_provider(name)
    except ProviderUnavailableError as error:
        raise ProjectChangeError("provider", str(error)) from error


def _log(project: Project, changes: list[str], actor: str, now: datetime) -> None:
    for change in changes:
        log_state_change(instance=project, old="", new=CHANGED, actor=actor, now=now, reason=change)
