"""The equivalence of labels, learned from the decisions that people make about matches.

A pair is a match of two annotations whose labels are compared. People decide on the pairs of an item that
the automatic rule got wrong, so the other pairs of an item with a decision on labels count as right.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.domain.corpus.item_context import targets_of
from audit.errors import TouchstoneError
from datasets.domain.quality.quality import contents_of, decisions_of, shared_items
from datasets.models import EquivalenceModel
from metrics.logistic_regression import LogisticModel, cross_validated, fit_logistic
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.comparison import RowDecision
from schemes.contract.equivalence import Equivalence, LabelPair
from schemes.contract.errors import MissingPartError
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# Fewer decided pairs than this say nothing about other pairs.
MIN_PAIRS, MIN_ITEMS = 20, 5
AUTOMATIC, FILE, LEARNED, MANUAL = "automatic", "file", "learned", "manual"
# Texts of labels that mean the same, lower case
Equivalences = frozenset[frozenset[str]]


class TooFewDecisionsError(TouchstoneError):
    """People decided on too few labels, or always in the same way."""


@dataclass(frozen=True, slots=True)
class EquivalenceRow:
    """The totals of the labelled figure by a rule."""

    key: str
    label: str
    items: int
    total: Json


@dataclass(frozen=True, slots=True)
class _Decided:
    """An item with its pairs. `outcomes` are those of people, by the keys of the sides."""

    pk: int
    reference: Json
    predicted: Json
    target: Json
    decisions: Sequence[RowDecision]
    pairs: Sequence[LabelPair]
    outcomes: Mapping[tuple[str, str], bool]

    @property
    def judged(self) -> list[LabelPair]:
        """Return the pairs that are still matched after the decisions."""
        return [pair for pair in self.pairs if (pair.reference, pair.predicted) in self.outcomes]


def train_equivalence(
    *, project: Project, source: str, against: str, by: str, now: datetime
) -> EquivalenceModel:
    """Learn from all decisions on labels between two sources, and store the next version.

    Raise TooFewDecisionsError and MissingPartError.
    """
    part = _part(scheme_of(project))
    items = _decided(project, source, against)
    rows = [pair.features for item in items for pair in item.judged]
    outcomes = _outcomes(items)
    if len(rows) < MIN_PAIRS or len(items) < MIN_ITEMS or len(set(outcomes)) < 2:
        raise TooFewDecisionsError(
            f"People decided on labels of {len(items)} items with {len(rows)} pairs. At least "
            f"{MIN_ITEMS} items and {MIN_PAIRS} pairs are needed, some the same and some not."
        )
    model = fit_logistic(rows, outcomes)
    figures = _rows(project, items, _predictions(items))
    with transaction.atomic():
        Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
        last = project.equivalence_models.aggregate(last=Max("version"))["last"] or 0
        return EquivalenceModel.objects.create(
            project=project,
            version=last + 1,
            source=source,
            against=against,
            rule=part.rule,
            weights={"features": list(part.features), **asdict(model)},
            pairs=len(rows),
            items=len(items),
            figures=[asdict(row) for row in figures],
            trained_by=by,
            trained_at=now,
        )


def learned_total(*, model: EquivalenceModel) -> tuple[int, Json]:
    """Return the number of items with gold of both sources, and the figure by the learned rule."""
    project = model.project
    scheme = scheme_of(project)
    part = _part(scheme)
    learned = model_of(model)
    measures = [
        _measure(
            scheme,
            item,
            {
                (pair.reference, pair.predicted): learned.probability(pair.features) >= 0.5
                for pair in item.pairs
            },
        )
        for item in _compared(project, model.source, model.against)
    ]
    figure = next(figure for figure in scheme.comparison.figures if figure.key == part.figure)
    return len(measures), figure.total(measures)


def model_of(model: EquivalenceModel) -> LogisticModel:
    """Return the stored weights."""
    weights = model.weights
    return LogisticModel(
        intercept=weights["intercept"],
        weights=tuple(weights["weights"]),
        means=tuple(weights["means"]),
        scales=tuple(weights["scales"]),
    )


def equivalence_rows(
    *, project: Project, source: str, against: str, equivalences: Equivalences = frozenset()
) -> list[EquivalenceRow]:
    """Return the figure by each rule that needs no training, on the items with decisions on labels.

    Without such items, all items with gold of both sources are used. `equivalences` are sets of texts
    that mean the same, such as those of a file. Raise MissingPartError.
    """
    compared = list(_compared(project, source, against))
    decided = [item for item in compared if item.outcomes]
    return _rows(project, decided or compared, None, equivalences)


def _part(scheme: Scheme) -> Equivalence:
    if scheme.equivalence is None:
        raise MissingPartError(f"The scheme {scheme.title} compares no labels that can be learned.")
    return scheme.equivalence


def _compared(project: Project, source: str, against: str) -> Iterator[_Decided]:
    """Yield the items with gold of both sources, with the decisions of people."""
    part = _part(scheme_of(project))
    shared = list(
        shared_items(project=project, source=source, against=against).values_list("pk", flat=True)
    )
    predicted = contents_of(project, source, shared)
    reference = contents_of(project, against, shared)
    targets = targets_of(project, reference)
    decisions = decisions_of(project, source, against)
    for pk in sorted(reference):
        pairs = part.pairs(reference[pk], predicted[pk])
        yield _Decided(
            pk=pk,
            reference=reference[pk],
            predicted=predicted[pk],
            target=targets[pk],
            decisions=decisions.get(pk, []),
            pairs=pairs,
            outcomes=_outcomes_of(part, pairs, decisions.get(pk, [])),
        )


def _outcomes_of(
    part: Equivalence, pairs: Sequence[LabelPair], decisions: Sequence[RowDecision]
) -> dict[tuple[str, str], bool]:
    """Return what people decided about the pairs, which is nothing without a decision on labels.

    Pairs on which people decided otherwise, for example that they don't match, are left out.
    """
    kinds = {
        (decision.reference or "", decision.predicted): decision.kind for decision in decisions
    }
    on_labels = (part.accepted, part.refused)
    if not any(kind in on_labels for kind in kinds.values()):
        return {}
    outcomes = {}
    for pair in pairs:
        kind = kinds.get((pair.reference, pair.predicted))
        if kind is None or kind in on_labels:
            outcomes[pair.reference, pair.predicted] = (
                pair.is_same if kind is None else kind == part.accepted
            )
    return outcomes


def _decided(project: Project, source: str, against: str) -> list[_Decided]:
    return [item for item in _compared(project, source, against) if item.outcomes]


def _outcomes(items: Iterable[_Decided]) -> list[bool]:
    return [item.outcomes[pair.reference, pair.predicted] for item in items for pair in item.judged]


def _predictions(items: Sequence[_Decided]) -> list[dict[tuple[str, str], bool]]:
    """Return the predictions for the pairs of each item by models that have not seen the item."""
    keys = [(at, pair) for at, item in enumerate(items) for pair in item.judged]
    probabilities = cross_validated(
        [pair.features for _, pair in keys], _outcomes(items), [items[at].pk for at, _ in keys]
    )
    predictions: list[dict[tuple[str, str], bool]] = [{} for _ in items]
    for (at, pair), probability in zip(keys, probabilities, strict=True):
        predictions[at][pair.reference, pair.predicted] = probability >= 0.5
    return predictions


def _rows(
    project: Project,
    items: Sequence[_Decided],
    learned: Sequence[Mapping[tuple[str, str], bool]] | None,
    equivalences: Equivalences = frozenset(),
) -> list[EquivalenceRow]:
    scheme = scheme_of(project)
    part = _part(scheme)

    def by(rule: Callable[[LabelPair], bool]) -> list[Json]:
        return [
            _measure(
                scheme,
                item,
                {(pair.reference, pair.predicted): rule(pair) for pair in item.pairs},
            )
            for item in items
        ]

    measures = {AUTOMATIC: (part.automatic, by(lambda pair: pair.is_same))}
    for key, label in part.alternatives.items():
        measures[key] = label, by(lambda pair, key=key: pair.alternatives[key])  # type: ignore[misc]
    if equivalences:
        in_file = by(lambda pair: pair.is_same or _is_listed(pair, equivalences))
        measures[FILE] = f"{part.automatic} and the file of equivalences", in_file
    if learned is not None:
        rows = [_measure(scheme, *pair) for pair in zip(items, learned, strict=True)]
        measures[LEARNED] = "Learned, cross-validated", rows
    if any(item.outcomes for item in items):
        measure = scheme.comparison.measure
        manual = [
            measure(item.reference, item.predicted, item.target, item.decisions)[part.figure]
            for item in items
        ]
        measures[MANUAL] = "Manual decisions", manual
    figure = next(figure for figure in scheme.comparison.figures if figure.key == part.figure)
    return [
        EquivalenceRow(key, label, len(items), figure.total(of_rule))
        for key, (label, of_rule) in measures.items()
    ]


def _measure(scheme: Scheme, item: _Decided, same: Mapping[tuple[str, str], bool]) -> Json:
    """Return the measure of the labelled figure if these pairs have the same labels or not."""
    part = _part(scheme)
    decisions = [
        RowDecision(part.accepted if is_same else part.refused, reference, predicted)
        for (reference, predicted), is_same in same.items()
    ]
    measures = scheme.comparison.measure(item.reference, item.predicted, item.target, decisions)
    measured: Json = measures[part.figure]
    return measured


def _is_listed(pair: LabelPair, equivalences: Equivalences) -> bool:
    first, second = ([text.casefold() for text in texts] for texts in pair.texts)
    return any(frozenset((a, b)) in equivalences for a in first for b in second)
