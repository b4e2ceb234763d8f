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
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NotRequired, TypedDict, cast

from django.utils.translation import gettext

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TermField:
    """How forms and the log name a term, with the scheme's nouns for `{unit}` and `{units}`.

    Keys of amounts end in `_cents`. A limit is a term that few projects change. `judges_label` is the
    label for roles that judge the units of others. Training rounds can override the terms with a
    `round_label`.
    """

    key: str
    label: str
    log_label: str
    judges_label: str = ""
    round_label: str = ""
    is_limit: bool = False

    @property
    def is_amount(self) -> bool:
        return self.key.endswith("_cents")


TERM_FIELDS = (
    TermField(
        key="reward_cents",
        label="Reward",
        log_label="reward",
        round_label="Reward per item (cents)",
    ),
    TermField(
        key="free_units",
        label="Included {units}",
        log_label="included {units}",
        round_label="{units} included in the reward",
    ),
    TermField(
        key="bonus_first_cents",
        label="Bonus for the first additional {unit}",
        log_label="bonus for the first additional {unit}",
        round_label="Bonus for the first additional {unit} (cents)",
    ),
    TermField(
        key="bonus_step_cents",
        label="Increase per additional {unit}",
        log_label="increase per additional {unit}",
        round_label="Increase per additional {unit} (cents)",
    ),
    TermField(
        key="allowance_units",
        label="{units} to reserve budget for",
        log_label="reserved {units}",
        is_limit=True,
    ),
    TermField(
        key="max_units",
        label="Maximum {units} that can be submitted (0 for no limit)",
        log_label="maximum {units}",
        judges_label="Maximum {units} that are paid (0 for no limit)",
        is_limit=True,
    ),
    TermField(
        key="hold_above_units",
        label="{units} paid without a review (0 for no limit)",
        log_label="{units} paid without a review",
        is_limit=True,
    ),
    TermField(
        key="least_seconds",
        label="Minimum seconds before the bonus is reviewed (0 for none)",
        log_label="minimum seconds before the bonus is reviewed",
        is_limit=True,
    ),
)
# No page of a worker has more units.
MAX_SHOWN_UNITS = 200


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


def _unit_cents(terms: Terms, units: int) -> list[int]:
    """Return what each of the first `units` units adds to the bonus."""
    sums = [bonus_cents(terms, count) for count in range(units + 1)]
    return [more - less for less, more in pairwise(sums)]


class PagePay(TypedDict):
    """The pay of an item as a worker's page shows it. The k-th unit earns `unit_cents[k - 1]`."""

    reward_cents: int
    unit_cents: list[int]
    max_units: int
    hold_above_units: int
    least_seconds: int


def page_pay(terms: Terms) -> PagePay:
    """Return the pay for the worker's page, which only adds up what it is given."""
    last = terms.get("max_units", 0) or MAX_SHOWN_UNITS
    return {
        "reward_cents": terms["reward_cents"],
        "unit_cents": _unit_cents(terms, last) if has_bonus(terms) else [],
        "max_units": terms.get("max_units", 0),
        "hold_above_units": terms.get("hold_above_units", 0),
        "least_seconds": terms.get("least_seconds", 0),
    }


def has_bonus(terms: Terms) -> bool:
    """Return True if units earn a bonus."""
    return bool(terms["bonus_first_cents"] or terms["bonus_step_cents"])


def explain_bonus(terms: Terms, units: int, counted: str) -> str:
    """Return a text in the current language that explains the bonus to the worker.

    `counted` is the number of units with their noun, such as "3 labels".
    """
    paid = paid_units(terms, units)
    amounts = _unit_cents(terms, terms["free_units"] + paid)[terms["free_units"] :]
    if len(set(amounts)) == 1:
        sums = f"{paid} x {amounts[0]}" if paid > 1 else f"{amounts[0]}"
    else:
        sums = " + ".join(map(str, amounts))
    values = {"units": counted, "free": terms["free_units"], "sums": sums}
    if terms["free_units"]:
        return gettext("%(units)s: the first %(free)s are included, %(sums)s cents.") % values
    return gettext("%(units)s: %(sums)s cents.") % values


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
