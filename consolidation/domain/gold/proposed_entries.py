"""Entries that finished annotations use and a resource lacks, such as words of a lexicon.

Staff accept an entry into a new version of the resource, or reject it. A rejected entry isn't proposed
until it is restored.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.work.look_up import finished_items
from annotation.models import Item, Submission
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from consolidation.domain.gold.current_gold import current_gold
from consolidation.domain.gold.save_version import save_version
from consolidation.enums import GoldSource
from consolidation.models import RejectedEntry
from projects.domain.change_project import CHANGED
from projects.domain.resources import (
    ImportedResource,
    UnknownResourceError,
    current_version,
    declared_resource,
    value_of,
)
from projects.enums import Role
from projects.models import Project
from schemes.contract.resources import ResourceProposals
from schemes.contract.values import Json

EXAMPLES = 3
Entry = tuple[str, ...]
# The entry's fields, the annotator if known, and the item of an annotation.
Use = tuple[Entry, str, int]


class ProposalError(TouchstoneError):
    """The entry isn't proposed, or isn't rejected. Nothing was changed."""


@dataclass(slots=True)
class ProposedEntry:
    """An entry with the annotations that use it.

    `annotators` are workers and experts. Imported gold counts without one. `items` are the ids of up to
    EXAMPLES items, and `examples` these items once they are loaded.
    """

    entry: Entry
    annotations: int = 0
    annotators: set[str] = field(default_factory=set)
    items: list[int] = field(default_factory=list)
    examples: list[Item] = field(default_factory=list)

    @property
    def key(self) -> str:
        return "/".join(self.entry)

    def count(self, annotator: str, item: int) -> None:
        self.annotations += 1
        if annotator:
            self.annotators.add(annotator)
        if item not in self.items and len(self.items) < EXAMPLES:
            self.items.append(item)


def proposed_entries(*, project: Project, name: str) -> list[ProposedEntry]:
    """Return the entries that the current version lacks and nobody rejected, the most used first.

    The annotations are those that suggestions count: accepted generations and experts' gold of items
    that are consolidated and that no open HIT offers. Raise UnknownResourceError.
    """
    proposals = proposals_of(project, name)
    current = current_version(project=project, name=name)
    if current is None:
        return []
    rejected = {row.key for row in rejected_entries(project=project, name=name)}
    entries = _missing_entries(project, proposals, value_of(current))
    listed = [entry for entry in entries if entry.key not in rejected]
    return sorted(listed, key=lambda entry: (-entry.annotations, entry.entry))


def load_examples(entries: list[ProposedEntry]) -> list[ProposedEntry]:
    """Load the items of the entries' examples with their sentences."""
    rows = Item.objects.select_related("sentence")
    items = rows.in_bulk([pk for entry in entries for pk in entry.items])
    for entry in entries:
        entry.examples = [items[pk] for pk in entry.items if pk in items]
    return entries


def proposals_of(project: Project, name: str) -> ResourceProposals:
    """Return how annotations add to the resource. Raise UnknownResourceError."""
    proposals = declared_resource(project, name).proposals
    if proposals is None:
        raise UnknownResourceError(f"Annotations propose no entries for {name!r}.")
    return proposals


def rejected_entries(*, project: Project, name: str) -> QuerySet[RejectedEntry]:
    return RejectedEntry.objects.filter(project=project, resource=name)


@transaction.atomic
def accept_entries(
    *, project: Project, name: str, keys: Collection[str], actor: str, now: datetime
) -> ImportedResource:
    """Add proposed entries to the resource in a new version, which is logged with the entries.

    Raise ProposalError, ResourceChangedError, or ContentError if the resource would become too large.
    """
    current = current_version(project=project, name=name)
    chosen = _chosen(project, name, keys)
    if current is None:
        raise ProposalError("The resource has no version yet.")
    added = {entry.entry: entry.annotations for entry in chosen}
    return save_version(
        project=project,
        name=name,
        value=proposals_of(project, name).add(value_of(current), added),
        actor=actor,
        now=now,
        changed_version=current.version,
        origin=f"added from annotations: {', '.join(entry.key for entry in chosen)}",
    )


@transaction.atomic
def reject_entries(
    *, project: Project, name: str, keys: Collection[str], actor: str, now: datetime
) -> None:
    """Reject proposed entries. Raise ProposalError."""
    rows = [
        RejectedEntry(
            project=project, resource=name, key=entry.key, rejected_by=actor, rejected_at=now
        )
        for entry in _chosen(project, name, keys)
    ]
    RejectedEntry.objects.bulk_create(rows, ignore_conflicts=True)
    change = f"rejected {', '.join(row.key for row in rows)}"
    _log(project, name, change, actor=actor, now=now)


@transaction.atomic
def restore_entries(
    *, project: Project, name: str, keys: Collection[str], actor: str, now: datetime
) -> None:
    """Undo the rejection of entries. Raise ProposalError."""
    _require_some(keys)
    rows = rejected_entries(project=project, name=name).filter(key__in=keys)
    found = list(rows.order_by("key").values_list("key", flat=True))
    if missing := sorted({*keys} - {*found}):
        raise ProposalError(f"{', '.join(missing)} isn't rejected.")
    rows.delete()
    _log(project, name, f"restored {', '.join(found)}", actor=actor, now=now)


def _missing_entries(
    project: Project, proposals: ResourceProposals, value: Json
) -> list[ProposedEntry]:
    used: defaultdict[Entry, list[tuple[str, int]]] = defaultdict(list)
    for fields, annotator, item in _uses(project, proposals.fields):
        used[fields].append((annotator, item))
    entries: dict[Entry, ProposedEntry] = {}
    for fields, entry in proposals.missing(value, used).items():
        proposed = entries.setdefault(entry, ProposedEntry(entry))
        for annotator, item in used[fields]:
            proposed.count(annotator, item)
    return list(entries.values())


def _uses(project: Project, fields: Collection[str]) -> Iterator[Use]:
    """Yield what each finished annotation uses, if it has all the fields, in the order of the items."""
    items = finished_items(project=project).values("pk")
    accepted = Submission.objects.accepted().filter(role=Role.GENERATOR, item__in=items)
    gold = current_gold(project, GoldSource.EXPERT).filter(item__in=items)
    columns = [f"content__{name}" for name in fields]
    for prefix, rows, writer in (
        ("worker", accepted.order_by("item__position", "pk"), "worker"),
        ("expert", gold.order_by("item__position", "pk"), "submission__author"),
    ):
        for pk, item, *texts in rows.values_list(writer, "item", *columns).iterator():
            if all(isinstance(text, str) and text for text in texts):
                yield tuple(texts), f"{prefix} {pk}" if pk else "", item


def _chosen(project: Project, name: str, keys: Collection[str]) -> list[ProposedEntry]:
    """Return the proposed entries with these keys. Raise ProposalError."""
    _require_some(keys)
    proposed = {entry.key: entry for entry in proposed_entries(project=project, name=name)}
    if missing := sorted({*keys} - proposed.keys()):
        raise ProposalError(f"{', '.join(missing)} isn't proposed. Reload the list.")
    return [proposed[key] for key in dict.fromkeys(keys)]


def _require_some(keys: Collection[str]) -> None:
    if not keys:
        raise ProposalError("Select at least one entry.")


def _log(project: Project, name: str, change: str, *, actor: str, now: datetime) -> None:
    reason = f"{declared_resource(project, name).label.lower()}: {change}"
    log_state_change(instance=project, old="", new=CHANGED, actor=actor, now=now, reason=reason)
