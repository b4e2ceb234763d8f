"""Requirements on workers, as the Requester API expresses them."""

from typing import Any

from crowd.providers.base import Requirement

SYSTEM_QUALIFICATIONS = {
    "approval-rate": "000000000000000000L0",
    "hits-approved": "00000000000000000040",
    "locale": "00000000000000000071",
    "adult": "00000000000000000060",
}


def qualification_requirement(requirement: Requirement) -> Any:
    qualification = requirement.qualification
    parameters: dict[str, Any] = {
        "QualificationTypeId": SYSTEM_QUALIFICATIONS.get(qualification, qualification),
        "Comparator": requirement.comparator,
        "ActionsGuarded": requirement.guard,
    }
    if requirement.integers:
        parameters["IntegerValues"] = list(requirement.integers)
    if requirement.locales:
        parameters["LocaleValues"] = [{"Country": country} for country in requirement.locales]
    return parameters
