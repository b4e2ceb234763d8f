"""Tutorials for a worker's first task, on an example of the definition."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.pages import Goal, Tutorial, TutorialStep
from schemes.contract.texts import Translatable, joined
from schemes.contract.values import Json
from schemes.custom.content import CustomContent
from schemes.custom.definition import Example
from schemes.custom.form import ANSWERS, Form
from schemes.custom.kinds.base import Kind
from schemes.custom.practice import example_context, is_project_image, picture_of
from schemes.custom.simulation import CustomSimulation
from schemes.simulated_person import Person

MAX_FIELD_STEPS = 3
MAX_TEXT = 230
_HELP = {
    "choice": Translatable("Choose the option that fits."),
    "choices": Translatable("Choose all options that fit."),
    "rating": Translatable("Choose a value on the scale."),
    "number": Translatable("Enter a number."),
    "text": Translatable("Write your answer."),
    "pairwise": Translatable("Choose the better text."),
    "spans": Translatable(
        "Choose a label, and mark its words: click the first word and then the last."
    ),
    "relations": Translatable("Choose a label, and then the two spans that it joins."),
    "questions": Translatable("Mark the answer to the question in the text."),
    "boxes": Translatable("Choose a label, and draw a box around the object."),
}
_CARELESS = 0.5


def tutorials_of(
    form: Form, content: CustomContent, simulation: CustomSimulation
) -> Mapping[str, Callable[[], Tutorial]]:
    """Return the tutorials by role. There are none without an example."""
    # An image of the project may be missing, so other examples come first.
    examples = sorted(form.definition.examples, key=is_project_image)
    if not examples:
        return {}
    tutorials = _Tutorials(form, content, simulation, examples[0])
    return {
        "generator": tutorials.generator,
        "consolidator": tutorials.consolidator,
        "validator": tutorials.validator,
    }


@dataclass(frozen=True)
class _Tutorials:
    form: Form
    content: CustomContent
    simulation: CustomSimulation
    example: Example

    @cached_property
    def context(self) -> ItemContext:
        return example_context(self.form, self.example)

    @cached_property
    def answers(self) -> Json:
        return self.content.parse_gold({ANSWERS: self.example.answers}, self.context)

    def generator(self) -> Tutorial:
        steps = [
            TutorialStep(kind.field.label[:60], _field_text(kind), [Goal(f"answers.{kind.key}")])
            for kind in self._answered()
        ]
        return self._tutorial(steps)

    def consolidator(self) -> Tutorial:
        other = self.simulation.generate(self.answers, self.context, Person(_CARELESS), "tutorial")
        steps = [
            TutorialStep(
                Translatable("Decide on “%(field)s”", field=kind.field.label[:40]),
                Translatable(
                    "Choose the better of the annotators' answers. What all of them agree on is already "
                    "chosen. You can also correct it."
                ),
                [Goal(f"answers.{kind.key}")],
            )
            for kind in self._answered()
        ]
        return self._tutorial(steps, (self.answers, self.content.parse_system(other, self.context)))

    def validator(self) -> Tutorial:
        number = min(MAX_FIELD_STEPS, len(self.form.units(self.answers)))
        steps = [
            TutorialStep(
                Translatable("Judge answer %(number)s", number=at + 1),
                Translatable(
                    "Decide if another annotator's answer is right. In this example, all answers are."
                ),
                [Goal(f"verdicts.{at}", value=True)],
            )
            for at in range(number)
        ]
        return self._tutorial(steps, (self.answers,))

    def _tutorial(self, steps: Sequence[TutorialStep], sources: Sequence[Json] = ()) -> Tutorial:
        return Tutorial(
            context=self.context,
            steps=[*steps, *self._last_steps()],
            sources=sources,
            picture=picture_of(self.example),
        )

    def _answered(self) -> Sequence[Kind[Any]]:
        """Return the first fields that the example answers."""
        known = self.answers[ANSWERS]
        return [kind for kind in self.form.kinds if kind.key in known][:MAX_FIELD_STEPS]

    def _last_steps(self) -> Iterator[TutorialStep]:
        if self.example.explanation:
            yield TutorialStep(Translatable("About this example"), _cut(self.example.explanation))
        yield TutorialStep(
            Translatable("Submit when everything is done"),
            Translatable("The page shows what is missing. Ctrl+Z undoes your last change."),
        )


def _field_text(kind: Kind[Any]) -> str:
    help_text = _HELP[kind.field.type]
    if not kind.field.help:
        return help_text
    return joined([help_text, _cut(kind.field.help, MAX_TEXT - len(help_text) - 1)])


def _cut(text: str, max_length: int = MAX_TEXT) -> str:
    text = " ".join(text.split())
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"
