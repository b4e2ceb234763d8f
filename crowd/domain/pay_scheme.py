"""Pay schemes, which map roles to payment terms. Amounts are whole cents.

An assignment earns `reward_cents`, which covers the first `free_units` units. The k-th further unit
earns `bonus_first_cents + (k - 1) * bonus_step_cents`. Publishing reserves the pay for
`allowance_units` units.
"""

from typing import Any, TypedDict, cast

from audit.errors import TouchstoneError


class Terms(TypedDict):
    reward_cents: int
    free_units: int
    bonus_first_cents: int
    bonus_step_cents: int
    allowance_units: int


PayScheme = dict[str, Terms]


def _qasrl(free_units: int) -> PayScheme:
    return {
        "generator": {
            "reward_cents": 5,
            "free_units": free_units,
            "bonus_first_cents": 5,
            "bonus_step_cents": 1,
            "allowance_units": 5,
        },
        "consolidator": {
            "reward_cents": 5,
            "free_units": 0,
            "bonus_first_cents": 3,
            "bonus_step_cents": 0,
            "allowance_units": 8,
        },
        "validator": {
            "reward_cents": 8,
            "free_units": 4,
            "bonus_first_cents": 2,
            "bonus_step_cents": 0,
            "allowance_units": 8,
        },
    }


# Roit et al. 2020, section 3, has two free questions. FitzGerald et al. 2018 has one. Only the latter
# paid validators: 8 cents, plus 2 for each question beyond the fourth.
PRESETS: dict[str, PayScheme] = {"qasrl-2020": _qasrl(2), "qasrl-2018": _qasrl(1)}


class PaySchemeError(TouchstoneError, ValueError):
    """The pay scheme is unknown, or its terms are invalid."""


def bonus_cents(terms: Terms, units: int) -> int:
    """Return the bonus for `units` units of work."""
    paid = max(0, units - terms["free_units"])
    return sum(terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid))


def explain_bonus(terms: Terms, units: int) -> str:
    """Return a text that explains the bonus to the worker."""
    paid = max(0, units - terms["free_units"])
    amounts = [terms["bonus_first_cents"] + k * terms["bonus_step_cents"] for k in range(paid)]
    free = (
        f"the first {terms['free_units']} are part of the reward; " if terms["free_units"] else ""
    )
    if len(set(amounts)) == 1:
        sums = f"{paid} x {amounts[0]} cents" if paid > 1 else f"{amounts[0]} cents"
    else:
        sums = " + ".join(map(str, amounts)) + " cents"
    return f"{units} questions: {free}{sums}."


def check_pay_scheme(raw: object) -> PayScheme:
    """Return the scheme of a preset's name or of terms by role. Raises PaySchemeError."""
    if isinstance(raw, str):
        if raw not in PRESETS:
            raise PaySchemeError(
                f"no pay scheme {raw!r}. Choose from {', '.join(sorted(PRESETS))}."
            )
        return PRESETS[raw]
    if not isinstance(raw, dict) or not raw:
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
