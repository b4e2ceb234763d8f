"""Evaluation of grounded phrases: the output of `evaluate grounding`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.bootstrap import bootstrap_share
from metrics.boxes import (
    AreaOverlap,
    BoxSets,
    accepted,
    any_candidate_accepted,
    box_sets_from_lists,
    cardinality_matches,
    clipped,
    component_overlap,
    enlarged_areas,
    enlarged_sides,
    filler,
    hull_overlap,
    random_box_sets,
    random_objects,
    scaled,
    whole_images,
)
from metrics.component_matching import box_iou, match_components
from metrics.counts import ratio
from metrics.intervals import Interval
from schemes.contract.errors import ErrorSink, FileError, refuse
from schemes.contract.values import Json
from schemes.grounding.candidates import (
    SETTINGS,
    Box,
    Candidate,
    Candidates,
    best,
    boxes_of,
    pruned,
    single_objects,
)
from schemes.grounding.phrases import Phrase, read_phrases

Flags = NDArray[np.bool_]

ITEM_COLUMNS = (
    "id", "plural", "cardinality", "gold_boxes", "predicted_boxes", "gold_filler",
    "iou", "iou_correct", "c_iou", "c_iou_correct", "count_correct",
)  # fmt: skip
ALIGNMENT_COLUMNS = ("id", "plural", "state", "gold_box", "predicted_box", "iou")


class ScoredPhrases:
    """Phrases with predictions. Figures and tables are computed on demand."""

    def __init__(self, phrases: Sequence[Phrase], *, seed: int = 0) -> None:
        """Store the phrases. `seed` determines the random predictions."""
        self.phrases = phrases
        self.seed = seed
        self.plural: Flags = np.array([phrase.plural for phrase in phrases], dtype=np.bool_)
        self.images = np.array([phrase.image for phrase in phrases]).reshape(-1, 2)

    @cached_property
    def has_candidates(self) -> Flags:
        return np.array([phrase.candidates is not None for phrase in self.phrases], dtype=np.bool_)

    @cached_property
    def has_scores(self) -> bool:
        """Return True if candidates can be ranked."""
        return any(candidate.score is not None for candidate in self._candidates())

    @cached_property
    def has_labels(self) -> bool:
        return any(candidate.label is not None for candidate in self._candidates())

    def _candidates(self) -> Iterator[Candidate]:
        return (candidate for phrase in self.phrases for candidate in phrase.candidates or ())

    @cached_property
    def gold(self) -> BoxSets:
        return box_sets_from_lists([phrase.gold for phrase in self.phrases])

    @cached_property
    def predicted(self) -> BoxSets:
        return box_sets_from_lists([phrase.predicted for phrase in self.phrases])

    @cached_property
    def _hulls(self) -> AreaOverlap:
        return hull_overlap(self.gold, self.predicted)

    @cached_property
    def _components(self) -> AreaOverlap:
        return component_overlap(self.gold, self.predicted)

    def correct(self) -> tuple[Flags, Flags]:
        """Return whether each phrase is correct by IoU and by c-IoU."""
        return self._hulls.correct, self._components.correct

    def figures(self) -> Json:
        """Return the JSON output of `evaluate grounding --json`."""
        figures: Json = {
            "phrases": len(self.phrases),
            "clipped_boxes": sum(phrase.clipped for phrase in self.phrases),
            "dropped_boxes": sum(phrase.dropped for phrase in self.phrases),
            "iou": self.by_number(self._hulls.correct),
            "c_iou": self.by_number(self._components.correct),
            "both": self.by_number(self._hulls.correct & self._components.correct),
            "filler": self._filler(),
            "components": self._component_counts(),
            "cardinality": self._cardinality(),
        }
        if self.has_candidates.any():
            figures["upper_bound"] = {
                "all_candidates": self._upper_bound(lambda phrase: phrase.candidates or ()),
                "single_box": self._upper_bound(
                    lambda phrase: single_objects(phrase.candidates or ())
                ),
                "pruned": self._upper_bound(
                    lambda phrase: pruned(phrase.candidates or (), plural=phrase.plural)
                ),
            }
        figures["manipulated"] = self._manipulated()
        return figures

    def by_number(self, correct: Flags, among: Flags | None = None) -> Json:
        """Return accuracy for all, singular and plural phrases, optionally a subset."""
        chosen = np.ones(len(correct), dtype=np.bool_) if among is None else among
        groups = {
            "all": chosen,
            "singular": chosen & ~self.plural,
            "plural": chosen & self.plural,
        }
        return {name: _accuracy(correct[group]) for name, group in groups.items()}

    def _filler(self) -> Json:
        """Return the mean filler of plural gold boxes and the share above one half."""
        shares = filler(self.gold.select(self.plural))
        over = int((shares > 0.5).sum())
        return {
            "n": len(shares),
            "mean": float(shares.mean()) if len(shares) else None,
            "over_half": over,
            "over_half_share": ratio(over, len(shares)),
        }

    def _component_counts(self) -> Json:
        """Return the box counts of plural phrases, gold and predicted."""
        gold = self.gold.select(self.plural).sizes
        predicted = self.predicted.select(self.plural).sizes
        return {
            "plural_phrases": len(gold),
            "gold_mean": ratio(int(gold.sum()), len(gold)),
            "predicted_mean": ratio(int(predicted.sum()), len(predicted)),
            "gold_with_one_box": int((gold == 1).sum()),
            "predicted_with_one_box": int((predicted == 1).sum()),
        }

    def _cardinality(self) -> Json:
        """Return how often the number of boxes equals a known cardinality."""
        known = np.array([p.cardinality is not None for p in self.phrases], dtype=np.bool_)
        numbers = np.array([phrase.cardinality or 0 for phrase in self.phrases])
        return {
            name: self.by_number(cardinality_matches(sets, numbers), known)
            for name, sets in (("gold", self.gold), ("predicted", self.predicted))
        }

    def _upper_bound(self, candidates_of: Callable[[Phrase], Candidates]) -> Json:
        places, candidates = [], []
        for place, phrase in enumerate(self.phrases):
            for candidate in candidates_of(phrase):
                places.append(place)
                candidates.append(candidate.boxes)
        sets = box_sets_from_lists(candidates)
        numbers = np.array(places, dtype=np.int64)
        return {
            name: self.by_number(flags, self.has_candidates)
            for name, flags in any_candidate_accepted(self.gold, sets, numbers).items()
        }

    def _manipulated(self) -> Json:
        """Return the accuracy of degenerate predictions (Suter et al. 2021)."""
        images, gold, predicted = self.images, self.gold, self.predicted
        quarters, grown = scaled(gold, 4), enlarged_sides(predicted)
        larger = enlarged_areas(predicted)
        accuracies = {
            "whole_image": self.accuracies(gold, whole_images(images)),
            "random_components": self.accuracies(gold, random_box_sets(images, seed=self.seed)),
            "enlarged_sides_clipped": self.accuracies(quarters, clipped(grown, 4 * images)),
            "enlarged_sides_unclipped": self.accuracies(quarters, grown),
            "enlarged_area_clipped": self.accuracies(gold, clipped(larger, images)),
            "enlarged_area_unclipped": self.accuracies(gold, larger),
        }
        if self.has_candidates.any():
            drawn = self.random_objects("all")
            accuracies["random_candidate_components"] = self.accuracies(
                gold, drawn, self.has_candidates
            )
        return accuracies

    def random_objects(self, setting: str) -> BoxSets:
        """Return the boxes of 2 to 5 random candidates with different labels for each phrase."""
        pools = [SETTINGS[setting](phrase.candidates or ()) for phrase in self.phrases]
        labels = [[candidate.label for candidate in pool] for pool in pools]
        draws = random_objects(labels, seed=self.seed)
        return box_sets_from_lists(
            [boxes_of([pool[at] for at in draw]) for pool, draw in zip(pools, draws, strict=True)]
        )

    def accuracies(self, gold: BoxSets, predicted: BoxSets, among: Flags | None = None) -> Json:
        """Return the accuracy of any predictions by each metric and both, optionally of some phrases."""
        return {
            name: self.by_number(flags, among) for name, flags in accepted(gold, predicted).items()
        }

    def intervals(self, *, repetitions: int, seed: int) -> dict[str, dict[str, Interval]]:
        """Return bootstrap intervals of both accuracies for all, singular and plural."""
        plural = self.plural
        groups = {"all": plural | ~plural, "singular": ~plural, "plural": plural}
        overlaps = {"iou": self._hulls, "c_iou": self._components}
        return {
            name: {
                group: bootstrap_share(overlap.correct[chosen], repetitions=repetitions, seed=seed)
                for group, chosen in groups.items()
            }
            for name, overlap in overlaps.items()
        }

    def item_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per phrase, in the order of ITEM_COLUMNS."""
        fillers = filler(self.gold)
        ious, c_ious = self._hulls.iou, self._components.iou
        correct, c_correct = self._hulls.correct, self._components.correct
        for at, phrase in enumerate(self.phrases):
            count = phrase.cardinality
            yield (
                phrase.id,
                phrase.plural,
                count,
                len(phrase.gold),
                len(phrase.predicted),
                float(fillers[at]),
                float(ious[at]),
                bool(correct[at]),
                float(c_ious[at]),
                bool(c_correct[at]),
                None if count is None else count == len(phrase.predicted),
            )

    def alignment_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row per component box, matched one to one if IoU >= 1/2."""
        for phrase in self.phrases:
            match = match_components(phrase.gold, phrase.predicted)
            start = phrase.id, phrase.plural
            for gold, predicted in match.pairs:
                boxes = phrase.gold[gold], phrase.predicted[predicted]
                yield *start, "matched", *map(_box_text, boxes), float(box_iou(*boxes))
            for at in match.missed:
                yield *start, "missed", _box_text(phrase.gold[at]), "", None
            for at in match.extra:
                yield *start, "extra", "", _box_text(phrase.predicted[at]), None


def evaluate_file(path: Path, *, on_error: ErrorSink = refuse, seed: int = 0) -> ScoredPhrases:
    """Evaluate a file of phrases.

    Invalid lines go to `on_error`. Raises FileError for a file without phrases.
    """
    phrases = list(read_phrases(path, on_error=on_error))
    if not phrases:
        raise FileError(path.name, None, "contains no phrase, so there is nothing to score.")
    return ScoredPhrases(phrases, seed=seed)


def evaluate_system(path: Path) -> ScoredPhrases:
    """Evaluate the predictions of the system on a file of candidates with scores.

    Without scores, the file's predictions are evaluated. Raises FileError.
    """
    evaluation = ScoredPhrases(list(read_phrases(path, on_error=refuse, predicted=False)))
    if evaluation.has_scores:
        return ScoredPhrases([_ranked(phrase) for phrase in evaluation.phrases])
    if not any(phrase.predicted for phrase in evaluation.phrases):
        message = "has neither predicted boxes nor candidates with a score."
        raise FileError(path.name, None, message)
    return evaluation


def _ranked(phrase: Phrase) -> Phrase:
    if phrase.candidates is None:
        return phrase
    _, boxes = best(phrase.candidates, plural=phrase.plural)
    return replace(phrase, predicted=tuple(boxes))


def _accuracy(correct: Flags) -> Json:
    hits = int(correct.sum())
    return {"n": len(correct), "correct": hits, "accuracy": ratio(hits, len(correct))}


def _box_text(box: Box) -> str:
    return " ".join(f"{corner:g}" if isinstance(corner, float) else str(corner) for corner in box)
