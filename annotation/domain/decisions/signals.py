"""Signals that somebody's work may not be their own: what they are, and which a submission shows.

A signal is a reason to look. It never rejects, declines or blocks anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from metrics.input_signals import (
    BUCKETS,
    KINDS,
    Inputs,
    characters_per_second,
    interval_quantile,
    interval_spread,
    pasted_share,
    untrusted_share,
)
from schemes.contract.texts import Translatable
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class SignalKind:
    """A kind of signal, which is shown from the threshold on.

    It is of single submissions, or of a worker's work as a whole (`is_of_worker`).
    Thresholds of signals of inputs are those of the simulation in docs/explanation/signals.md.
    """

    code: str
    label: str
    about: str
    threshold: float
    is_low: bool = False
    is_of_worker: bool = False

    def is_shown(self, measure: float | None) -> bool:
        if measure is None:
            return False
        return measure <= self.threshold if self.is_low else measure >= self.threshold


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of a submission or worker, with its evidence as a sentence."""

    code: str
    evidence: str

    @property
    def label(self) -> str:
        return SIGNALS[self.code].label


PASTED = SignalKind(
    "pasted",
    "Pasted answers",
    "The share of characters that were pasted or dropped.",
    0.5,
)
SCRIPTED = SignalKind(
    "scripted",
    "Entered by a script",
    "The share of events that a script caused, and no person.",
    0.5,
)
FAST = SignalKind(
    "fast",
    "Impossible speed",
    "Characters per active second, without dictated, composed and corrected ones.",
    12.0,
)
EVEN = SignalKind(
    "even",
    "Even rhythm",
    "The spread of the intervals between typed characters, divided by their median.",
    0.3,
    is_low=True,
)
SAME_RHYTHM = SignalKind(
    "same-rhythm",
    "Identical rhythm",
    "The smallest difference between the rhythms of two submissions of the worker.",
    0.05,
    is_low=True,
    is_of_worker=True,
)
MODEL = SignalKind(
    "model",
    "Near a model’s answers",
    "By how much the answers are nearer to those of a registered model than others’ answers are.",
    0.2,
)
ALIKE = SignalKind(
    "alike",
    "Like another worker’s",
    "The probability that as many answers are nearly identical to another worker’s by chance.",
    0.001,
    is_low=True,
    is_of_worker=True,
)
SIGNALS: Mapping[str, SignalKind] = {
    kind.code: kind for kind in (PASTED, SCRIPTED, FAST, EVEN, SAME_RHYTHM, MODEL, ALIKE)
}


def inputs_of(record: Json) -> Inputs | None:
    """Return how a submission's answers were entered, or None if it was not recorded."""
    if not record:
        return None
    fields, counts = record["fields"], record["counts"]
    totals = {kind: sum(field.get(kind, 0) for field in fields) for kind in KINDS}
    return Inputs(
        characters={kind: total for kind, total in totals.items() if total},
        pastes=sum(field.get("pastes", 0) for field in fields),
        intervals=[record["intervals"].get(str(bucket), 0) for bucket in range(BUCKETS)],
        gestures=counts.get("gestures", 0),
        untrusted=counts.get("untrusted", 0),
        absences=counts.get("absences", 0),
        away_seconds=counts.get("away", 0) / 1000,
    )


def input_measures(inputs: Inputs, *, active_seconds: int) -> dict[str, float | None]:
    """Return the measures of the inputs by the codes of their signals."""
    return {
        PASTED.code: pasted_share(inputs),
        SCRIPTED.code: untrusted_share(inputs),
        FAST.code: characters_per_second(inputs, active_seconds=active_seconds),
        EVEN.code: interval_spread(inputs.intervals),
    }


def input_signals(inputs: Inputs, *, active_seconds: int) -> list[Signal]:
    """Return the signals of a submission's inputs, most often none."""
    measures = input_measures(inputs, active_seconds=active_seconds)
    return [
        Signal(code, _EVIDENCE[code](inputs, active_seconds))
        for code, measure in measures.items()
        if SIGNALS[code].is_shown(measure)
    ]


def _pasted(inputs: Inputs, _seconds: int) -> str:
    counts = {"pasted": f"{inputs.pasted:,}", "all": f"{inputs.inserted:,}"}
    if not inputs.absences:
        return Translatable("%(pasted)s of %(all)s characters were pasted.", **counts)
    return Translatable(
        "%(pasted)s of %(all)s characters were pasted, and the page had no focus for %(away)s seconds.",
        away=f"{inputs.away_seconds:,.0f}",
        **counts,
    )


def _scripted(inputs: Inputs, _seconds: int) -> str:
    events = inputs.untrusted + inputs.gestures
    return Translatable(
        "A script caused %(scripted)s of %(all)s events.",
        scripted=f"{inputs.untrusted:,}",
        all=f"{events:,}",
    )


def _fast(inputs: Inputs, seconds: int) -> str:
    return Translatable(
        "%(characters)s characters were entered in %(seconds)s active seconds.",
        characters=f"{inputs.inserted:,}",
        seconds=f"{seconds:,}",
    )


def _even(inputs: Inputs, _seconds: int) -> str:
    low, high = (interval_quantile(inputs.intervals, share) for share in (0.25, 0.75))
    return Translatable(
        "Half of %(intervals)s intervals between keys took %(low)s to %(high)s milliseconds.",
        intervals=f"{sum(inputs.intervals):,}",
        low=f"{low:.0f}",
        high=f"{high:.0f}",
    )


_EVIDENCE: Mapping[str, Callable[[Inputs, int], str]] = {
    PASTED.code: _pasted,
    SCRIPTED.code: _scripted,
    FAST.code: _fast,
    EVEN.code: _even,
}


def model_signal(own: float, others: float) -> list[Signal]:
    """Return the signal of an answer's likeness to a model's, beside that of other people's answers."""
    if not MODEL.is_shown(own - others):
        return []
    text = Translatable(
        "%(own)s of the answer is like a registered model’s, and %(others)s of others’ answers.",
        own=f"{own:.0%}",
        others=f"{others:.0%}",
    )
    return [Signal(MODEL.code, text)]
