"""Checks of a definition's examples: their texts, their image, and their answers."""

from collections.abc import Iterator
from dataclasses import replace

from schemes.contract.errors import ContentError
from schemes.custom.content import parse_answers
from schemes.custom.definition import Definition, Example
from schemes.custom.form import ANSWERS, Form
from schemes.custom.items import item_of_texts
from schemes.custom.problems import Path, Problem


def parse_examples(definition: Definition) -> tuple[tuple[Example, ...], list[Problem]]:
    """Return the examples with normalised answers, and everything that is wrong with them."""
    form = Form(definition) if definition.examples else None
    examples, problems = [], []
    for at, example in enumerate(definition.examples):
        path = ("examples", at)
        own = list(_texts_and_image(definition, example, path))
        problems += own
        if form is None or own:
            continue
        context = item_of_texts(definition, example.texts, example.image)
        try:
            parsed = parse_answers(form, {ANSWERS: example.answers}, context, is_complete=True)
        except ContentError as error:
            problems.append(Problem((*path, *_steps(error.path)), error.message))
        else:
            examples.append(replace(example, answers=parsed[ANSWERS]))
    return tuple(examples), problems


def _texts_and_image(definition: Definition, example: Example, path: Path) -> Iterator[Problem]:
    keys = [text.key for text in definition.texts]
    if set(example.texts) != set(keys):
        yield Problem((*path, "texts"), f"must have the texts {', '.join(keys)}.")
    if example.image and definition.image == "none":
        yield Problem((*path, "image"), "is not allowed, because items have no image.")
    if not example.image and definition.image == "required":
        yield Problem((*path, "image"), "is missing: items need an image.")


def _steps(path: str) -> Path:
    return tuple(int(step) if step.isdecimal() else step for step in path.split(".") if step)
