"""The public exercises, which have valid and explained expert annotations."""

import json

import pytest
from django.urls import reverse

from schemes.contract.records import ItemRecord
from schemes.qasrl.items import complete_item
from schemes.qasrl.practice import check, exercises


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.title)
def test_expert_annotation_is_in_the_template_and_explained(exercise):
    questions = exercise.reference["questions"]
    assert all(question["slots"] for question in questions)
    assert set(exercise.notes) == {question["question"] for question in questions}
    assert exercise.context.target["forms"]["stem"]


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.title)
def test_targets_in_the_file_are_complete(exercise):
    target = {"verb_idx": exercise.context.target["verb_idx"]}
    item = ItemRecord("practice", "0", target)
    assert complete_item(item, exercise.context).target == exercise.context.target


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.title)
def test_sentence_is_shown_as_written(exercise):
    context = exercise.context
    assert context.span_text(0, len(context.tokens)) == context.text
    assert " ." not in context.text


@pytest.mark.parametrize("exercise", exercises(), ids=lambda exercise: exercise.title)
def test_expert_annotation_scores_all_answers(exercise):
    answers = sum(len(question["answers"]) for question in exercise.reference["questions"])
    result = check(exercise, exercise.reference)
    assert {row.aligned.state for row in result.rows} == {"found"}
    assert result.summary == f"You found {answers} of {answers} answers."


def explained(*questions):
    content = {"questions": [{"question": text, "answers": spans} for text, spans in questions]}
    return {row.aligned.state: row for row in check(exercises()[1], content).rows}


def test_each_difference_is_explained():
    # The sentence is "The bridge and the old mill were damaged by a storm in 1987 ."
    rows = explained(
        ("What was damaged?", [[0, 2], [4, 6]]),
        ("Who damaged something?", [[9, 11]]),
        ("How was something damaged?", [[7, 8]]),
    )
    predicted = rows["found"].aligned.predicted
    assert rows["extent-differs"].aligned.label == "span differs"
    assert (list(predicted.labels), predicted.value) == (["What was damaged?"], "The bridge")
    assert "your answer is shorter" in rows["extent-differs"].explanation
    assert "the question word." in rows["label-differs"].explanation
    assert rows["missed"].aligned.reference.value == "in 1987"
    assert rows["extra"].aligned.predicted.value == "damaged"


def test_question_outside_the_template_is_explained_as_no_match():
    row = explained(("By what was something damaged?", [[9, 11]]))["label-differs"]
    assert "free-form" in row.explanation


def test_redundant_answer_costs_nothing():
    result = check(
        exercises()[2],
        {"questions": [{"question": "Why did someone move?", "answers": [[0, 2], [2, 4]]}]},
    )
    assert "redundant" in {row.aligned.state for row in result.rows}
    assert "extra" not in result.summary


def test_unexpected_answers_are_counted():
    content = {"questions": [{"question": "Why did someone move?", "answers": [[0, 1]]}]}
    summary = check(exercises()[2], content).summary
    assert summary.endswith(", and gave 1 extra answer.")


def test_comparison_is_escaped_html(client):
    address = reverse("annotation:practice-check", args=["qasrl", 1])
    question = {"question": "Who sold <b>something</b>?", "answers": [[0, 1]]}
    body = json.dumps({"content": {"questions": [question]}})
    response = client.post(address, body, content_type="text/plain")
    rows = response.json()["rows"]
    assert "Who sold &lt;b&gt;something&lt;/b&gt;?" in rows
    assert "<b>" not in rows


def test_page_is_open_to_everyone_and_needs_no_database(client):
    response = client.get(reverse("annotation:practice", args=["qasrl", 1]))
    assert response.status_code == 200
    assert "Who, what, to whom and when" in response.content.decode()


@pytest.mark.parametrize("where", [("qasrl", 0), ("qasrl", 99), ("frames", 1), ("nothing", 1)])
def test_unknown_exercise_is_not_found(client, where):
    assert client.get(reverse("annotation:practice", args=where)).status_code == 404
    address = reverse("annotation:practice-check", args=where)
    assert client.post(address, '{"content": {}}', content_type="text/plain").status_code == 404


def test_start_leads_to_the_first_exercise(client):
    response = client.get(reverse("annotation:practice-start", args=["qasrl"]))
    assert response.headers["Location"] == reverse("annotation:practice", args=["qasrl", 1])


def test_unreadable_answers_are_reported(client):
    body = json.dumps({"content": {"questions": [{"question": "Who sold?", "answers": [[0, 99]]}]}})
    address = reverse("annotation:practice-check", args=["qasrl", 1])
    response = client.post(address, body, content_type="text/plain")
    assert response.status_code == 422
    assert response.json()["problems"][0]["path"] == "questions[0].answers[0]"
