"""Requirements as rows, which a query compares with the qualifications of a worker.

`UNMET` follows the same rules as `requirements.meets`, and a test compares the two.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from marketplace.domain.qualifications.qualifications import system_values
from marketplace.domain.qualifications.requirements import (
    LOCALE,
    ORDER,
    Requirement,
    guarded_action,
)
from marketplace.models import HitType, HitTypeRequirement, WorkerAccount

# `choice` is the value as text. `narrow` is the same, but with the state for a location.
_HELD = """
held (code, value, choice, narrow) AS (
    SELECT kind.code, own.value, CAST(own.value AS text), CAST(own.value AS text)
    FROM marketplace_grant AS own
    JOIN marketplace_qualificationtype AS kind ON kind.id = own.qualification_type_id
    WHERE own.worker_id = %s AND own.status = 'Granted'
    {system_values}
)
"""
#: True for a row `needed` that `held`, joined by code, does not meet. Null means no value.
UNMET = """
(needed.id IS NOT NULL AND NOT COALESCE(CASE needed.comparator
    WHEN 'Exists' THEN held.code IS NOT NULL
    WHEN 'DoesNotExist' THEN held.code IS NULL
    WHEN 'LessThan' THEN held.value < needed.bound
    WHEN 'LessThanOrEqualTo' THEN held.value <= needed.bound
    WHEN 'GreaterThan' THEN held.value > needed.bound
    WHEN 'GreaterThanOrEqualTo' THEN held.value >= needed.bound
    ELSE (
        replace(needed.choices, ' ' || held.choice || ' ', '') <> needed.choices
        OR replace(needed.choices, ' ' || held.narrow || ' ', '') <> needed.choices
    ) = (needed.comparator IN ('EqualTo', 'In'))
END, FALSE))
"""


def requirement_rows(hit_type: HitType) -> Iterator[HitTypeRequirement]:
    """Return the rows of a HIT type's requirements."""
    for requirement in hit_type.requirements:
        code, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
        integers = requirement.get("IntegerValues") or []
        is_order = comparator in ORDER
        yield HitTypeRequirement(
            hit_type=hit_type,
            qualification_code=code,
            action=guarded_action(requirement),
            comparator=comparator,
            bound=integers[0] if is_order else None,
            choices="" if is_order else _choices(requirement, integers),
        )


def _choices(requirement: Requirement, integers: Iterable[int]) -> str:
    """Return the values with a space before and after each."""
    values = [str(value) for value in integers]
    if requirement["QualificationTypeId"] == LOCALE:
        values = [
            f"{locale['Country']}-{locale['Subdivision']}"
            if "Subdivision" in locale
            else locale["Country"]
            for locale in requirement.get("LocaleValues") or []
        ]
    return "".join(f" {value} " for value in values)


def held_table(worker: WorkerAccount) -> tuple[str, list[Any]]:
    """Return a common table expression `held` of the worker's qualifications, and its parameters."""
    parameters: list[Any] = [worker.pk]
    values = system_values(worker)
    for code, value in values.items():
        if isinstance(value, tuple):
            country, subdivision = value
            parameters += [code, None, country, f"{country}-{subdivision}"]
        else:
            parameters += [code, value, str(value), str(value)]
    return _HELD.format(system_values="UNION ALL SELECT %s, %s, %s, %s " * len(values)), parameters
