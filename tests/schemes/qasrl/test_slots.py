import pytest

from schemes.qasrl.slots import strict_match_key

from .test_published_csv import slots


@pytest.mark.parametrize(
    "changes",
    [
        {"aux": "did", "verb_slot_inflection": "Stem"},
        {"aux": "will", "verb_slot_inflection": "Stem"},
        {"prep": "with", "obj2": "someone"},
        {"verb_prefix": "have", "aux": "will"},
        {"obj": "it"},
        {"obj": "Something"},
        {"wh": "Who"},
    ],
)
def test_strict_match_ignores_irrelevant_slots(changes):
    assert strict_match_key(slots(**changes)) == strict_match_key(slots())


@pytest.mark.parametrize(
    "changes",
    [
        {"wh": "what"},
        {"subj": "someone"},
        {"obj": ""},
        {"obj": "someone"},
        {"is_passive": True},
        {"is_negated": True},
        *({"aux": modal} for modal in ("can", "could", "may", "might", "must", "shall", "should")),
        {"aux": "wouldn't"},
        {"aux": "can't"},
        {"aux": "cannot"},
    ],
)
def test_strict_match_distinguishes_relevant_slots(changes):
    assert strict_match_key(slots(**changes)) != strict_match_key(slots())


def test_negated_modal_is_a_modal_but_will_not_is_not():
    can_not = slots(aux="can't", is_negated=True)
    will_not = slots(aux="won't", is_negated=True)
    did_not = slots(aux="didn't", is_negated=True)
    assert strict_match_key(can_not) != strict_match_key(did_not)
    assert strict_match_key(will_not) == strict_match_key(did_not)
