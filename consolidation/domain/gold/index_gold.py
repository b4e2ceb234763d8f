"""The search index of gold, updated when gold is written (see datasets.domain.exports.search_gold)."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of
from consolidation.domain.gold.current_gold import FIRST_CASES
from consolidation.models import CaseSource, Gold, GoldEntry
from crowd.domain.workers.pseudonyms import foreign_pseudonym
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.models import Project

CHUNK = 1000
_WORD = re.compile(r"\w+")


def padded(texts: Iterable[str]) -> str:
    """Return the texts in the format of search entries.

    Words are in lower case with a blank before and after each. A bar separates texts, so that no
    phrase matches across two of them.
    """
    words = [" ".join(_WORD.findall(text.lower())) for text in texts]
    joined = " | ".join(dict.fromkeys(phrase for phrase in words if phrase))
    return f" {joined} " if joined else ""


def index_gold(*, gold: Gold) -> None:
    """Point the item's search entry to a new version of gold.

    Call this in the transaction that writes the gold.
    """
    if gold.case is not None and gold.case.attempt > 0:
        return  # a second consolidation measures agreement and is never current
    case_workers = _workers_of_cases({gold.case_id} if gold.case_id else set())
    fields = _fields(gold, gold.item.project, case_workers)
    GoldEntry.objects.update_or_create(
        item_id=gold.item_id, source=gold.source, defaults={"gold": gold, **fields}
    )


@transaction.atomic
def rebuild_index(*, project: Project) -> int:
    """Rebuild the index of the project's current gold. Return the number of annotations."""
    Project.objects.select_for_update().get(pk=project.pk)
    GoldEntry.objects.filter(project=project).delete()
    count = 0
    for items in batched(project.items.values_list("pk", flat=True), CHUNK):
        versions = _newest_versions(items)
        GoldEntry.objects.bulk_create(_entries(versions, project))
        count += len(versions)
    return count


def index_missing_gold(*, clock: Callable[[], datetime]) -> int:
    """Index a batch of each project's missing gold. Return the number of annotations.

    Gold is missing if it is older than the index or was not written by `add_gold`.
    """
    entries = GoldEntry.objects.filter(item=OuterRef("item"), source=OuterRef("source"))
    missing = Gold.objects.filter(FIRST_CASES).exclude(Exists(entries)).order_by()
    return for_each_row(
        sweep="index gold",
        rows=Project.objects.filter(pk__in=missing.values("item__project")).order_by("pk"),
        process=lambda project, now: _index_missing_of(project, missing),
        clock=clock,
    )


def _index_missing_of(project: Project, missing: QuerySet[Gold]) -> int:
    items = set(missing.filter(item__project=project).values_list("item", flat=True)[:CHUNK])
    known = set(GoldEntry.objects.filter(item__in=items).values_list("item", "source"))
    batch = [gold for gold in _newest_versions(items) if (gold.item_id, gold.source) not in known]
    # A version written at the same time already has its own entry.
    GoldEntry.objects.bulk_create(_entries(batch, project), ignore_conflicts=True)
    return len(batch)


def _entries(batch: list[Gold], project: Project) -> list[GoldEntry]:
    cases = _workers_of_cases({gold.case_id for gold in batch if gold.case_id})
    return [
        GoldEntry(
            gold=gold, item_id=gold.item_id, source=gold.source, **_fields(gold, project, cases)
        )
        for gold in batch
    ]


def _newest_versions(items: Iterable[int]) -> list[Gold]:
    """Return the newest version of each item's gold from each source.

    They are selected in Python, because PostgreSQL would scan the whole table for every batch.
    """
    versions = Gold.objects.filter(FIRST_CASES, item__in=list(items)).order_by("version")
    related = versions.select_related("item__sentence__image", "submission__worker")
    return list({(gold.item_id, gold.source): gold for gold in related}.values())


def _fields(gold: Gold, project: Project, case_workers: dict[int, list[str]]) -> dict[str, Any]:
    search, context = scheme_of(project).search, context_of(gold.item, project)
    return {
        "project": project,
        "sentence_id": gold.item.sentence_id,
        "content_text": padded(search.content.texts(gold.content, context) if search else []),
        "target_text": padded(search.target.texts(gold.content, context) if search else []),
        "workers": padded([*_own_workers(gold), *case_workers.get(gold.case_id or 0, [])]),
    }


def _own_workers(gold: Gold) -> Iterator[str]:
    """Yield the pseudonyms of the gold's author, or of the workers named in an imported file."""
    if gold.submission is not None and gold.submission.worker is not None:
        yield gold.submission.worker.pseudonym
    for origin in gold.provenance:
        if origin.get("worker_id"):
            yield foreign_pseudonym(origin["worker_id"])


def _workers_of_cases(cases: set[int]) -> dict[int, list[str]]:
    """Return the pseudonyms of each case's generators by case id."""
    pseudonyms: dict[int, list[str]] = {}
    rows = CaseSource.objects.filter(case__in=cases, submission__worker__isnull=False)
    for case, pseudonym in rows.values_list("case_id", "submission__worker__pseudonym"):
        pseudonyms.setdefault(case, []).append(pseudonym)
    return pseudonyms
