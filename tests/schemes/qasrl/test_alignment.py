from hypothesis import given
from hypothesis import strategies as st

from schemes.qasrl.alignment import align

from .test_content import WHAT, WHEN, WHO, generation


def rows(*sources):
    groups = align([generation({"questions": list(source)}) for source in sources])["groups"]
    return [
        [(row["submission"], row["position"], row["agrees"]) for row in group["rows"]]
        for group in groups
    ]


def test_same_question_and_spans_agree():
    assert rows([WHEN, WHO], [WHO]) == [[(0, 1, True), (1, 0, True)], [(0, 0, False)]]


def test_same_question_with_different_spans_is_grouped_but_disagrees():
    other = {**WHO, "answers": [[0, 1], [2, 4]]}
    assert rows([WHO], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_same_spans_under_different_questions_are_grouped_but_disagree():
    other = {"question": "What cut something?", "answers": [[0, 1]]}
    assert rows([WHO], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_strict_match_is_enough_to_agree():
    """A different preposition or tense does not make a different role."""
    other = {"question": "Who cuts something with something?", "answers": [[0, 1]]}
    assert rows([WHO], [other]) == [[(0, 0, True), (1, 0, True)]]


def test_same_question_with_disjoint_answers_is_grouped_by_its_key():
    other = {**WHEN, "answers": [[4, 6]]}
    assert rows([WHEN], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_key_groups_at_most_one_question_of_an_annotator():
    similar_question = {"question": "What did someone cut with?", "answers": [[4, 6]]}
    assert rows([WHAT, similar_question], [WHAT]) == [[(0, 0, True), (1, 0, True)], [(0, 1, False)]]


def test_questions_outside_the_template_agree_only_with_equal_texts():
    odd = {"question": "Which one was cut?", "answers": [[2, 4]]}
    other = {"question": "Which thing was cut?", "answers": [[2, 4]]}
    assert rows([odd], [odd]) == [[(0, 0, True), (1, 0, True)]]
    assert rows([odd], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_modals_that_change_the_factuality_are_marked():
    texts = ["Who might cut something?", "Who will cut something?", "Who shouldn't cut something?"]
    sources = [generation({"questions": [{**WHO, "question": text}]}) for text in texts]
    group = align(sources)["groups"][0]
    assert [row["has_modal"] for row in group["rows"]] == [True, False, True]


def test_groups_are_ordered_by_their_first_answer():
    assert rows([WHEN], [WHAT], [WHO]) == [[(2, 0, False)], [(1, 0, False)], [(0, 0, False)]]


QUESTIONS = [WHO, WHAT, WHEN, {"question": "Where was something cut?", "answers": [[6, 8]]}]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(QUESTIONS), st.integers(0, 8)), max_size=4),
        min_size=1,
        max_size=3,
    ),
)
def test_every_question_is_in_exactly_one_group(sources):
    contents = []
    for source in sources:
        starts, questions = set(), []
        for number, (question, start) in enumerate(source):
            if start in starts:
                continue
            starts.add(start)
            text = f"{question['question'][:-1]} {number}?" if number > 2 else question["question"]
            if text not in {entry["question"] for entry in questions}:
                questions.append({"question": text, "answers": [[start, start + 1]]})
        contents.append(
            generation({"questions": questions, "no_question": "" if questions else "x"})
        )
    groups = align(contents)["groups"]
    placed = [(row["submission"], row["position"]) for group in groups for row in group["rows"]]
    assert sorted(placed) == [
        (submission, position)
        for submission, content in enumerate(contents)
        for position in range(len(content["questions"]))
    ]
    assert align(contents) == {"groups": groups}
