"""What a search finds gold by, kept as gold is written (see consolidation.domain.search_gold)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.domain.collector import without_collector
from annotation.models import Project
from consolidation.domain.export_rows import foreign_pseudonym
from consolidation.domain.standing_gold import FIRST_CASES
from consolidation.models import CaseSource, Gold, GoldEntry
from schemes.registry import get_scheme

CHUNK = 1000
_WORD = re.compile(r"\w+")


def padded(texts: Iterable[str]) -> str:
    """The words of texts as entries hold them: lower case, a blank before and after each; between
    two texts a bar, so that no phrase runs from one into the next."""
    words = [" ".join(_WORD.findall(text.lower())) for text in texts]
    kept = " | ".join(dict.fromkeys(one for one in words if one))
    return f" {kept} " if kept else ""


def index_gold(*, gold: Gold) -> None:
    """Have a new version of gold found in place of the one before. In the transaction that wrote it."""
    if gold.case is not None and gold.case.place > 0:
        return  # made to measure agreement: it never stands
    case_workers = _workers_of_cases({gold.case_id} if gold.case_id else set())
    fields = _fields(gold, gold.item.project, case_workers)
    GoldEntry.objects.update_or_create(
        item_id=gold.item_id, source=gold.source, defaults={"gold": gold, **fields}
    )


@transaction.atomic
def rebuild_index(*, project: Project) -> int:
    """Index all of the project's standing gold anew; returns how many annotations."""
    Project.objects.select_for_update().get(pk=project.pk)
    GoldEntry.objects.filter(project=project).delete()
    count = 0
    with without_collector():
        for bite in _bites(project):
            GoldEntry.objects.bulk_create(_entries(bite, project))
            count += len(bite)
    return count


def index_missing_gold() -> int:
    """Index some of the standing gold that a search would not find: it is older than the index, or came
    past `add_gold`. Returns how many annotations, 0 where there are none."""
    entries = GoldEntry.objects.filter(item=OuterRef("item"), source=OuterRef("source"))
    missing = Gold.objects.filter(FIRST_CASES).exclude(Exists(entries))
    items = set(missing.order_by().values_list("item", flat=True)[:CHUNK])
    known = set(GoldEntry.objects.filter(item__in=items).values_list("item", "source"))
    count = 0
    for project in Project.objects.filter(items__in=items).distinct():
        found = _standing(project.items.filter(pk__in=items).values_list("pk", flat=True))
        bite = [one for one in found if (one.item_id, one.source) not in known]
        # A version that is being written meanwhile has an entry of its own, which stands.
        GoldEntry.objects.bulk_create(_entries(bite, project), ignore_conflicts=True)
        count += len(bite)
    return count


def _entries(bite: list[Gold], project: Project) -> list[GoldEntry]:
    cases = _workers_of_cases({one.case_id for one in bite if one.case_id})
    return [
        GoldEntry(gold=one, item_id=one.item_id, source=one.source, **_fields(one, project, cases))
        for one in bite
    ]


def _bites(project: Project) -> Iterator[list[Gold]]:
    """Standing gold, so many items at a time. The newest versions are found here: asked to leave out
    what has a newer one, PostgreSQL reads the whole table for every bite."""
    last = 0
    while items := list(
        project.items.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]
    ):
        last = items[-1]
        yield _standing(items)


def _standing(items: Iterable[int]) -> list[Gold]:
    """The newest version of each item's gold from each source."""
    versions = Gold.objects.filter(FIRST_CASES, item__in=list(items)).order_by("version")
    related = versions.select_related("item", "submission__worker")
    return list({(one.item_id, one.source): one for one in related}.values())


def _fields(gold: Gold, project: Project, case_workers: dict[int, list[str]]) -> dict[str, Any]:
    questions, target = get_scheme(project.scheme).search_texts(gold.content, gold.item.target)
    return {
        "project": project,
        "sentence_id": gold.item.sentence_id,
        "questions": padded(questions),
        "target": padded(target),
        "workers": padded([*_own_workers(gold), *case_workers.get(gold.case_id or 0, [])]),
    }


def _own_workers(gold: Gold) -> Iterator[str]:
    """Whoever handed it in; of imported gold, those whom its file names."""
    if gold.submission is not None and gold.submission.worker is not None:
        yield gold.submission.worker.pseudonym
    for origin in gold.provenance:
        if origin.get("worker_id"):
            yield foreign_pseudonym(origin["worker_id"])


def _workers_of_cases(cases: set[int]) -> dict[int, list[str]]:
    """Case id -> pseudonyms of its generators."""
    found: dict[int, list[str]] = {}
    rows = CaseSource.objects.filter(case__in=cases, submission__worker__isnull=False)
    for case, pseudonym in rows.values_list("case_id", "submission__worker__pseudonym"):
        found.setdefault(case, []).append(pseudonym)
    return found
