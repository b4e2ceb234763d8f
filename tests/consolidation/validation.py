"""Factories for a project under validation and the work of its validators."""

import json
from collections.abc import Sequence

from annotation.models import Item
from consolidation.domain.case_records import case_of_task
from consolidation.domain.cases.open_cases import open_case, publish_case
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.models import Case
from consolidation.protocols.validation import VALIDATION
from crowd.models import Assignment, Worker
from projects.domain.choose_protocol import choose_protocol
from projects.enums import Protocol
from projects.models import Project
from schemes.contract.values import Json
from tests.consolidation.factories import (
    CONTAIN,
    SURVEY,
    make_generation,
    make_item,
    make_project,
    source,
    span_of,
)
from tests.crowd.factories import NOW, make_assignment

MIGHT, WHAT, WHERE = (
    "What might contain something?",
    "What might something contain?",
    "Where might something contain something?",
)
GENERATION = source(SURVEY, (MIGHT, ["that basin"]), (WHAT, ["natural gas"]), (WHERE, ["In 1996"]))


def clock():
    return NOW


def make_validation_project(*, validators: int = 2, agree: int = 2) -> Project:
    return choose_protocol(
        project=make_project(),
        protocol=Protocol.VALIDATION,
        validators=validators,
        agree=agree,
        actor="test",
        now=NOW,
    )


def make_validation_case(
    generation: Json = GENERATION,
    *,
    project: Project | None = None,
    tokens: Sequence[str] = SURVEY,
    verb_idx: int = CONTAIN,
    item: Item | None = None,
) -> Case:
    """Create an offered case of one generation."""
    item = item or make_item(tokens, verb_idx, project or make_validation_project())
    make_generation(item, generation)
    assert open_case(item=item, now=NOW)
    case = Case.objects.get(item=item)
    assert publish_case(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    assert case.task
    return case_of_task(case.task)


def verdict(*answers: str, same_as: int | None = None, valid: bool = True) -> Json:
    """Return a valid verdict with these answers, an invalid one, or a redundant one.

    A verdict with `same_as` repeats another question.
    """
    name = "redundant" if same_as is not None else "valid" if valid else "invalid"
    spans = [span_of(SURVEY, words) for words in answers]
    return {"verdict": name, "answers": spans, "same_as": same_as}


INVALID = verdict(valid=False)
GOOD = (verdict("that basin"), verdict("natural gas"), INVALID)


def validate(case: Case, *verdicts: Json, worker: Worker | None = None) -> Assignment:
    """Submit a validation at the marketplace, without recording it."""
    assert case.task
    assignment = make_assignment(case.task.hit, worker)
    content = {str(case.item_id): {"questions": list(verdicts)}}
    assignment.answer = {"content": json.dumps(content)}
    assignment.save()
    return assignment


def sweep() -> tuple[int, int]:
    """Run both sweeps. Return the numbers of recorded submissions and of written gold."""
    return record_new_case_work(clock=clock), VALIDATION.write_due_gold(clock=clock)


def make_validated_project() -> Project:
    """Create one validated item, in wikinews.dev.

    Both validators found two questions valid, and one validator found a third valid.
    """
    case = make_validation_case()
    validate(case, *GOOD[:2], verdict("In 1996"))
    validate(case, verdict("that basin", "USGS"), verdict("gas"), INVALID)
    assert sweep() == (2, 1)
    sentence = case.item.sentence
    sentence.domain, sentence.partition, sentence.external_id = "wikinews", "dev", "Wiki1k:n:1:0:0"
    sentence.save()
    return case.item.project
