"""A project's gold against another source's, both ways, in the layout of Roit et al. 2020, table 5."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.models import Project
from consolidation.domain.export_gold import standing_gold
from consolidation.enums import GoldSource
from consolidation.models import Decision as DecisionRow
from metrics.alignment import LabelledSpans
from metrics.argument_scores import ArgumentScores
from metrics.corrections import Decision, SideBySide, Verdict, scores_side_by_side
from metrics.counts import Counts, ratio
from schemes.base import Json
from schemes.registry import get_scheme


class NothingToCompare(Exception):
    """The two sources share no item."""


@dataclass(frozen=True, slots=True)
class Yield:
    """What one source holds of the shared items."""

    items: int
    roles: int
    arguments: int

    def as_json(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "roles": self.roles,
            "arguments": self.arguments,
            "roles_per_item": ratio(self.roles, self.items),
            "arguments_per_item": ratio(self.arguments, self.items),
        }


@dataclass(frozen=True, slots=True)
class QualityReport:
    """Both sources on the items they share. `forward` takes `against` for the reference; `backward`
    the other way round, automatic only (decisions speak of one direction)."""

    source: str
    against: str
    yields: dict[str, Yield]
    forward: SideBySide
    backward: ArgumentScores

    def rows(self) -> Iterable[tuple[str, str, ArgumentScores]]:
        """(reference, how it was matched, scores), as the lines of the table."""
        yield self.against, "automatic", self.forward.automatic
        yield self.against, "corrected", self.forward.corrected
        yield self.source, "automatic", self.backward


def quality_report(*, project: Project, source: str, against: str) -> QualityReport:
    """Raises NothingToCompare."""
    ours, theirs = _contents(project, source), _contents(project, against)
    shared = [item for item in theirs if item in ours]
    if not shared:
        raise NothingToCompare(
            f"No item of {project.slug} has gold of both {source!r} and {against!r}; import a "
            "reference with `import_gold`."
        )
    predicted = {item: _spans(project, ours[item]) for item in shared}
    reference = {item: _spans(project, theirs[item]) for item in shared}
    forward = scores_side_by_side(
        reference, predicted, _decisions(project, source, against, set(shared))
    )
    backward = scores_side_by_side(predicted, reference, {}).automatic
    yields = {
        source: _yield([ours[item] for item in shared]),
        against: _yield([theirs[item] for item in shared]),
    }
    return QualityReport(source, against, yields, forward, backward)


def quality_json(report: QualityReport) -> dict[str, Any]:
    """`{"source", "against", "yields", "rows": [{"reference", "matching", "items", "UA", "LA"}]}`."""
    return {
        "source": report.source,
        "against": report.against,
        "yields": {name: one.as_json() for name, one in report.yields.items()},
        "rows": [
            {
                "reference": reference,
                "matching": how,
                "items": scores.items,
                "UA": _figures(scores.ua),
                "LA": _figures(scores.la),
            }
            for reference, how, scores in report.rows()
        ],
    }


def _figures(counts: Counts) -> dict[str, Any]:
    names = ("tp", "fp", "fn", "precision", "recall", "f1")
    return {name: getattr(counts, name) for name in names}


def _contents(project: Project, source: str) -> dict[int, Json]:
    rows = standing_gold(project, source).order_by("item_id").values_list("item_id", "content")
    return dict(rows.iterator(chunk_size=2000))


def _spans(project: Project, content: Json) -> LabelledSpans:
    return get_scheme(project.scheme).labelled_spans(content)


def _yield(contents: list[Json]) -> Yield:
    questions = [one for content in contents for one in content["questions"]]
    return Yield(len(contents), len(questions), sum(len(one["answers"]) for one in questions))


def _decisions(
    project: Project, source: str, against: str, items: set[int]
) -> dict[int, list[Decision]]:
    """People's words on pairs of a standing reference and the submission that became gold. The last
    word on a pair counts."""
    if source != GoldSource.CONSOLIDATED:
        return {}
    predicted = standing_gold(project, source).values("submission")
    rows = DecisionRow.objects.filter(
        reference__in=standing_gold(project, against),
        submission__in=predicted,
        reference__item__in=items,
        reference_span__isnull=False,
        predicted_span__isnull=False,
    ).order_by("pk")
    last: dict[int, dict[tuple[object, ...], Decision]] = {}
    for row in rows.select_related("reference"):
        pair = (_pair(row.reference_span), _pair(row.predicted_span))
        decision = Decision(*pair, Verdict(row.kind))
        about = row.kind.partition("-")[0]
        last.setdefault(row.reference.item_id, {})[about, *pair] = decision
    return {item: list(found.values()) for item, found in last.items()}


def _pair(span: Any) -> tuple[int, int]:
    start, end = span
    return start, end
