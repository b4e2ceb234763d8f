"""Parts of two annotations matched one to one, with the effect of people's decisions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from metrics.matching import Values, lexicographic_matching
from schemes.contract.comparison import RowDecision
from schemes.contract.values import Json

Pairs = dict[int, int]


@dataclass(slots=True)
class Alignment:
    """The parts of a reference and of a prediction by their keys.

    `closeness` of two parts is 1 for the same extent and 0 for none in common, and `same_label` is True
    if their labels are equal, whatever their extent. Decisions force and forbid pairs of positions, and
    leave parts of the prediction out.
    """

    ours: Sequence[str]
    theirs: Sequence[str]
    closeness: Callable[[int, int], Fraction]
    same_label: Callable[[int, int], bool]
    forced: Pairs = field(default_factory=dict)
    forbidden: set[tuple[int, int]] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)

    def decide(self, decisions: Sequence[RowDecision]) -> None:
        """Apply decisions in order. Raise ValueError for unknown and contradicting ones."""
        for decision in decisions:
            there = _place(self.theirs, decision.predicted)
            if decision.kind == "part-accepted":
                if there in self.forced.values():
                    raise ValueError(f"{decision.predicted!r} is matched already")
                self.left_out.add(there)
                continue
            here = _place(self.ours, decision.reference or "")
            if decision.kind in ("pair-accepted", "match-accepted"):
                if there in self.left_out:
                    raise ValueError(f"{decision.predicted!r} is accepted already")
                self.forced = {
                    ours: theirs for ours, theirs in self.forced.items() if theirs != there
                }
                self.forced[here] = there
                self.forbidden.discard((here, there))
            elif decision.kind == "pair-refused":
                if self.forced.get(here) == there:
                    del self.forced[here]
                self.forbidden.add((here, there))
            else:
                raise ValueError(f"a decision {decision.kind!r} is not about a part")

    def matched(
        self, threshold: Fraction, *, labelled: bool, prefers_labels: bool = False
    ) -> Pairs:
        """Return the pairs with at least this closeness: most of them, then the closest.

        Forced pairs come first. With `labelled`, labels must be equal. With `prefers_labels`, pairs
        with equal labels are preferred to closer ones.
        """
        edges: dict[tuple[int, int], Values] = {}
        taken = set(self.forced.values()) | self.left_out
        for here in range(len(self.ours)):
            if here in self.forced:
                continue
            for there in range(len(self.theirs)):
                if there in taken or (here, there) in self.forbidden:
                    continue
                closeness = self.closeness(here, there)
                if closeness < threshold or not closeness:
                    continue
                is_same = self.same_label(here, there)
                if labelled and not is_same:
                    continue
                edges[here, there] = (1, int(is_same and prefers_labels), closeness)
        return {**self.forced, **dict(lexicographic_matching(edges))}

    def counts(self, pairs: Pairs) -> Json:
        """Return the measure of an F1 with these pairs."""
        predicted = len(self.theirs) - len(self.left_out)
        return {
            "tp": len(pairs),
            "fp": predicted - len(pairs),
            "fn": len(self.ours) - len(pairs),
        }


def f1_of_counts(counts: Json) -> float | None:
    """Return the F1 of counts, or None without parts on both sides."""
    both = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / both if both else None


def _place(keys: Sequence[str], key: str) -> int:
    if key not in keys:
        raise ValueError(f"there is no part {key!r}")
    return keys.index(key)
