"""Pay schemes, which map roles to payment terms. Amounts are whole cents.

An assignment earns `reward_cents`, which covers the first `free_units` units. The k-th further unit
earns `bonus_first_cents + (k - 1) * bonus_step_cents`. Publishing reserves the pay for
`allowance_units` units.

Three optional terms protect the bonus, where 0 means none. An item earns no more than `max_units`,
and more can't be submitted, except in judgments of the units of others. The bonus of an item with more
than `hold_above_units`, or with fewer active seconds than `least_seconds`, is held until a person has
checked the work.
"""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

from audit.errors import TouchstoneError


class Terms(TypedDict):
    reward_cents: int
    free_units: int
    bonus_first_cents: int
    bonus_step_cents: int
    allowance_units: int
    max_units: NotRequired[int]
    hold_above_units: NotRequired[int]
    least_seconds: NotRequired[int]


PayScheme = dict[str, Terms]


class PaySchemeError(TouchstoneError, ValueError):
    """The pay scheme is unknown, or its terms are invalid."""


def paid_units(terms: Terms, units: int) -> int:
    """Return the number of units that earn a bonus."""
    most = terms.get("max_units", 0)
    return max(0, (min(units, most) if most else units) - terms["free_units"])


def bonus_cents(terms: Terms, units: int) -> int:
    """Return the bonus for `units` units of work."""
    paid = paid_units(terms, units)
    return sum(terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid))


def has_bonus(terms: Terms) -> bool:
    """Return True if units earn a bonus."""
    return bool(terms["bonus_first_cents"] or terms["bonus_step_cents"])


def explain_bonus(terms: Terms, units: int, counted: str) -> str:
    """Return a text that explains the bonus to the worker.

    `counted` is the number of units with their noun, such as "3 labels".
    """
    paid = paid_units(terms, units)
    amounts = [terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid)]
    free = f"the first {terms['free_units']} are included, " if terms["free_units"] else ""
    if len(set(amounts)) == 1:
        sums = f"{paid} x {amounts[0]} cents" if paid > 1 else f"{amounts[0]} cents"
    else:
        sums = " + ".join(map(str, amounts)) + " cents"
    return f"{counted}: {free}{sums}."


def check_pay_scheme(raw: object, presets: Mapping[str, Any] | None = None) -> PayScheme:
    """Return the scheme of a preset's name or of terms by role. Raise PaySchemeError."""
    presets = presets or {}
    if isinstance(raw, str):
        if raw not in presets:
            raise PaySchemeError(f"no pay scheme {raw!r}. Choose from {', '.join(presets)}.")
        raw = presets[raw]
    if not isinstance(raw, Mapping) or not raw:
        raise PaySchemeError("a pay scheme maps roles to their terms.")
    return {str(role): _check_terms(str(role), terms) for role, terms in raw.items()}


def _check_terms(role: str, terms: Any) -> Terms:
    required, optional = Terms.__required_keys__, Terms.__optional_keys__
    if not isinstance(terms, dict) or not required <= set(terms) <= required | optional:
        raise PaySchemeError(
            f"{role}: the terms must be {', '.join(sorted(required))}, and may have "
            f"{', '.join(sorted(optional))}."
        )
    for name, value in terms.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 100_000:
            raise PaySchemeError(
                f"{role}.{name}: {value!r} is not a whole number from 0 to 100000."
            )
    return cast(Terms, dict.fromkeys(optional, 0) | terms)
