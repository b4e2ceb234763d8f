"""Tests of the lexical units that annotations propose for a lexicon."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.frames.lexicon import LEXICON
from schemes.frames.lexicon.proposals import UnitProposals
from tests.schemes.frames.projects import SAMPLE

PROPOSALS = UnitProposals()
LEXICON_VALUE = LEXICON.formats["json"](SAMPLE, None)
FRAMES = [*json.loads(SAMPLE.read_text("utf-8"))["frames"]]
LEMMAS = st.one_of(st.sampled_from(["sell", "Sell", "hock", "palm_off", "flog"]), st.text())
USED = st.lists(st.tuples(LEMMAS, st.sampled_from([*FRAMES, "No_such_frame", ""])))


@given(used=USED)
def test_added_units_fit_the_lexicon_and_are_no_longer_missing(used):
    missing = PROPOSALS.missing(LEXICON_VALUE, used)
    added = PROPOSALS.add(LEXICON_VALUE, dict.fromkeys(missing.values(), 2))
    assert LEXICON.parse(added) == added
    assert PROPOSALS.missing(added, used) == {}
    assert {frame for _, frame in missing.values()} <= {*FRAMES}


def test_spellings_of_a_lemma_are_one_unit():
    used = [("Palm_off", "Giving"), ("palm_off", "Giving"), ("palm__off", "Giving")]
    assert {*PROPOSALS.missing(LEXICON_VALUE, used).values()} == {("palm off", "Giving")}


def test_noun_of_a_frame_is_not_its_verb():
    frames = {"Giving": {**LEXICON_VALUE["frames"]["Giving"], "units": ["gift.n", "give.v"]}}
    value = {**LEXICON_VALUE, "frames": frames, "extra_units": []}
    used = [("gift", "Giving"), ("give", "Giving")]
    assert PROPOSALS.missing(value, used) == {("gift", "Giving"): ("gift", "Giving")}


@pytest.mark.parametrize("marks", [[["hock"]], [["hock", "Giving", "x"]], [["hock", ""]], ["hock"]])
def test_invalid_marks_of_accepted_units_are_refused(marks):
    with pytest.raises(ContentError, match="from_annotations"):
        LEXICON.parse({**LEXICON_VALUE, "from_annotations": marks})
