"""The content that simulated workers submit, by item, role and turn.

References are the project's expert or imported gold. In a replay, the k-th generator of an item
submits the annotation of its k-th source, and consolidators and validators reproduce the gold.
"""

import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.item_context import context_of
from annotation.models import Draft, Item
from audit.errors import TouchstoneError
from consolidation.domain.current_gold import current_gold
from consolidation.enums import GoldSource
from crowd.models import HitType
from projects.enums import Role
from projects.models import Project
from schemes.base import ItemContext, Json, MissingPartError
from schemes.registry import get_scheme

# Maximum distance of a validator's skill from the rehearsal's skill
SPREAD = 0.15


@dataclass(frozen=True, slots=True)
class Reference:
    content: Json
    provenance: list[Json]


class NoReferenceError(TouchstoneError):
    """The project has no reference annotations to rehearse with."""


def invented_references(project: Project) -> dict[int, Reference]:
    """Return references invented by the scheme, by item id."""
    simulation = get_scheme(project.scheme).get_simulation()
    items = project.items.filter(in_production=True).select_related("sentence__image")
    return {item.pk: Reference(simulation.invent(context_of(item, project)), []) for item in items}


def references_of(project: Project) -> dict[int, Reference]:
    """Return the references by item id, preferring an expert's to an imported one."""
    references: dict[int, Reference] = {}
    for source in (GoldSource.IMPORTED, GoldSource.EXPERT):
        for gold in current_gold(project, source).only("item_id", "content", "provenance"):
            references[gold.item_id] = Reference(gold.content, gold.provenance)
    if not references:
        raise NoReferenceError(
            f"{project.slug} has no expert or imported gold for simulated workers. "
            "Run import_gold first."
        )
    return references


@dataclass
class Scenario:
    """A thread-safe source of annotations. `skill` is from 0 to 1, or None to replay."""

    project: Project
    references: Mapping[int, Reference]
    skill: float | None
    seed: int
    turns: dict[int, list[str]] = field(default_factory=dict)
    skills: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scheme = get_scheme(self.project.scheme)
        self._simulation = scheme.get_simulation()
        self._empty = Reference(scheme.content.empty, [])
        self._lock = threading.Lock()
        earlier = Draft.objects.filter(
            task__batch__project=self.project, task__role=Role.GENERATOR, submitted_at__isnull=False
        ).order_by("pk")
        for assignment, item in earlier.values_list("assignment_ref", "task__items"):
            self.turns.setdefault(item, []).append(assignment)

    def hit_types(self) -> set[str]:
        """Return the external ids of the project's HIT types. Simulated workers accept no others."""
        ours = HitType.objects.filter(hits__budget=self.project.budget_id).exclude(external_id="")
        return set(ours.values_list("external_id", flat=True).distinct())

    def generation(self, item: Mapping[str, Any], *, worker: str, assignment: str) -> Json:
        reference = self.references.get(item["id"], self._empty)
        skill = self.skills.get(worker, self.skill)
        if skill is None:
            annotations = self._simulation.split(reference.content, reference.provenance)
            turn = self._turn(item["id"], assignment)
            # The published gold may contain nothing of this generator.
            return annotations[turn] if turn < len(annotations) else self._simulation.nothing
        # Seed equally skilled workers by turn, so that the same seed gives the same annotations.
        # Worker ids differ between rehearsals.
        author = worker if worker in self.skills else self._turn(item["id"], assignment)
        seed = f"{self.seed}:{author}:{item['id']}"
        return self._simulation.generate(reference.content, self._context_of(item), skill, seed)

    def revision(self, item: Mapping[str, Any], *, worker: str, assignment: str) -> Json:
        """Return a new annotation by the same worker, who is more careful now."""
        reference = self.references.get(item["id"], self._empty)
        skill = self.skills.get(worker, self.skill)
        return self._simulation.generate(
            reference.content,
            self._context_of(item),
            1.0 if skill is None else (1 + skill) / 2,
            f"{self.seed}:{assignment}:{item['id']}:revision",
        )

    def consolidation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        if self._simulation.consolidate is None:
            raise MissingPartError("The scheme does not simulate consolidators.")
        reference = self.references.get(item["id"], self._empty)
        skill = self.skills.get(worker, self.skill)
        return self._simulation.consolidate(
            reference.content,
            item["sources"],
            1.0 if skill is None else (1 + skill) / 2,
            f"{self.seed}:{worker}:{item['id']}:consolidation",
        )

    def validation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        if self._simulation.validate is None:
            raise MissingPartError("The scheme does not simulate validators.")
        reference = self.references.get(item["id"], self._empty)
        return self._simulation.validate(
            reference.content,
            item["asked"],
            self._context_of(item),
            self.validator_skill(worker),
            f"{self.seed}:{worker}:{item['id']}:validation",
        )

    def validator_skill(self, worker: str) -> float:
        """Return the worker's skill, which is the same in every rehearsal with this seed.

        At skill 1, there are no errors.
        """
        if self.skill in (None, 1):
            return 1.0
        drawn = random.Random(f"{self.seed}:{worker}:skill")  # noqa: S311
        return min(1.0, max(0.0, self.skill + drawn.uniform(-SPREAD, SPREAD)))

    def _context_of(self, item: Mapping[str, Any]) -> ItemContext:
        """Return the context of an item on a worker's page."""
        row = Item.objects.select_related("sentence__image").get(pk=item["id"])
        return context_of(row, self.project)

    def _turn(self, item: int, assignment: str) -> int:
        """Return the position of this assignment among the item's generators."""
        with self._lock:
            turns = self.turns.setdefault(item, [])
            if assignment not in turns:
                turns.append(assignment)
            return turns.index(assignment)
