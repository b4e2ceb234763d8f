"""Second consolidations of a sample, which measure agreement and never become gold."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Item, Submission
from consolidation.domain.cases.open_cases import add_sources
from consolidation.enums import CaseState
from consolidation.models import Case
from projects.enums import Role
from projects.models import Project


def second_cases(*, project: Project) -> QuerySet[Case]:
    """Return the cases that measure agreement. Cases of training rounds also have later attempts."""
    return Case.objects.filter(item__project=project, attempt__gt=0, given__isnull=True)


def open_second_cases(*, project: Project, count: int, now: datetime) -> int:
    """Open a second case for up to `count` consolidated items. Return the number opened.

    Items follow the project's seeded shuffle. The cases are published in the same way as first
    cases.
    """
    items = (
        project.items.filter(cases__attempt=0, cases__state=CaseState.CONSOLIDATED)
        .exclude(cases__attempt=1)
        .order_by("position", "pk")
    )
    return sum(open_second_case(item=item, now=now) for item in items[:count])


@transaction.atomic
def open_second_case(*, item: Item, now: datetime) -> bool:
    """Open the item's second case. Return False if it exists.

    Its sources are accepted generations that the first case did not use, if there are enough
    (disjoint teams). Otherwise it reuses the sources of the first case, so that only the two
    consolidators are compared.
    """
    first = Case.objects.exclude(state=CaseState.REPLACED).get(item=item, attempt=0)
    case, created = Case.objects.get_or_create(item=item, attempt=1, defaults={"opened_at": now})
    if not created:
        return False
    used = list(first.sources.values_list("submission", flat=True))
    accepted = Submission.objects.accepted().filter(item=item, role=Role.GENERATOR).order_by("pk")
    fresh = list(accepted.exclude(pk__in=used)[: item.project.generators_per_item])
    enough = len(fresh) >= item.project.generators_per_item
    sources = fresh if enough else list(Submission.objects.filter(pk__in=used).order_by("pk"))
    seed = f"{item.project.seed}:{item.key}:1"
    add_sources(case=case, submissions=sources, seed=seed, now=now)
    return True
