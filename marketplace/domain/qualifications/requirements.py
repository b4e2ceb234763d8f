"""Qualification requirements. Without a qualification, a worker meets only DoesNotExist."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from marketplace.domain.errors import InvalidParameterError
from marketplace.enums import Guarded

APPROVAL_RATE = "000000000000000000L0"
HITS_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
SYSTEM = {
    APPROVAL_RATE: gettext_lazy("HIT approval rate (%)"),
    HITS_APPROVED: gettext_lazy("Number of HITs approved"),
    LOCALE: gettext_lazy("Location"),
    ADULT: gettext_lazy("18 or older"),
    MASTERS: "Masters",
    MASTERS_SANDBOX: "Masters",
}
#: Names of MTurk and descriptions of the system's types. The API shows them.
SYSTEM_TYPES = {
    APPROVAL_RATE: (
        "Worker_PercentAssignmentsApproved",
        "The percentage of the worker's submitted assignments that were approved.",
    ),
    HITS_APPROVED: (
        "Worker_NumberHITsApproved",
        "The number of the worker's assignments that were approved.",
    ),
    LOCALE: ("Worker_Locale", "The country, and the state if known, of the worker."),
    ADULT: ("Worker_Adult", "The worker agreed to see content for adults."),
    MASTERS: ("Masters", "The worker is a Master."),
    MASTERS_SANDBOX: ("Masters", "The worker is a Master in the sandbox."),
}
MAX_REQUIREMENTS = 10
MAX_INTEGERS = 15
MAX_LOCALES = 30

#: An integer, a (country, subdivision) pair, or None for a qualification held without a value.
Value = int | tuple[str, str] | None
Requirement = Mapping[str, Any]

ORDER: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
}
NO_VALUES = ("Exists", "DoesNotExist")
ONE_VALUE = (*ORDER, "EqualTo", "NotEqualTo")
LOCALE_COMPARATORS = ("EqualTo", "NotEqualTo", "In", "NotIn")


def check_requirements(requirements: Sequence[Requirement]) -> None:
    """Raise InvalidParameterError with the index and the problem of an invalid requirement."""
    if len(requirements) > MAX_REQUIREMENTS:
        raise InvalidParameterError(
            f"A HIT has at most {MAX_REQUIREMENTS} QualificationRequirements."
        )
    for index, requirement in enumerate(requirements):
        if problem := _problem(requirement):
            raise InvalidParameterError(f"QualificationRequirements[{index}]: {problem}")


def _problem(requirement: Requirement) -> str:
    comparator = requirement["Comparator"]
    integers = requirement.get("IntegerValues") or []
    locales = requirement.get("LocaleValues") or []
    is_locale = requirement["QualificationTypeId"] == LOCALE
    if comparator in NO_VALUES:
        return "Exists and DoesNotExist do not accept values." if integers or locales else ""
    if integers if is_locale else locales:
        return "use LocaleValues for the locale qualification and IntegerValues for all others."
    if is_locale and comparator not in LOCALE_COMPARATORS:
        return f"a locale can only be compared by {', '.join(LOCALE_COMPARATORS)}."
    values = locales if is_locale else integers
    most = 1 if comparator in ONE_VALUE else MAX_LOCALES if is_locale else MAX_INTEGERS
    if not 1 <= len(values) <= most:
        return f"{comparator} requires {'one value' if most == 1 else f'1 to {most} values'}."
    return ""


def guarded_action(requirement: Requirement) -> Guarded:
    """Return the guarded action. RequiredToPreview is the old form of PreviewAndAccept."""
    if action := requirement.get("ActionsGuarded"):
        return Guarded(action)
    return Guarded.PREVIEW if requirement.get("RequiredToPreview") else Guarded.ACCEPT


def meets(requirement: Requirement, held: Mapping[str, Value]) -> bool:
    """Return True if `held` (values by QualificationTypeId) meets the requirement."""
    code: str = requirement["QualificationTypeId"]
    comparator: str = requirement["Comparator"]
    if comparator in NO_VALUES:
        return (code in held) == (comparator == "Exists")
    value = held.get(code)
    if value is None:
        return False
    if isinstance(value, tuple):
        locales = requirement.get("LocaleValues") or []
        country, subdivision = value
        is_listed = any(
            locale["Country"] == country and locale.get("Subdivision", subdivision) == subdivision
            for locale in locales
        )
        return is_listed == (comparator in ("EqualTo", "In"))
    integers: list[int] = requirement.get("IntegerValues") or []
    if comparator in ORDER:
        return ORDER[comparator](value, integers[0])
    return (value in integers) == (comparator in ("EqualTo", "In"))


def unmet(
    requirements: Iterable[Requirement], held: Mapping[str, Value], *, action: Guarded
) -> list[Requirement]:
    """Return the unmet requirements that guard `action`. A wider guard includes the narrower."""
    rank = list(Guarded)
    return [
        requirement
        for requirement in requirements
        if rank.index(guarded_action(requirement)) >= rank.index(action)
        and not meets(requirement, held)
    ]


def describe(requirement: Requirement, names: Mapping[str, str]) -> str:
    """Describe a requirement as a clause, such as "your approval rate is at least 95 %"."""
    code, comparator = requirement["QualificationTypeId"], requirement["Comparator"]
    locales = [
        "-".join(filter(None, (locale["Country"], locale.get("Subdivision"))))
        for locale in requirement.get("LocaleValues") or []
    ]
    values = ", ".join([*map(str, requirement.get("IntegerValues") or []), *locales])
    if (code, comparator) in SUBJECTS_WITHOUT_VALUE:
        return str(SUBJECTS_WITHOUT_VALUE[code, comparator])
    if code == ADULT and (comparator, values) == ("EqualTo", "1"):
        return str(SUBJECTS_WITHOUT_VALUE[ADULT, "Exists"])
    compared = f"{COMPARATOR_TEXTS[comparator]} {values}".rstrip()
    if code in SUBJECTS:
        return f"{SUBJECTS[code]} {compared}{' %' if code == APPROVAL_RATE else ''}"
    name = SYSTEM.get(code) or names.get(code, code)
    if comparator == "DoesNotExist":
        return gettext("you don't have the qualification “%(name)s”") % {"name": name}
    if comparator == "Exists":
        return gettext("you have the qualification “%(name)s”") % {"name": name}
    return gettext("you have the qualification “%(name)s”, and its value %(compared)s") % {
        "name": name,
        "compared": compared,
    }


SUBJECTS = {
    APPROVAL_RATE: gettext_lazy("your approval rate"),
    HITS_APPROVED: gettext_lazy("the number of your approved tasks"),
    LOCALE: gettext_lazy("your location"),
}
SUBJECTS_WITHOUT_VALUE = {
    (ADULT, "Exists"): gettext_lazy("you are 18 or older"),
    (MASTERS, "Exists"): gettext_lazy("you are a Master"),
    (MASTERS_SANDBOX, "Exists"): gettext_lazy("you are a Master"),
}
COMPARATOR_TEXTS = {
    "LessThan": gettext_lazy("is less than"),
    "LessThanOrEqualTo": gettext_lazy("is at most"),
    "GreaterThan": gettext_lazy("is greater than"),
    "GreaterThanOrEqualTo": gettext_lazy("is at least"),
    "EqualTo": gettext_lazy("is"),
    "NotEqualTo": gettext_lazy("is not"),
    "Exists": gettext_lazy("is known"),
    "DoesNotExist": gettext_lazy("is not known"),
    "In": gettext_lazy("is one of"),
    "NotIn": gettext_lazy("is none of"),
}
