"""The content that simulated workers submit, by item, role and turn.

References are the project's expert or imported gold. Only generators get them. Consolidators and
validators get the annotations that they judge. In a replay, the k-th generator of an item submits the
annotation of its k-th source, and consolidators and validators keep all of it.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.corpus.item_context import context_of
from annotation.models import Draft, Item
from audit.errors import TouchstoneError
from consolidation.domain.case_records import sources_of
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from consolidation.models import Case
from crowd.models import HitType
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from rehearsal.domain.simulated_crowd import SimulatedCrowd, SimulatedItem
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class Reference:
    content: Json
    provenance: list[Json]


class NoReferenceError(TouchstoneError):
    """The project has no reference annotations to rehearse with."""


def invented_references(project: Project) -> dict[int, Reference]:
    """Return references invented by the scheme, by item id."""
    simulation = scheme_of(project).get_simulation()
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
    """A thread-safe source of annotations. `skill` is from 0 to 1, or None to replay.

    `skills` are those of trainees, by worker id. `names` are those of simulated people by worker id. The
    same name stands for the same person in every rehearsal with this seed.
    """

    project: Project
    references: Mapping[int, Reference]
    skill: float | None
    seed: int
    turns: dict[int, list[str]] = field(default_factory=dict)
    skills: dict[str, float] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scheme = scheme_of(self.project)
        self._simulation, self._corpus = scheme.get_simulation(), scheme.corpus
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
        if self.skill is None and not self.skills:
            annotations = self._corpus.split_gold(reference.content, reference.provenance)
            turn = self._turn(item["id"], assignment)
            # The published gold may contain nothing of this generator.
            return annotations[turn] if turn < len(annotations) else self._simulation.nothing
        simulated = self._simulated_item(item)
        return self._crowd().generation(reference.content, simulated, self._name(worker))

    def revision(self, item: Mapping[str, Any], *, worker: str, assignment: str) -> Json:
        """Return a new annotation by the same worker, who is more careful now."""
        reference = self.references.get(item["id"], self._empty)
        return self._crowd().revision(
            reference.content, self._simulated_item(item), self._name(worker), assignment
        )

    def consolidation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        simulated = self._simulated_item(item)
        return self._crowd().consolidation(item["sources"], simulated, self._name(worker))

    def validation(self, item: Mapping[str, Any], *, worker: str) -> Json:
        """Return a judgment of the case's annotations. The page may hide parts of them."""
        case = Case.objects.filter(item=item["id"], task__role=Role.VALIDATOR).latest("pk")
        simulated = self._simulated_item(item)
        return self._crowd().validation(sources_of(case), simulated, self._name(worker))

    def _crowd(self) -> SimulatedCrowd:
        """Return the crowd, exact in a replay."""
        skills = {self._name(worker): skill for worker, skill in self.skills.items()}
        skill = 1.0 if self.skill is None else self.skill
        return SimulatedCrowd(
            simulation=self._simulation, skill=skill, seed=self.seed, skills=skills
        )

    def _name(self, worker: str) -> str:
        return self.names.get(worker, worker)

    def _simulated_item(self, item: Mapping[str, Any]) -> SimulatedItem:
        row = Item.objects.select_related("sentence__image").get(pk=item["id"])
        return SimulatedItem(row.key, context_of(row, self.project))

    def _turn(self, item: int, assignment: str) -> int:
        """Return the position of this assignment among the item's generators."""
        with self._lock:
            turns = self.turns.setdefault(item, [])
            if assignment not in turns:
                turns.append(assignment)
            return turns.index(assignment)
