"""The bias table of Suter et al. 2021 (table 1), recomputed from a file of phrases."""

from collections.abc import Iterator
from pathlib import Path

from schemes.reproduction import NOT_RECORDED, Figure, Reproduction, percent


def reproduce(path: Path) -> list[Figure]:
    """Return the accuracy of each row of the table. Raises FileError."""
    return list(_figures(path))


def _figures(path: Path) -> Iterator[Figure]:
    # Inline, because these load numpy.
    from schemes.grounding.bias_report import GROUPS, KINDS, METRICS, ROWS, bias_report  # noqa: PLC0415
    from schemes.grounding.evaluation import evaluate_file  # noqa: PLC0415

    table = bias_report(evaluate_file(path))["table"]
    for row, label in ROWS:
        for kind in KINDS:
            for metric, name in METRICS:
                for group in GROUPS:
                    figure = f"{kind}, {name}, {group} phrases %"
                    yield _figure(label, figure, table[row], (kind, metric, group))


def _figure(title: str, figure: str, row: object, place: tuple[str, str, str]) -> Figure:
    if not isinstance(row, dict):
        return Figure(title, figure, None, None, f"the file has no candidates; {NOT_RECORDED}")
    kind, metric, group = place
    return Figure(title, figure, None, percent(row[kind][metric][group]["accuracy"]), NOT_RECORDED)


GROUNDING = Reproduction(
    name="grounding",
    title="Phrase grounding",
    paper="Suter et al. 2021, table 1",
    description="""The bias table of Suter et al. 2021, from phrases with predictions.

example:
  python manage.py reproduce grounding phrases.jsonl --json
""",
    metavar="PHRASES.jsonl",
    help="phrases with gold and predicted boxes, as for evaluate grounding",
    run=reproduce,
)
