"""Parts of a project's annotations that a version of a resource lacks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Submission
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import GoldSource
from projects.domain.resources import declared_resource, resources_of
from projects.models import Project
from schemes.contract.values import Json

PARTS_SHOWN = 50
ITEMS_SHOWN = 5


@dataclass(slots=True)
class LostPart:
    """A part that is lost, the number of annotations that use it, and some of their items."""

    text: str
    annotations: int = 0
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LostParts:
    """The lost parts that most annotations use.

    `annotations` counts all annotations with lost parts, and `parts_in_all` all lost parts.
    """

    annotations: int
    parts_in_all: int
    parts: list[LostPart]


class Parts:
    """The parts that annotations lose, as they are found."""

    def __init__(self) -> None:
        self._parts: dict[str, LostPart] = {}
        self._annotations = 0

    def add(self, key: str, lost: Iterable[str]) -> None:
        """Count what the annotation of an item loses."""
        texts = list(dict.fromkeys(lost))
        self._annotations += bool(texts)
        for text in texts:
            part = self._parts.setdefault(text, LostPart(text))
            part.annotations += 1
            if key not in part.items and len(part.items) < ITEMS_SHOWN:
                part.items.append(key)

    def ranked(self) -> LostParts:
        """Return the parts that most annotations lose first."""
        ranked = sorted(self._parts.values(), key=lambda part: (-part.annotations, part.text))
        return LostParts(self._annotations, len(ranked), ranked[:PARTS_SHOWN])


def lost_parts(*, project: Project, name: str, value: Json | None = None) -> LostParts:
    """Return what the current gold and the live submissions use and a value of the resource lacks.

    By default, the value is that of the current version. Raise UnknownResourceError.
    """
    declared = declared_resource(project, name)
    used: Any = resources_of(project).get(name) if value is None else value
    parts = Parts()
    for key, content in _annotations(project) if used is not None else ():
        parts.add(key, declared.lost(used, content))
    return parts.ranked()


def _annotations(project: Project) -> Iterator[tuple[str, Json]]:
    """Yield the item key and content of current gold and of readable live submissions."""
    for source in GoldSource.values:
        gold = current_gold(project, source).values_list("item__key", "content")
        yield from gold.iterator(chunk_size=1000)
    live = Submission.objects.live().filter(item__project=project).order_by("pk")
    for key, content in live.values_list("item__key", "content").iterator(chunk_size=1000):
        if content and "refused" not in content:
            yield key, content
