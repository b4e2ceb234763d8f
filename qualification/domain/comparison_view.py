"""Workers' annotations beside the expert's, prepared for display."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from annotation.models import Item, Submission
from consolidation.domain.aligned_rows import Row, Side, _row
from datasets.models import Decision
from projects.domain.create_project import current_guidelines
from projects.enums import Role
from projects.models import Guidelines
from qualification.domain.feedback import AnyFeedback
from qualification.domain.queries import guidelines_read
from qualification.models import Evaluation, Feedback
from schemes.base import Json
from schemes.registry import get_scheme
from web.markdown import headings_of

# The states of rows whose answer may be paired with a missed one
LOOSE = ("extra", "redundant", "other-question")


@dataclass(frozen=True, slots=True)
class Judged:
    """A question in a consolidator's round, with its writer (a letter) and the verdict."""

    writer: str
    question: str
    answers: list[str]
    verdict: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A suggested sentence for the trainer's note, with the related heading of the guidelines."""

    code: str
    text: str
    section: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ItemSideBySide:
    """An item with its rows, suggested remarks and the trainer's note.

    The sentence is split around the target. `loose` has the worker's spans that may be paired with a
    missed answer. `judged` has the questions that a consolidator received.
    """

    number: int
    item: Item
    before: str
    target: str
    after: str
    answered: bool
    rows: list[Row]
    remarks: list[Remark]
    note: str
    loose: list[Side]
    judged: list[Judged] = field(default_factory=list)

    @property
    def sections(self) -> list[Remark]:
        """Return the distinct sections of the guidelines that the note refers to."""
        sections = {
            remark.section: remark
            for remark in self.remarks
            if remark.section and remark.text in self.note
        }
        return list(sections.values())


def guidelines_of(feedback: AnyFeedback) -> Guidelines | None:
    """Return the version that the worker read, or the newest for production work."""
    if isinstance(feedback, Feedback):
        return guidelines_read(enrolment=feedback.evaluation.enrolment)
    return current_guidelines(project_id=feedback.project_id, role=feedback.role)


def comparison_view(
    *,
    feedback: AnyFeedback,
    decisions: Sequence[Decision] = (),
    guidelines: Guidelines | None = None,
) -> list[ItemSideBySide]:
    """Return the items of the feedback, which may be unsaved. Remarks link to `guidelines`."""
    ids = [entry["item"] for entry in feedback.alignment]
    items = Item.objects.select_related("sentence", "project").in_bulk(ids)
    judged = _judged_by_item(feedback.evaluation, items) if isinstance(feedback, Feedback) else {}
    headings = headings_of(guidelines.text) if guidelines else {}
    views = []
    for number, entry in enumerate(feedback.alignment, start=1):
        item = items[entry["item"]]
        own = [decision for decision in decisions if decision.submission_id == entry["submission"]]
        tokens: list[str] = item.sentence.tokens
        target_at = item.target.get("verb_idx", 0)
        rows = [_row(row, tokens, own) for row in entry["rows"]]
        view = ItemSideBySide(
            number=number,
            item=item,
            before=" ".join(tokens[:target_at]),
            target=tokens[target_at],
            after=" ".join(tokens[target_at + 1 :]),
            answered=entry["submission"] is not None,
            rows=rows,
            remarks=[
                _remark(code, text, item, feedback.role, headings)
                for code, text in entry["remarks"]
            ],
            note=feedback.notes.get(str(item.pk), ""),
            loose=[row.predicted for row in rows if row.predicted and row.state in LOOSE],
            judged=judged.get(item.pk, []),
        )
        views.append(view)
    return views


def _judged_by_item(evaluation: Evaluation, items: Mapping[int, Item]) -> dict[int, list[Judged]]:
    """Return the questions that a consolidator received, by item id."""
    round = evaluation.enrolment.round
    if round.role != Role.CONSOLIDATOR:
        return {}
    sources = dict(round.round_items.values_list("item", "given"))
    ids = [entry["submission"] for entry in evaluation.alignment if entry["submission"]]
    contents = dict(Submission.objects.filter(pk__in=ids).values_list("item", "content"))
    return {
        pk: _judged(sources.get(pk, []), contents.get(pk), item.sentence.tokens)
        for pk, item in items.items()
    }


def _judged(
    annotations: Sequence[Json], consolidation: Json | None, tokens: Sequence[str]
) -> list[Judged]:
    questions = consolidation["questions"] if consolidation else []
    verdicts = {
        (question["source"]["submission"], question["source"]["question"]): question
        for question in questions
        if question["source"]
    }
    return [
        Judged(
            writer=ascii_uppercase[writer],
            question=source["question"],
            answers=[" ".join(tokens[start:end]) for start, end in source["answers"]],
            verdict=_verdict(verdicts.get((writer, attempt)), questions),
        )
        for writer, annotation in enumerate(annotations)
        for attempt, source in enumerate(annotation["questions"])
    ]


def _verdict(question: Json | None, questions: Sequence[Json]) -> str:
    if question is None:
        return "not judged"
    if question["verdict"] == "redundant" and question["same_as"] is not None:
        return f"the same as “{questions[question['same_as']]['question']}”"
    return "kept" if question["verdict"] == "keep" else str(question["verdict"])


def _remark(code: str, text: str, item: Item, role: str, headings: Mapping[str, str]) -> Remark:
    section = get_scheme(item.project.scheme).guideline_section(code, role=role)
    title = headings.get(section, "")
    return Remark(code, text, section if title else "", title)
