"""The trained pool at work: who asks too few questions (Roit et al. 2020, section 3: coverage)."""

from collections import defaultdict
from dataclasses import dataclass

from annotation.enums import Role
from annotation.models import Project, Submission
from crowd.models import Worker
from schemes.registry import get_scheme

QUESTIONS_PER_ITEM = 2.0
GRACE_ITEMS = 15


@dataclass(frozen=True, slots=True)
class Coverage:
    """One worker's questions in production. `flagged` once they have done GRACE_ITEMS items with
    fewer than QUESTIONS_PER_ITEM questions each on average."""

    worker: Worker
    items: int
    questions: int

    @property
    def per_item(self) -> float:
        return self.questions / self.items

    @property
    def flagged(self) -> bool:
        return self.items >= GRACE_ITEMS and self.questions < QUESTIONS_PER_ITEM * self.items


def coverage_of_pool(*, project: Project) -> list[Coverage]:
    """Everyone who generated in production, fewest questions per item first. Work that was rejected
    or withdrawn, or that the scheme refused, is left out."""
    rows = Submission.objects.live().filter(
        item__project=project, item__in_production=True, role=Role.GENERATOR, problem=""
    )
    count = get_scheme(project.scheme).count_units
    items: defaultdict[int, int] = defaultdict(int)
    questions: defaultdict[int, int] = defaultdict(int)
    pairs = rows.exclude(worker=None).order_by().values_list("worker", "content")
    for worker, content in pairs.iterator(chunk_size=2000):
        items[worker] += 1
        questions[worker] += count(content, role=Role.GENERATOR)
    workers = Worker.objects.in_bulk(items)
    found = [Coverage(workers[pk], items[pk], questions[pk]) for pk in items]
    return sorted(found, key=lambda one: (one.per_item, one.worker.pk))
