"""Requirements on workers as participant groups and filters.

A group has no values. Each qualification is a group of all holders, and one per value. Membership acts
at once, also on running studies, whose filters can't change.
"""

from collections.abc import Mapping, Sequence

from crowd.providers.base import ProviderRefusedError, Requirement
from crowd.providers.prolific.values import Filter

ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"
APPROVAL_RATE, COUNTRY = "approval_rate", "current-country-of-residence"
BLOCKED = "blocked"
# The names that Prolific gives to the countries of most of its participants.
COUNTRIES = {
    "AT": "Austria",
    "AU": "Australia",
    "BE": "Belgium",
    "BR": "Brazil",
    "CA": "Canada",
    "CH": "Switzerland",
    "CL": "Chile",
    "CZ": "Czech Republic",
    "DE": "Germany",
    "DK": "Denmark",
    "EE": "Estonia",
    "ES": "Spain",
    "FI": "Finland",
    "FR": "France",
    "GB": "United Kingdom",
    "GR": "Greece",
    "HU": "Hungary",
    "IE": "Ireland",
    "IL": "Israel",
    "IN": "India",
    "IT": "Italy",
    "JP": "Japan",
    "KE": "Kenya",
    "LV": "Latvia",
    "MX": "Mexico",
    "NL": "Netherlands",
    "NO": "Norway",
    "NZ": "New Zealand",
    "PL": "Poland",
    "PT": "Portugal",
    "SE": "Sweden",
    "SI": "Slovenia",
    "US": "United States",
    "ZA": "South Africa",
}


def group_name(qualification: str, value: int | None = None) -> str:
    """Return the name of the group of all holders, or of the holders with a value."""
    return qualification if value is None else f"{qualification}={value}"


def groups_of(requirement: Requirement) -> tuple[str, list[str]]:
    """Return the filter and the groups' names that express a requirement on our qualification."""
    name, integers = requirement.qualification, requirement.integers
    if requirement.comparator == "Exists":
        return ALLOWLIST, [group_name(name)]
    if requirement.comparator == "DoesNotExist":
        return BLOCKLIST, [group_name(name)]
    if requirement.comparator in ("EqualTo", "In"):
        return ALLOWLIST, [group_name(name, value) for value in integers]
    if requirement.comparator in ("NotEqualTo", "NotIn"):
        return BLOCKLIST, [group_name(name, value) for value in integers]
    raise ProviderRefusedError(
        "unsupported-requirement",
        f"Prolific has no equivalent of the requirement {requirement.comparator}.",
    )


def system_filter(requirement: Requirement, countries: Mapping[str, str]) -> Filter | None:
    """Return the filter of a requirement on Prolific's own data, or None if it has none.

    `countries` maps the ids of Prolific's choices to the names of countries.
    """
    if requirement.qualification == "approval-rate":
        return Filter(APPROVAL_RATE, lower=requirement.integers[0], upper=100)
    if requirement.qualification == "locale":
        return Filter(COUNTRY, values=_choices(requirement.locales, countries))
    # Prolific neither counts approved HITs nor knows adult content.
    return None


def _choices(codes: Sequence[str], choices: Mapping[str, str]) -> list[str]:
    by_name = {label: key for key, label in choices.items()}
    missing = [code for code in codes if COUNTRIES.get(code) not in by_name]
    if missing:
        raise ProviderRefusedError(
            "unknown-country", f"Prolific can't select workers by the country {', '.join(missing)}."
        )
    return [by_name[COUNTRIES[code]] for code in codes]
