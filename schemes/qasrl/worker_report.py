"""Agreement of the workers of a CSV file, and a report on each of them: `evaluate qasrl-workers`."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from metrics.argument_scores import ArgumentScores, argument_scores
from metrics.counts import Counts, mean, ratio
from schemes.contract.errors import FileError
from schemes.contract.values import Json
from schemes.qasrl.annotation_files import (
    Annotations,
    read_annotation_file,
    read_annotations_by_worker,
)
from schemes.qasrl.evaluation import label_tables, scores_json
from schemes.reports import (
    BadRows,
    Evaluation,
    Options,
    Report,
    paragraphs,
    skipped_text,
    text_table,
)

_HELP = """Agreement of the workers of a QA file (CSV with worker_id), and a report on each worker.

examples:
  python manage.py evaluate qasrl-workers annotations.csv
  python manage.py evaluate qasrl-workers annotations.csv --reference expert.csv --json
"""
_NOTHING = Counts()


@dataclass(frozen=True, slots=True)
class Pair:
    """The agreement of two workers. Each is the reference once, so counts cover both directions."""

    first: str
    second: str
    scores: ArgumentScores

    def as_json(self) -> Json:
        names = {"first": self.first, "second": self.second, "items": self.scores.items}
        return {**names, **scores_json(self.scores)}


def agreeing_pairs(by_worker: Mapping[str, Annotations]) -> list[Pair]:
    """Return the agreement of every two workers on the predicates that both annotated."""
    tables = {worker: label_tables(annotations) for worker, annotations in by_worker.items()}
    pairs = []
    for (first, first_table), (second, second_table) in combinations(tables.items(), 2):
        shared = [key for key in first_table if key in second_table]
        if shared:
            sides = [{key: table[key] for key in shared} for table in (first_table, second_table)]
            forward, backward = argument_scores(*sides), argument_scores(*reversed(sides))
            total = replace(forward, ua=forward.ua + backward.ua, la=forward.la + backward.la)
            pairs.append(Pair(first, second, total))
    return pairs


def agreement_figures(by_worker: Mapping[str, Annotations], pairs: Sequence[Pair]) -> Json:
    """Return agreement over all pairs: F1 of the summed counts, and the mean of the pairs' F1."""
    counted = Counter(key for annotations in by_worker.values() for key in annotations)
    figures: Json = {
        "workers": len(by_worker),
        "items": sum(count > 1 for count in counted.values()),
    }
    for name, counts in (
        ("UA", [pair.scores.ua for pair in pairs]),
        ("LA", [pair.scores.la for pair in pairs]),
    ):
        total = sum(counts, start=_NOTHING)
        figures[name] = {"f1": total.f1, "mean_f1": mean(count.f1 for count in counts)}
    return {**figures, "pairs": [pair.as_json() for pair in pairs]}


def worker_rows(
    by_worker: Mapping[str, Annotations], pairs: Sequence[Pair], reference: Annotations | None
) -> list[Json]:
    """Return a report per worker: yield, agreement with others, and scores against the reference."""
    return [
        {
            "worker": worker,
            **_yield(annotations),
            "agreement": _agreement_of(worker, pairs),
            **({} if reference is None else _against(reference, annotations)),
        }
        for worker, annotations in by_worker.items()
    ]


def _yield(annotations: Annotations) -> Json:
    roles = sum(len(annotation.roles) for annotation in annotations.values())
    arguments = sum(len(annotation.labels) for annotation in annotations.values())
    return {
        "items": len(annotations),
        "roles": roles,
        "arguments": arguments,
        "roles_per_item": ratio(roles, len(annotations)),
    }


def _agreement_of(worker: str, pairs: Sequence[Pair]) -> Json:
    own = [pair.scores for pair in pairs if worker in (pair.first, pair.second)]
    return {
        "items": sum(scores.items for scores in own),
        "UA": sum((scores.ua for scores in own), start=_NOTHING).f1,
        "LA": sum((scores.la for scores in own), start=_NOTHING).f1,
    }


def _against(reference: Annotations, annotations: Annotations) -> Json:
    """Return the scores over the predicates that the reference and the worker annotated."""
    shared = {key: reference[key] for key in reference if key in annotations}
    scores = argument_scores(label_tables(shared), label_tables(annotations))
    return {"reference_items": scores.items, **scores_json(scores)}


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("annotations", type=Path, metavar="ANNOTATIONS.csv")
    parser.add_argument(
        "--reference", type=Path, metavar="FILE", help="annotations to score each worker against"
    )


def _report(options: Options) -> Report:
    path: Path = options["annotations"]
    bad_rows = BadRows(skip=options["skip_bad_rows"])
    by_worker = read_annotations_by_worker(path, bad_rows=bad_rows)
    if not by_worker:
        message = "no row has a worker, so there is no agreement to measure."
        raise FileError(path.name, None, message, field="worker_id")
    reference = options["reference"] and read_annotation_file(
        options["reference"], bad_rows=bad_rows
    )
    pairs = agreeing_pairs(by_worker)
    figures = {
        **agreement_figures(by_worker, pairs),
        "by_worker": worker_rows(by_worker, pairs, reference),
    }
    bad_rows.add_to(figures)
    return Report(figures, _text)


def _text(figures: Json) -> str:
    summary = f"{figures['workers']} workers, {figures['items']} predicates with two or more."
    agreement = [
        (name, len(figures["pairs"]), figures[name]["f1"], figures[name]["mean_f1"])
        for name in ("UA", "LA")
    ]
    pairs = [
        (f"{pair['first']} {pair['second']}", pair["items"], pair["UA"]["f1"], pair["LA"]["f1"])
        for pair in figures["pairs"]
    ]
    return paragraphs(
        summary,
        text_table(("Agreement", "Pairs", "F1 %", "Mean F1 %"), agreement),
        text_table(("Pair", "Predicates", "UA F1 %", "LA F1 %"), pairs) if pairs else "",
        _workers_text(figures["by_worker"]),
        skipped_text(figures, items="predicates"),
    )


def _workers_text(rows: Sequence[Json]) -> str:
    header = ["Worker", "Predicates", "Questions", "Answers", "Agreement UA F1 %", "LA F1 %"]
    is_scored = "UA" in rows[0]
    cells = [
        [row["worker"], row["items"], row["roles"], row["arguments"]]
        + [row["agreement"][name] for name in ("UA", "LA")]
        + ([row["reference_items"], row["UA"]["f1"], row["LA"]["f1"]] if is_scored else [])
        for row in rows
    ]
    return text_table(header + (["In reference", "UA F1 %", "LA F1 %"] if is_scored else []), cells)


WORKERS = Evaluation(
    "qasrl-workers",
    "QA-SRL workers'",
    _HELP,
    _add_arguments,
    _report,
    reads=("annotations", "reference"),
    writes_files=False,
)
