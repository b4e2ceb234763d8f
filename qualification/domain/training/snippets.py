"""The texts that a project's trainers insert into their notes."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from projects.models import Project
from qualification.models import Snippet

LONGEST = 1000
MAX_SNIPPETS = 50


def snippets_of(*, project: Project) -> QuerySet[Snippet]:
    """Return the project's snippets, oldest first, so that their keys stay the same."""
    return Snippet.objects.filter(project=project).order_by("pk")[:MAX_SNIPPETS]


def keep_snippet(*, project: Project, text: str, author: Any, now: datetime) -> Snippet | None:
    """Save the text as a snippet. Return None if it is empty, or the project is full or has it."""
    text = text.strip()[:LONGEST]
    own = Snippet.objects.filter(project=project)
    if not text or own.filter(text=text).exists() or own.count() >= MAX_SNIPPETS:
        return None
    return Snippet.objects.create(project=project, text=text, author=author, made_at=now)


def delete_snippet(*, project: Project, pk: int) -> bool:
    """Delete the snippet. Return False if the project has no such snippet."""
    deleted, _ = Snippet.objects.filter(project=project, pk=pk).delete()
    return bool(deleted)
