"""Nicknames and tags of a project's workers, for its members only.

They are on no page of a worker, and in no export.
"""

import re
from collections.abc import Sequence

from django.db.models import QuerySet

from crowd.models import Worker
from projects.models import Project, WorkerLabel

MAX_TAGS = 10
MAX_TAG_LENGTH = 30


def split_tags(text: str) -> list[str]:
    """Return the tags of a text with commas, in lower case, without repeats."""
    tags = (" ".join(tag.split()).lower() for tag in re.split("[,;\n]", text))
    return list(dict.fromkeys(tag for tag in tags if tag))


def label_worker(*, project: Project, worker: Worker, nickname: str, tags: Sequence[str]) -> None:
    """Set the worker's nickname and tags. Without either, the worker has no label."""
    labels = WorkerLabel.objects.filter(project=project, worker=worker)
    if not nickname and not tags:
        labels.delete()
        return
    values = {"nickname": nickname, "tags": list(tags)}
    WorkerLabel.objects.update_or_create(project=project, worker=worker, defaults=values)


def tags_of(project: Project) -> list[str]:
    """Return all tags of the project's workers."""
    return sorted({tag for label in project.labels_by_worker.values() for tag in label.tags})


def workers_named(*, project: Project, text: str) -> list[int]:
    """Return the ids of the workers whose nickname contains the text, or who have it as a tag."""
    wanted = text.strip().lower()
    return [
        worker
        for worker, label in project.labels_by_worker.items()
        if wanted in label.nickname.lower() or wanted in label.tags
    ]


def tagged(*, project: Project, tag: str) -> list[int]:
    return [pk for pk, label in project.labels_by_worker.items() if tag in label.tags]


def erase_labels(*, workers: QuerySet[Worker] | Sequence[Worker]) -> None:
    WorkerLabel.objects.filter(worker__in=workers).delete()
