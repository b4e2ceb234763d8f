import pytest

from metrics.counts import MacroAverage
from schemes.qasrl.propbank_arguments import (
    PropBankArgument,
    PropBankPredicate,
    argument_kind,
    compare_with_propbank,
    is_recalled,
    kinds_of_answers,
    kinds_of_arguments,
    question_kind,
    short_label,
)


def predicate(index: int, **arguments) -> PropBankPredicate:
    """Return a predicate with arguments such as `A0=(0, 2)`. Underscores in labels are hyphens."""
    return PropBankPredicate(
        index,
        "leave.01",
        "VB",
        tuple(PropBankArgument(name.replace("_", "-"), span) for name, span in arguments.items()),
    )


def compare(verb: PropBankPredicate, *questions) -> dict[str, tuple[float | None, float | None]]:
    compared = compare_with_propbank({("s", verb.index): verb}, {("s", verb.index): questions})
    return {
        kind: (comparison.average.precision, comparison.average.recall)
        for kind, comparison in compared.items()
    }


# The man who came might not leave tomorrow.
CAME = predicate(3, A1=(0, 3), R_A1=(2, 3))
LEAVE = predicate(6, A0=(0, 4), AM_MOD=(4, 5), AM_NEG=(5, 6), AM_TMP=(7, 8))
# He went to Rome.
WENT = predicate(1, A0=(0, 1), A4=(2, 4))


def test_perfect_annotation_recalls_everything():
    leave = [("who", [(0, 4)]), ("when", [(7, 8)])]
    compared = compare_with_propbank(
        {("s", 3): CAME, ("s", 6): LEAVE},
        {("s", 3): [("who", [(0, 3)])], ("s", 6): leave},
    )
    assert compared["all"].average == MacroAverage(1.0, 1.0, 2, 2)
    assert compared["core"].average == MacroAverage(1.0, 1.0, 2, 2)
    assert compared["adjunct"].average == MacroAverage(1.0, 1.0, 1, 1)


def test_kind_comes_from_the_role_for_recall_and_the_question_for_precision():
    assert compare(WENT, ("who", [(0, 1)]), ("where", [(2, 4)])) == {
        "all": (1.0, 1.0),
        "core": (1.0, 1.0),
        "adjunct": (1.0, None),
    }


def test_answer_with_a_relative_pronoun_is_correct():
    assert compare(CAME, ("who", [(0, 2), (2, 3)]))["all"] == (1.0, 1.0)
    assert compare(CAME, ("who", [(2, 3)]))["all"] == (1.0, 0.0)


def test_answer_missing_from_propbank_lowers_precision():
    answers = [("who", [(0, 1)]), ("where", [(2, 4)]), ("when", [(4, 5)])]
    assert compare(WENT, *answers) == {
        "all": (2 / 3, 1.0),
        "core": (1.0, 1.0),
        "adjunct": (0.5, None),
    }


@pytest.mark.parametrize("label", ["AM-MOD", "AM-NEG", "AM-DIS", "R-A0", "C-A1", "R-AM-LOC"])
def test_arguments_without_questions_are_not_recalled(label):
    assert not is_recalled(label)
    assert kinds_of_arguments(predicate(1, **{label.replace("-", "_"): (0, 1)})) == {(0, 1): set()}


@pytest.mark.parametrize("label", ["A0", "A5", "AA", "AM-TMP", "AM-ADV"])
def test_other_arguments_are_recalled(label):
    assert is_recalled(label)


def test_kinds_are_core_and_adjunct():
    assert [argument_kind(label) for label in ("A0", "A5")] == ["core", "core"]
    assert [argument_kind(label) for label in ("AM-TMP", "AA", "SU")] == ["adjunct"] * 3
    kinds = [question_kind(wh) for wh in ("Who", "what", "how long", "where")]
    assert kinds == ["core", "core", "adjunct", "adjunct"]


def test_span_may_have_both_kinds():
    assert kinds_of_answers([("who", [(0, 2)]), ("where", [(0, 2), (3, 4)])]) == {
        (0, 2): {"core", "adjunct"},
        (3, 4): {"adjunct"},
    }


@pytest.mark.parametrize(
    ("label", "short"),
    [("ARG0", "A0"), ("ARGM-TMP", "AM-TMP"), ("R-ARGM-LOC", "R-AM-LOC"), ("C-ARG1", "C-A1")]
    + [(label, label) for label in ("A0", "AM-NEG", "V", "C-V")],
)
def test_labels_of_ontonotes_are_shortened(label, short):
    assert short_label(label) == short
