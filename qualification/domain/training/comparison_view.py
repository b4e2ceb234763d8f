"""Workers' annotations beside the expert's, prepared for display."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from annotation.domain.corpus.item_context import context_of, marked_words
from annotation.models import Item, Submission
from datasets.models import Decision
from projects.domain.create_project import current_guidelines
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Guidelines
from qualification.domain.rounds.queries import guidelines_read
from qualification.domain.training.feedback import AnyFeedback
from qualification.models import Evaluation, Feedback
from schemes.contract.comparison import DecisionKind
from schemes.contract.judging import JudgedUnit
from schemes.contract.values import Json
from web.markdown import headings_of

# The states of rows without a difference
RIGHT = ("found", "approved", "redundant")
# The states of rows whose prediction may be paired with a missed one
PAIRABLE = ("extra", "redundant", "label-differs")


@dataclass(frozen=True, slots=True)
class Judged:
    """A unit in a consolidator's round, with its writer (a letter) and the outcome."""

    writer: str
    label: str
    values: Sequence[str]
    outcome: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A suggested sentence for the trainer's note, with the related heading of the guidelines."""

    code: str
    text: str
    section: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class DecisionButton:
    """A button for a decision on a row. `options` are sides to choose the prediction from."""

    value: str
    action: str
    options: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """A decision that was made on a row."""

    pk: int
    label: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    """An aligned row with the decisions on it, and the buttons for others.

    `aligned` has the fields of `schemes.contract.comparison.AlignedRow`.
    """

    aligned: Json
    recorded: Sequence[RecordedDecision]
    buttons: Sequence[DecisionButton]

    @property
    def differs(self) -> bool:
        """Return True if the row has a difference without a decision."""
        return self.aligned["state"] not in RIGHT and not self.recorded


@dataclass(frozen=True, slots=True)
class ItemSideBySide:
    """An item with its rows, suggested remarks and the trainer's note.

    `judged` has the units that a consolidator received.
    """

    number: int
    item: Item
    title: str
    answered: bool
    rows: list[ShownRow]
    remarks: list[Remark]
    note: str
    judged: list[Judged] = field(default_factory=list)

    @property
    def differences(self) -> int:
        """Count the rows that have a difference without a decision."""
        return sum(row.differs for row in self.rows)

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
    corrected: Mapping[int, Sequence[Json]] | None = None,
) -> list[ItemSideBySide]:
    """Return the items of the feedback, which may be unsaved. Remarks link to `guidelines`.

    `corrected` has rows to show instead of the automatic ones, by item id.
    """
    ids = [entry["item"] for entry in feedback.alignment]
    items = Item.objects.select_related("sentence__image").in_bulk(ids)
    for item in items.values():
        item.project = feedback.project  # one instance, which caches its resources
    judged = _judged_by_item(feedback.evaluation, items) if isinstance(feedback, Feedback) else {}
    headings = headings_of(guidelines.text) if guidelines else {}
    views = []
    for number, entry in enumerate(feedback.alignment, start=1):
        item = items[entry["item"]]
        own = [decision for decision in decisions if decision.submission_id == entry["submission"]]
        view = ItemSideBySide(
            number=number,
            item=item,
            title=_title(item),
            answered=entry["submission"] is not None,
            rows=_shown_rows(item, (corrected or {}).get(item.pk, entry["rows"]), own),
            remarks=[
                _remark(code, text, item, feedback.role, headings)
                for code, text in entry["remarks"]
            ],
            note=feedback.notes.get(str(item.pk), ""),
            judged=judged.get(item.pk, []),
        )
        views.append(view)
    return views


def _title(item: Item) -> str:
    """Return the marked words of the target, or the item's headline if none are marked."""
    scheme = scheme_of(item.project)
    return marked_words(item, scheme) or scheme.corpus.headline(context_of(item))


def _shown_rows(item: Item, rows: Sequence[Json], decisions: Sequence[Decision]) -> list[ShownRow]:
    kinds = {kind.key: kind for kind in scheme_of(item.project).comparison.decisions}
    pairable = [row["predicted"] for row in rows if _is_pairable(row, kinds)]
    shown = []
    for row in rows:
        buttons = [_button(item, kinds[key], row, pairable) for key in row["decisions"]]
        recorded = [
            RecordedDecision(
                decision.pk,
                kinds[decision.kind].label if decision.kind in kinds else decision.kind,
                str(decision.decided_by),
            )
            for decision in decisions
            if _concerns(decision, row)
        ]
        shown.append(ShownRow(row, recorded, [button for button in buttons if button]))
    return shown


def _is_pairable(row: Json, kinds: Mapping[str, DecisionKind]) -> bool:
    """Return True if the row's predicted side can be paired with another row's reference side.

    Of a matched row, this requires that the row has decisions about pairs.
    """
    if row["state"] not in PAIRABLE or not row["predicted"]:
        return False
    pairs = {kind.about for kind in kinds.values() if kind.pairs}
    return row["reference"] is None or any(kinds[key].about in pairs for key in row["decisions"])


def _concerns(decision: Decision, row: Json) -> bool:
    """Return True if the row shows the decision.

    A decision is shown at its reference side, or at the worker's side if it has no reference.
    """
    if row["reference"]:
        return bool(decision.reference_key == row["reference"]["key"])
    return not decision.reference_key and decision.predicted_key == row["predicted"]["key"]


def _button(
    item: Item, kind: DecisionKind, row: Json, pairable: Sequence[Json]
) -> DecisionButton | None:
    """Return the button for a decision, or None if the row has nothing to pair."""
    reference, predicted = row["reference"], row["predicted"]
    options: list[Json] = []
    if kind.pairs:
        if reference is None:
            return None
        group = reference.get("group")
        if not predicted:
            options = [side for side in pairable if side.get("group") == group]
        if not (predicted or options):
            return None
    sides = [reference and reference["key"], predicted and predicted["key"]]
    value = json.dumps([item.pk, kind.key, *sides], ensure_ascii=False)
    return DecisionButton(value, kind.action, options)


def _judged_by_item(evaluation: Evaluation, items: Mapping[int, Item]) -> dict[int, list[Judged]]:
    """Return the units that a consolidator received, by item id."""
    round = evaluation.enrolment.round
    if round.role != Role.CONSOLIDATOR:
        return {}
    sources = dict(round.round_items.values_list("item", "given"))
    ids = [entry["submission"] for entry in evaluation.alignment if entry["submission"]]
    contents = dict(Submission.objects.filter(pk__in=ids).values_list("item", "content"))
    return {
        pk: [
            Judged(ascii_uppercase[unit.source], unit.label, unit.values, _outcome(unit))
            for unit in scheme_of(item.project)
            .get_merging()
            .judged(contents.get(pk), sources.get(pk, []), context_of(item))
        ]
        for pk, item in items.items()
    }


def _outcome(unit: JudgedUnit) -> str:
    if unit.state == "redundant" and unit.into:
        return f"the same as “{unit.into}”"
    if unit.into:
        return f"{unit.state} into “{unit.into}”"
    return unit.state or "not judged"


def _remark(code: str, text: str, item: Item, role: str, headings: Mapping[str, str]) -> Remark:
    section = scheme_of(item.project).comparison.section(code, role)
    title = headings.get(section, "")
    return Remark(code, text, section if title else "", title)
