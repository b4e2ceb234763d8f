"""Statistics of annotated items: answered fields, their parts, and how often each label occurs."""

from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.counts import ratio
from schemes.contract.statistics import AnnotatedItem, Frequencies, Statistics, StatisticsTable
from schemes.contract.values import Json
from schemes.custom.form import SKIPPED, Form


class CustomStatistics(Statistics):
    """Counts by field."""

    def __init__(self, form: Form) -> None:
        self._form = form
        figures = [("items", form.definition.item.plural.capitalize()), ("tokens", "Tokens")]
        for kind in form.kinds:
            figures.append((f"{kind.key}_items", f"{kind.field.label}: answered"))
            if kind.field.has_parts:
                figures.append((f"{kind.key}_parts", f"{kind.field.label}: {kind.noun.plural}"))
                figures.append((f"{kind.key}_mean", f"{kind.field.label}: mean per item"))
        if form.definition.skip:
            figures.append(("skipped", "Skipped"))
        self.figures = figures

    def count(self, items: Iterable[AnnotatedItem]) -> dict[str, int | float | None]:
        numbers = Counter[str]()
        for item in items:
            numbers["items"] += 1
            numbers["tokens"] += len(item.context.tokens)
            numbers["skipped"] += bool(item.content.get(SKIPPED))
            for kind, parts in self._form.counted(item.content):
                numbers[f"{kind.key}_items"] += parts > 0
                numbers[f"{kind.key}_parts"] += parts
        means: dict[str, int | float | None] = {
            f"{kind.key}_mean": ratio(numbers[f"{kind.key}_parts"], numbers["items"])
            for kind in self._form.kinds
        }
        known = {key for key, _ in self.figures}
        counts: dict[str, int | float | None] = {key: numbers[key] for key in known}
        return counts | {key: mean for key, mean in means.items() if key in known}

    def is_skipped(self, content: Json) -> bool:
        return bool(content.get(SKIPPED))

    def tables(self, items: Sequence[AnnotatedItem]) -> Sequence[StatisticsTable]:
        """Return how often each label or value of a field occurs."""
        tables = []
        for kind in self._form.kinds:
            counts = self._names(items, kind.key)
            if counts:
                rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
                tables.append(StatisticsTable(kind.field.label, ("Answer", "Count"), rows[:100]))
        return tables

    def frequencies(self, items: Sequence[AnnotatedItem]) -> Frequencies | None:
        """Return how often each label of the paid field occurs, or of the first with labels."""
        paid = self._form.paid
        for kind in [*([paid] if paid else []), *self._form.kinds]:
            counts = self._names(items, kind.key)
            if counts:
                rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
                return Frequencies(kind.field.label, rows)
        return None

    def _names(self, items: Sequence[AnnotatedItem], key: str) -> Counter[str]:
        kind = self._form.by_key[key]
        return Counter(
            name
            for item in items
            for part in kind.parts(item.content.get("answers", {}))
            for name in kind.names(part)
        )
