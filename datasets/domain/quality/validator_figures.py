"""Agreement of each validator with others who validated the same annotations."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q

from annotation.enums import SubmissionState
from annotation.models import Submission
from consolidation.models import Dispute
from metrics.counts import ratio
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

CHUNK = 500


@dataclass(slots=True)
class ValidatorFigures:
    """A validator's work and agreement.

    `verdicts` counts the judged units, and `valid` those found valid. `compared` counts a unit once
    for each other validator, and `alike` those with the same verdict. `total` is that of the scheme's
    first figure over pairs of validations, with each as the reference once.
    """

    validator: str
    items: int = 0
    verdicts: int = 0
    valid: int = 0
    alike: int = 0
    compared: int = 0
    measures: list[Mapping[str, Json]] = field(default_factory=list)
    total: Json = field(default_factory=dict)

    @property
    def same_verdicts(self) -> float | None:
        return ratio(self.alike, self.compared)

    @property
    def valid_share(self) -> float | None:
        return ratio(self.valid, self.verdicts)

    def as_json(self, scheme: Scheme) -> dict[str, Any]:
        figure = scheme.comparison.figures[0]
        return {
            "validator": self.validator,
            "items": self.items,
            scheme.vocabulary.unit.plural: self.verdicts,
            "valid": self.valid_share,
            "same_verdicts": self.same_verdicts,
            f"{figure.key}_{figure.main}": figure.value_of(self.total),
        }


def validator_figures(*, project: Project, limit: int | None = None) -> list[ValidatorFigures]:
    """Return the figures of all validators by pseudonym.

    With `limit`, use that many items from the start of the seeded shuffle. The list is empty if the
    scheme doesn't support validation.
    """
    scheme = scheme_of(project)
    if scheme.validating is None:
        return []
    by_validator: dict[str, ValidatorFigures] = {}
    for target, judged in _by_item(project, limit):
        for validator, content in judged:
            _count(scheme, by_validator.setdefault(validator, ValidatorFigures(validator)), content)
        for (first, first_verdicts), (second, second_verdicts) in combinations(judged, 2):
            _compare(
                scheme,
                (by_validator[first], by_validator[second]),
                first_verdicts,
                second_verdicts,
                target,
            )
    figure = scheme.comparison.figures[0]
    for figures in by_validator.values():
        figures.total = figure.total([measure[figure.key] for measure in figures.measures])
        figures.measures.clear()
    return [by_validator[validator] for validator in sorted(by_validator)]


def _by_item(project: Project, limit: int | None) -> Iterator[tuple[Json, list[tuple[str, Json]]]]:
    """Yield the target of each item and round with the validators' pseudonyms and contents.

    Verifications that a revision replaced count, because they would otherwise lack all disputes.
    """
    done = Submission.objects.filter(role=Role.VALIDATOR, item__project=project)
    replaced = Exists(Dispute.objects.filter(verifications=OuterRef("pk")))
    done = done.filter(Q(state=SubmissionState.ACCEPTED) | replaced)
    if limit is not None:
        first = project.items.filter(submissions__role=Role.VALIDATOR).distinct()
        chosen = first.order_by("position", "pk").values_list("pk", "position")[:limit]
        done = done.filter(item__in=[pk for pk, _ in chosen])
    round_of = "assignment__hit__task__round"
    rows = done.order_by("item_id", round_of, "pk").values_list(
        "item_id", round_of, "item__target", "worker__pseudonym", "content"
    )
    for _, group in groupby(rows.iterator(chunk_size=CHUNK), key=lambda row: row[:2]):
        judged = list(group)
        yield judged[0][2], [(validator, content) for *_, validator, content in judged]


def _count(scheme: Scheme, figures: ValidatorFigures, content: Json) -> None:
    valid, verdicts = scheme.get_validating().verdicts(content)
    figures.items += 1
    figures.verdicts += verdicts
    figures.valid += valid


def _compare(
    scheme: Scheme,
    pair: tuple[ValidatorFigures, ValidatorFigures],
    first_verdicts: Json,
    second_verdicts: Json,
    target: Json,
) -> None:
    alike, compared = scheme.get_validating().same_verdicts(first_verdicts, second_verdicts)
    measure = scheme.comparison.measure
    measures = [
        measure(first_verdicts, second_verdicts, target),
        measure(second_verdicts, first_verdicts, target),
    ]
    for figures in pair:
        figures.alike += alike
        figures.compared += compared
        figures.measures += measures
