"""Aggregation of several workers' answers per field."""

import random

import pytest

from schemes.contract.aggregation import WorkerContent
from schemes.custom.aggregate import RULES, aggregate
from schemes.custom.form import Form
from schemes.custom.read_definition import read_definition
from tests.schemes.custom.samples import starter

ESTIMATED = [method for method in RULES if method != "majority"]


def form_of(name):
    return Form(starter(name))


def given(*answers, item="1"):
    """Return the contents of workers a, b, c and so on."""
    return [
        WorkerContent(item, chr(ord("a") + at), {"answers": answer})
        for at, answer in enumerate(answers)
    ]


def only(definition, contents, method="majority"):
    [aggregated] = aggregate(definition, contents, method=method).values()
    return aggregated.content["answers"], aggregated.posteriors


FORM = Form(
    read_definition("""
title: t
fields:
  - {key: tone, type: choice, options: [good, bad, mixed]}
  - {key: why, type: text, required: false, show_if: {field: tone, is: [bad]}}
  - {key: steps, type: rating}
  - {key: count, type: number, required: false}
  - {key: topics, type: choices, options: [x, y, z], max: 2}
""")
)


def test_single_values_are_votes():
    answers, posteriors = only(
        FORM,
        given(
            {"tone": "bad", "why": "Too  loud", "steps": 2, "count": 1, "topics": ["x"]},
            {"tone": "bad", "why": "too loud", "steps": 2, "count": 5, "topics": ["x", "y"]},
            {"tone": "good", "steps": 5, "count": 2.5, "topics": ["y"]},
        ),
    )
    assert answers == {
        "tone": "bad",
        "why": "Too  loud",
        "steps": 2,
        "count": 2.5,
        "topics": ["x", "y"],
    }
    assert posteriors["tone"] == pytest.approx(2 / 3)
    assert posteriors["topics"] == pytest.approx([2 / 3, 2 / 3])


def test_ties_go_to_the_first_option_and_hidden_fields_are_absent():
    answers, _ = only(
        FORM,
        given(
            {"tone": "mixed", "steps": 4, "topics": ["z"]},
            {"tone": "good", "steps": 1, "topics": ["y"]},
        ),
    )
    # Options need more than half of the votes, but one must be chosen.
    assert answers == {"tone": "good", "steps": 1, "topics": ["y"]}


def test_optional_answers_of_a_minority_are_left_out():
    answers, _ = only(
        FORM,
        given(
            {"tone": "good", "steps": 1, "topics": ["x"], "count": 3},
            {"tone": "good", "steps": 1, "topics": ["x"]},
            {"tone": "good", "steps": 1, "topics": ["x"]},
        ),
    )
    assert "count" not in answers


def span(start, end, label, **attributes):
    extra = {"attributes": attributes} if attributes else {}
    return {"start": start, "end": end, "label": label, **extra}


def test_relations_follow_the_spans_that_are_kept():
    names = [span(0, 1, "PER"), span(2, 3, "ORG")]
    link = {"label": "works_for", "from": 0, "to": 1}
    moved = {"label": "works_for", "from": 1, "to": 2}
    answers, posteriors = only(
        form_of("relations"),
        given(
            {"entities": names, "relations": [link]},
            {"entities": [*names, span(4, 5, "LOC")], "relations": [link]},
            # The first span is another one, so that positions are shifted.
            {"entities": [span(0, 1, "LOC"), *names], "relations": [moved]},
        ),
    )
    assert answers == {"entities": names, "relations": [link]}
    assert posteriors == {"entities": [1.0, 1.0], "relations": [1.0]}


def test_nobody_s_spans_are_no_spans():
    answers, posteriors = only(
        form_of("entities"), given({}, {}, {"entities": [span(0, 1, "PER")]})
    )
    assert (answers, posteriors) == ({}, {})


def test_spans_overlap_only_where_they_may():
    spans = [[span(0, 2, "PER")], [span(0, 2, "PER"), span(3, 4, "LOC")], [span(1, 2, "PER")]]
    contents = given(*({"entities": own} for own in spans))
    assert only(form_of("entities"), contents)[0] == {"entities": [span(0, 2, "PER")]}


def test_attributes_are_those_of_most_who_have_the_span():
    contents = given(
        {"targets": [span(0, 1, "whole", sentiment="positive", strength=1)]},
        {"targets": [span(0, 1, "whole", sentiment="negative", strength=3)]},
        {"targets": [span(0, 1, "whole", sentiment="negative")]},
    )
    answers, _ = only(form_of("target-sentiment"), contents)
    assert answers["targets"][0]["attributes"] == {"sentiment": "negative", "strength": 1}


def test_close_boxes_are_one_box():
    boxes = [[10, 10, 50, 50], [12, 10, 52, 50], [200, 200, 220, 220]]
    contents = given(
        *({"things": [{"label": "animal", "box": box}], "matches": "completely"} for box in boxes)
    )
    answers, posteriors = only(form_of("image-boxes"), contents)
    assert answers["things"] == [{"label": "animal", "box": [11, 10, 51, 50]}]
    assert posteriors["things"] == pytest.approx([2 / 3])


def test_questions_with_the_same_answers_are_one_question():
    contents = given(
        {"qa": [{"question": "Who won?", "answers": [[0, 2]]}]},
        {"qa": [{"question": "Who was the winner?", "answers": [[0, 2]]}]},
        {"qa": [{"question": "Who won?", "answers": [[0, 2]]}]},
    )
    answers, _ = only(form_of("extractive-qa"), contents)
    assert answers == {"qa": [{"question": "Who won?", "answers": [[0, 2]]}]}


def test_items_that_most_skip_are_skipped():
    contents = [
        WorkerContent("1", "a", {"skipped": "unclear", "answers": {}}),
        WorkerContent("1", "b", {"skipped": "unclear", "answers": {}}),
        WorkerContent("1", "c", {"answers": {"quality": 3}}),
        WorkerContent("2", "a", {"skipped": "unclear", "answers": {}}),
        WorkerContent("2", "b", {"answers": {"quality": 4}}),
    ]
    found = aggregate(form_of("translation-errors"), contents)
    assert found["1"].content == {"skipped": "unclear", "answers": {}}
    assert found["2"].content == {"answers": {"quality": 4}}
    assert (found["1"].workers, found["2"].workers) == (3, 2)


def test_last_answer_of_a_worker_counts():
    contents = [*given({"sentiment": "positive"}), *given({"sentiment": "negative"})]
    assert only(form_of("text-classification"), contents)[0] == {"sentiment": "negative"}


@pytest.mark.parametrize("method", ESTIMATED)
def test_estimates_trust_reliable_workers(method):
    """Two workers who are always right outvote three who guess, whose votes would win."""
    dice, options = random.Random(3), ["positive", "negative", "mixed", "neutral"]
    truth = {str(number): dice.choice(options) for number in range(80)}
    contents = [
        WorkerContent(
            item,
            worker,
            {"answers": {"sentiment": label if worker < "c" else dice.choice(options)}},
        )
        for item, label in truth.items()
        for worker in "abcde"
    ]

    def right(method):
        found = aggregate(form_of("text-classification"), contents, method=method)
        assert all(0.25 <= part.posteriors["sentiment"] <= 1 for part in found.values())
        return sum(
            found[item].content["answers"]["sentiment"] == label for item, label in truth.items()
        )

    assert right(method) == len(truth) > right("majority")


@pytest.mark.parametrize("method", ESTIMATED)
def test_estimates_of_parts_are_those_of_votes_for_and_against(method):
    contents = [
        content
        for number in range(20)
        for content in given(
            {"entities": [span(0, 1, "PER")]},
            {"entities": [span(0, 1, "PER"), span(number + 3, number + 4, "LOC")]},
            {"entities": [span(0, 1, "PER")]},
            item=str(number),
        )
    ]
    found = aggregate(form_of("entities"), contents, method=method)
    assert [part.content["answers"] for part in found.values()] == [
        {"entities": [span(0, 1, "PER")]}
    ] * 20
