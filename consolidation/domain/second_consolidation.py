"""Second consolidations of a sample, made to measure agreement; they never become the gold."""

import random
from datetime import datetime

from django.db import transaction

from annotation.enums import Role
from annotation.models import Item, Project, Submission
from audit.domain.change_state import log_state_change
from consolidation.enums import CaseState
from consolidation.models import Case, CaseSource


def open_second_cases(*, project: Project, count: int, now: datetime) -> int:
    """Open a second case for up to `count` consolidated items, from the beginning of the project's
    seeded shuffle; returns how many. They are offered as first cases are."""
    items = (
        project.items.filter(cases__place=0, cases__state=CaseState.CONSOLIDATED)
        .exclude(cases__place=1)
        .order_by("position", "pk")
    )
    return sum(open_second_case(item=item, now=now) for item in items[:count])


@transaction.atomic
def open_second_case(*, item: Item, now: datetime) -> bool:
    """Open the item's second case; says whether it was not open.

    Its sources are accepted generations that the first case has not, if there are as many as the
    project asks for (disjoint teams), else those of the first case: then the two consolidators
    alone are compared.
    """
    first = Case.objects.get(item=item, place=0)
    case, created = Case.objects.get_or_create(item=item, place=1, defaults={"opened_at": now})
    if not created:
        return False
    used = list(first.sources.values_list("submission", flat=True))
    accepted = Submission.objects.accepted().filter(item=item, role=Role.GENERATOR).order_by("pk")
    fresh = list(accepted.exclude(pk__in=used)[: item.project.generators_per_item])
    many = len(fresh) >= item.project.generators_per_item
    sources = fresh if many else list(Submission.objects.filter(pk__in=used).order_by("pk"))
    random.Random(f"{item.project.seed}:{item.key}:1").shuffle(sources)  # noqa: S311
    CaseSource.objects.bulk_create(
        CaseSource(case=case, submission=one, position=position)
        for position, one in enumerate(sources)
    )
    log_state_change(instance=case, old="", new=case.state, actor="automatic", now=now)
    return True
