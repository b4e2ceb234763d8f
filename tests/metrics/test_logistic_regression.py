"""Logistic regression, compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from metrics.logistic_regression import cross_validated, fit_logistic


def random_rows(seed, count=200, features=4):
    rng = np.random.default_rng(seed)
    rows = rng.normal(2, 3, (count, features))
    rows[:, -1] = rows[:, -1] > 2
    logits = rows @ rng.normal(0, 0.7, features) + rng.normal()
    outcomes = rng.random(count) < 1 / (1 + np.exp(-(logits - np.median(logits))))
    return rows.tolist(), outcomes.tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_weights_equal_those_of_scikit_learn(seed, penalty):
    rows, outcomes = random_rows(seed)
    model = fit_logistic(rows, outcomes, penalty=penalty)
    scaler = StandardScaler().fit(rows)
    other = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=10_000)
    other.fit(scaler.transform(rows), outcomes)
    assert model.weights == pytest.approx(tuple(other.coef_[0]), abs=1e-4)
    assert model.intercept == pytest.approx(other.intercept_[0], abs=1e-4)
    expected = other.predict_proba(scaler.transform(rows))[:, 1]
    assert [model.probability(row) for row in rows] == pytest.approx(list(expected), abs=1e-5)


def test_separable_outcomes_and_constant_features_have_finite_weights():
    rows = [[float(at), 7.0] for at in range(20)]
    model = fit_logistic(rows, [at >= 10 for at in range(20)])
    assert np.isfinite(model.weights).all()
    assert model.weights[1] == 0
    assert model.probability([19, 7]) > 0.9
    assert model.probability([0, 7]) < 0.1


def test_outcomes_of_one_kind_are_refused():
    with pytest.raises(ValueError, match="both kinds"):
        fit_logistic([[1.0], [2.0]], [True, True])


def test_cross_validation_does_not_learn_groups():
    """The feature names the group, and outcomes are those of groups. Unseen groups say nothing."""
    rng = np.random.default_rng(1)
    groups = [at // 5 for at in range(200)]
    of_group = rng.random(40) < 0.5
    outcomes = [bool(of_group[group]) for group in groups]
    rows = [[float(group == other) for other in range(40)] for group in groups]
    seen = fit_logistic(rows, outcomes, penalty=0.01)
    fitted = np.mean(
        [(seen.probability(r) > 0.5) == o for r, o in zip(rows, outcomes, strict=True)]
    )
    held_out = cross_validated(rows, outcomes, groups, penalty=0.01)
    accuracy = np.mean([(p > 0.5) == o for p, o in zip(held_out, outcomes, strict=True)])
    assert fitted == 1
    assert accuracy < 0.7


def test_cross_validation_predicts_new_groups_where_features_do():
    rows, outcomes = random_rows(3, count=400)
    predictions = cross_validated(rows, outcomes, [at // 4 for at in range(400)])
    accuracy = np.mean([(p > 0.5) == o for p, o in zip(predictions, outcomes, strict=True)])
    assert accuracy > 0.75
    assert predictions == cross_validated(rows, outcomes, [at // 4 for at in range(400)])


def test_folds_with_outcomes_of_one_kind_have_their_share():
    predictions = cross_validated([[1.0], [2.0]], [True, False], ["a", "b"])
    assert predictions == [0.0, 1.0]


def test_one_group_is_refused():
    with pytest.raises(ValueError, match="two groups"):
        cross_validated([[1.0], [2.0]], [True, False], ["a", "a"])
