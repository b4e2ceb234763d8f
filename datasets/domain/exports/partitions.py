"""Draw, check and freeze the partitions train, dev and test.

Whole units are drawn: a sentence or a document, with every unit that repeats one of its sentences.
No sentence is therefore in two partitions under two ids.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.domain.corpus.import_corpus import batched
from annotation.enums import Partition
from annotation.models import Sentence
from audit.errors import TouchstoneError
from consolidation.enums import PartitionUnit
from datasets.models import Partitioning
from projects.models import Project

CHUNK = 2000


class PartitionError(TouchstoneError):
    """The partitions can't be drawn or frozen. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The settings of a draw.

    `shares` maps partitions to whole percentages that add up to 100. A sentence's document or image is
    the part of its id that the group of `document_pattern` matches, or without a pattern its `group`.
    """

    shares: Mapping[str, int]
    seed: int
    unit: str = PartitionUnit.SENTENCE
    document_pattern: str = ""
    redraw: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """The data of a sentence that a draw needs."""

    pk: int
    external_id: str
    domain: str
    words: str
    unit: str


def draw_partitions(*, project: Project, draw: Draw, now: datetime) -> Counter[tuple[str, str]]:
    """Assign a partition to every sentence. Return sentence counts by (domain, partition).

    Each domain is divided by the shares as closely as whole units allow. The same sentences and
    seed give the same partitions, regardless of the import order. Raise PartitionError.
    """
    if unknown := set(draw.shares) - set(Partition.values):
        known = ", ".join(Partition.values)
        raise PartitionError(f"{min(unknown)!r} is not a partition. Choose from: {known}.")
    if any(share <= 0 for share in draw.shares.values()) or sum(draw.shares.values()) != 100:
        raise PartitionError("The shares must be whole percentages above 0 that add up to 100.")
    with transaction.atomic():
        Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
        _check_may_draw(project, draw)
        chosen = _divide(_lines(project, draw), draw)
        for partition, pks in chosen.items():
            for chunk in batched(pks, CHUNK):
                Sentence.objects.filter(pk__in=chunk).update(partition=partition)
        Partitioning.objects.update_or_create(
            project=project,
            defaults={
                "unit": draw.unit,
                "seed": draw.seed,
                "shares": dict(draw.shares),
                "drawn_at": now,
            },
        )
    return sizes_of(project=project)


def sizes_of(*, project: Project) -> Counter[tuple[str, str]]:
    """Return the number of sentences by (domain, partition)."""
    rows = Sentence.objects.filter(project=project).values_list("domain", "partition")
    return Counter(rows.iterator(chunk_size=CHUNK))


def check_partitions(*, project: Project) -> None:
    """Raise PartitionError if the same tokens are in two partitions."""
    seen: dict[bytes, tuple[str, str]] = {}
    rows = Sentence.objects.filter(project=project).exclude(partition="").order_by("pk")
    stream = rows.values_list("external_id", "tokens", "partition")
    for external_id, tokens, partition in stream.iterator(chunk_size=CHUNK):
        key = hashlib.blake2b(" ".join(tokens).encode(), digest_size=16).digest()
        first, before = seen.setdefault(key, (external_id, partition))
        if before != partition:
            raise PartitionError(
                f"{first} ({before}) and {external_id} ({partition}) are the same sentence in two "
                "partitions. Draw them with `partition --redraw`, or remove a sentence."
            )


def freeze_partitions(*, project: Project, now: datetime) -> Partitioning:
    """Freeze the partitions, because published partitions must not change.

    Freezing them again changes nothing. Raise PartitionError.
    """
    with transaction.atomic():
        Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
        partitioning, _ = Partitioning.objects.get_or_create(
            project=project, defaults={"unit": PartitionUnit.GIVEN}
        )
        if partitioning.frozen_at:
            check_frozen(project=project)
            return partitioning
        if not Sentence.objects.filter(project=project).exclude(partition="").exists():
            raise PartitionError(
                f"No sentence of {project.slug} is in a partition. Draw partitions first."
            )
        check_partitions(project=project)
        partitioning.frozen_at, partitioning.digest = now, digest_of(project=project)
        partitioning.save(update_fields=["frozen_at", "digest"])
    return partitioning


def check_frozen(*, project: Project) -> Partitioning | None:
    """Return the project's partitioning, if any.

    Raise PartitionError if the partitions were frozen and have changed.
    """
    partitioning = Partitioning.objects.filter(project=project).first()
    if (
        partitioning
        and partitioning.frozen_at
        and partitioning.digest != digest_of(project=project)
    ):
        raise PartitionError(
            f"The partitions of {project.slug} were frozen on {partitioning.frozen_at:%Y-%m-%d} but "
            "have changed since. Undo the change: a sentence was added, removed or moved."
        )
    return partitioning


def digest_of(*, project: Project) -> str:
    """Return the SHA-256 of the sorted lines `id<TAB>partition` of all sentences in a partition."""
    rows = Sentence.objects.filter(project=project).exclude(partition="")
    pairs = rows.values_list("external_id", "partition").iterator(chunk_size=CHUNK)
    # Sorted in Python, because databases sort text differently.
    lines = sorted(f"{name}\t{partition}\n" for name, partition in pairs)
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()


def _check_may_draw(project: Project, draw: Draw) -> None:
    known = Partitioning.objects.filter(project=project).first()
    if known and known.frozen_at:
        raise PartitionError(
            f"The partitions of {project.slug} were frozen on {known.frozen_at:%Y-%m-%d} and can't "
            "change. Create a new project for other partitions."
        )
    sentences = Sentence.objects.filter(project=project)
    if not sentences.exists():
        raise PartitionError(f"{project.slug} has no sentences yet. Import a corpus first.")
    if not draw.redraw and sentences.exclude(partition="").exists():
        raise PartitionError(
            f"Sentences of {project.slug} are already in partitions. Add --redraw to draw them again."
        )


def _lines(project: Project, draw: Draw) -> list[_Line]:
    pattern = _compiled(draw.document_pattern)
    stream = Sentence.objects.filter(project=project).values_list(
        "pk", "external_id", "domain", "tokens", "group"
    )
    lines = []
    for pk, external_id, domain, tokens, group in stream.iterator(chunk_size=CHUNK):
        unit = external_id
        if draw.unit == PartitionUnit.DOCUMENT:
            unit = _document(external_id, pattern) if pattern else group
            if not unit:
                raise PartitionError(
                    f"The document of the sentence {external_id!r} is not known. Pass --document a "
                    "pattern whose group is the document in the id, such as '(.+)-\\d+'."
                )
        words = hashlib.blake2b(" ".join(tokens).encode(), digest_size=16).hexdigest()
        lines.append(_Line(pk, external_id, domain, words, unit))
    return sorted(lines, key=lambda line: line.external_id)


def _compiled(pattern: str) -> re.Pattern[str] | None:
    if not pattern:
        return None
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise PartitionError(
            f"--document {pattern!r} is not a regular expression: {error}."
        ) from error
    if not compiled.groups:
        raise PartitionError(
            f"--document {pattern!r} has no group. Put the document in parentheses."
        )
    return compiled


def _document(external_id: str, pattern: re.Pattern[str]) -> str:
    match = pattern.fullmatch(external_id)
    return match[1] or "" if match else ""


def _divide(lines: list[_Line], draw: Draw) -> dict[str, list[int]]:
    """Return sentence ids by partition."""
    strata: dict[str, list[list[_Line]]] = defaultdict(list)
    for group in _groups(lines):
        strata[group[0].domain].append(group)
    chosen: dict[str, list[int]] = {partition: [] for partition in draw.shares}
    for domain in sorted(strata):
        for partition, group in _fill(strata[domain], draw):
            chosen[partition].extend(line.pk for line in group)
    return chosen


def _fill(groups: list[list[_Line]], draw: Draw) -> Iterable[tuple[str, list[_Line]]]:
    """Yield each group, in seeded order, with the partition furthest below its share."""
    shuffled = sorted(groups, key=lambda group: _lot(draw.seed, group[0].external_id))
    total = sum(map(len, groups))
    missing = {name: share * total / 100 for name, share in draw.shares.items()}
    for group in shuffled:
        partition = max(missing, key=lambda name: (missing[name], name))
        missing[partition] -= len(group)
        yield partition, group


def _lot(seed: int, key: str) -> bytes:
    return hashlib.blake2b(f"partition:{seed}:{key}".encode(), digest_size=16).digest()


def _groups(lines: list[_Line]) -> list[list[_Line]]:
    """Group sentences that must stay together.

    These are sentences of the same unit, and units that share a sentence.
    """
    root: dict[str, str] = {}

    def find(key: str) -> str:
        while root.setdefault(key, key) != key:
            root[key] = key = root[root[key]]
        return key

    for line in lines:
        root[find(f"words {line.words}")] = find(f"unit {line.unit}")
    groups: dict[str, list[_Line]] = {}
    for line in lines:
        groups.setdefault(find(f"unit {line.unit}"), []).append(line)
    return list(groups.values())
