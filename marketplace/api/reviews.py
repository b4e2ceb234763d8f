"""The results and actions of review policies."""

from typing import Any

from django.db.models import Model, QuerySet

from marketplace.api import render
from marketplace.api.context import Call, Output, Params, operation
from marketplace.api.hits import find_hit
from marketplace.api.pages import read_token, write_token
from marketplace.enums import ReviewPolicyLevel
from marketplace.models import ReviewAction, ReviewResult

LIST = "ReviewPolicyResults"
DEFAULT_RESULTS = 100


@operation
def list_review_policy_results_for_hit(call: Call, params: Params) -> Output:
    """Return a page of results, and then of actions, oldest first."""
    hit = find_hit(call, params["HITId"])
    levels = params.get("PolicyLevels") or list(ReviewPolicyLevel)
    policies = [policy for policy in hit.review_policies.all() if policy.level in levels]
    output: Output = {"HITId": hit.code}
    for policy in policies:
        output[f"{policy.level}ReviewPolicy"] = {"PolicyName": policy.name}
        output[f"{policy.level}ReviewReport"] = {"ReviewResults": [], "ReviewActions": []}
    rows, last = _page(params, policies)
    for row in rows:
        report = output[f"{row.policy.level}ReviewReport"]
        if isinstance(row, ReviewResult):
            report["ReviewResults"].append(render.review_result(row))
        else:
            report["ReviewActions"].append(render.review_action(row))
    if rows:
        output["NextToken"] = write_token(last, LIST)
    return output


def _page(params: Params, policies: list[Any]) -> tuple[list[Any], int]:
    """Return the rows of a page and the position of the last row.

    Positions of results are even and those of actions are odd.
    """
    size = params.get("MaxResults", DEFAULT_RESULTS)
    start = read_token(params["NextToken"], LIST) if "NextToken" in params else 0
    kinds: list[tuple[int, str, type[Model]]] = [
        (0, "RetrieveResults", ReviewResult),
        (1, "RetrieveActions", ReviewAction),
    ]
    rows: list[Any] = []
    for kind, parameter, model in kinds:
        if not params.get(parameter, True) or kind < start % 2:
            continue
        after = start // 2 if kind == start % 2 else 0
        found: QuerySet[Any] = model._default_manager.filter(policy__in=policies, pk__gt=after)
        found = found.select_related("policy").order_by("pk")
        rows += found[: size - len(rows)]
    last = 2 * rows[-1].pk + isinstance(rows[-1], ReviewAction) if rows else start
    return rows, last
