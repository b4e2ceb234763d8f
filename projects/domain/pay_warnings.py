"""Warn of pay terms that pay any bonus without a person's review."""

from collections.abc import Iterator

from crowd.domain.money.pay_scheme import PayScheme, Terms, has_bonus
from projects.domain.schemes import scheme_of
from projects.enums import writes_units
from projects.models import Project
from schemes.contract.vocabulary import Vocabulary


def pay_warnings(*, project: Project, pay_scheme: PayScheme | None = None) -> list[str]:
    """Return a text for each protection that the terms of the protocol's roles lack.

    Without a `pay_scheme`, it is the project's own. The presets of schemes lack none.
    """
    vocabulary = scheme_of(project).vocabulary
    scheme: PayScheme = pay_scheme or project.pay_scheme
    return [
        warning
        for role, terms in scheme.items()
        if project.redundancy(role) and has_bonus(terms)
        for warning in _warnings(role, terms, vocabulary)
    ]


def _warnings(role: str, terms: Terms, vocabulary: Vocabulary) -> Iterator[str]:
    item, units = vocabulary.item.singular, vocabulary.unit.plural
    if not terms.get("max_units"):
        done = "submit" if writes_units(role) else "be paid for"
        yield f"{role.capitalize()}s can {done} any number of {units} per {item}."
    if not terms.get("hold_above_units") and terms.get("max_units") != 1:
        yield f"Bonuses of {role}s are paid without a review, for any number of {units} per {item}."
