"""Likeness of answers, and people whose answers are more alike than chance explains."""

import random
from collections import Counter
from math import comb

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics.likeness import alike_pairs, binomial_tail, likeness, parts_of


def test_parts_are_words_neighbours_numbers_and_lists_of_numbers():
    content = {
        "why": "It is It",
        "span": [0, 3],
        "score": 4,
        "sure": False,
        "none": None,
        "tags": ["a"],
    }
    assert parts_of(content) == Counter(
        {
            "why:it": 2,
            "why:is": 1,
            "why:it is": 1,
            "why:is it": 1,
            "span=[0, 3]": 1,
            "score=4": 1,
            "tags:a": 1,
        }
    )


_BAGS = st.dictionaries(st.sampled_from("abcde"), st.integers(1, 4)).map(Counter)


@given(_BAGS, _BAGS)
def test_likeness_is_symmetric_and_complete_only_for_equal_answers(one, other):
    value = likeness(one, other)
    assert value == likeness(other, one)
    if not one or not other:
        assert value is None
    else:
        assert 0 <= value <= 1
        assert (value == 1) == (one == other)
        assert (value == 0) == (not one & other)


@given(st.integers(0, 12), st.integers(0, 12), st.floats(0, 1))
@example(hits=1, of=0, share=1.0)
@example(hits=3, of=2, share=1.0)
def test_binomial_tail_is_the_sum_of_its_terms(hits, of, share):
    exact = sum(comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(hits, of + 1))
    assert binomial_tail(hits, of, share) == pytest.approx(exact, abs=1e-9)


def answers(items, people, *, copies=(), agree=0.1, seed=1):
    """Return answers of independent people, who agree on an item by chance, and of copying pairs."""
    rng = random.Random(seed)
    by_item = {}
    for item in range(items):
        own = {
            person: parts_of({"text": "same" if rng.random() < agree else f"{person} words {item}"})
            for person in range(people)
        }
        for original, copy in copies:
            own[copy] = own[original]
        by_item[item] = own
    return by_item


def test_pair_that_copies_is_found_and_others_are_not():
    pairs = alike_pairs(answers(12, 8, copies=[(2, 5)]), min_items=5)
    assert len(pairs) == 28
    first, *others = pairs
    assert (first.people, first.near, first.items) == ((2, 5), 12, 12)
    assert first.p_value < 1e-6
    assert all(pair.p_value > 0.001 for pair in others)


def test_pairs_on_items_that_all_answer_alike_are_not_found():
    easy = answers(12, 6, agree=1.0)
    hard = {item + 100: own for item, own in answers(12, 6, agree=0.0).items()}
    assert all(pair.p_value > 0.001 for pair in alike_pairs({**easy, **hard}, min_items=5))


@pytest.mark.parametrize("agree", [0.3, 0.6, 0.9])
def test_chance_alone_rarely_makes_a_pair(agree):
    found = sum(
        pair.p_value <= 0.001
        for seed in range(20)
        for pair in alike_pairs(answers(15, 8, agree=agree, seed=seed), min_items=5)
    )
    assert found <= 1


def test_pairs_with_few_common_items_are_not_compared():
    assert alike_pairs(answers(4, 3, copies=[(0, 1)]), min_items=5) == []
