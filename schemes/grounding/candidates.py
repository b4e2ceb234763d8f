"""The objects that a system chooses from, and the system of Suter et al. 2021, section 3.

A candidate is a set of boxes, with the label of the objects in it and its score for the phrase.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schemes.contract.values import Json

Box = Sequence[float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object, or several of one label. Label and score are None if they are unknown."""

    boxes: Sequence[Box]
    label: str | None = None
    score: float | None = None

    def as_json(self) -> Json:
        return {"label": self.label, "score": self.score, "boxes": self.boxes}


Candidates = Sequence[Candidate]


def single_objects(candidates: Candidates) -> Candidates:
    """Return the candidates with one box."""
    return [candidate for candidate in candidates if len(candidate.boxes) == 1]


def several_objects(candidates: Candidates) -> Candidates:
    """Return the candidates with several boxes."""
    return [candidate for candidate in candidates if len(candidate.boxes) > 1]


# The settings of the paper's table 1: candidates are single objects, or one or several objects.
SETTINGS: Mapping[str, Callable[[Candidates], Candidates]] = {
    "singles": single_objects,
    "all": lambda candidates: candidates,
}


def pruned(candidates: Candidates, *, plural: bool) -> Candidates:
    """Return candidates with several boxes for a plural phrase, and with one box for a singular one."""
    return several_objects(candidates) if plural else single_objects(candidates)


def best(
    candidates: Candidates, *, plural: bool, prune: bool = False
) -> tuple[str | None, list[Box]]:
    """Return the label with the highest score, and the boxes that the system predicts.

    A plural phrase gets all boxes of the label, and a singular one the largest box of the highest score.
    `prune` ranks the pruned candidates, if there are any. Without a score, there is no prediction.
    """
    among = (prune and pruned(candidates, plural=plural)) or candidates
    scored = [(own.score, own) for own in among if own.score is not None and own.boxes]
    if not scored:
        return None, []
    highest, first = max(scored, key=lambda pair: pair[0])
    same = [
        (score, own)
        for score, own in scored
        if own is first or (own.label is not None and own.label == first.label)
    ]
    if plural:
        return first.label, boxes_of([own for _, own in same])
    boxes = boxes_of([own for score, own in same if score == highest])
    return first.label, [max(boxes, key=_area)]


def boxes_of(candidates: Candidates) -> list[Box]:
    """Return the distinct boxes of candidates, in their order."""
    boxes: dict[tuple[float, ...], Box] = {}
    for candidate in candidates:
        for box in candidate.boxes:
            boxes.setdefault(tuple(box), box)
    return list(boxes.values())


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
