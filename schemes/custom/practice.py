"""Practice exercises from the examples of the definition."""

from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.practice import Exercise, ExplainedRow, Practice, PracticeResult
from schemes.contract.values import Json
from schemes.custom.comparison import CustomComparison
from schemes.custom.content import CustomContent
from schemes.custom.definition import Example
from schemes.custom.figures import SCORE
from schemes.custom.form import Form
from schemes.custom.items import item_of_texts

_LESSON = "Annotate this example as the instructions say."


def examples_without_image(form: Form) -> list[Example]:
    """Return the examples that pages can show without a picture from the project."""
    return [example for example in form.definition.examples if not example.image]


def example_context(form: Form, example: Example) -> ItemContext:
    """Return an example as an item."""
    return item_of_texts(form.definition, example.texts, example.image)


class CustomPractice(Practice):
    """Exercises that compare answers with those of the examples."""

    def __init__(self, form: Form, content: CustomContent, comparison: CustomComparison) -> None:
        self._form = form
        self._content = content
        self._comparison = comparison

    def exercises(self) -> Sequence[Exercise]:
        exercises = []
        for number, example in enumerate(examples_without_image(self._form), start=1):
            context = example_context(self._form, example)
            reference: Json = self._content.parse_gold({"answers": example.answers}, context)
            title = example.title or f"Exercise {number}"
            lesson = example.explanation or _LESSON
            exercises.append(Exercise(title, lesson, context, reference))
        return exercises

    def check(self, exercise: Exercise, answer: object) -> PracticeResult:
        parsed = self._content.parse_generation(answer, exercise.context)
        compared = self._comparison.compare(exercise.reference, parsed, exercise.context)
        score = SCORE.value([compared.measures[SCORE.key]])
        states = self._comparison.states
        rows = [ExplainedRow(row, states[row.state].explanation) for row in compared.rows]
        if score is None:
            return PracticeResult(
                "There is nothing to annotate here, and you marked nothing.", rows
            )
        if score == 1:
            return PracticeResult("Your answers are the same as the expert's.", rows)
        summary = f"Your answers agree with the expert's by {100 * score:.0f} %."
        return PracticeResult(summary, rows)
