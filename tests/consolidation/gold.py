"""Factories for a small finished project with the consolidated example of the paper."""

from annotation.enums import SubmissionState
from annotation.models import Submission
from consolidation.domain.cases.record_work import parse_for_case
from consolidation.models import Case, Gold
from consolidation.protocols.consolidation import write_gold_of
from crowd.models import Worker
from projects.enums import Role
from projects.models import Project
from schemes.registry import get_scheme
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_case_of, make_item, source
from tests.crowd.factories import NOW, make_assignment, make_worker

FIRST = source(
    SURVEY,
    ("Who identified something?", ["the U.S. Geological Survey ( USGS )"]),
    ("What did someone identify?", ["a basin"]),
    ("Why did someone identify something?", ["natural gas"]),
)
SECOND = source(
    SURVEY,
    ("Who identified something?", ["the U.S. Geological Survey"]),
    ("What was identified?", ["a basin"]),
    ("When did someone identify something?", ["1996"]),
)
# Verdicts on the six questions above, in order.
VERDICTS = ("keep", "keep", "invalid", "redundant", "redundant", "keep")
ANSWERS = (["the U.S. Geological Survey", "USGS"], ["a basin"], [], [], [], ["1996"])


def consolidation_of() -> dict:
    """Return the merged content, in which the survey's two names become two answers."""
    questions = []
    for submission, content in enumerate((FIRST, SECOND)):
        for position, question in enumerate(content["questions"]):
            index = submission * 3 + position
            [judged] = source(SURVEY, (question["question"], ANSWERS[index]))["questions"]
            same_as = {3: 0, 4: 1}.get(index)
            origin = {"submission": submission, "question": position}
            questions.append(
                {
                    **question,
                    "answers": judged["answers"],
                    "source": origin,
                    "verdict": VERDICTS[index],
                    "same_as": same_as,
                }
            )
    return {"questions": questions}


def consolidate(case: Case, content: dict, worker: Worker | None = None) -> Gold:
    """Create the case's accepted consolidation and return its gold."""
    worker = worker or make_worker()
    submission = Submission.objects.create(
        item=case.item,
        role=Role.CONSOLIDATOR,
        worker=worker,
        assignment=make_assignment(hit=case.task.hit, worker=worker),
        content=parse_for_case(case, case.task)(case.item, content),
        schema_version=get_scheme("qasrl").content.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )
    return write_gold_of(submission=submission, now=NOW)


def make_gold_item(project: Project | None = None) -> Gold:
    item = make_item(SURVEY, IDENTIFIED, project)
    return consolidate(make_case_of(item, FIRST, SECOND), consolidation_of())


def make_noun_gold(*, is_verbal: bool = True) -> Gold:
    """Create a consolidated item that is marked as a noun. It has questions if it is verbal."""
    item = make_item(SURVEY, IDENTIFIED)
    item.target |= {"kind": "noun", "verb_form": "identify"}
    item.save()
    contents = [FIRST, SECOND, consolidation_of()]
    if not is_verbal:
        contents = [{"questions": []}] * 3
    first, second, merged = ({**content, "is_verbal": is_verbal} for content in contents)
    return consolidate(make_case_of(item, first, second), merged)


def make_gold_project(gold: Gold | None = None) -> Project:
    """Create one consolidated item, in wikinews.dev, or put the gold there."""
    gold = gold or make_gold_item()
    sentence = gold.item.sentence
    sentence.domain, sentence.partition, sentence.external_id = "wikinews", "dev", "Wiki1k:n:1:0:0"
    sentence.save()
    return gold.item.project
