"""Annotations for consolidators in training, made from experts' gold with typical errors."""

from collections.abc import Sequence

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from projects.domain.schemes import scheme_of
from qualification.domain.rounds.set_up_rounds import MIN_GIVEN, RoundSetupError, newest_references
from schemes.contract.errors import MissingPartError
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.simulated_person import Person

# Careful enough to resemble trained generators, who leave a consolidator something to do.
SKILL = 0.85
MAX_TRIES = 20


def can_vary(scheme: Scheme) -> bool:
    """Return True if the scheme can make annotations that consolidators merge."""
    return scheme.merging is not None and scheme.simulation is not None


def variations_of(*, items: Sequence[Item]) -> dict[str, list[Json]]:
    """Return two annotations per item, by item key. The same items always get the same ones.

    The annotations differ from each other, if a person's errors can make a difference. Raise
    RoundSetupError for an item without expert gold, or if the scheme has no simulation.
    """
    references = newest_references(items)
    varied = {}
    for item in items:
        if item.pk not in references:
            raise RoundSetupError(
                f"{item.key!r} has no expert gold, from which the annotations to merge are made."
            )
        try:
            varied[item.key] = _vary(item, references[item.pk].content)
        except MissingPartError as error:
            raise RoundSetupError(str(error)) from error
    return varied


def _vary(item: Item, reference: Json) -> list[Json]:
    generate, context = scheme_of(item.project).get_simulation().generate, context_of(item)
    made: list[Json] = []
    for number in range(MAX_TRIES):
        seed = f"{item.project.seed}:{item.key}:{number}"
        content = generate(reference, context, Person.drawn(SKILL, seed), seed)
        left = MIN_GIVEN - len(made)
        if content not in made or left >= MAX_TRIES - number:
            made.append(content)
        if len(made) == MIN_GIVEN:
            break
    return made
