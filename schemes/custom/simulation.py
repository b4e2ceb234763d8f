"""The content of simulated workers: a reference with seeded errors, and judgments of sources.

The same arguments always give the same content. At skill 1, it equals the reference.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.simulation import Simulation
from schemes.contract.values import Json
from schemes.custom.content import EMPTY, parse_answers
from schemes.custom.error_rates import RATES
from schemes.custom.form import ANSWERS, SKIPPED, VERDICTS, Form, Unit
from schemes.custom.kinds.parts import PartsKind
from schemes.custom.kinds.relations import RelationsKind
from schemes.simulated_person import Person


class CustomSimulation(Simulation):
    """Workers who miss, invent and change answers."""

    nothing = EMPTY
    published: Mapping[str, str] = {}

    def __init__(self, form: Form) -> None:
        self._form = form

    def generate(self, reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
        """Return the reference with a person's errors.

        Required answers that the reference lacks are invented, because a page would ask for them.
        """
        if reference.get(SKIPPED):
            return dict(reference)
        rng = random.Random(seed)  # noqa: S311
        known = reference.get(ANSWERS, {})
        answers: dict[str, Any] = {}
        for kind in self._form.in_order:
            if not self._form.is_shown(kind.field, answers, context):
                continue
            value = known.get(kind.key)
            if isinstance(kind, RelationsKind):
                # As parts, because the person's spans may have other positions.
                value = kind.parts(known)
            value = kind.err(answers, value, context, person, rng)
            if value is None and kind.field.required:
                value = kind.invent(answers, context)
            if value is not None:
                answers[kind.key] = value
        return self._valid({ANSWERS: answers}, reference, context)

    def _valid(self, content: Json, reference: Json, context: ItemContext) -> Json:
        """Return the content if it is valid, or else the reference, or else made-up content.

        Errors can leave fewer parts than a field needs, and references may lack required answers.
        """
        for candidate in (content, reference):
            try:
                return parse_answers(self._form, candidate, context, is_complete=True)
            except ContentError:
                continue
        return self.invent(context)

    def invent(self, context: ItemContext) -> Json:
        answers: dict[str, Any] = {}
        for kind in self._form.in_order:
            if self._form.is_shown(kind.field, answers, context):
                value = kind.invent(answers, context)
                if value is not None:
                    answers[kind.key] = value
        return {ANSWERS: self._form.sorted(answers)}

    def consolidate(
        self, sources: Sequence[Json], context: ItemContext, person: Person, seed: str
    ) -> Json:
        """Return the parts on which sources agree, and some of the others.

        A person of skill 1 takes all parts that fit together.
        """
        answered = [source for source in sources if not source.get(SKIPPED)]
        if not answered:
            return dict(sources[0])
        rng = random.Random(seed)  # noqa: S311
        merged = self._form.content_of(self._chosen(answered, person, rng))
        try:
            return parse_answers(self._form, merged, context, is_complete=True)
        except ContentError:  # the parts contradict each other or miss a required answer
            return dict(answered[0])

    def _chosen(self, sources: Sequence[Json], person: Person, rng: random.Random) -> list[Unit]:
        """Return parts of all sources that fit together, those of the first source first."""
        by_source = [self._form.units(source) for source in sources]
        chosen: list[Unit] = []
        for unit in (unit for units in by_source for unit in units):
            if not _fits(unit, chosen):
                continue
            votes = sum(_has(units, unit) for units in by_source)
            is_doubtful = 2 * votes < len(sources) and not person.is_exact()
            if is_doubtful:
                is_kept = person.errs(RATES.kept_doubtful, rng)
            else:
                is_kept = not person.errs(RATES.dropped_plausible, rng)
            if is_kept or unit.kind.field.required:
                chosen.append(unit)
        return chosen

    def validate(
        self, sources: Sequence[Json], context: ItemContext, person: Person, seed: str
    ) -> Json:
        """Return verdicts. A person of skill 1 accepts everything."""
        rng = random.Random(seed)  # noqa: S311
        units = self._form.units(sources[0])
        return {VERDICTS: [not person.errs(RATES.dropped_plausible, rng) for _ in units]}


def _fits(unit: Unit, chosen: Sequence[Unit]) -> bool:
    others = [other.part for other in chosen if other.kind is unit.kind]
    if not isinstance(unit.kind, PartsKind):
        return not others
    return len(others) < unit.kind.field.max and unit.kind.fits(unit.part, others, {})


def _has(units: Sequence[Unit], unit: Unit) -> bool:
    return any(other.kind is unit.kind and other.part == unit.part for other in units)
