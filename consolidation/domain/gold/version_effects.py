"""What a version of a scheme's definition means for the annotations of a project."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.enums import LIVE
from annotation.models import Draft, Submission
from consolidation.domain.gold.lost_parts import LostParts, Parts
from consolidation.domain.gold.map_contents import Mapped, Versions, annotations_of, rows_of
from consolidation.models import ExpertDraft, Gold, SystemAnnotation
from projects.models import Project
from schemes.contract.values import Json, Noun

PARTS_NAMED = 10
_COUNTED = Noun("annotation", "annotations")


@dataclass(frozen=True, slots=True)
class VersionEffects:
    """The annotations that stay as they are, and those that are mapped, without or with a loss.

    `lost` has the parts that the version has no place for. `missing` has what annotations lack that it
    requires, so that they need a new round. Current gold, live submissions and annotations by programs
    are counted. `open_pages` are pages of workers and experts with unfinished work.
    """

    unchanged: int
    mapped: int
    lost: LostParts
    missing: LostParts
    open_pages: int

    @property
    def needs_a_decision(self) -> bool:
        """Return True if annotations lose parts or become incomplete."""
        return bool(self.lost.annotations or self.missing.annotations)


def effects_of(*, project: Project, value: Json | None = None) -> VersionEffects:
    """Return the effects of a new version, or of the current one without a value.

    The current version is compared with the versions with which the annotations were made.
    """
    versions = Versions(project, value)
    lost, missing = Parts(), Parts()
    unchanged = mapped = 0
    for annotations in annotations_of(project):
        for rows in rows_of(annotations):
            for change in map(versions.mapped, filter(_counts, rows)):
                is_same = change.result.content == (
                    change.original if value is None else change.row.content
                )
                unchanged, mapped = unchanged + is_same, mapped + (not is_same)
                lost.add(change.row.item.key, change.result.lost)
                missing.add(change.row.item.key, _missing(change))
    return VersionEffects(
        unchanged=unchanged,
        mapped=mapped,
        lost=lost.ranked(),
        missing=missing.ranked(),
        open_pages=_open_pages(project),
    )


def describe_effects(effects: VersionEffects) -> list[str]:
    """Return sentences about the effects, for pages and commands."""
    lines = [f"Unchanged: {_COUNTED.count(effects.unchanged)}."]
    if effects.mapped:
        count = _COUNTED.count(effects.mapped)
        lines.append(f"Mapped to the form of this version: {count}. The originals are kept.")
    if effects.lost.annotations:
        lines.append(
            f"Without a place for all parts: {_COUNTED.count(effects.lost.annotations)}. Lost parts "
            "stay in the originals, and a later version that has a place for them gets them back."
        )
        lines += _named(effects.lost)
    if effects.missing.annotations:
        lines.append(
            f"Incomplete: {_COUNTED.count(effects.missing.annotations)}. Reopen their items to have "
            "them annotated again."
        )
        lines += _named(effects.missing)
    if effects.open_pages:
        lines.append(
            f"Pages with unfinished work: {effects.open_pages:,}. The work counts as its page asks "
            "for it, and is mapped when it is submitted."
        )
    return lines


def _named(parts: LostParts) -> list[str]:
    shown = [
        f"{part.text} {_COUNTED.count(part.annotations)}, for example of {part.items[0]}."
        for part in parts.parts[:PARTS_NAMED]
    ]
    rest = parts.parts_in_all - len(shown)
    return [*shown, *([f"… {rest:,} more."] if rest > 0 else [])]


def _counts(row: Submission | Gold | SystemAnnotation) -> bool:
    """Return True for what is live, and for gold that no second consolidation made."""
    if isinstance(row, Submission):
        return row.state in LIVE
    return not isinstance(row, Gold) or row.case is None or row.case.attempt == 0


def _missing(change: Mapped) -> Iterable[str]:
    return [change.result.missing] if change.result.missing else []


def _open_pages(project: Project) -> int:
    drafts = Draft.objects.filter(task__batch__project=project, submitted_at=None)
    of_experts = ExpertDraft.objects.filter(queued__queue__project=project, submitted_at=None)
    return drafts.count() + of_experts.count()
