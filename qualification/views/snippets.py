"""Buttons of the trainer's form that save and delete snippets."""

from django.contrib import messages
from django.http import HttpRequest
from django.utils import timezone

from projects.models import Project
from qualification.domain.training.snippets import MAX_SNIPPETS, delete_snippet, keep_snippet


def change_snippets(request: HttpRequest, project: Project) -> str | None:
    """Save or delete a snippet if the pressed button does. Return the place to go back to, or None."""
    if item := str(request.POST.get("keep_snippet", "")):
        text = str(request.POST.get(f"note-{item}", ""))
        if keep_snippet(project=project, text=text, author=request.user, now=timezone.now()):
            messages.success(request, "The note is saved as a snippet.")
        else:
            messages.error(
                request,
                "Nothing was saved: write a note that is no snippet yet. "
                f"A project has up to {MAX_SNIPPETS} snippets.",
            )
        return f"#item-{item}" if item.isdecimal() else ""
    if pk := str(request.POST.get("delete_snippet", "")):
        if pk.isdecimal() and len(pk) < 19 and delete_snippet(project=project, pk=int(pk)):
            messages.success(request, "The snippet is deleted.")
        return "#snippets"
    return None
