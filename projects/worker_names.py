"""Workers in lists: a link with the pseudonym, and the nickname and tags."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from projects.models import Project
from web.lists import link


def label_of(project: Project, worker_id: int) -> SafeString | str:
    """Return the worker's nickname and tags, or an empty string."""
    label = project.labels_by_worker.get(worker_id)
    if label is None:
        return ""
    nickname = format_html('<span class="nickname">{}</span>', label.nickname)
    tags = format_html_join(" ", '<span class="tag">{}</span>', ((tag,) for tag in label.tags))
    return format_html("{} {}", nickname if label.nickname else "", tags)


def named_link(url: str, pseudonym: str, *, project: Project, worker_id: int) -> SafeString:
    """Return a link with the pseudonym, followed by the worker's nickname and tags."""
    return format_html("{} {}", link(url, pseudonym), label_of(project, worker_id))
