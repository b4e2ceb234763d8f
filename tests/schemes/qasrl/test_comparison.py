import pytest

from schemes.contract.comparison import AlignedRow, RowDecision, RowSide
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.qasrl.comparison import compare, count_kept, measure

TOKENS = [f"w{at}" for at in range(30)]


def compared(reference, predicted, decisions=()):
    return compare(reference, predicted, ItemContext(TOKENS), decisions)


def counts(tp, fp, fn):
    return {"tp": tp, "fp": fp, "fn": fn}


def side(start, end, *questions):
    return RowSide(f"{start}-{end}", list(questions), " ".join(TOKENS[start:end]))


def _question(text, answers, **slots):
    filled = {
        "wh": "who",
        "aux": "",
        "subj": "",
        "verb_prefix": "",
        "verb_slot_inflection": "Past",
        "obj": "something",
        "prep": "",
        "obj2": "",
        "is_passive": False,
        "is_negated": False,
    }
    return {"question": text, "slots": {**filled, **slots}, "answers": answers}


REFERENCE = {
    "questions": [
        _question("Who identified something?", [[0, 4], [5, 6]]),
        _question("What might contain something?", [[10, 12]], wh="what", aux="might"),
    ]
}


def test_example_of_the_paper_gives_counts_and_rows():
    predicted = {
        "questions": [
            _question("Who identified something?", [[0, 7]]),
            _question("What contains something?", [[10, 12]], wh="what"),
            _question("When did someone identify something?", [[20, 22]], wh="when"),
        ]
    }
    comparison = compared(REFERENCE, predicted)
    assert comparison.measures == {"UA": counts(2, 1, 1), "LA": counts(1, 2, 2)}
    who = "Who identified something?"
    assert comparison.rows == [
        AlignedRow(
            state="extent-differs",
            label="span differs",
            reference=side(0, 4, who),
            predicted=side(0, 7, who),
            detail="answer too long",
            decisions=("label-refused", "pair-refused"),
        ),
        AlignedRow(
            state="label-differs",
            label="other question",
            reference=side(10, 12, "What might contain something?"),
            predicted=side(10, 12, "What contains something?"),
            decisions=("label-accepted", "pair-refused"),
        ),
        AlignedRow(
            state="missed",
            label="missed",
            reference=side(5, 6, who),
            predicted=None,
            decisions=("pair-accepted",),
        ),
        AlignedRow(
            state="extra",
            label="extra",
            reference=None,
            predicted=side(20, 22, "When did someone identify something?"),
            decisions=("answer-accepted",),
        ),
    ]
    assert measure(REFERENCE, predicted, {}) == comparison.measures


@pytest.mark.parametrize(
    ("decision", "ua", "la"),
    [
        (RowDecision("label-accepted", "10-12", "10-12"), counts(2, 1, 1), counts(2, 1, 1)),
        (RowDecision("pair-refused", "0-4", "0-7"), counts(1, 2, 2), counts(0, 3, 3)),
        (RowDecision("pair-accepted", "5-6", "20-22"), counts(3, 0, 0), counts(1, 2, 2)),
        (RowDecision("answer-accepted", None, "20-22"), counts(3, 0, 1), counts(2, 1, 2)),
    ],
)
def test_decisions_on_rows_change_the_figures(decision, ua, la):
    predicted = {
        "questions": [
            _question("Who identified something?", [[0, 7]]),
            _question("What contains something?", [[10, 12]], wh="what"),
            _question("When did someone identify something?", [[20, 22]], wh="when"),
        ]
    }
    assert compared(REFERENCE, predicted, [decision]).measures == {"UA": ua, "LA": la}


def test_decision_about_an_unknown_row_is_refused():
    for key in ("99-100", "nonsense"):
        with pytest.raises(ValueError, match="span"):
            compared(REFERENCE, REFERENCE, [RowDecision("pair-accepted", "0-4", key)])


def test_annotation_matches_itself():
    comparison = compared(REFERENCE, REFERENCE)
    assert comparison.measures == {"UA": counts(3, 0, 0), "LA": counts(3, 0, 0)}
    assert {row.state for row in comparison.rows} == {"found"}


def test_redundant_answer_is_shown_beside_the_answer_that_it_repeats():
    predicted = {"questions": [*REFERENCE["questions"], _question("Who saw it?", [[0, 3]])]}
    (row,) = [row for row in compared(REFERENCE, predicted).rows if row.state == "redundant"]
    assert row.predicted == side(0, 3, "Who saw it?")
    assert row.reference == side(0, 4, "Who identified something?")


def test_repetition_changes_nothing():
    twice = {"questions": REFERENCE["questions"] * 2}
    expected = compared(REFERENCE, REFERENCE)
    assert compared(REFERENCE, twice) == expected
    assert compared(twice, REFERENCE) == expected


def test_questions_without_slots_are_compared_by_text():
    first = {"questions": [{"question": "Who ran?", "slots": None, "answers": [[0, 1]]}]}
    second = {"questions": [{"question": "who ran?", "answers": [[0, 1]]}]}
    assert compared(first, second).measures["LA"] == counts(1, 0, 0)


def test_empty_annotation_misses_everything():
    comparison = compared(REFERENCE, {"questions": []})
    assert comparison.measures["UA"] == counts(0, 0, 3)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"questions": [{"question": "Who?", "answers": [[4, 4]]}]}, "questions[0].answers[0]"),
        ({"questions": [{"question": "Who?", "answers": [[1, 2, 3]]}]}, "predicted"),
        ({"questions": [{"answers": []}]}, "predicted"),
        ({"questions": [{"question": "Who?", "slots": {"wh": "who"}, "answers": []}]}, "predicted"),
        ({"questions": ["Who?"]}, "predicted"),
        ({}, "predicted"),
        ([], "predicted"),
    ],
)
def test_malformed_content_is_refused_with_a_path(content, path):
    with pytest.raises(ContentError) as excinfo:
        compared(REFERENCE, content)
    assert excinfo.value.path == path


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ([], 0),
        ([[[0, 4]], [[10, 12]]], 2),
        ([[[0, 4]], [[0, 4]], [[5, 6]]], 1),  # both answer the reference's first question
        ([[[0, 3]]], 1),
        ([[[0, 30]]], 0),  # the whole sentence
        ([[[20, 21]], [[1, 2]]], 0),
        ([[[20, 21], [10, 12]]], 1),
    ],
)
def test_kept_questions_have_an_answer_of_a_reference_question_of_their_own(answers, kept):
    predicted = {"questions": [_question("What was it?", spans) for spans in answers]}
    assert count_kept(REFERENCE, predicted) == kept


def test_kept_answers_in_the_context_are_in_the_same_sentence():
    def outside(sentence, start, end):
        answer = {"sentence": sentence, "start": start, "end": end, "text": "there"}
        return {"questions": [_question("Where?", []) | {"context_answers": [answer]}]}

    assert count_kept(outside("s2", 0, 2), outside("s2", 0, 1)) == 1
    assert count_kept(outside("s2", 0, 2), outside("s3", 0, 2)) == 0
