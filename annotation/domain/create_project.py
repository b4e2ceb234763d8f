"""A new project, ready for its corpus."""

from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.enums import Role
from annotation.models import Guidelines, Project
from crowd.domain.pay_scheme import check_pay_scheme
from crowd.models import Budget
from schemes.registry import get_scheme

DEFAULT_GUIDELINES = Path(__file__).resolve().parents[2] / "schemes"
GUIDELINE_FILES = {Role.GENERATOR: "generation.md", Role.CONSOLIDATOR: "consolidation.md"}


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
) -> Project:
    """Make the project, its budget and the first version of its guidelines.

    Raises ProjectExists, PaySchemeError, UnknownScheme.
    """
    if Project.objects.filter(slug=slug).exists():
        raise ProjectExists(f"There is a project {slug!r} already.")
    get_scheme(scheme)
    project = Project.objects.create(
        slug=slug,
        title=title or slug,
        scheme=scheme,
        pay_scheme=check_pay_scheme(pay_scheme),
        budget=Budget.objects.create(key=f"project:{slug}", cap_cents=cap_cents),
        seed=seed,
        created_at=now,
    )
    for role, file in GUIDELINE_FILES.items():
        path = DEFAULT_GUIDELINES / scheme / "guidelines" / file
        if path.exists():
            write_guidelines(project=project, role=role, text=path.read_text("utf-8"), now=now)
    return project


@transaction.atomic
def write_guidelines(*, project: Project, role: str, text: str, now: datetime) -> Guidelines:
    """A new version of what workers of the role read; the same text again is no new version."""
    Project.objects.select_for_update().get(pk=project.pk)
    newest = current_guidelines(project=project, role=role)
    if newest and newest.text == text:
        return newest
    version = newest.version + 1 if newest else 1
    return Guidelines.objects.create(
        project=project, role=role, version=version, text=text, written_at=now
    )


def current_guidelines(*, project: Project, role: str) -> Guidelines | None:
    return project.guidelines.filter(role=role).order_by("-version").first()
