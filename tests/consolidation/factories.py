"""Factories for cases and the projects, items, submissions and HITs that they need."""

from collections.abc import Sequence
from itertools import count

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.enums import SubmissionState
from annotation.models import Item, Sentence, Submission
from consolidation.domain.cases.open_cases import open_case, publish_case
from consolidation.domain.experts.monitor import correct_review
from consolidation.models import Case
from crowd.models import Worker
from projects.domain.create_project import create_project
from projects.enums import BonusTiming, Role
from projects.models import Project
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.crowd.factories import NOW, make_assignment, make_worker

_numbers = count(1)

# The example of Roit et al. 2020 (consolidation table), as one sentence.
SENTENCE = (
    "In 1996 , the U.S. Geological Survey ( USGS ) identified a basin and said "
    "that that basin might contain natural gas ."
)
SURVEY = SENTENCE.split()
LONG_NAME, SHORT_NAME = "the U.S. Geological Survey ( USGS )", "the U.S. Geological Survey"
IDENTIFIED, CONTAIN = SURVEY.index("identified"), SURVEY.index("contain")


def span_of(tokens: Sequence[str], words: str) -> list[int]:
    """Return the token span of the first occurrence of the words in the sentence."""
    searched = words.split()
    for start in range(len(tokens)):
        if list(tokens[start : start + len(searched)]) == searched:
            return [start, start + len(searched)]
    raise ValueError(f"{words!r} is not in the sentence")


def source(
    tokens: Sequence[str], *questions: tuple[str, Sequence[str]], no_question: str = ""
) -> Json:
    """Return an annotator's content. Each question comes with the words of its answers."""
    return {
        "questions": [
            {"question": question, "answers": [span_of(tokens, words) for words in answers]}
            for question, answers in questions
        ],
        "no_question": no_question,
    }


def make_project(*, bonus_timing: str = BonusTiming.AT_ONCE, **options: object) -> Project:
    return create_project(
        slug=f"survey-{next(_numbers)}",
        scheme="qasrl",
        pay_scheme="qasrl-2020",
        bonus_timing=bonus_timing,
        now=NOW,
        **options,
    )


def make_item(tokens: Sequence[str], verb_idx: int, project: Project | None = None) -> Item:
    project = project or make_project()
    number = next(_numbers)
    record = get_scheme(project.scheme).corpus.complete_item(
        ItemRecord(f"s{number}", str(verb_idx), {"verb_idx": verb_idx}), ItemContext(tokens)
    )
    sentence = Sentence.objects.create(
        project=project, external_id=f"s{number}", tokens=list(tokens)
    )
    return Item.objects.create(
        project=project,
        sentence=sentence,
        key=f"s{number}:{verb_idx}",
        target=record.target,
        position=number,
    )


def make_generation(item: Item, content: Json, worker: Worker | None = None) -> Submission:
    """Create an accepted annotation of the item, stored as its scheme stores it."""
    worker = worker or make_worker()
    parts = get_scheme(item.project.scheme).content
    return Submission.objects.create(
        item=item,
        role=Role.GENERATOR,
        worker=worker,
        assignment=make_assignment(worker=worker),
        content=parse_generation(item, content),
        schema_version=parts.schema_version,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )


def make_case(tokens: Sequence[str], verb_idx: int, *sources: Json) -> Case:
    """Create an offered case with these sources, shown in this order."""
    return make_case_of(make_item(tokens, verb_idx), *sources)


def make_case_of(item: Item, *sources: Json) -> Case:
    submissions = [make_generation(item, content) for content in sources]
    assert open_case(item=item, now=NOW)
    case = Case.objects.get(item=item)
    _put_in_order(case, submissions)
    assert publish_case(case_id=case.pk, now=NOW)
    return Case.objects.select_related("item__sentence", "item__project", "task").get(pk=case.pk)


def _put_in_order(case: Case, submissions: Sequence[Submission]) -> None:
    """Replace the shuffled order, so that a test decides which source is A."""
    rows = {row.submission_id: row for row in case.sources.all()}
    # The positions are unique, so they are moved out of range first.
    for offset in (len(rows), 0):
        for position, submission in enumerate(submissions):
            row = rows[submission.pk]
            row.position = offset + position
            row.save(update_fields=["position"])


def correct(*, review, expert, content, comment="", now=NOW):
    """Correct the reviewed gold to `content`, as the expert's page does."""
    item = review.gold.item
    merging = get_scheme(item.project.scheme).get_merging()
    source = merging.as_source(review.gold.content)
    corrections = {question["question"]: question["answers"] for question in content["questions"]}
    questions = merging.keep_all(source)["questions"]
    for question in questions:
        answers = corrections.pop(question["question"], None)
        question.update({"verdict": "invalid"} if answers is None else {"answers": answers})
    new = {"source": None, "verdict": "keep", "same_as": None}
    questions += [
        {"question": question, "answers": answers, **new}
        for question, answers in corrections.items()
    ]
    consolidation = merging.parse({"questions": questions}, context_of(item), [source])
    return correct_review(
        review=review, expert=expert, consolidation=consolidation, comment=comment, now=now
    )
