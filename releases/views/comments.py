"""Comments on the items of public releases: written by signed-in people, removed by authors and staff."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page, signed_in_page
from releases.domain.comments import (
    CommentError,
    add_comment,
    comments_of,
    comments_open,
    remove_comment,
)
from releases.domain.public import public_releases
from releases.forms import CommentForm, RemoveCommentForm
from releases.models import ItemComment, ReleasedItem

# A release with more comments is rare. The oldest are not shown to staff at once.
SHOWN = 500


def _open_item(slug: str, version: str, position: int) -> ReleasedItem:
    """Return an item that takes comments."""
    release = get_object_or_404(public_releases(), project__slug=slug, version=version)
    if not comments_open(release):
        raise Http404("This release takes no comments.")
    item: ReleasedItem = get_object_or_404(
        release.items.select_related("release__project"), position=position
    )
    return item


def item_url(item: ReleasedItem, comment: ItemComment | None = None) -> str:
    """Return the item's public page. With a comment, the address is new, so that no cache has it."""
    release = item.release
    url = reverse(
        "releases:public_item", args=[release.project.slug, release.version, item.position]
    )
    return f"{url}?comment={comment.pk}#comment-{comment.pk}" if comment else url


@require_http_methods(["GET", "POST"])
@signed_in_page
def comment(request: HttpRequest, slug: str, version: str, position: int) -> HttpResponse:
    item = _open_item(slug, version, position)
    form = CommentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        text = form.cleaned_data["text"]
        try:
            added = add_comment(item=item, author=request.user, text=text, now=timezone.now())  # type: ignore[arg-type]
        except CommentError as error:
            form.add_error("text", str(error))
        else:
            return redirect(item_url(item, added))
    context: dict[str, Any] = {
        "form": form,
        "item": item,
        "release": item.release,
        "url": item_url(item),
        "own": item.comments.filter(author=request.user.pk, removed_at=None),
    }
    status = 422 if form.errors else 200
    return render(request, "releases/comment.html", context, status=status)


@require_POST
@signed_in_page
def remove_own_comment(
    request: HttpRequest, slug: str, version: str, position: int, number: int
) -> HttpResponse:
    item = _open_item(slug, version, position)
    own = get_object_or_404(item.comments.filter(author=request.user.pk), pk=number)
    remove_comment(comment=own, actor=request.user.get_username(), now=timezone.now())
    messages.success(
        request, "Your comment is removed. Copies in caches are gone after five minutes."
    )
    return redirect("releases:comment", slug, version, position)


@require_GET
@project_page(STAFF)
def release_comments(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    rows = list(comments_of(release)[: SHOWN + 1])
    context = {
        "release": release,
        "rows": [(row, RemoveCommentForm(prefix=str(row.pk))) for row in rows[:SHOWN]],
        "has_more": len(rows) > SHOWN,
        "shown": SHOWN,
        "takes_comments": comments_open(release),
    }
    return render_page(request, project, "releases/comments.html", context)


@require_POST
@project_page(STAFF)
def remove_release_comment(
    request: HttpRequest, project: Project, version: str, number: int
) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    row = get_object_or_404(comments_of(release), pk=number)
    form = RemoveCommentForm(request.POST, prefix=str(row.pk))
    if form.is_valid():
        actor, reason = request.user.get_username(), form.cleaned_data["reason"]
        remove_comment(comment=row, actor=actor, now=timezone.now(), reason=reason)
        messages.success(request, "The comment is removed.")
    else:
        messages.error(request, "Enter a reason. The comment was not removed.")
    return redirect("releases:release_comments", project.slug, version)
