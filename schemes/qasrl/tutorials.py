"""Tutorials for a worker's first task, on the sentence of the first practice exercise."""

from functools import cache

from schemes.contract.pages import Goal, Tutorial, TutorialStep
from schemes.contract.values import Json
from schemes.qasrl.content import parse_generation
from schemes.qasrl.practice import exercises

# Yesterday the baker sold forty loaves to a family in the valley .
_AGENT, _PATIENT, _TIME = [[1, 3]], [[4, 6]], [[0, 1]]


def _source(*questions: tuple[str, list[list[int]]]) -> Json:
    """Return an annotation of the example with these questions and answers."""
    content = {
        "questions": [{"question": text, "answers": answers} for text, answers in questions],
        "no_question": "",
    }
    return parse_generation(content, exercises()[0].context)


@cache
def generator() -> Tutorial:
    return Tutorial(
        context=exercises()[0].context,
        steps=(
            TutorialStep(
                "Write a question",
                "Ask about the marked verb, “sold”. Type “Who sold something?” and press Enter. "
                "The list shows how a question can continue, and the right arrow key completes a word.",
                [Goal("questions.*.question", "Who sold something?")],
            ),
            TutorialStep(
                "Select the answer",
                "Select “the baker” in the sentence: click its first and its last word. By keyboard, "
                "move with the arrow keys, hold Shift to extend, and press Enter.",
                [Goal("questions.*.answers", _AGENT)],
            ),
            TutorialStep(
                "Ask about the next role",
                "Write “What did someone sell?” in the next row, and select “forty loaves”. Select "
                "the shortest complete answer.",
                [
                    Goal("questions.*.question", "What did someone sell?"),
                    Goal("questions.*.answers", _PATIENT),
                ],
            ),
            TutorialStep(
                "Look at the whole sentence",
                "Times, places and reasons are roles, too. Ask “When did someone sell something?”, and "
                "select “Yesterday”.",
                [
                    Goal("questions.*.question", "When did someone sell something?"),
                    Goal("questions.*.answers", _TIME),
                ],
            ),
            TutorialStep(
                "Submit when you're done",
                "In the task, continue until you have no more questions, then choose Submit. The bar at "
                "the bottom shows your pay. Ctrl+Z undoes and Ctrl+Y redoes. The guidelines are always "
                "beside the task.",
            ),
        ),
    )


@cache
def consolidator() -> Tutorial:
    return Tutorial(
        context=exercises()[0].context,
        sources=(
            _source(
                ("Who sold something?", _AGENT),
                ("What did someone sell?", _PATIENT),
                ("Who has a family?", [[10, 12]]),
            ),
            _source(("Who sold something?", [[2, 3]]), ("What was sold?", _PATIENT)),
        ),
        steps=(
            TutorialStep(
                "Keep a question",
                "Two workers, A and B, asked about “sold”. Questions in one box ask for the same "
                "role. “Who sold something?” is a good question. Choose Keep on it, or press k.",
                [Goal("questions.*.verdict", "keep")],
            ),
            TutorialStep(
                "Mark a question as redundant",
                "The other worker asked the same. Go to that question with the arrow keys, and choose "
                "Redundant, or press r. Its answers aren't needed.",
                [Goal("questions.*.verdict", "redundant")],
            ),
            TutorialStep(
                "Reject an invalid question",
                "“Who has a family?” is not about the verb “sold”. Choose Invalid on it, or press i.",
                [Goal("questions.*.verdict", "invalid")],
            ),
            TutorialStep(
                "Accept a whole role",
                "“What did someone sell?” and “What was sold?” ask for one role. Press g on either, "
                "or use the button of their box. The first question is kept, and the other is redundant.",
                [Goal(f"questions.{position}.verdict") for position in range(5)],
            ),
            TutorialStep(
                "Check the result",
                "The result shows the questions that remain. A word can belong to one question "
                "only. Edit answers with e. Submit when nothing is left to judge. Ctrl+Z undoes.",
            ),
        ),
    )


@cache
def validator() -> Tutorial:
    asked = (
        "Who sold something?",
        "What did someone sell?",
        "What was sold?",
        "Who is the valley?",
    )
    annotation = {"questions": [{"question": text, "answers": []} for text in asked]}
    return Tutorial(
        context=exercises()[0].context,
        sources=(annotation,),
        steps=(
            TutorialStep(
                "Answer a question",
                "Select the answer to “Who sold something?” in the sentence: press e, or click its "
                "first and its last word, “the” and “baker”.",
                [Goal("questions.0.answers", _AGENT)],
            ),
            TutorialStep(
                "Answer the next one",
                "Go to “What did someone sell?”, and select “forty loaves”. Select the shortest "
                "complete answer.",
                [Goal("questions.1.answers", _PATIENT)],
            ),
            TutorialStep(
                "Mark a duplicate",
                "“What was sold?” asks the same as the question before. Choose Duplicate on it, "
                "or press r.",
                [Goal("questions.2.verdict", "redundant")],
            ),
            TutorialStep(
                "Reject an invalid question",
                "The sentence doesn't answer “Who is the valley?”. Choose Invalid on it, or press i.",
                [Goal("questions.3.verdict", "invalid")],
            ),
            TutorialStep(
                "Submit when everything is judged",
                "Answers to different questions can't share words. The page lists what is left to do. "
                "Ctrl+Z undoes.",
            ),
        ),
    )


TUTORIALS = {"generator": generator, "consolidator": consolidator, "validator": validator}
