"""Train, dev and test: drawn by a seed, checked, and frozen once they are published.

What is drawn is a unit: a sentence or a whole document, and with it every unit that holds one of
its sentences over again, so that no sentence stands in two partitions under two ids.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.domain.import_corpus import batched
from annotation.enums import Partition
from annotation.models import Project, Sentence
from consolidation.enums import PartitionUnit
from consolidation.models import Partitioning

CHUNK = 2000
# The ids of the QA-SRL Bank: corpus, domain and document, then paragraph and sentence.
DOCUMENT_PATTERN = r"(.+):\d+:\d+"


class PartitionError(Exception):
    """The partitions can't be drawn or frozen like this; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What to draw: `shares` maps partitions to whole percentages that add up to 100.

    A document is a sentence's `metadata["document"]`, else the group of `document_pattern` in its
    id.
    """

    shares: Mapping[str, int]
    seed: int
    unit: str = PartitionUnit.SENTENCE
    document_pattern: str = DOCUMENT_PATTERN
    redraw: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """What the drawing needs of a sentence."""

    pk: int
    external_id: str
    domain: str
    words: str
    unit: str


def draw_partitions(*, project: Project, draw: Draw, now: datetime) -> Counter[tuple[str, str]]:
    """Give every sentence its partition; returns (domain, partition) -> sentences.

    Stratified: each domain is divided by the shares, as nearly as whole units allow. The same
    sentences and seed give the same partitions, in whatever order they were imported. Raises
    PartitionError.
    """
    _check_shares(draw.shares)
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
    """(domain, partition) -> number of sentences."""
    rows = Sentence.objects.filter(project=project).values_list("domain", "partition")
    return Counter(rows.iterator(chunk_size=CHUNK))


def check_partitions(*, project: Project) -> None:
    """Raises PartitionError where a sentence (its words) stands in two partitions."""
    seen: dict[bytes, tuple[str, str]] = {}
    rows = Sentence.objects.filter(project=project).exclude(partition="").order_by("pk")
    stream = rows.values_list("external_id", "tokens", "partition")
    for external_id, tokens, partition in stream.iterator(chunk_size=CHUNK):
        key = hashlib.blake2b(" ".join(tokens).encode(), digest_size=16).digest()
        first, before = seen.setdefault(key, (external_id, partition))
        if before != partition:
            raise PartitionError(
                f"{first} ({before}) and {external_id} ({partition}) are the same sentence in two "
                "partitions; draw them with `partition --redraw`, or take one out."
            )


def freeze_partitions(*, project: Project, now: datetime) -> Partitioning:
    """Fix the partitions as they are: what is published must not change any more. Once frozen, a
    repeat changes nothing. Raises PartitionError."""
    with transaction.atomic():
        Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
        found, _ = Partitioning.objects.get_or_create(
            project=project, defaults={"unit": PartitionUnit.GIVEN}
        )
        if found.frozen_at:
            check_frozen(project=project)
            return found
        if not Sentence.objects.filter(project=project).exclude(partition="").exists():
            raise PartitionError(
                f"No sentence of {project.slug} is in a partition; draw them first."
            )
        check_partitions(project=project)
        found.frozen_at, found.digest = now, digest_of(project=project)
        found.save(update_fields=["frozen_at", "digest"])
    return found


def check_frozen(*, project: Project) -> Partitioning | None:
    """The project's partitioning, if it has one. Raises PartitionError where it was frozen and is
    another now."""
    found = Partitioning.objects.filter(project=project).first()
    if found and found.frozen_at and found.digest != digest_of(project=project):
        raise PartitionError(
            f"The partitions of {project.slug} were frozen on {found.frozen_at:%Y-%m-%d} and have "
            "been changed since: undo the change (a sentence was added to, taken from or moved "
            "between partitions)."
        )
    return found


def digest_of(*, project: Project) -> str:
    """SHA-256 over every sentence that has a partition, as lines `id<TAB>partition` by id."""
    rows = Sentence.objects.filter(project=project).exclude(partition="")
    pairs = rows.values_list("external_id", "partition").iterator(chunk_size=CHUNK)
    # Sorted here: the order of text differs between databases.
    lines = sorted(f"{name}\t{partition}\n" for name, partition in pairs)
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()


# --- drawing -------------------------------------------------------------------------------------


def _check_shares(shares: Mapping[str, int]) -> None:
    if unknown := set(shares) - set(Partition.values):
        known = ", ".join(Partition.values)
        raise PartitionError(f"{min(unknown)!r} is no partition; there are: {known}.")
    if any(share <= 0 for share in shares.values()) or sum(shares.values()) != 100:
        raise PartitionError("The shares must be whole percentages above 0 that add up to 100.")


def _check_may_draw(project: Project, draw: Draw) -> None:
    known = Partitioning.objects.filter(project=project).first()
    if known and known.frozen_at:
        raise PartitionError(
            f"The partitions of {project.slug} are frozen since {known.frozen_at:%Y-%m-%d}: what is "
            "published does not change. Start a new project for another division."
        )
    sentences = Sentence.objects.filter(project=project)
    if not sentences.exists():
        raise PartitionError(f"{project.slug} has no sentence yet; import a corpus first.")
    if not draw.redraw and sentences.exclude(partition="").exists():
        raise PartitionError(
            f"Sentences of {project.slug} are in partitions already; add --redraw to draw anew."
        )


def _lines(project: Project, draw: Draw) -> list[_Line]:
    pattern = _compiled(draw.document_pattern)
    stream = Sentence.objects.filter(project=project).values_list(
        "pk", "external_id", "domain", "tokens", "metadata"
    )
    lines = []
    for pk, external_id, domain, tokens, metadata in stream.iterator(chunk_size=CHUNK):
        unit = external_id
        if draw.unit == PartitionUnit.DOCUMENT:
            unit = _document(external_id, metadata, pattern)
        words = hashlib.blake2b(" ".join(tokens).encode(), digest_size=16).hexdigest()
        lines.append(_Line(pk, external_id, domain, words, unit))
    return sorted(lines, key=lambda line: line.external_id)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise PartitionError(
            f"--document {pattern!r} is no regular expression: {error}."
        ) from error
    if not found.groups:
        raise PartitionError(f"--document {pattern!r} has no group; put the document in brackets.")
    return found


def _document(external_id: str, metadata: Mapping[str, object], pattern: re.Pattern[str]) -> str:
    if given := metadata.get("document"):
        return str(given)
    if found := pattern.fullmatch(external_id):
        return found.group(1)
    raise PartitionError(
        f"No document can be told from the id {external_id!r}; give --document a pattern whose "
        "group is the document, such as '(.+)-\\d+'."
    )


def _divide(lines: list[_Line], draw: Draw) -> dict[str, list[int]]:
    """Partition -> ids of its sentences."""
    strata: dict[str, list[list[_Line]]] = defaultdict(list)
    for group in _groups(lines):
        strata[group[0].domain].append(group)
    chosen: dict[str, list[int]] = {partition: [] for partition in draw.shares}
    for domain in sorted(strata):
        for partition, group in _fill(strata[domain], draw):
            chosen[partition].extend(line.pk for line in group)
    return chosen


def _fill(groups: list[list[_Line]], draw: Draw) -> Iterable[tuple[str, list[_Line]]]:
    """Each group in a seeded order to the partition that is furthest behind its share."""
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
    """Sentences that must stay together: those of a unit, and units that share a sentence."""
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
