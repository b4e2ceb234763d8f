"""Table 1 and the statistics of Suter et al. 2021, recomputed from a file of phrases."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from metrics.counts import ratio
from schemes.base import Json
from schemes.grounding import paper_figures as paper
from schemes.reproduction import Figure, Number, Reproduction, percent

if TYPE_CHECKING:
    from schemes.grounding.evaluation import Evaluation

_PRUNING = "the paper prunes candidates before ranking: give a file of `ground --pruning`"
# What a row of the bias report needs beyond one file of predictions to be the paper's.
_NOTES = {
    "pruned": _PRUNING,
    "pruned_enlarged": _PRUNING,
    "max_box": "the paper's c-IoU is that of all objects found",
    "random": "the paper draws boxes with different labels, and its draw is not public",
}


def reproduce(path: Path) -> list[Figure]:
    """Return the accuracy of each row of table 1, and the statistics of sections 2 and 3.

    Raises FileError.
    """
    return list(_figures(path))


def _figures(path: Path) -> Iterator[Figure]:
    # Inline, because these load numpy.
    from schemes.grounding.bias_report import METRICS, ROWS, bias_report  # noqa: PLC0415
    from schemes.grounding.evaluation import evaluate_file  # noqa: PLC0415

    evaluation = evaluate_file(path)
    report = bias_report(evaluation)
    metrics = dict(METRICS)
    for row, label in ROWS:
        for place, in_paper in zip(paper.COLUMNS, paper.TABLE_1[row], strict=True):
            kind, metric, group = place
            figure = f"{kind}, {metrics[metric]}, {group} phrases %"
            yield _of_table(
                label,
                figure,
                in_paper,
                report["table"][row],
                place=place,
                note=_NOTES.get(row, ""),
            )
    yield from _statistics(report, _wrong_numbers(evaluation))


def _of_table(
    label: str,
    figure: str,
    in_paper: Number,
    row: Json | None,
    *,
    place: tuple[str, str, str],
    note: str,
) -> Figure:
    table = f"Table 1, {label}"
    if row is None:
        missing = "the file has no candidates"
        return Figure(table, figure, in_paper, None, missing, digits=2, needs_file=True)
    kind, metric, group = place
    value = percent(row[kind][metric][group]["accuracy"])
    return Figure(table, figure, in_paper, value, note, digits=2)


def _wrong_numbers(evaluation: "Evaluation") -> tuple[int, int]:
    """Return how many plural phrases have several boxes but not as many as they say, or one box."""
    wrong = single = 0
    boxes = zip(evaluation.phrases, evaluation.gold.sizes, evaluation.plural, strict=True)
    for phrase, number, is_plural in boxes:
        single += bool(is_plural and number == 1)
        says_another = phrase.cardinality not in (None, number)
        wrong += bool(is_plural and number > 1 and says_another)
    return wrong, single


def _statistics(report: Json, numbers: tuple[int, int]) -> Iterator[Figure]:
    """Yield statistics of plural phrases, and the sizes of the data."""
    gold, plural = report["gold"], report["plural_phrases"]
    wrong, single = numbers
    filler = gold["filler"]["mean"]
    table = "Section 2.1, plural phrases"
    yield Figure(table, "boxes per phrase", paper.COMPONENTS, gold["components"]["mean"])
    note = "the paper says nearly one third"
    yield Figure(table, "with one box %", None, percent(ratio(single, plural)), note)
    for name, in_paper, share in (
        (
            "union box covered %",
            paper.COVERED_BY_COMPONENTS,
            None if filler is None else 1 - filler,
        ),
        ("filler over half %", paper.FILLER_OVER_HALF, gold["filler"]["over_half_share"]),
        ("several boxes, but another number %", paper.WRONG_NUMBER, ratio(wrong, plural)),
        ("without proper components %", paper.WITHOUT_COMPONENTS, ratio(wrong + single, plural)),
    ):
        yield Figure(table, name, in_paper, percent(share), digits=0)
    phrases = report["phrases"]
    recomputed: dict[str, Number] = {
        "phrases": phrases,
        "plural phrases": plural,
        "plural phrases %": percent(ratio(plural, phrases)),
    }
    for name, size in paper.DATA.items():
        note = "" if name in recomputed else "is not in the file of phrases"
        yield Figure("Section 3, test data", name, size, recomputed.get(name), note)


GROUNDING = Reproduction(
    name="grounding",
    title="Phrase grounding",
    paper="Suter et al. 2021",
    description="""Table 1 and the statistics of Suter et al. 2021, from phrases with predictions.

example:
  python manage.py reproduce grounding phrases.jsonl --json
""",
    metavar="PHRASES.jsonl",
    help="phrases with gold and predicted boxes, as for evaluate grounding",
    run=reproduce,
)
