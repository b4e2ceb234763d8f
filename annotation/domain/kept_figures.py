"""Figures that take long to count in a large project, kept for a while and counted anew aside.

A page must not wait half a second for a sum over 800,000 rows that will have changed by a hundredth
in the next minute. What is counted quickly is counted for each request; what took longer than
KEEP_FROM is kept, shown with its time, and counted anew by a task once it is older than FRESH.
"""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.cache import caches
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from annotation.models import Project

log = logging.getLogger(__name__)

TASK = "annotation.tasks.count_kept_figures"
# Seconds that counting may take before its result is worth keeping.
KEEP_FROM = 0.02
FRESH = timedelta(seconds=5)
# Asked for and not counted within this time: nobody is there to count, so the request does it.
PATIENCE = timedelta(seconds=30)
# Kept figures of a project that nobody looks at go after a week.
LIFETIME = 7 * 86400


# A function of a module, found again by its name in the process that counts. It takes the project by
# keyword and, by position, what else it has to know, such as the sources to compare.
Count = Callable[..., Any]
# The same for many projects in one go: takes them by keyword, returns the value of each id.
CountEach = Callable[..., dict[int, Any]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A value, when it was counted, and whether it is being counted anew."""

    value: Any
    counted_at: datetime
    renewing: bool = False


def figures_of(count: Count, *of: str, project: Project) -> Kept:
    """What `count` counts in the project: counted now, or kept from a little while ago."""
    key, _ = _keys(count, project, of)
    kept: Kept | None = _cache().get(key)
    now = timezone.now()
    if kept is None:
        return count_figures(count, *of, project=project)
    if now - kept.counted_at <= FRESH:
        return kept
    if not _is_awaited(count, project, of, now):
        return count_figures(count, *of, project=project)
    return Kept(kept.value, kept.counted_at, renewing=True)


def figures_of_each(
    count: Count, together: CountEach, *, projects: Collection[Project]
) -> dict[int, Any]:
    """Project id -> what `figures_of` would give for it, in as many queries for one as for fifty:
    `together` counts at once all that are not kept, and keeps them if that took long."""
    keys = {one.pk: _keys(count, one, ())[0] for one in projects}
    found = _cache().get_many(keys.values())
    now = timezone.now()
    values: dict[int, Any] = {}
    for one in projects:
        kept: Kept | None = found.get(keys[one.pk])
        if kept and (now - kept.counted_at <= FRESH or _is_awaited(count, one, (), now)):
            values[one.pk] = kept.value
    missing = [one for one in projects if one.pk not in values]
    if missing:
        began = time.perf_counter()
        counted = together(projects=missing)
        values |= counted
        if time.perf_counter() - began > KEEP_FROM:
            fresh = {keys[pk]: Kept(value, now) for pk, value in counted.items()}
            _cache().set_many(fresh, LIFETIME)
    return values


def count_figures(count: Count, *of: str, project: Project) -> Kept:
    """Count now, and keep the result if that took long."""
    key, asked = _keys(count, project, of)
    began, now = time.perf_counter(), timezone.now()
    kept = Kept(count(*of, project=project), now)
    if time.perf_counter() - began > KEEP_FROM:
        _cache().set(key, kept, LIFETIME)
    else:
        _cache().delete(key)
    _cache().delete(asked)
    return kept


def count_named(name: str, *of: str, project: Project) -> None:
    """`count_figures` by the name that a task was given."""
    count: Count = import_string(name)
    count_figures(count, *of, project=project)


def forget_figures(count: Count, *of: str, project: Project) -> None:
    """Have them counted for the next request: someone has just changed what they count."""
    _cache().delete(_keys(count, project, of)[0])


def name_of(count: Count) -> str:
    return f"{count.__module__}.{count.__qualname__}"


def _is_awaited(count: Count, project: Project, of: tuple[str, ...], now: datetime) -> bool:
    """Have them counted anew aside; False where that was asked for long ago, or can't be."""
    asked_at = _cache().get_or_set(_keys(count, project, of)[1], now, LIFETIME)
    if asked_at == now:
        return _ask(count, project, of)
    return bool(now - asked_at <= PATIENCE)


def _ask(count: Count, project: Project, of: tuple[str, ...]) -> bool:
    """Have a task count them; False where no broker takes it."""
    try:
        current_app.send_task(TASK, args=[project.pk, name_of(count), *of])
    except OperationalError:  # kombu's, for every kind of broker
        log.warning("No broker to count %s of project %s.", name_of(count), project.pk)
        return False
    return True


def _cache() -> Any:
    return caches["figures"]


def _keys(count: Count, project: Project, of: tuple[str, ...] = ()) -> tuple[str, str]:
    # Values are pickled: another version of the software may not be able to read them.
    key = ":".join([settings.VERSION, name_of(count), str(project.pk), *of])
    return f"figures:{key}", f"figures-asked:{key}"
