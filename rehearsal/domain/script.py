"""Who writes what in a rehearsal: the content for each item, role and turn.

References are the project's own expert or imported gold. In a replay the k-th generator of an item
writes what the k-th source of the published gold wrote, and the consolidator keeps exactly that gold
(as do validators). Else the skills of validators vary around the one that was asked for.
"""

import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.enums import Role
from annotation.models import Draft, Project
from consolidation.domain.standing_gold import standing_gold
from consolidation.enums import GoldSource
from crowd.models import HitType
from schemes.base import Json
from schemes.registry import get_scheme

# How far a validator's skill lies from the rehearsal's, at most.
SPREAD = 0.15


@dataclass(frozen=True, slots=True)
class Reference:
    content: Json
    provenance: list[Json]


class NoReference(Exception):
    """The project has no reference annotation to rehearse with."""


def invented_references(project: Project) -> dict[int, Reference]:
    """By item id: what the scheme makes up for each item, where nobody has annotated anything yet."""
    scheme = get_scheme(project.scheme)
    items = project.items.filter(in_production=True).select_related("sentence")
    return {
        item.pk: Reference(scheme.invent_reference(item.sentence.tokens, item.target), [])
        for item in items
    }


def references_of(project: Project) -> dict[int, Reference]:
    """By item id; an expert's goes before an imported one."""
    found: dict[int, Reference] = {}
    for source in (GoldSource.IMPORTED, GoldSource.EXPERT):
        for gold in standing_gold(project, source).only("item_id", "content", "provenance"):
            found[gold.item_id] = Reference(gold.content, gold.provenance)
    if not found:
        raise NoReference(
            f"{project.slug} has no expert or imported gold for simulated workers to write from: "
            "import_gold it first."
        )
    return found


@dataclass
class Script:
    """Thread-safe. `skill` None replays; else it lies between 0 and 1. Workers whose ids stand in
    `skills` have a skill of their own."""

    project: Project
    references: Mapping[int, Reference]
    skill: float | None
    seed: int
    turns: dict[int, list[str]] = field(default_factory=dict)
    skills: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._scheme = get_scheme(self.project.scheme)
        self._lock = threading.Lock()
        earlier = Draft.objects.filter(
            task__batch__project=self.project, task__role=Role.GENERATOR, submitted_at__isnull=False
        ).order_by("pk")
        for assignment, item in earlier.values_list("assignment_ref", "task__items"):
            self.turns.setdefault(item, []).append(assignment)

    def hit_types(self) -> set[str]:
        """The marketplace's ids of this project's HIT types: simulated workers take no other work."""
        ours = HitType.objects.filter(hits__budget=self.project.budget_id).exclude(external_id="")
        return set(ours.values_list("external_id", flat=True).distinct())

    def generation(self, item: Mapping[str, Any], *, worker: str, assignment: str) -> Json:
        reference = self.references.get(item["id"], Reference({"questions": []}, []))
        skill = self.skills.get(worker, self.skill)
        if skill is None:
            written = self._scheme.split_by_source(reference.content, reference.provenance)
            turn = self._turn(item["id"], assignment)
            # A generator of whom nothing is left in the published gold wrote nothing that we know of.
            nothing = {"questions": [], "no_question": "Nothing of this generator was published."}
            return written[turn] if turn < len(written) else nothing
        # Where all are equally skilled it makes no difference who takes an item: the same seed gives the
        # same annotations, although the marketplace gives its workers new ids each time.
        who = worker if worker in self.skills else self._turn(item["id"], assignment)
        return self._scheme.simulate_generation(
            reference.content,
            tokens=item["tokens"],
            skill=skill,
            seed=f"{self.seed}:{who}:{item['id']}",
        )

    def consolidation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        reference = self.references.get(item["id"], Reference({"questions": []}, []))
        skill = self.skills.get(worker, self.skill)
        return self._scheme.simulate_consolidation(
            reference.content,
            item["sources"],
            skill=1.0 if skill is None else (1 + skill) / 2,
            seed=f"{self.seed}:{worker}:{item['id']}:consolidation",
        )

    def validation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        reference = self.references.get(item["id"], Reference({"questions": []}, []))
        return self._scheme.simulate_validation(
            reference.content,
            item["asked"],
            tokens=item["tokens"],
            skill=self.validator_skill(worker),
            seed=f"{self.seed}:{worker}:{item['id']}:validation",
        )

    def validator_skill(self, worker: str) -> float:
        """A skill of the worker's own, the same in every rehearsal of this seed."""
        if self.skill is None:
            return 1.0
        drawn = random.Random(f"{self.seed}:{worker}:skill")  # noqa: S311
        return min(1.0, max(0.0, self.skill + drawn.uniform(-SPREAD, SPREAD)))

    def _turn(self, item: int, assignment: str) -> int:
        """Which of the item's generators this assignment is: the same again when asked again."""
        with self._lock:
            turns = self.turns.setdefault(item, [])
            if assignment not in turns:
                turns.append(assignment)
            return turns.index(assignment)
