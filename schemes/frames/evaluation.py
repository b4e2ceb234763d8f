"""Evaluation of frame files: the output of `evaluate frames`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from metrics.clustering import (
    ClusterScores,
    all_in_one,
    bootstrap_clusters,
    cluster_scores,
    contingency,
    item_bcubed,
    leave_one_gold_cluster_out,
    one_cluster_per_item,
    random_clusters,
    scores_by_confidence,
)
from metrics.intervals import Interval
from schemes.contract.errors import refuse
from schemes.contract.values import Json
from schemes.frames.items import (
    BadRecords,
    Baseline,
    BaselineError,
    ItemKey,
    Items,
    Task,
    by_lemma,
    by_lemma_and_relation,
    by_relation,
    check_same_items,
    read_items,
)
from schemes.frames.records import joined, read_records

ITEM_COLUMNS = (
    "sentence", "verb_position", "argument_position", "gold", "system",
    "bcubed_precision", "bcubed_recall",
)  # fmt: skip
ALIGNMENT_COLUMNS = ("gold", "system", "items", "gold_size", "system_size")
CLUSTER_COLUMNS = ("gold", "size", "difference")


@dataclass(frozen=True, slots=True)
class Completion:
    """How a partial system was completed.

    `answered` gold items have the system's label, `completed` items the baseline's. `extra` items of
    the system are not in the gold file and are ignored.
    """

    baseline: str
    answered: int
    completed: int
    extra: int


class ScoredLabels:
    """A labelling of the gold items. Its figures and tables are computed on demand."""

    def __init__(
        self,
        gold: Items,
        system: Sequence[Any],
        completion: Completion | None = None,
        bad_records: BadRecords | None = None,
    ) -> None:
        """Store the labels. `system` has one per gold item, in the same order.

        `bad_records` are the lines that were skipped.
        """
        self.bad_records = bad_records
        self.keys = list(gold)
        self.gold = [item.label for item in gold.values()]
        self.system = list(system)
        self.completion = completion

    @cached_property
    def scores(self) -> ClusterScores:
        """Return the eight scores."""
        return cluster_scores(self.gold, self.system)

    def figures(self) -> Json:
        """Return the JSON output of `evaluate frames --json`."""
        figures = asdict(self.scores)
        if self.completion:
            figures["completion"] = asdict(self.completion)
        return figures

    def intervals(self, *, repetitions: int, seed: int) -> dict[str, Interval]:
        """Return bootstrap intervals of both F scores."""
        return bootstrap_clusters(self.gold, self.system, repetitions=repetitions, seed=seed)

    def by_confidence(
        self, confidences: dict[ItemKey, int]
    ) -> dict[int, tuple[ClusterScores, ClusterScores]]:
        """Return the scores at each confidence, and at it or above.

        An argument has the confidence of its verb.
        """
        levels = [confidences[ItemKey(key.sentence, key.verb)] for key in self.keys]
        return scores_by_confidence(self.gold, self.system, levels)

    def item_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per item, in the order of ITEM_COLUMNS."""
        precisions, recalls = item_bcubed(self.gold, self.system)
        for at, key in enumerate(self.keys):
            yield (
                key.sentence,
                joined(key.verb),
                joined(key.argument),
                label_text(self.gold[at]),
                label_text(self.system[at]),
                float(precisions[at]),
                float(recalls[at]),
            )

    def alignment_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per overlapping gold and system cluster, largest overlap first."""
        table = contingency(self.gold, self.system)
        gold_labels = list(dict.fromkeys(self.gold))
        system_labels = list(dict.fromkeys(self.system))
        cells = zip(table.counts.tolist(), table.gold.tolist(), table.system.tolist(), strict=True)
        for count, gold, system in sorted(cells, key=lambda cell: (-cell[0], cell[1], cell[2])):
            yield (
                label_text(gold_labels[gold]),
                label_text(system_labels[system]),
                count,
                int(table.gold_sizes[gold]),
                int(table.system_sizes[system]),
            )


def cluster_rows(evaluations: Iterable[ScoredLabels]) -> Iterator[tuple[Any, ...]]:
    """Yield a row per gold cluster: its label, its size, and a difference per evaluation.

    The evaluations have the same gold (see `leave_one_gold_cluster_out`). The clusters that are
    easiest for the first come first.
    """
    first, *others = evaluations
    differences, *more = (
        leave_one_gold_cluster_out(evaluation.gold, evaluation.system)
        for evaluation in (first, *others)
    )
    sizes = Counter(first.gold)
    for label in sorted(differences, key=lambda label: -(differences[label] or 0.0)):
        yield (
            label_text(label),
            sizes[label],
            differences[label],
            *(column[label] for column in more),
        )


def evaluate_files(
    gold_path: Path, system_path: Path, *, task: Task, bad_records: BadRecords | None = None
) -> ScoredLabels:
    """Evaluate a system's file against a gold file.

    Raises FileError if their items differ, and as `read_items` does.
    """
    bad_records = bad_records or BadRecords()
    files = (read_items(path, task, bad_records=bad_records) for path in (gold_path, system_path))
    gold, system = map(bad_records.without_bad, list(files))
    check_same_items(gold, gold_path.name, system, system_path.name)
    labels = [system[key].label for key in gold]
    return ScoredLabels(gold, labels, bad_records=bad_records)


def evaluate_completed(
    gold_path: Path,
    system_path: Path,
    baseline: Baseline,
    *,
    task: Task,
    relations_path: Path | None = None,
    seed: int = 0,
) -> ScoredLabels:
    """Evaluate a system that labels only part of the items, completed with a baseline's labels.

    A baseline's cluster never merges with a cluster of the system. Raises as `evaluate_baseline` does.
    """
    gold, system = read_items(gold_path, task), read_items(system_path, task)
    added = _baseline_labels(
        gold, gold_path, baseline, task, relations_path=relations_path, seed=seed
    )
    labels = [
        system[key].label if key in system else (str(baseline), label)
        for key, label in zip(gold, added, strict=True)
    ]
    answered = sum(key in system for key in gold)
    completion = Completion(str(baseline), answered, len(gold) - answered, len(system) - answered)
    return ScoredLabels(gold, labels, completion)


def evaluate_baseline(
    gold_path: Path,
    baseline: Baseline,
    *,
    task: Task,
    relations_path: Path | None = None,
    seed: int = 0,
) -> ScoredLabels:
    """Evaluate a baseline against a gold file.

    Only 1CPG and 1CPHG read the relations file. It has the same records, with relations in the role
    column. Raises BaselineError if that file is needed but missing, or if the task has no arguments.
    Raises FileError if it lacks an item of the gold file.
    """
    gold = read_items(gold_path, task)
    labels = _baseline_labels(
        gold, gold_path, baseline, task, relations_path=relations_path, seed=seed
    )
    return ScoredLabels(gold, labels)


def _baseline_labels(
    gold: Items,
    gold_path: Path,
    baseline: Baseline,
    task: Task,
    *,
    relations_path: Path | None,
    seed: int,
) -> list[Any]:
    if baseline is Baseline.PER_HEAD:
        records = read_records(gold_path, on_error=refuse)
        return [item.label for item in by_lemma(records, task).values()]
    if baseline in (Baseline.PER_RELATION, Baseline.PER_HEAD_AND_RELATION):
        return _relation_labels(gold, gold_path, baseline, task, relations_path)
    if baseline is Baseline.PER_ITEM:
        return list(one_cluster_per_item(len(gold)).tolist())
    if baseline is Baseline.ALL_IN_ONE:
        return list(all_in_one(len(gold)).tolist())
    clusters = len({item.label for item in gold.values()})
    return list(random_clusters(len(gold), clusters=clusters, seed=seed).tolist())


def _relation_labels(
    gold: Items, gold_path: Path, baseline: Baseline, task: Task, relations_path: Path | None
) -> list[Any]:
    if task is Task.FRAMES:
        raise BaselineError(f"{baseline} clusters arguments; it goes with --task B.1 or B.2.")
    if relations_path is None:
        raise BaselineError(f"{baseline} needs grammatical relations; name their file.")
    records = list(read_records(relations_path, on_error=refuse))
    label = by_relation if baseline is Baseline.PER_RELATION else by_lemma_and_relation
    relations = label(records)
    covered = {key: relations[key] for key in gold if key in relations}
    check_same_items(gold, gold_path.name, covered, relations_path.name)
    return [relations[key].label for key in gold]


def label_text(label: Any) -> str:
    """Return a label for display. A pair (frame, role) becomes `frame role`."""
    return " ".join(label) if isinstance(label, tuple) else str(label)
