"""Create projects and write their guidelines."""

from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from crowd.domain.pay_scheme import check_pay_scheme
from crowd.models import Budget
from projects.enums import MemberRole, Role
from projects.models import Guidelines, Membership, Project
from schemes.registry import get_scheme

DEFAULT_GUIDELINES = Path(__file__).resolve().parents[2] / "schemes"
GUIDELINE_FILES = {
    Role.GENERATOR: "generation.md",
    Role.CONSOLIDATOR: "consolidation.md",
    Role.VALIDATOR: "validation.md",
}


class ProjectExistsError(TouchstoneError):
    """A project with this slug already exists."""


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
    """Create a project with its budget and default guidelines. `owner` becomes its admin."""
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
        raise ProjectExistsError(f"A project {slug!r} already exists.") from error
    if owner is not None:
        role, actor = MemberRole.ADMIN, owner.get_username()
        membership = Membership.objects.create(project=project, user_id=owner.pk, role=role)
        log_state_change(instance=membership, old="", new=role, actor=actor, now=now)
    for worker_role, file in GUIDELINE_FILES.items():
        path = DEFAULT_GUIDELINES / scheme / "guidelines" / file
        if path.exists():
            text = path.read_text("utf-8")
            write_guidelines(project=project, role=worker_role, text=text, now=now)
    return project


@transaction.atomic
def write_guidelines(*, project: Project, role: str, text: str, now: datetime) -> Guidelines:
    """Create a new version of a role's guidelines, unless the text is unchanged."""
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_guidelines(project_id=project.pk, role=role)
    if newest and newest.text == text:
        return newest
    version = newest.version + 1 if newest else 1
    return Guidelines.objects.create(
        project=project, role=role, version=version, text=text, written_at=now
    )


def current_guidelines(*, project_id: int, role: str) -> Guidelines | None:
    """Return the newest guidelines of the role."""
    versions = Guidelines.objects.filter(project_id=project_id, role=role)
    return versions.order_by("-version").first()
