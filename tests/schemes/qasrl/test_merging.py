"""Outcomes of the sources of a merge, and origins of the parts of the result."""

from hypothesis import given
from hypothesis import strategies as st

from schemes.qasrl.merging import trace

PARSER = {
    "questions": [
        {"question": "Who cut it?", "answers": [[0, 1]]},
        {"question": "What was cut?", "answers": [[2, 4], [6, 7]]},
        {"question": "Where was it cut?", "answers": [[9, 10]]},
    ]
}
EXPERT = {
    "questions": [
        {"question": "Who cut something?", "answers": [[0, 1]]},
        {"question": "What was cut?", "answers": [[3, 4]]},
    ]
}


def judgment(source, question, answers, verdict="keep", same_as=None):
    submission, position = source if source else (None, None)
    return {
        "question": question,
        "answers": answers,
        "source": source and {"submission": submission, "question": position},
        "verdict": verdict,
        "same_as": same_as,
    }


MERGED = {
    "questions": [
        judgment((0, 0), "Who cut it?", [[0, 1]]),
        judgment((0, 1), "What was cut?", [[2, 5]]),
        judgment((0, 2), "Where was it cut?", [[9, 10]], "invalid"),
        judgment((1, 0), "Who cut something?", [[0, 1]], "redundant", 0),
        judgment((1, 1), "What was cut?", [[3, 4]], "redundant", 1),
        judgment(None, "When was it cut?", [[11, 12]]),
    ]
}


def test_questions_and_answers_have_their_origins():
    assert trace(MERGED, [PARSER, EXPERT]).provenance == [
        {
            "source": 0,
            "unit": 0,
            "state": "kept",
            "sources": [0, 1],
            "answers": [{"state": "kept", "sources": [0, 1]}],
        },
        {
            "source": 0,
            "unit": 1,
            "state": "edited",
            "sources": [0, 1],
            "answers": [{"state": "edited", "sources": [0, 1]}],
        },
        {
            "source": None,
            "unit": None,
            "state": "new",
            "sources": [],
            "answers": [{"state": "new", "sources": []}],
        },
    ]


def test_sources_have_their_outcomes():
    parser, expert = trace(MERGED, [PARSER, EXPERT]).outcomes
    assert parser == {
        "questions": 3,
        "kept": 1,
        "edited": 1,
        "merged": 0,
        "dropped": 1,
        "answers": 4,
        "answers_kept": 1,
        "answers_edited": 1,
        "result_answers": 3,
    }
    assert expert == {
        "questions": 2,
        "kept": 0,
        "edited": 0,
        "merged": 2,
        "dropped": 0,
        "answers": 2,
        "answers_kept": 1,
        "answers_edited": 1,
        "result_answers": 3,
    }


def test_redundant_question_without_a_kept_copy_is_dropped():
    consolidation = {"questions": [judgment((0, 0), "Who cut it?", [[0, 1]], "redundant")]}
    [outcome] = trace(consolidation, [{"questions": PARSER["questions"][:1]}]).outcomes
    assert (outcome["merged"], outcome["dropped"]) == (0, 1)


verdicts = st.sampled_from(["keep", "invalid", "redundant"])


@given(st.lists(st.lists(verdicts, max_size=4), max_size=4))
def test_every_question_is_counted_exactly_once(verdicts_by_source):
    """The outcomes of a source add up to its number of questions for any verdicts."""
    sources = [
        {
            "questions": [
                {"question": f"{at}?", "answers": [[at, at + 1]]}
                for at in range(len(source_verdicts))
            ]
        }
        for source_verdicts in verdicts_by_source
    ]
    merged = {
        "questions": [
            judgment((submission, at), f"{at}?", [[at, at + 1]], verdict)
            for submission, source_verdicts in enumerate(verdicts_by_source)
            for at, verdict in enumerate(source_verdicts)
        ]
    }
    for source_verdicts, outcome in zip(
        verdicts_by_source, trace(merged, sources).outcomes, strict=True
    ):
        assert outcome["questions"] == len(source_verdicts)
        assert outcome["kept"] + outcome["edited"] + outcome["merged"] + outcome["dropped"] == len(
            source_verdicts
        )
        assert (
            outcome["answers_kept"] + outcome["answers_edited"]
            <= outcome["answers"]
            == len(source_verdicts)
        )
