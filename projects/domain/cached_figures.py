"""Figures of a project, cached for a few seconds so that pages of a large project stay quick."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from projects.models import Project

# A function of a module. It takes the project by keyword and further options by position.
Count = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Figures:
    """A value and the time when it was counted."""

    value: Any
    counted_at: datetime


def figures_of(
    count: Count, *options: str, project: Project, keep: Callable[[Any], bool] | None = None
) -> Figures:
    """Return the result of `count`, at most FIGURES_TIMEOUT seconds old.

    A value for which `keep` returns False is counted again. An empty project is quick to count, and its
    pages should not show it as empty after an import.
    """
    key = _key(count, options, project)
    cached = cast("Figures | None", cache.get(key))
    if cached is not None and (keep is None or keep(cached.value)):
        return cached
    counted_at = timezone.now()
    figures = Figures(count(*options, project=project), counted_at)
    cache.set(key, figures, settings.FIGURES_TIMEOUT)
    return figures


def forget_figures(count: Count, *options: str, project: Project) -> None:
    """Remove the figures from the cache because the user has just changed them."""
    cache.delete(_key(count, options, project))


def _key(count: Count, options: tuple[str, ...], project: Project) -> str:
    # Another version of the software may not be able to read pickled values.
    name = f"{count.__module__}.{count.__qualname__}"
    return ":".join(["figures", settings.VERSION, name, str(project.pk), *options])
