"""Check on this site whether a worker meets the requirements of a HIT."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crowd.enums import GrantState
from crowd.models import HitType, QualificationGrant, Worker

# Grants that are not sent to the provider yet count already.
GRANTED = [GrantState.PENDING, GrantState.HELD]
Check = Callable[[int | None, Sequence[int]], bool]
COMPARATORS: Mapping[str, Check] = {
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "In": lambda value, given: value in given,
    "NotIn": lambda value, given: value is not None and value not in given,
    "EqualTo": lambda value, given: value == given[0],
    "NotEqualTo": lambda value, given: value is not None and value != given[0],
    "GreaterThan": lambda value, given: value is not None and value > given[0],
    "GreaterThanOrEqualTo": lambda value, given: value is not None and value >= given[0],
    "LessThan": lambda value, given: value is not None and value < given[0],
    "LessThanOrEqualTo": lambda value, given: value is not None and value <= given[0],
}


def values_of(worker: Worker) -> dict[str, int]:
    """Return the values of the worker's qualifications, by code."""
    grants = QualificationGrant.objects.filter(worker=worker, state__in=GRANTED)
    return dict(grants.values_list("qualification_type__code", "value"))


def meets(values: Mapping[str, int], requirements: Sequence[dict[str, Any]]) -> bool:
    """Return True if qualifications with these values meet all requirements on our own ones.

    Requirements on the provider's qualifications are left to the provider.
    """
    return all(
        COMPARATORS[requirement["comparator"]](
            values.get(requirement["code"]), requirement.get("integers", ())
        )
        for requirement in requirements
        if "code" in requirement
    )


def study_requirements(hit_type: HitType) -> list[dict[str, Any]]:
    """Return the requirements that all HITs of a study share.

    A HIT excludes single workers by their values, which is checked when it is dealt.
    """
    return [
        {"code": requirement["code"], "comparator": "Exists"}
        if requirement["comparator"] == "NotIn" and "code" in requirement
        else requirement
        for requirement in hit_type.qualifications
    ]
