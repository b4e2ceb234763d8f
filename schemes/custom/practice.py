"""Practice exercises from the examples of the definition."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath

from schemes.contract.items import ItemContext
from schemes.contract.practice import Exercise, ExplainedRow, Practice, PracticeResult
from schemes.contract.texts import Translatable
from schemes.contract.values import Image, Json
from schemes.custom.comparison import CustomComparison
from schemes.custom.content import CustomContent
from schemes.custom.definition import Example
from schemes.custom.figures import SCORE
from schemes.custom.form import Form
from schemes.custom.items import item_of_texts

_LESSON = Translatable("Annotate this example as the instructions say.")


# A picture that comes with the site, for examples and previews.
SAMPLE_PICTURE = "img/tutorial-meadow.png"
SAMPLE_SIZE = (480, 320)


def example_context(form: Form, example: Example) -> ItemContext:
    """Return an example as an item. Its image is known if it is the sample picture."""
    context = item_of_texts(form.definition, example.texts, example.image)
    if example.image != SAMPLE_PICTURE:
        return context
    return replace(context, image=Image(PurePath(SAMPLE_PICTURE).name, *SAMPLE_SIZE))


def is_project_image(example: Example) -> bool:
    """Return True if only the project can have the example's image."""
    return example.image not in ("", SAMPLE_PICTURE)


def picture_of(example: Example) -> str:
    """Return the path of the example's image among the static files, or ""."""
    return example.image if example.image == SAMPLE_PICTURE else ""


class CustomPractice(Practice):
    """Exercises that compare answers with those of the examples."""

    def __init__(self, form: Form, content: CustomContent, comparison: CustomComparison) -> None:
        self._form = form
        self._content = content
        self._comparison = comparison

    def exercises(self) -> Sequence[Exercise]:
        return self._exercises

    @cached_property
    def _exercises(self) -> Sequence[Exercise]:
        exercises = []
        for number, example in enumerate(self._form.definition.examples, start=1):
            context = example_context(self._form, example)
            reference: Json = self._content.parse_gold({"answers": example.answers}, context)
            title = example.title or Translatable("Exercise %(number)s", number=number)
            lesson = example.explanation or _LESSON
            exercises.append(
                Exercise(title, lesson, context, reference, picture=picture_of(example))
            )
        return exercises

    def check(self, exercise: Exercise, answer: object) -> PracticeResult:
        parsed = self._content.parse_generation(answer, exercise.context)
        compared = self._comparison.compare(exercise.reference, parsed, exercise.context)
        score = SCORE.value([compared.measures[SCORE.key]])
        states = self._comparison.states
        rows = [ExplainedRow(row, states[row.state].explanation) for row in compared.rows]
        if score is None:
            summary = Translatable("There is nothing to annotate here, and you marked nothing.")
            return PracticeResult(summary, rows)
        if score == 1:
            same = Translatable("Your answers are the same as the expert's.")
            return PracticeResult(same, rows)
        share = f"{100 * score:.0f} %"
        summary = Translatable("Your answers agree with the expert's by %(share)s.", share=share)
        return PracticeResult(summary, rows)
