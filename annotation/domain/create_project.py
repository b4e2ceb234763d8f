"""A new project, ready for its corpus."""

from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from annotation.enums import MemberRole, Role
from annotation.models import Guidelines, Membership, Project
from audit.domain.change_state import log_state_change
from crowd.domain.pay_scheme import check_pay_scheme
from crowd.models import Budget
from database.statements import Select
from schemes.registry import get_scheme

DEFAULT_GUIDELINES = Path(__file__).resolve().parents[2] / "schemes"
GUIDELINE_FILES = {
    Role.GENERATOR: "generation.md",
    Role.CONSOLIDATOR: "consolidation.md",
    Role.VALIDATOR: "validation.md",
}


class ProjectExists(Exception):
    """A project of this slug is there already."""


@transaction.atomic
def create_project(
    *,
    slug: str,
    scheme: str,
    pay_scheme: object,
    now: datetime,
    title: str = "",
    cap_cents: int | None = None,
    seed: int = 1,
    owner: AbstractBaseUser | None = None,
) -> Project:
    """Make the project, its budget and the first version of its guidelines; its `owner`, if there is
    one, becomes its admin.

    Raises ProjectExists, PaySchemeError, UnknownScheme.
    """
    get_scheme(scheme)
    terms = check_pay_scheme(pay_scheme)
    try:
        with transaction.atomic():
            project = Project.objects.create(
                slug=slug,
                title=title or slug,
                scheme=scheme,
                pay_scheme=terms,
                budget=Budget.objects.create(key=f"project:{slug}", cap_cents=cap_cents),
                seed=seed,
                created_at=now,
            )
    except IntegrityError as error:
        raise ProjectExists(f"There is a project {slug!r} already.") from error
    if owner is not None:
        _make_admin(project=project, user=owner, now=now)
    for role, file in GUIDELINE_FILES.items():
        path = DEFAULT_GUIDELINES / scheme / "guidelines" / file
        if path.exists():
            write_guidelines(project=project, role=role, text=path.read_text("utf-8"), now=now)
    return project


def _make_admin(*, project: Project, user: AbstractBaseUser, now: datetime) -> None:
    membership = Membership.objects.create(project=project, user_id=user.pk, role=MemberRole.ADMIN)
    log_state_change(
        instance=membership, old="", new=MemberRole.ADMIN, actor=user.get_username(), now=now
    )


@transaction.atomic
def write_guidelines(*, project: Project, role: str, text: str, now: datetime) -> Guidelines:
    """A new version of what workers of the role read; the same text again is no new version."""
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_guidelines(project_id=project.pk, role=role)
    if newest and newest.text == text:
        return newest
    version = newest.version + 1 if newest else 1
    return Guidelines.objects.create(
        project=project, role=role, version=version, text=text, written_at=now
    )


def current_guidelines(*, project_id: int, role: str) -> Guidelines | None:
    """What workers of the role read who begin now."""
    return _CURRENT_GUIDELINES.first([project_id, role])


_CURRENT_GUIDELINES = Select(
    Guidelines,
    """
    SELECT {g} FROM annotation_guidelines g
    WHERE g.project_id = %s AND g.role = %s ORDER BY g.version DESC LIMIT 1
    """,
)
