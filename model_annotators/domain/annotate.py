"""Ask a model for the annotation of an item, and keep whatever it answers."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Manager, Max, QuerySet, Sum
from django.db.models.functions import Coalesce

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.corpus.storable import load_storable, storable
from annotation.models import Item
from audit.errors import TouchstoneError
from model_annotators.domain.endpoint import Completion, complete, request_body
from model_annotators.domain.prompts import Prompts, correction
from model_annotators.models import ModelAnnotator, ModelAnswer
from projects.domain.schemes import scheme_of
from schemes.contract.errors import ContentError
from schemes.contract.values import Json

ATTEMPTS = 3
MILLION = Decimal(1_000_000)
NAME = "annotation"  # of the schema in requests


class CapReachedError(TouchstoneError):
    """The model's answers have cost as much as its cap allows."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request about an item. `digest` is the SHA-256 of its body in hexadecimal digits."""

    annotator: ModelAnnotator
    item: Item
    messages: Sequence[Json]
    schema: Json
    digest: str


def annotate(
    *, annotator: ModelAnnotator, item: Item, prompts: Prompts, clock: Callable[[], datetime]
) -> ModelAnswer:
    """Return the model's newest answer about the item, asking up to ATTEMPTS times for one that fits.

    A request that was answered before is not sent again. The answer has no content if the scheme
    refused all attempts. Raise EndpointError, UnreadableTextError and CapReachedError.
    """
    item.project = annotator.project  # one instance, which caches its resources
    messages = prompts.about(item)
    body = request_body(annotator, messages, name=NAME, schema=prompts.schema)
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    question = Question(annotator, item, messages, prompts.schema, digest)
    answers = list(annotator.answers.filter(item=item, digest=digest).order_by("attempt"))
    while not answers or (answers[-1].content is None and len(answers) < ATTEMPTS):
        answers.append(_ask(question, answers, clock))
    return answers[-1]


def with_costs(annotators: "Manager[ModelAnnotator]") -> QuerySet[ModelAnnotator]:
    """Return models with `spent_cents`, what all answers of each have cost."""
    spent = Coalesce(Sum("answers__cost_cents"), Decimal(0))
    return annotators.annotate(spent_cents=spent).order_by("state", "name")


def spent_cents(annotator: ModelAnnotator) -> Decimal:
    """Return what all answers of the model have cost, in cents with fractions."""
    total = annotator.answers.aggregate(total=Sum("cost_cents"))["total"]
    return total or Decimal(0)


def _ask(
    question: Question, refused: Sequence[ModelAnswer], clock: Callable[[], datetime]
) -> ModelAnswer:
    """Send the request, with what was wrong with refused answers, and store the new answer."""
    annotator = question.annotator
    costs = annotator.input_price_cents or annotator.output_price_cents
    if costs and spent_cents(annotator) >= annotator.cap_cents:
        raise CapReachedError(
            f"The answers of {annotator.name} have cost its cap of "
            f"${annotator.cap_cents / 100:,.2f}. Raise the cap to continue."
        )
    _await_turn(annotator, clock())
    messages = [*question.messages]
    for answer in refused:
        messages += correction(answer.raw, answer.problem)
    began = time.monotonic()
    completion = complete(annotator, messages, name=NAME, schema=question.schema)
    content, problem = parse_answer(completion.text, question.item)
    return ModelAnswer.objects.create(
        annotator=annotator,
        item=question.item,
        digest=question.digest,
        attempt=len(refused) + 1,
        raw=storable(completion.text),
        content=content,
        schema_version=scheme_of(annotator.project).content.schema_version,
        problem=storable(problem),
        input_tokens=completion.input_tokens,
        output_tokens=completion.output_tokens,
        cost_cents=cost_of(annotator, completion),
        seconds=time.monotonic() - began,
        answered_at=clock(),
    )


def _await_turn(annotator: ModelAnnotator, now: datetime) -> None:
    """Wait until the model's limit of requests per minute allows another one."""
    if not annotator.requests_per_minute:
        return
    last = annotator.answers.aggregate(last=Max("answered_at"))["last"]
    if last is not None:
        wait = 60 / annotator.requests_per_minute - (now - last).total_seconds()
        time.sleep(max(0.0, wait))


def parse_answer(text: str, item: Item) -> tuple[Json | None, str]:
    """Return the annotation in the text, or None with what is wrong with it.

    The scheme's parser decides, as it does about a generator's work. A fence of Markdown around the
    object is ignored.
    """
    try:
        return parse_generation(item, load_storable(_without_fence(text))), ""
    except ContentError as error:
        return None, str(error)
    except (ValueError, RecursionError):
        return None, "It is not a JSON object."


def cost_of(annotator: ModelAnnotator, completion: Completion) -> Decimal:
    """Return the price of an answer in cents with fractions."""
    return (
        completion.input_tokens * annotator.input_price_cents
        + completion.output_tokens * annotator.output_price_cents
    ) / MILLION


def _without_fence(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        stripped = stripped.removesuffix("```").partition("\n")[2]
    return stripped
