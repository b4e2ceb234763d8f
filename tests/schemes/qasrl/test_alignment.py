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


def test_same_question_with_other_spans_stands_together_and_does_not_agree():
    other = {**WHO, "answers": [[0, 1], [2, 4]]}
    assert rows([WHO], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_same_spans_under_another_question_stand_together_and_do_not_agree():
    other = {"question": "What cut something?", "answers": [[0, 1]]}
    assert rows([WHO], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_strict_match_is_enough_to_agree():
    """A preposition or the tense does not make another role."""
    other = {"question": "Who cuts something with something?", "answers": [[0, 1]]}
    assert rows([WHO], [other]) == [[(0, 0, True), (1, 0, True)]]


def test_same_question_about_other_words_is_put_together_by_its_key():
    other = {**WHEN, "answers": [[4, 6]]}
    assert rows([WHEN], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_key_joins_no_second_question_of_an_annotator():
    what = {"question": "What did someone cut with?", "answers": [[4, 6]]}
    assert rows([WHAT, what], [WHAT]) == [[(0, 0, True), (1, 0, True)], [(0, 1, False)]]


def test_outside_the_template_only_the_same_text_agrees():
    odd = {"question": "Which one was cut?", "answers": [[2, 4]]}
    other = {"question": "Which thing was cut?", "answers": [[2, 4]]}
    assert rows([odd], [odd]) == [[(0, 0, True), (1, 0, True)]]
    assert rows([odd], [other]) == [[(0, 0, False), (1, 0, False)]]


def test_modals_that_change_the_factuality_are_marked():
    asked = ["Who might cut something?", "Who will cut something?", "Who shouldn't cut something?"]
    sources = [generation({"questions": [{**WHO, "question": text}]}) for text in asked]
    group = align(sources)["groups"][0]
    assert [row["has_modal"] for row in group["rows"]] == [True, False, True]


def test_groups_go_by_their_first_answer():
    assert rows([WHEN], [WHAT], [WHO]) == [[(2, 0, False)], [(1, 0, False)], [(0, 0, False)]]


QUESTIONS = [WHO, WHAT, WHEN, {"question": "Where was something cut?", "answers": [[6, 8]]}]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(QUESTIONS), st.integers(0, 8)), max_size=4),
        min_size=1,
        max_size=3,
    ),
)
def test_every_question_stands_in_one_group(sources):
    contents = []
    for source in sources:
        seen, questions = set(), []
        for number, (question, start) in enumerate(source):
            if start in seen:
                continue
            seen.add(start)
            text = f"{question['question'][:-1]} {number}?" if number > 2 else question["question"]
            if text not in {each["question"] for each in questions}:
                questions.append({"question": text, "answers": [[start, start + 1]]})
        contents.append(
            generation({"questions": questions, "no_question": "" if questions else "x"})
        )
    groups = align(contents)["groups"]
    placed = [(row["submission"], row["position"]) for g in groups for row in g["rows"]]
    assert sorted(placed) == [
        (s, p) for s, content in enumerate(contents) for p in range(len(content["questions"]))
    ]
    assert align(contents) == {"groups": groups}
