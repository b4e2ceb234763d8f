"""Logistic regression with a quadratic penalty, and its cross-validated predictions.

Weights minimise the sum of the log-losses plus `penalty / 2` times the sum of the squared weights of
standardised features. The intercept has no penalty. This is the default of scikit-learn's
LogisticRegression with C = 1 / penalty on standardised features.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FOLDS = 5
_MAX_STEPS = 100


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """Weights of standardised features, whose means and standard deviations it has."""

    intercept: float
    weights: tuple[float, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]

    def probability(self, row: Sequence[float]) -> float:
        """Return the probability that the outcome of a row of features is True."""
        standard = (np.array(row, float) - self.means) / self.scales
        return float(1 / (1 + np.exp(-(self.intercept + standard @ np.array(self.weights)))))


def fit_logistic(
    rows: Sequence[Sequence[float]], outcomes: Sequence[bool], *, penalty: float = 1.0
) -> LogisticModel:
    """Fit a model to rows of features. Raise ValueError without an outcome of both kinds."""
    if len(set(outcomes)) < 2:
        raise ValueError("there are no outcomes of both kinds")
    features = np.array(rows, float)
    means, scales = features.mean(axis=0), features.std(axis=0)
    scales[scales == 0] = 1
    design = np.hstack([np.ones((len(features), 1)), (features - means) / scales])
    labels = np.array(outcomes, float)
    ridge = penalty * np.eye(design.shape[1])
    ridge[0, 0] = 0
    weights = np.zeros(design.shape[1])
    loss = _loss(design, labels, weights, ridge)
    for _ in range(_MAX_STEPS):
        predicted = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (predicted - labels) + ridge @ weights
        if np.abs(gradient).max() < 1e-9 * len(labels):
            break
        curvature = (design * (predicted * (1 - predicted))[:, None]).T @ design + ridge
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        # Newton's step can be too long where the curvature is nearly zero.
        while (after := _loss(design, labels, weights - step, ridge)) > loss + 1e-12:
            step /= 2
        weights, loss = weights - step, after
    return LogisticModel(
        intercept=float(weights[0]),
        weights=tuple(map(float, weights[1:])),
        means=tuple(map(float, means)),
        scales=tuple(map(float, scales)),
    )


def cross_validated(
    rows: Sequence[Sequence[float]],
    outcomes: Sequence[bool],
    groups: Sequence[Hashable],
    *,
    penalty: float = 1.0,
    folds: int = FOLDS,
    seed: int = 0,
) -> list[float]:
    """Return the probability of each row by a model that has not seen its group.

    Groups are shuffled and dealt to the folds. A fold whose other rows have outcomes of one kind has the
    share of these outcomes. Raise ValueError with fewer groups than two.
    """
    names = list(dict.fromkeys(groups))
    if len(names) < 2:
        raise ValueError("cross-validation needs at least two groups")
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[at]: place % min(folds, len(names)) for place, at in enumerate(order)}
    predictions = [0.0] * len(rows)
    for fold in range(min(folds, len(names))):
        inside = [at for at, group in enumerate(groups) if fold_of[group] == fold]
        outside = [at for at, group in enumerate(groups) if fold_of[group] != fold]
        known = [outcomes[at] for at in outside]
        if len(set(known)) < 2:
            for at in inside:
                predictions[at] = float(known[0])
            continue
        model = fit_logistic([rows[at] for at in outside], known, penalty=penalty)
        for at in inside:
            predictions[at] = model.probability(rows[at])
    return predictions


def _loss(design: Floats, labels: Floats, weights: Floats, ridge: Floats) -> float:
    logits = design @ weights
    losses = np.logaddexp(0, logits) - labels * logits
    return float(losses.sum() + 0.5 * weights @ ridge @ weights)
