"""What became of each source in a merge, and where each part of the result came from."""

from hypothesis import given
from hypothesis import strategies as st

from schemes.qasrl.tracing import trace

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


def judged(source, question, answers, verdict="keep", same_as=None):
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
        judged((0, 0), "Who cut it?", [[0, 1]]),
        judged((0, 1), "What was cut?", [[2, 5]]),
        judged((0, 2), "Where was it cut?", [[9, 10]], "invalid"),
        judged((1, 0), "Who cut something?", [[0, 1]], "redundant", 0),
        judged((1, 1), "What was cut?", [[3, 4]], "redundant", 1),
        judged(None, "When was it cut?", [[11, 12]]),
    ]
}


def test_each_question_and_answer_says_who_had_it():
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


def test_each_source_says_what_became_of_it():
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


def test_redundant_without_a_twin_is_lost():
    alone = {"questions": [judged((0, 0), "Who cut it?", [[0, 1]], "redundant")]}
    [outcome] = trace(alone, [{"questions": PARSER["questions"][:1]}]).outcomes
    assert (outcome["merged"], outcome["dropped"]) == (0, 1)


verdicts = st.sampled_from(["keep", "invalid", "redundant"])


@given(st.lists(st.lists(verdicts, max_size=4), max_size=4))
def test_no_question_is_counted_twice_or_lost(said):
    """Whatever was decided: the outcomes of a source add up to its questions."""
    sources = [
        {"questions": [{"question": f"{at}?", "answers": [[at, at + 1]]} for at in range(len(one))]}
        for one in said
    ]
    merged = {
        "questions": [
            judged((which, at), f"{at}?", [[at, at + 1]], verdict)
            for which, one in enumerate(said)
            for at, verdict in enumerate(one)
        ]
    }
    for one, outcome in zip(said, trace(merged, sources).outcomes, strict=True):
        assert outcome["questions"] == len(one)
        assert outcome["kept"] + outcome["edited"] + outcome["merged"] + outcome["dropped"] == len(
            one
        )
        assert outcome["answers_kept"] + outcome["answers_edited"] <= outcome["answers"] == len(one)
