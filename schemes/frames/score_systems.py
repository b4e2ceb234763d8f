"""Scores of several systems for SemEval-2019 Task 2, for evaluation pages."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from schemes.contract.errors import FileError
from schemes.contract.records import ExportRow
from schemes.contract.scoring import (
    Measure,
    ScoredSystem,
    ScoredSystems,
    TypeRow,
    TypeTable,
    nonzero,
)
from schemes.contract.values import Noun
from schemes.frames.confidences import read_confidences
from schemes.frames.exports import (
    CONFIDENCE,
    ENDINGS,
    SENTENCES,
    TASK_A,
    TASK_B1,
    TASK_B2,
    blind,
    write_semeval,
)
from schemes.frames.items import (
    BadRecords,
    ItemKey,
    LabelledItem,
    Task,
    check_same_items,
    labelled,
    read_items,
)
from schemes.frames.records import BadRecord, Positions, all_records
from schemes.reports import BadRows

if TYPE_CHECKING:
    from metrics.bootstrap import Floats
    from schemes.frames.evaluation import ScoredLabels

_ENDINGS = {Task.FRAMES: TASK_A, Task.FRAME_ROLES: TASK_B1, Task.GENERIC_ROLES: TASK_B2}
_TYPE_MEASURES = (
    Measure(key="recall", title="BCubed recall"),
    Measure(key="precision", title="BCubed precision"),
)
_EFFECT = Measure(key="effect", title="Effect on BCubed F")
# The digits at the end of a sentence id that number the sentences of a document.
_SENTENCE_DIGITS = 3


class FramesScoring:
    """Purity and BCubed of clusterings. A system has to label exactly the reference's items."""

    noun = Noun("item", "items")
    documents = Noun("document", "documents")
    measures: Sequence[Measure] = (
        Measure(key="purity", title="Purity"),
        Measure(key="inverse_purity", title="Inverse purity"),
        Measure(key="purity_f", title="Purity F", is_main=True),
        Measure(key="bcubed_precision", title="BCubed precision"),
        Measure(key="bcubed_recall", title="BCubed recall"),
        Measure(key="bcubed_f", title="BCubed F", is_main=True),
    )
    ranked_by = "bcubed_f"
    item_measure = "BCubed F"
    variants: Mapping[str, str] = {
        Task.FRAMES: "A: frames of verbs",
        Task.FRAME_ROLES: "B.1: frame elements",
        Task.GENERIC_ROLES: "B.2: generic roles",
    }
    file_help = "Records of SemEval-2019 Task 2, with the same items in all files."
    sentences_help = ""
    export_format = "semeval"

    def reference_files(self, folder: Path, variant: str) -> list[Path]:
        return sorted(folder.glob(f"*.{_ENDINGS[Task(variant)]}"))

    def score(
        self,
        *,
        reference: Sequence[Path],
        systems: Sequence[Path],
        variant: str = Task.FRAMES,
        sentences: Sequence[Path] = (),
        skip_bad_rows: bool = False,
    ) -> ScoredSystems:
        task = Task(variant)
        bad_records = [BadRecords(BadRows(skip=skip_bad_rows)) for _ in systems]
        of_reference = BadRecords(BadRows(skip=skip_bad_rows))
        labelled = [
            read_items(path, task, bad_records=bad)
            for path, bad in zip(systems, bad_records, strict=True)
        ]
        gold: dict[ItemKey, LabelledItem] = {}
        for path in reference:
            gold |= read_items(path, task, bad_records=of_reference)
        # All systems are compared on the same items, so a bad line of any file leaves its items out.
        skipped = [of_reference, *bad_records]
        gold = _without_bad(gold, skipped)
        if not gold:
            raise FileError(reference[0].name, None, "has no item that can be used.")
        scored = []
        for path, items, bad in zip(systems, labelled, bad_records, strict=True):
            kept = _without_bad(items, skipped)
            check_same_items(gold, reference[0].name, kept, path.name)
            scored.append(_scored(gold, [kept[key].label for key in gold], bad))
        return ScoredSystems(
            items=len(gold),
            documents=len({_document(key.sentence) for key in gold}),
            systems=scored,
            facts=nonzero({"bad rows, skipped": len(of_reference.errors.errors)}),
        )

    def write_reference(
        self, rows: Iterable[ExportRow], folder: Path, variant: str = Task.FRAMES
    ) -> list[Path]:
        write_semeval(rows, {ending: folder / f"gold.{ending}" for ending in ENDINGS})
        return [folder / f"gold.{_ENDINGS[Task(variant)]}"]

    def write_blind(
        self, rows: Iterable[ExportRow], folder: Path, variant: str = Task.FRAMES
    ) -> None:
        written = _ENDINGS[Task(variant)]
        with TemporaryDirectory(dir=folder) as scratch:
            write_semeval(rows, {ending: Path(scratch, ending) for ending in ENDINGS})
            Path(scratch, blind(written)).rename(folder / blind(written))
            Path(scratch, SENTENCES).rename(folder / f"sentences.{SENTENCES}")

    def item_keys(self, path: Path, variant: str = Task.FRAMES) -> Iterator[str]:
        task, seen = Task(variant), set[tuple[str, Positions]]()
        for record in all_records(path):
            verb = record.sentence, record.positions
            if not isinstance(record, BadRecord):
                seen.add(verb)
                yield from map(str, labelled([record], task))
            elif verb in seen and task is Task.FRAMES:
                yield str(ItemKey(*verb))
            else:
                raise record.error

    def item_scores(
        self, reference: Sequence[Path], system: Path, variant: str = Task.FRAMES
    ) -> dict[str, float | None]:
        from metrics.clustering import item_bcubed  # noqa: PLC0415  # loads numpy

        scored = _scored_labels(reference, system, variant)
        pairs = zip(*item_bcubed(scored.gold, scored.system), strict=True)
        means = [2 * float(p) * float(r) / (float(p) + float(r)) for p, r in pairs]
        return dict(zip(map(str, scored.keys), means, strict=True))

    def further_tables(
        self, folder: Path, reference: Sequence[Path], system: Path, variant: str = Task.FRAMES
    ) -> list[TypeTable]:
        scored = _scored_labels(reference, system, variant)
        by_confidence = _by_confidence(scored, folder / f"gold.{CONFIDENCE}")
        return [*by_confidence, _by_cluster(scored)]


def _scored_labels(reference: Sequence[Path], system: Path, variant: str) -> "ScoredLabels":
    from schemes.frames.evaluation import ScoredLabels  # noqa: PLC0415  # loads numpy

    gold: dict[ItemKey, LabelledItem] = {}
    for path in reference:
        gold |= read_items(path, Task(variant))
    labels = read_items(system, Task(variant))
    return ScoredLabels(gold, [labels[key].label for key in gold])


def _by_confidence(scored: "ScoredLabels", path: Path) -> list[TypeTable]:
    """Return both F scores at each confidence and above it, if the annotators stated theirs."""
    try:
        confidences = read_confidences(path, scored.keys)
    except FileError:
        return []
    rows = {}
    for level, (exactly, at_least) in scored.by_confidence(confidences).items():
        for name, scores in ((str(level), exactly), (f"{level} or more", at_least)):
            figures = {"purity_f": scores.purity_f, "bcubed_f": scores.bcubed_f}
            rows[name] = TypeRow(scores.items, figures)
    measures = [measure for measure in FramesScoring.measures if measure.is_main]
    return [
        TypeTable(title="By annotators' confidence", unit="Items", measures=measures, rows=rows)
    ]


def _by_cluster(scored: "ScoredLabels") -> TypeTable:
    from schemes.frames.evaluation import cluster_rows  # noqa: PLC0415  # loads numpy

    return TypeTable(
        title="Effect of each gold cluster on BCubed F, per item",
        unit="Items",
        measures=[_EFFECT],
        rows={
            label: TypeRow(size, {_EFFECT.key: effect})
            for label, size, effect in cluster_rows([scored])
        },
        is_signed=True,
    )


def _without_bad(
    items: dict[ItemKey, LabelledItem], skipped: Sequence[BadRecords]
) -> dict[ItemKey, LabelledItem]:
    for bad in skipped:
        items = bad.without_bad(items)
    return items


def _document(sentence: str) -> str:
    """Return the document of a sentence id such as #20671029, or the id if it has another form."""
    digits = sentence.removeprefix("#")
    is_numbered = digits.isdecimal() and len(digits) > _SENTENCE_DIGITS
    return digits[:-_SENTENCE_DIGITS] if is_numbered else sentence


def _scored(
    gold: Mapping[ItemKey, LabelledItem], system: Sequence[Hashable], bad: BadRecords
) -> ScoredSystem:
    # Inline, because they load numpy.
    from metrics.cluster_documents import ClusterDocuments  # noqa: PLC0415
    from metrics.clustering import item_bcubed  # noqa: PLC0415
    from schemes.frames.evaluation import label_text  # noqa: PLC0415

    labels = [item.label for item in gold.values()]
    names = [label_text(label) for label in labels]
    documents = [_document(key.sentence) for key in gold]
    return ScoredSystem(
        scores=ClusterDocuments(labels, system, documents),
        types=[_by_label(names, *item_bcubed(labels, system))],
        facts=nonzero({"clusters": len(set(system)), "bad rows, skipped": len(bad.errors.errors)}),
    )


def _by_label(labels: Sequence[str], precisions: "Floats", recalls: "Floats") -> TypeTable:
    """Return mean BCubed precision and recall of the items of each gold label."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(labels):
        places.setdefault(name, []).append(at)
    by_size = sorted(places, key=lambda name: (-len(places[name]), name))
    return TypeTable(
        title="By gold cluster",
        unit="Items",
        measures=_TYPE_MEASURES,
        rows={
            name: TypeRow(
                len(places[name]),
                {
                    "recall": float(recalls[places[name]].mean()),
                    "precision": float(precisions[places[name]].mean()),
                },
            )
            for name in by_size
        },
    )


SCORING = FramesScoring()
