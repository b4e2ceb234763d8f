"""Scores of several phrase grounding systems, for evaluation pages."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.counts import ratio
from schemes.contract.errors import ErrorSink, FileError, refuse
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
from schemes.grounding.captions import CaptionPhrase, caption_of, image_of, with_ids
from schemes.grounding.corpus import PHRASES
from schemes.grounding.phrases import Phrase, ids_of, predictions_for, read_gold_phrases
from schemes.grounding.phrases_jsonl import read_captions
from schemes.json_values import json_object
from schemes.reports import BadRows
from schemes.text_lines import numbered_lines

if TYPE_CHECKING:
    from metrics.document_bootstrap import RatioScores

Gold = Mapping[str, Mapping[str, Any]]
# The correctness of a phrase by both metrics. Phrases without a prediction are wrong.
Correct = Mapping[str, tuple[bool, bool]]

_METRICS = {"iou": "IoU", "c_iou": "c-IoU"}
_GROUPS = ("all", "singular", "plural")
_TYPE_MEASURES = tuple(Measure(key=key, title=title) for key, title in _METRICS.items())
_MANY = 4
# The files of a benchmark.
_REFERENCE, _PHRASES = "gold.jsonl", "phrases.jsonl"
# The image in an id such as 1000092795#0/p0, which is that of a phrase of a caption.
_IMAGE = re.compile(r"(.+?)(#\d+)?/[^/]+")


class GroundingScoring:
    """Accuracy by IoU and c-IoU. A phrase of the reference without a prediction is wrong."""

    noun = Noun("phrase", "phrases")
    documents = Noun("image", "images")
    measures: Sequence[Measure] = tuple(
        Measure(key=f"{key}_{group}", title=f"{title}, {group}", is_main=group == "all")
        for key, title in _METRICS.items()
        for group in _GROUPS
    )
    ranked_by = "c_iou_all"
    item_measure = "Correct by c-IoU"
    variants: Mapping[str, str] = {}
    file_help = (
        "JSON Lines with the fields id, image and predicted. References have gold and plural, or "
        "are captions with boxes, whose phrases have ids such as 1000092795#0/p0."
    )
    sentences_help = ""
    export_format = PHRASES

    def reference_files(self, folder: Path, variant: str) -> list[Path]:
        return sorted(folder.glob("*.gold.jsonl"))

    def score(
        self,
        *,
        reference: Sequence[Path],
        systems: Sequence[Path],
        variant: str = "",
        sentences: Sequence[Path] = (),
        skip_bad_rows: bool = False,
    ) -> ScoredSystems:
        bad_rows = BadRows(skip=skip_bad_rows)
        gold: dict[str, Mapping[str, Any]] = {}
        for path in reference:
            gold |= _read_gold(path, bad_rows)
        if not gold:
            raise FileError(reference[0].name, None, "has no phrase with boxes.")
        numbers: dict[str, int] = {}
        images = {id: numbers.setdefault(_image(id), len(numbers)) for id in gold}
        return ScoredSystems(
            items=len(gold),
            documents=len(numbers),
            systems=[_scored(path, gold, images, skip_bad_rows) for path in systems],
            facts=nonzero({"bad rows, skipped": len(bad_rows.errors)}),
        )

    def write_reference(
        self, rows: Iterable[ExportRow], folder: Path, variant: str = ""
    ) -> list[Path]:
        path = folder / _REFERENCE
        _write_lines(
            path,
            (
                {
                    "id": id,
                    "image": _size(row),
                    "gold": [list(box) for box in phrase.boxes],
                    "plural": bool(phrase.plural),
                    "cardinality": phrase.cardinality,
                }
                for row in rows
                for id, phrase in _scored_phrases(row)
            ),
        )
        return [path]

    def write_blind(self, rows: Iterable[ExportRow], folder: Path, variant: str = "") -> None:
        _write_lines(
            folder / _PHRASES,
            (
                {
                    "id": id,
                    "image": _size(row),
                    "file": image_of(row).name,
                    "phrase": " ".join(row.tokens[phrase.start : phrase.end]),
                    "start": phrase.start,
                    "end": phrase.end,
                    "tokens": list(row.tokens),
                }
                for row in rows
                for id, phrase in _scored_phrases(row)
            ),
        )

    def item_keys(self, path: Path, variant: str = "") -> Iterator[str]:
        return ids_of(path)

    def item_scores(
        self, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> dict[str, float | None]:
        gold: dict[str, Mapping[str, Any]] = {}
        for path in reference:
            gold |= _read_gold(path, refuse)
        correct = _correct(predictions_for(system, gold, on_error=refuse))
        return {id: float(correct.get(id, (False, False))[1]) for id in gold}

    def further_tables(
        self, folder: Path, reference: Sequence[Path], system: Path, variant: str = ""
    ) -> list[TypeTable]:
        return []


def _scored_phrases(row: ExportRow) -> Iterator[tuple[str, CaptionPhrase]]:
    """Yield the ids of a caption's phrases with boxes, and the phrases."""
    caption = caption_of(row)
    phrases = caption.phrases or ()
    for phrase, target in zip(phrases, with_ids([p.target() for p in phrases]), strict=True):
        if phrase.boxes:
            yield f"{caption.external_id}/{target['id']}", phrase


def _size(row: ExportRow) -> list[int]:
    image = image_of(row)
    return [image.width, image.height]


def _write_lines(path: Path, entries: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def _read_gold(path: Path, on_error: ErrorSink) -> Gold:
    """Return the gold of phrases with boxes by id, from a file of phrases or of captions."""
    _, first = next(
        ((line, text) for line, text in numbered_lines(path) if text.strip()), (0, "{}")
    )
    if "phrases" not in json_object(first):
        return read_gold_phrases(path, on_error=on_error)
    gold = {}
    for caption in read_captions(path, on_error):
        phrases = caption.phrases or ()
        targets = with_ids([phrase.target() for phrase in phrases])
        for phrase, target in zip(phrases, targets, strict=True):
            if phrase.boxes:
                gold[f"{caption.external_id}/{target['id']}"] = {
                    "gold": [list(box) for box in phrase.boxes],
                    "plural": bool(phrase.plural),
                    "cardinality": phrase.cardinality,
                }
    return gold


def _image(id: str) -> str:
    match = _IMAGE.fullmatch(id)
    return match[1] if match else id


def _correct(phrases: Sequence[Phrase]) -> Correct:
    from schemes.grounding.evaluation import ScoredPhrases  # noqa: PLC0415  # loads numpy

    iou, c_iou = ScoredPhrases(phrases).correct()
    return {phrase.id: (bool(iou[at]), bool(c_iou[at])) for at, phrase in enumerate(phrases)}


def _scored(path: Path, gold: Gold, images: Mapping[str, int], skip_bad_rows: bool) -> ScoredSystem:
    bad_rows = BadRows(skip=skip_bad_rows)
    phrases = predictions_for(path, gold, on_error=bad_rows)
    correct = _correct(phrases)
    facts = {
        "phrases without a prediction": len(gold) - len(phrases),
        "bad rows, skipped": len(bad_rows.errors),
    }
    return ScoredSystem(
        scores=_by_image(gold, images, correct),
        types=[_by_boxes(gold, correct)],
        facts=nonzero(facts),
    )


def _by_image(gold: Gold, images: Mapping[str, int], correct: Correct) -> "RatioScores":
    import numpy as np  # noqa: PLC0415  # slow to import

    from metrics.document_bootstrap import RatioScores  # noqa: PLC0415

    # The columns are the phrases, correct by IoU and correct by c-IoU, of singular and plural phrases.
    rows = np.zeros((len(set(images.values())), 6), dtype=np.int64)
    for id, phrase in gold.items():
        start = 3 * phrase["plural"]
        rows[images[id], start : start + 3] += (1, *correct.get(id, (False, False)))
    members = {"all": (1, 1), "singular": (1, 0), "plural": (0, 1)}
    ratios = {}
    for at, metric in enumerate(_METRICS):
        hits = (0, 1, 0) if at == 0 else (0, 0, 1)
        for group in _GROUPS:
            singular, plural = members[group]
            part = [*(singular * hit for hit in hits), *(plural * hit for hit in hits)]
            ratios[f"{metric}_{group}"] = part, [singular, 0, 0, plural, 0, 0]
    return RatioScores(rows, ratios)


def _by_boxes(gold: Gold, correct: Correct) -> TypeTable:
    """Return both accuracies by the number of gold boxes."""
    results: dict[int, list[tuple[bool, bool]]] = {}
    for id, phrase in gold.items():
        number = min(len(phrase["gold"]), _MANY)
        results.setdefault(number, []).append(correct.get(id, (False, False)))
    rows = {}
    for number, hits in sorted(results.items()):
        by_metric = zip(_METRICS, zip(*hits, strict=True), strict=True)
        figures = {key: ratio(sum(flags), len(hits)) for key, flags in by_metric}
        rows[f"{number} or more" if number == _MANY else str(number)] = TypeRow(len(hits), figures)
    return TypeTable(
        title="By number of gold boxes", unit="Phrases", measures=_TYPE_MEASURES, rows=rows
    )


SCORING = GroundingScoring()
