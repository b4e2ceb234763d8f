"""Pay schemes, which map roles to payment terms. Amounts are whole cents.

An assignment earns `reward_cents`, which covers the first `free_units` units. The k-th further unit
earns `bonus_first_cents + (k - 1) * bonus_step_cents`. Publishing reserves the pay for
`allowance_units` units.
"""

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from audit.errors import TouchstoneError


class Terms(TypedDict):
    reward_cents: int
    free_units: int
    bonus_first_cents: int
    bonus_step_cents: int
    allowance_units: int


PayScheme = dict[str, Terms]


class PaySchemeError(TouchstoneError, ValueError):
    """The pay scheme is unknown, or its terms are invalid."""


def bonus_cents(terms: Terms, units: int) -> int:
    """Return the bonus for `units` units of work."""
    paid = max(0, units - terms["free_units"])
    return sum(terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid))


def explain_bonus(terms: Terms, units: int, counted: str) -> str:
    """Return a text that explains the bonus to the worker.

    `counted` is the number of units with their noun, such as "3 labels".
    """
    paid = max(0, units - terms["free_units"])
    amounts = [terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid)]
    free = (
        f"the first {terms['free_units']} are part of the reward; " if terms["free_units"] else ""
    )
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
    names = set(Terms.__annotations__)
    if not isinstance(terms, dict) or set(terms) != names:
        raise PaySchemeError(f"{role}: the terms must be exactly {', '.join(sorted(names))}.")
    for name, value in terms.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 100_000:
            raise PaySchemeError(
                f"{role}.{name}: {value!r} is not a whole number from 0 to 100000."
            )
    return cast(Terms, terms)
