"""Freeze gold as the items of a new release."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from tempfile import TemporaryFile
from typing import IO, Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.domain.corpus.import_corpus import batched
from annotation.models import Item, Sentence
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from audit.models import StateChange
from consolidation.domain.cases.own_gold import own_gold
from consolidation.enums import GoldSource
from consolidation.models import Gold
from consolidation.protocols import protocol_of
from datasets.domain.exports.export_gold import (
    Counts,
    ExportOptions,
    counts_of_row,
    gold_facts,
    manifest_of,
)
from datasets.domain.exports.export_rows import ExportFields, numbered_gold_rows, with_gold
from datasets.domain.exports.partitions import check_frozen
from jobs.models import Job
from projects.domain.schemes import scheme_of
from projects.models import Project
from releases.domain.details import ReleaseDetails, ReleaseDetailsError, parse_version
from releases.domain.facts import facts_of, previous_release, size_facts
from releases.domain.rows import digest_of_row, row_json
from releases.models import Release, ReleasedItem

BATCH = 500
RELEASED = "released"


class NothingToReleaseError(TouchstoneError):
    """The chosen partitions have no gold."""


def check_details(project: Project, details: ReleaseDetails) -> None:
    """Raise ReleaseDetailsError for a version that does not follow the newest one, or no licence."""
    version, newest = parse_version(details.version), previous_release(project)
    if newest and version <= (newest.major, newest.minor):
        raise ReleaseDetailsError(
            f"{details.version} must be higher than {newest.version}, the newest release."
        )
    if not details.licence:
        raise ReleaseDetailsError("Choose the licence of the annotations.")
    if not details.authors:
        raise ReleaseDetailsError("Enter at least one author.")


def freeze_release(
    *,
    project: Project,
    details: ReleaseDetails,
    actor: str,
    now: datetime,
    job: Job | None = None,
) -> Release:
    """Store the newest gold of the chosen partitions as a release, whose files are written later.

    All is read first and stored in one transaction. Raise ReleaseDetailsError, NothingToReleaseError, and
    PartitionError if frozen partitions have changed.
    """
    check_details(project, details)
    partitioning = check_frozen(project=project)
    source = details.source or protocol_of(project).gold_source
    details = replace(details, source=source)
    gold = own_gold(project, source)
    # Gold that is added meanwhile belongs to the next release.
    gold = gold.filter(pk__lte=Gold.objects.aggregate(last=Max("pk"))["last"] or 0)
    sentences = Sentence.objects.filter(project=project)
    if details.partitions:
        sentences = sentences.filter(partition__in=details.partitions)
    with TemporaryFile(dir=settings.VAR_DIR) as file:
        by_partition = _write_rows(project, gold, sentences, source, file)
        counts = Counts()
        for each in by_partition.values():
            counts.update(each)
        options = ExportOptions(fmt="release", source=source, licence=details.licence)
        manifest = manifest_of(project, options, partitioning, {}, counts) | gold_facts(
            gold.filter(item__sentence__in=sentences)
        )
        manifest["counts"] = size_facts(counts)
        facts = json.loads(json.dumps(facts_of(project, manifest, gold), default=str))
        facts["withdrawn"] = _withdrawn(project)
        facts["partitions"] = {name: size_facts(each) for name, each in by_partition.items()}
        major, minor = parse_version(details.version)
        with transaction.atomic():
            release = Release.objects.create(
                project=project,
                version=details.version,
                major=major,
                minor=minor,
                source=source,
                details=details.as_json(),
                facts=facts,
                job=job,
                released_by=actor,
                frozen_at=now,
            )
            file.seek(0)
            for batch in batched(_items(file, release), BATCH):
                ReleasedItem.objects.bulk_create(batch)
            log_state_change(instance=release, old="", new=RELEASED, actor=actor, now=now)
    return release


def _write_rows(
    project: Project,
    gold: QuerySet[Gold],
    sentences: QuerySet[Sentence],
    source: str,
    file: IO[bytes],
) -> dict[str, Counts]:
    """Write a line per item in the order of the release. Return the counts by partition."""
    by_partition: dict[str, Counts] = {}
    scheme = scheme_of(project)
    fields = ExportFields(
        judgments=True,
        source_workers=True,
        metadata=True,
        validated=source == GoldSource.VALIDATED,
    )
    chosen = with_gold(sentences, gold)
    groups = sorted(set(chosen.order_by().values_list("domain", "partition").distinct()))
    for domain, partition in groups:
        group = sentences.filter(domain=domain, partition=partition)
        last, counts = None, by_partition.setdefault(partition, Counts())
        rows = numbered_gold_rows(gold=gold, sentences=group, options=fields)
        for batch in batched(rows, BATCH):
            places = _places([pk for pk, _ in batch])
            for pk, row in batch:
                counts.update(counts_of_row(row, scheme))
                counts["sentences"] += row.external_id != last
                last = row.external_id
                place = places[pk]
                stored = row_json(row, image_digest=place.image_digest)
                line = {
                    "key": place.key,
                    "domain": domain,
                    "partition": partition,
                    "gold": pk,
                    "row": {**stored, "position": place.position},
                    "digest": digest_of_row(stored),
                }
                file.write(orjson.dumps(line) + b"\n")
    if not by_partition:
        raise NothingToReleaseError(
            f"{project.slug} has no {source} gold in the chosen partitions. Nothing was released."
        )
    return by_partition


@dataclass(frozen=True, slots=True)
class _Place:
    """The key of an item, and the position and image of its sentence."""

    key: str
    position: int
    image_digest: str


def _places(gold: list[int]) -> dict[int, _Place]:
    rows = Gold.objects.filter(pk__in=gold).values_list(
        "pk", "item__key", "item__sentence__position", "item__sentence__image__digest"
    )
    return {pk: _Place(key, position, digest or "") for pk, key, position, digest in rows}


def _items(file: Iterable[bytes], release: Release) -> Iterator[ReleasedItem]:
    for position, text in enumerate(file):
        line: dict[str, Any] = orjson.loads(text)
        yield ReleasedItem(release=release, position=position, gold_id=line.pop("gold"), **line)


def _withdrawn(project: Project) -> list[dict[str, str]]:
    """Return the withdrawn items with the day and the reason of their newest withdrawal."""
    items = dict(
        Item.objects.filter(project=project, withdrawn_at__isnull=False).values_list("pk", "key")
    )
    changes = StateChange.objects.filter(aggregate="annotation.Item", new="withdrawn").order_by(
        "pk"
    )
    newest: dict[int, dict[str, str]] = {}
    for batch in batched(items, BATCH):
        for change in changes.filter(object_id__in=batch):
            newest[change.object_id] = {
                "key": items[change.object_id],
                "day": f"{change.at:%Y-%m-%d}",
                "reason": change.reason,
            }
    return sorted(newest.values(), key=lambda row: row["key"])
