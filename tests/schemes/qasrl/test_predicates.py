import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.english.predicates import find_predicates


@pytest.mark.parametrize(
    ("sentence", "verbs"),
    [
        ("He has not gone home .", ["gone"]),
        ("She has a car .", ["has"]),
        ("They have often been seen there .", ["seen"]),
        ("He does n't want to do it .", ["want", "do"]),
        ("She did it .", ["did"]),
        ("It might be sold .", ["sold"]),
        ("It is cold .", []),
        ("They could have been waiting .", ["waiting"]),
        ("Both were shot and have been recovering since .", ["shot", "recovering"]),
        ("Police arrested three people following a tip .", ["arrested", "following"]),
    ],
)
def test_verbs_are_found_without_auxiliaries(sentence, verbs):
    tokens = sentence.split()
    assert [tokens[at] for at in find_predicates(tokens)] == verbs


def test_empty_sentence_has_no_predicates():
    assert find_predicates([]) == []


@given(st.lists(st.text(min_size=1), min_size=1, max_size=12))
def test_positions_are_sorted_and_valid_for_any_tokens(tokens):
    positions = find_predicates(tokens)
    assert positions == sorted(set(positions))
    assert all(0 <= at < len(tokens) for at in positions)


def test_tagger_is_loaded_on_first_use():
    code = "import sys, schemes.english.predicates; assert 'HanTa.HanoverTagger' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
