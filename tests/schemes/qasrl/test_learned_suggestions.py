"""Stored costs of suggestions, which predict the questions that annotators asked next.

The costs were learned from the same file, so the figures show that the costs fit the cues of the
code. `tests/bench/test_qasrl.py` measures held-out sentences.
"""

import numpy as np
import pytest
from scipy.optimize import check_grad

from schemes.qasrl.ranking import learned_weights
from scripts.learn_suggestions import Verb, classes_of, decision_loss, measure, verbs_of

from .published_data import GOLD, SENTENCES, needs_published_data


@pytest.fixture(scope="module")
def verbs() -> list[Verb]:
    verbs = verbs_of(GOLD, SENTENCES)
    infinitives = [verb for verb in verbs if "infinitive" in classes_of(verb)]
    return [*verbs[::12], *infinitives[::2]]


@pytest.mark.slow
@needs_published_data
def test_stored_costs_predict_the_next_questions(verbs):
    hits = measure(verbs, learned_weights())
    assert hits["open", "infinitive", 3] >= 0.6 * hits["open", "infinitive", 0] > 0
    assert hits["open", "all", 3] >= 0.6 * hits["open", "all", 0]
    assert hits["open", "infinitive", 0] >= hits["open", "infinitive left", 0] > 0


def test_decision_loss_has_the_gradient_of_its_value():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(4, 5))
    targets = np.eye(5, dtype=bool)[:4]
    targets[0, 3] = targets[1, 4] = True
    error = check_grad(
        lambda values: decision_loss(values.reshape(4, 5), targets)[0],
        lambda values: decision_loss(values.reshape(4, 5), targets)[1].ravel().astype(float),
        scores.ravel(),
    )
    assert error < 1e-4
