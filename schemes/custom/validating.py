"""Validation: others judge each part of an annotation, in the order of its parts.

A validation is `{"verdicts": [true, false, ...]}`, with a verdict per part of the source.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.judging import Validating
from schemes.contract.values import Json
from schemes.custom.form import VERDICTS, Form, Unit
from schemes.custom.kinds.base import shown_key


class CustomValidating(Validating):
    """Verdicts on the parts of answers."""

    # Stored with every figure. A changed rule gets a new name.
    rule = "custom.validation.v1"

    def __init__(self, form: Form) -> None:
        self._form = form

    def asked(self, sources: Sequence[Json]) -> Json:
        """Return the answers and the place of each part that is judged.

        `{"answers": {...}, "units": [{"field": key, "at": position among the field's parts}, ...]}`
        """
        return {"answers": sources[0]["answers"], "units": _places(self._form.units(sources[0]))}

    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        if not isinstance(content, Mapping):
            raise ContentError("", "must be an object.")
        for name in content:
            if name != VERDICTS:
                raise ContentError(shown_key(name), "is not a known field.")
        verdicts = content.get(VERDICTS)
        if not isinstance(verdicts, list):
            raise ContentError(VERDICTS, "must be a list.")
        units = len(self._form.units(sources[0]))
        if len(verdicts) != units:
            raise ContentError(
                VERDICTS,
                "%(judged)s are judged of %(asked)s.",
                judged=len(verdicts),
                asked=units,
            )
        for at, verdict in enumerate(verdicts):
            if not isinstance(verdict, bool):
                raise ContentError(f"{VERDICTS}.{at}", "must be true or false.")
        return {VERDICTS: list(verdicts)}

    def gold_of(
        self, sources: Sequence[Json], validations: Sequence[Json], agree: int
    ) -> tuple[Json, list[Json]]:
        """Return what at least `agree` validators support, and the provenance of its parts.

        Relations whose span is lost go too, and so do fields whose condition is no longer met.
        """
        units = self._form.units(sources[0])
        votes = _votes(validations, len(units))
        supported = [unit for at, unit in enumerate(units) if votes[at] >= agree]
        gold = self._form.content_of(supported)
        votes_of = {_identity(unit): votes[at] for at, unit in enumerate(units)}
        provenance = [
            {"source": 0, "state": "kept", "valid": votes_of[_identity(unit)]}
            for unit in self._form.units(gold)
        ]
        if sources[0].get("skipped"):
            return dict(sources[0]), []
        return gold, provenance

    def disputes(self, sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
        """Return the parts that fewer than `agree` validators support, or {}.

        `{"units": [{"unit": position, "field", "at", "against": number of validators}, ...]}`
        """
        units = self._form.units(sources[0])
        votes = _votes(validations, len(units))
        disputed = [
            {"unit": at, **place, "against": len(validations) - votes[at]}
            for at, place in enumerate(_places(units))
            if votes[at] < agree
        ]
        return {"units": disputed} if disputed else {}

    def is_empty(self, sources: Sequence[Json]) -> bool:
        return not self._form.units(sources[0])

    def same_verdicts(self, first: Json, second: Json) -> tuple[int, int]:
        return same_verdicts(first, second)

    def verdicts(self, content: Json) -> tuple[int, int]:
        return sum(content[VERDICTS]), len(content[VERDICTS])


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return the numbers of equal verdicts and of all verdicts."""
    pairs = list(zip(first[VERDICTS], second[VERDICTS], strict=True))
    return sum(ours == theirs for ours, theirs in pairs), len(pairs)


def _places(units: Sequence[Unit]) -> list[dict[str, Any]]:
    return [{"field": unit.kind.key, "at": unit.at} for unit in units]


def _votes(validations: Sequence[Json], units: int) -> list[int]:
    return [sum(validation[VERDICTS][at] for validation in validations) for at in range(units)]


def _identity(unit: Unit) -> tuple[str, str]:
    return unit.kind.key, repr(unit.part)
