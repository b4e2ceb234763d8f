"""Create projects and write their guidelines."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.money.pay_scheme import PayScheme, PaySchemeError, check_pay_scheme
from crowd.domain.provider.providers import choose_provider
from crowd.enums import DEFAULT_PROVIDER
from crowd.models import Budget
from projects.domain.check_slug import check_slug
from projects.domain.schemes import digest_of
from projects.enums import BonusTiming, MemberRole, Role, ShownContext, SuggestionChoice
from projects.languages import DEFAULT_LANGUAGE
from projects.models import Guidelines, Membership, Project, Resource
from schemes.contract.scheme import DEFINITION, Scheme
from schemes.contract.values import Json
from schemes.registry import get_scheme

GUIDELINE_FILES = {
    Role.GENERATOR: "generation.md",
    Role.CONSOLIDATOR: "consolidation.md",
    Role.VALIDATOR: "validation.md",
}


class ProjectExistsError(TouchstoneError):
    """A project with this slug already exists."""


def pay_of(scheme: Scheme, pay_scheme: object, *, present: PayScheme | None = None) -> PayScheme:
    """Return a pay scheme from terms by role, or from a preset of the annotation scheme.

    Every role of the scheme has terms: those that are given, those at `present`, or those of the first
    preset. None gives no terms. Raise PaySchemeError.
    """
    presets = scheme.vocabulary.pay_presets
    preset = check_pay_scheme(next(iter(presets)), presets)
    given = {} if pay_scheme is None else check_pay_scheme(pay_scheme, presets)
    if unknown := sorted(given.keys() - preset.keys()):
        raise PaySchemeError(
            f"{scheme.title} has no role {unknown[0]!r}. Choose from {', '.join(preset)}."
        )
    known = {**preset, **(present or {}), **given}
    return {role: known[role] for role in preset}


@transaction.atomic
def create_project(
    *,
    slug: str,
    scheme: str,
    now: datetime,
    pay_scheme: object = None,
    title: str = "",
    cap_cents: int | None = None,
    minimum_hourly_cents: int | None = None,
    seed: int = 1,
    provider: str = DEFAULT_PROVIDER,
    suggestions: str = SuggestionChoice.BY_PARTITION,
    language: str = DEFAULT_LANGUAGE,
    shown_context: str = ShownContext.NONE,
    bonus_timing: str = BonusTiming.BY_TRUST,
    owner: AbstractBaseUser | None = None,
    actor: str = "",
    definition: Json | None = None,
) -> Project:
    """Create a project with its budget and default guidelines. `owner` becomes its admin.

    `definition` is a parsed definition, in schemes that projects declare. Without it, they start from
    the scheme's first starter.

    `pay_scheme` has terms by role, or is the name of a preset.
    The log names `actor`, or the owner.
    Raise SlugError, PaySchemeError, ProviderUnavailableError, ProjectExistsError.
    """
    check_slug(slug)
    declared = get_scheme(scheme)
    if declared.declaration is None and definition:
        raise ValueError(f"The scheme {scheme} has no definition.")
    if declaration := declared.declaration:
        definition = definition or declaration.starter(next(iter(declaration.starters)))
        declared = declaration.build(definition)
    terms = pay_of(declared, pay_scheme)
    try:
        with transaction.atomic():
            project = Project.objects.create(
                slug=slug,
                title=title or slug,
                scheme=scheme,
                definition_digest=digest_of(definition) if definition else "",
                provider=choose_provider(provider),
                pay_scheme=terms,
                suggestions=suggestions,
                language=language,
                shown_context=shown_context,
                bonus_timing=bonus_timing,
                minimum_hourly_cents=minimum_hourly_cents,
                budget=Budget.objects.create(key=f"project:{slug}", cap_cents=cap_cents),
                seed=seed,
                created_at=now,
            )
            if definition:
                Resource.objects.create(
                    project=project, name=DEFINITION, version=1, value=definition, created_at=now
                )
    except IntegrityError as error:
        raise ProjectExistsError(
            f"A project {slug!r} already exists, or was deleted. Choose another short name."
        ) from error
    if owner is not None:
        role, actor = MemberRole.ADMIN, actor or owner.get_username()
        membership = Membership.objects.create(project=project, user_id=owner.pk, role=role)
        log_state_change(instance=membership, old="", new=role, actor=actor, now=now)
    for worker_role in GUIDELINE_FILES:
        if text := default_guidelines(declared, worker_role):
            write_guidelines(project=project, role=worker_role, text=text, now=now)
    return project


def default_guidelines(scheme: Scheme, role: Role) -> str:
    """Return the scheme's own guidelines for the role as Markdown, or ""."""
    path = scheme.guidelines and scheme.guidelines / GUIDELINE_FILES[role]
    return path.read_text("utf-8") if path and path.exists() else ""


@transaction.atomic
def write_guidelines(
    *,
    project: Project,
    role: str,
    text: str,
    now: datetime,
    language: str = "",
    translations: Mapping[str, str] | None = None,
) -> Guidelines:
    """Create a new version of a role's guidelines, unless nothing is changed.

    By default, it has the language and the translations of the newest version.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_guidelines(project_id=project.pk, role=role)
    language = language or (newest.language if newest else DEFAULT_LANGUAGE)
    if translations is None:
        translations = newest.translations if newest else {}
    values = (language, text, dict(translations))
    if newest and (newest.language, newest.text, newest.translations) == values:
        return newest
    return Guidelines.objects.create(
        project=project,
        role=role,
        version=newest.version + 1 if newest else 1,
        language=language,
        text=text,
        translations=values[2],
        written_at=now,
    )


def current_guidelines(*, project_id: int, role: str) -> Guidelines | None:
    """Return the newest guidelines of the role."""
    versions = Guidelines.objects.filter(project_id=project_id, role=role)
    return versions.order_by("-version").first()
