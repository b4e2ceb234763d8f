"""The cost of a publication before it is made."""

from dataclasses import dataclass

from annotation.domain.publishing.cost_model import item_cents, role_costs
from annotation.domain.publishing.publish import (
    AUTO_APPROVAL_SECONDS,
    NothingToPublishError,
    check_auto_approval,
    check_pay,
    nothing_to_publish,
)
from annotation.domain.publishing.queries import count_items, generation_cents
from projects.models import Project


@dataclass(frozen=True, slots=True)
class CostPreview:
    """The cost of a batch in cents, with fees.

    Of its `items`, `hits` are published at once and reserve `reserved_cents`. The generations cost
    `most_cents` at most. `expected_cents` is the cost of the items until they are gold.
    """

    items: int
    hits: int
    reserved_cents: int
    most_cents: int
    expected_cents: int
    budget_left_cents: int | None
    is_affordable: bool


def preview_cost(
    *,
    project: Project,
    limit: int,
    keep_open: int | None = None,
    cap_cents: int | None = None,
    auto_approval_seconds: int = AUTO_APPROVAL_SECONDS,
) -> CostPreview:
    """Return what `publish_batch` would cost.

    Raise NothingToPublishError, PayTooLowError, and ValueError for an invalid delay.
    """
    check_auto_approval(project, auto_approval_seconds)
    check_pay(project)
    items = min(limit, count_items(project=project).unpublished)
    if not items:
        raise NothingToPublishError(nothing_to_publish(project))
    hits = items if keep_open is None else min(items, keep_open)
    reserved = generation_cents(project=project, count=hits)
    left = project.budget.left_cents
    limits = [cents for cents in (left, cap_cents) if cents is not None]
    return CostPreview(
        items=items,
        hits=hits,
        reserved_cents=reserved,
        most_cents=generation_cents(project=project, count=items),
        expected_cents=round(item_cents(role_costs(project=project), project=project) * items),
        budget_left_cents=left,
        is_affordable=all(reserved <= cents for cents in limits),
    )
