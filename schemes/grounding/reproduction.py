"""Table 1 and the statistics of Suter et al. 2021, recomputed from a file of phrases.

The system and its variants are run on the candidates of the file.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metrics.counts import ratio
from schemes.contract.values import Json
from schemes.grounding import paper_figures as paper
from schemes.reproduction import Figure, Number, Reproduction, percent

if TYPE_CHECKING:
    from schemes.grounding.evaluation import ScoredPhrases


def reproduce(path: Path) -> list[Figure]:
    """Return the accuracy of each row of table 1, and the statistics of sections 2 to 4.

    Raises FileError.
    """
    # Inline, because these load numpy.
    from schemes.grounding.bias_report import bias_report  # noqa: PLC0415
    from schemes.grounding.evaluation import evaluate_system  # noqa: PLC0415

    evaluation = evaluate_system(path)
    report = bias_report(evaluation)
    figures = [
        *_table_1(evaluation, report["table"], path.name),
        *_figure_2(),
        *_accepted_by_both(report["table"]["system"]),
        *_statistics(report),
        *_test_data(report),
    ]
    reason = _other_phrases(report["phrases"])
    return [replace(figure, reason=reason) for figure in figures]


def _other_phrases(phrases: int) -> str:
    """Return that the file has another number of phrases than the paper's, or ""."""
    in_paper = paper.DATA["phrases"]
    if phrases == in_paper:
        return ""
    return f"the file has {phrases:,} phrases, and the paper's test data {in_paper:,}"


def _table_1(evaluation: "ScoredPhrases", table: Json, file: str) -> Iterator[Figure]:
    from schemes.grounding.bias_report import METRICS, ROWS, lacks  # noqa: PLC0415

    metrics = dict(METRICS)
    for row, label in ROWS:
        for (kind, metric, group), in_paper in zip(paper.COLUMNS, paper.TABLE_1[row], strict=True):
            need = _need(row, kind, metric)
            missing = lacks(evaluation, need) if need else ""
            accuracies = None if missing else table[row][kind]
            yield Figure(
                f"Table 1, {label}",
                f"{kind}, {metrics[metric]}, {group} phrases %",
                in_paper,
                percent(accuracies[metric][group]["accuracy"]) if accuracies else None,
                f"{missing} in {file}" if missing else _note(row, kind),
                digits=2,
                needs_file=bool(missing),
            )


def _need(row: str, kind: str, metric: str) -> str:
    """Return what a figure of table 1 needs beside predictions, or ""."""
    if row in ("pruned", "pruned_enlarged") or (row, kind) == ("system", "singles"):
        return "scores"
    if row == "random":
        return "labels"
    return "candidates" if row == "upper_bound" or (row, metric) == ("max_box", "c_iou") else ""


def _note(row: str, kind: str) -> str:
    if row == "random":
        return "the paper's draw is not public"
    return (
        "pruning leaves single objects as they are" if (row, kind) == ("pruned", "singles") else ""
    )


def _figure_2() -> Iterator[Figure]:
    note = "the paper's predictions are not public"
    for example, values in paper.FIGURE_2.items():
        for metric, value in zip(("IoU", "c-IoU"), values, strict=True):
            yield Figure("Figure 2", f"{example}, {metric}", value, None, note, digits=2)


def _accepted_by_both(system: Json) -> Iterator[Figure]:
    """Yield the joint accuracy, which the paper proposes without a figure."""
    note = "the paper has no figure"
    for kind, accuracies in system.items():
        for group in ("all", "plural"):
            value = percent(accuracies["both"][group]["accuracy"])
            figure = f"System, {kind}, {group} phrases %"
            yield Figure("Section 4, accepted by both metrics", figure, None, value, note, digits=2)


def _statistics(report: Json) -> Iterator[Figure]:
    """Yield statistics of plural phrases."""
    gold, plural = report["gold"], report["plural_phrases"]
    single, improper = gold["plural_with_one_box"], gold["plural_without_components"]
    filler = gold["filler"]["mean"]
    covered = None if filler is None else 1 - filler
    wrong = ratio(improper["n"] - single["n"], plural)
    table = "Section 2.1, plural phrases"
    yield Figure(table, "boxes per phrase", paper.COMPONENTS, gold["components"]["mean"])
    note = "the paper says nearly one third"
    yield Figure(table, "with one box %", None, percent(single["share"]), note)
    for name, in_paper, share in (
        ("union box covered %", paper.COVERED_BY_COMPONENTS, covered),
        ("filler over half %", paper.FILLER_OVER_HALF, gold["filler"]["over_half_share"]),
        ("several boxes, but another number %", paper.WRONG_NUMBER, wrong),
        ("without proper components %", paper.WITHOUT_COMPONENTS, improper["share"]),
    ):
        yield Figure(table, name, in_paper, percent(share), digits=0)


def _test_data(report: Json) -> Iterator[Figure]:
    """Yield the sizes of the data."""
    phrases, plural = report["phrases"], report["plural_phrases"]
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
    description="""Table 1 and the statistics of Suter et al. 2021, from phrases with candidates.

example:
  python manage.py reproduce grounding phrases.jsonl --json
""",
    metavar="PHRASES.jsonl",
    help="phrases with gold boxes and candidates, such as the output of ground",
    run=lambda path, _: reproduce(path),
)
