"""Agreement of each validator with others who validated the same questions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Any

from annotation.models import Submission
from metrics.agreement import both_ways
from metrics.counts import Counts, ratio
from projects.enums import Role
from projects.models import Project
from schemes.base import Json, Scheme
from schemes.registry import get_scheme

CHUNK = 500


@dataclass(slots=True)
class ValidatorFigures:
    """A validator's work and agreement.

    `compared` counts a question once for each other validator, and `alike` those with the same
    verdict. `ua` compares both validators' answers, with each as the reference once.
    """

    validator: str
    items: int = 0
    questions: int = 0
    valid: int = 0
    alike: int = 0
    compared: int = 0
    ua: Counts = field(default_factory=Counts)

    @property
    def same_verdicts(self) -> float | None:
        return ratio(self.alike, self.compared)

    @property
    def valid_share(self) -> float | None:
        return ratio(self.valid, self.questions)

    def as_json(self) -> dict[str, Any]:
        return {
            "validator": self.validator,
            "items": self.items,
            "questions": self.questions,
            "valid": self.valid_share,
            "same_verdicts": self.same_verdicts,
            "UA_f1": self.ua.f1,
        }


def validator_figures(*, project: Project, limit: int | None = None) -> list[ValidatorFigures]:
    """Return the figures of all validators by pseudonym.

    With `limit`, use that many items from the start of the seeded shuffle.
    """
    scheme = get_scheme(project.scheme)
    by_validator: dict[str, ValidatorFigures] = {}
    for judged in _by_item(project, limit):
        for validator, content in judged:
            _count(by_validator.setdefault(validator, ValidatorFigures(validator)), content)
        for (first, ours), (second, theirs) in combinations(judged, 2):
            _compare(scheme, (by_validator[first], by_validator[second]), ours, theirs)
    return [by_validator[validator] for validator in sorted(by_validator)]


def _by_item(project: Project, limit: int | None) -> Iterator[list[tuple[str, Json]]]:
    """Yield the validators' pseudonyms and contents of each item."""
    done = Submission.objects.accepted().filter(role=Role.VALIDATOR, item__project=project)
    if limit is not None:
        first = project.items.filter(submissions__role=Role.VALIDATOR).distinct()
        chosen = first.order_by("position", "pk").values_list("pk", "position")[:limit]
        done = done.filter(item__in=[pk for pk, _ in chosen])
    rows = done.order_by("item_id", "pk").values_list("item_id", "worker__pseudonym", "content")
    for _, group in groupby(rows.iterator(chunk_size=CHUNK), key=lambda row: row[0]):
        yield [(validator, content) for _, validator, content in group]


def _count(figures: ValidatorFigures, content: Json) -> None:
    figures.items += 1
    figures.questions += len(content["questions"])
    figures.valid += sum(question["verdict"] == "valid" for question in content["questions"])


def _compare(
    scheme: Scheme, pair: tuple[ValidatorFigures, ValidatorFigures], ours: Json, theirs: Json
) -> None:
    alike, compared = scheme.count_same_verdicts(ours, theirs)
    score = both_ways(scheme.labelled_spans(ours), scheme.labelled_spans(theirs))
    for figures in pair:
        figures.alike += alike
        figures.compared += compared
        figures.ua += score.ua
