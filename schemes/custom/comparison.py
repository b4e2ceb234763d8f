"""Comparison of an annotation with a reference, field by field."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from schemes.contract.comparison import CATEGORIES, Compared, Comparison, RowDecision
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.custom.figures import SCORE, score_measure
from schemes.custom.form import ANSWERS, SKIPPED, VERDICTS, Form
from schemes.custom.kinds.base import FieldComparison
from schemes.custom.row_states import DECISIONS, STATES
from schemes.custom.validating import same_verdicts


class CustomComparison(Comparison):
    """Comparison of answers. The rows of a field have keys that begin with the key of the field."""

    # Stored with every figure. Changed definitions get a new name.
    rule = "custom.fields.v1"
    states = STATES
    decisions = DECISIONS
    categories = CATEGORIES
    # Suggestions of this project
    round_thresholds = {0: {"score": 0.5}, 1: {"score": 0.6}, 2: {"score": 0.7}, 3: {"score": 0.75}}

    def __init__(self, form: Form) -> None:
        self._form = form
        self.figures = (SCORE, *(figure for kind in form.kinds for figure in kind.figures))

    def compare(
        self,
        reference: Json,
        predicted: Json,
        context: ItemContext,
        decisions: Iterable[RowDecision] = (),
    ) -> Compared:
        fields = self._compared(reference, predicted, decisions, context)
        rows = [row for kind in self._form.kinds for row in fields[kind.key].rows]
        return Compared(self._measures(reference, predicted, fields), rows)

    def measure(
        self,
        reference: Json,
        predicted: Json,
        target: Json,
        decisions: Iterable[RowDecision] = (),
    ) -> Mapping[str, Json]:
        """Return the measures of two annotations, or of two validations of the same source."""
        fields = self._compared(reference, predicted, decisions, None)
        return self._measures(reference, predicted, fields)

    def count_kept(self, reference: Json, predicted: Json) -> int:
        fields = self._compared(reference, predicted, (), None)
        if self._form.paid:
            return fields[self._form.paid.key].kept
        # A field with parts counts once, as it does for the pay.
        return sum(min(1, field.kept) for field in fields.values())

    def _compared(
        self,
        reference: Json,
        predicted: Json,
        decisions: Iterable[RowDecision],
        context: ItemContext | None,
    ) -> dict[str, FieldComparison]:
        by_field: dict[str, list[RowDecision]] = defaultdict(list)
        for decision in decisions:
            by_field[decision.predicted.partition(":")[0]].append(decision)
        if unknown := set(by_field) - set(self._form.by_key):
            raise ValueError(f"there is no field {sorted(unknown)[0]!r}")
        ours, theirs = reference.get(ANSWERS, {}), predicted.get(ANSWERS, {})
        compared: dict[str, FieldComparison] = {}
        for kind in self._form.in_order:
            own: Sequence[RowDecision] = by_field.get(kind.key, ())
            compared[kind.key] = kind.compare(ours, theirs, own, compared, context)
        return compared

    @staticmethod
    def _measures(
        reference: Json, predicted: Json, fields: Mapping[str, FieldComparison]
    ) -> dict[str, Json]:
        measures = {
            key: value for field in fields.values() for key, value in field.measures.items()
        }
        return {SCORE.key: _score(reference, predicted, fields), **measures}


def _score(reference: Json, predicted: Json, fields: Mapping[str, FieldComparison]) -> Json:
    """Return the measure of the score. Skips only agree with skips."""
    if VERDICTS in reference and VERDICTS in predicted:
        equal, verdicts = same_verdicts(reference, predicted)
        return score_measure([equal / verdicts if verdicts else None])
    skips = [bool(content.get(SKIPPED)) for content in (reference, predicted)]
    if any(skips):
        return score_measure([float(all(skips))])
    return score_measure([field.score for field in fields.values()])
