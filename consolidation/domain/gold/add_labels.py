"""Labels of imported annotations that the project's resources lack."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from projects.domain.resources import change_resource
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import UnknownLabelError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(slots=True)
class LabelCollector:
    """A parser that accepts annotations with unknown labels, and collects the labels.

    `values` has the changed resources with the added labels, by their names.
    """

    project: Project
    parse: Callable[..., Json]
    values: dict[str, Any] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)

    def __call__(self, content: object, context: ItemContext) -> Json:
        """Return the parsed content. Raise ContentError."""
        resources = {**context.resources, **self.values}
        try:
            return self.parse(content, replace(context, resources=resources))
        except UnknownLabelError as error:
            name = error.resource
            add_labels = scheme_of(self.project).resources[name].add_labels
            if add_labels is None or not isinstance(content, dict):
                raise
            value, added = add_labels(resources[name], content)
        parsed = self.parse(content, replace(context, resources={**resources, name: value}))
        self.values[name] = value
        self.added += added
        return parsed

    def store(self, *, actor: str, now: datetime) -> None:
        """Add a version of each resource that has new labels."""
        for name, value in self.values.items():
            change_resource(project=self.project, name=name, value=value, actor=actor, now=now)
