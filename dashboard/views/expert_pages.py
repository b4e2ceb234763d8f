"""The pages on which experts annotate, merge and correct: the workers' pages, for a session.

Nothing on them, in their data or in their addresses tells whose work it is or what it was called.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from annotation.forms import read_page_message
from annotation.frame import answer_script
from annotation.markdown import render_markdown
from annotation.models import Project
from annotation.page_script import page_scripts
from annotation.permissions import project_page
from consolidation.domain.expert_queues import take_next
from consolidation.domain.expert_work import (
    WorkRefused,
    guidelines_of,
    hand_in_correction,
    hand_in_queued,
    open_correction,
    open_queued,
    queued_of,
    save_correction,
    save_queued,
)
from consolidation.domain.monitor import reviews_of
from consolidation.enums import ExpertWork, ReviewState
from consolidation.models import ExpertDraft, ExpertQueue, QueuedItem, Review
from dashboard.pages import render_page
from schemes.base import Json

View = Callable[..., HttpResponseBase]
TEMPLATES = {ExpertWork.ANNOTATE: "generator", ExpertWork.MERGE: "consolidator"}
SIGNED_OUT = "You have been signed out. Sign in again in another tab, then open this page again."


def script_of_page(view: View) -> View:
    """An endpoint that a page's script posts to; also its refusals are JSON."""

    @wraps(view)
    def answered(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            return JsonResponse({"error": SIGNED_OUT}, status=403)
        try:
            return answer_script(project_page(view), request, kwargs, bad=400)
        except WorkRefused as error:
            return JsonResponse({"error": str(error)}, status=403)

    return answered


# --- a queued item -------------------------------------------------------------------------------


@require_GET
@gzip_page
@project_page
def item(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    queued = _queued(project, pk)
    back = {
        "url": reverse("dashboard:expert_queue", args=[project.slug, queued.queue_id]),
        "title": queued.queue.title,
    }
    try:
        page = open_queued(queued=queued, expert=request.user, now=timezone.now())
    except WorkRefused as error:
        return _refused(request, project, error, back)
    page |= _addresses(request, "expert")
    if not page["submitted"]:
        address = reverse("dashboard:expert_next", args=[project.slug, queued.queue_id])
        back["later"], back["leaving"] = address, str(pk)
    return _render(request, project, page, queued.queue.kind, back)


@script_of_page
def item_draft(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    assert request.user.is_authenticated
    state = read_page_message(request.body).state()
    draft = save_queued(
        queued=_queued(project, pk), expert=request.user, state=state, now=timezone.now()
    )
    return _saved(draft)


@script_of_page
def item_submit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Takes the work in, and the next item for the same expert: `next` is its address."""
    assert request.user.is_authenticated
    queued, now = _queued(project, pk), timezone.now()
    state = read_page_message(request.body).state()
    hand_in_queued(queued=queued, expert=request.user, state=state, now=now)
    following = take_next(queue=queued.queue, expert=request.user, now=now, leaving=pk)
    if following is None:
        messages.success(
            request, "Handed in. There is nothing more for you in this queue just now."
        )
    return JsonResponse({"next": address_of_next(project, queued.queue, following)})


def address_of_next(project: Project, queue: ExpertQueue, queued: QueuedItem | None) -> str:
    """The page of an item that was taken; the queue's where there was none."""
    if queued is None:
        return reverse("dashboard:expert_queue", args=[project.slug, queue.pk])
    return reverse("dashboard:expert_item", args=[project.slug, queued.pk])


def _queued(project: Project, pk: int) -> QueuedItem:
    found = queued_of(project=project, pk=pk)
    return found or get_object_or_404(QueuedItem.objects.none())


# --- the correction of a review ------------------------------------------------------------------


@require_GET
@gzip_page
@project_page
def correction(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    back = {
        "url": reverse("dashboard:review", args=[project.slug, pk]),
        "title": f"Review {pk}",
    }
    try:
        page = open_correction(review=review, expert=request.user)
    except WorkRefused as error:
        return _refused(request, project, error, back)
    page |= _addresses(request, "correction")
    return _render(request, project, page, ExpertWork.MERGE, back)


@script_of_page
def correction_draft(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    assert request.user.is_authenticated
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    state = read_page_message(request.body).state()
    return _saved(
        save_correction(review=review, expert=request.user, state=state, now=timezone.now())
    )


@script_of_page
def correction_submit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Takes the correction in; `next` is the address of the next review."""
    assert request.user.is_authenticated
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    state = read_page_message(request.body).state()
    hand_in_correction(review=review, expert=request.user, state=state, now=timezone.now())
    messages.success(request, "Your correction is kept: it is the gold from now on.")
    return JsonResponse({"next": address_of_next_review(project)})


def address_of_next_review(project: Project) -> str:
    following: Review | None = reviews_of(project=project, state=ReviewState.DRAWN).first()
    if following:
        return reverse("dashboard:review", args=[project.slug, following.pk])
    return reverse("dashboard:reviews", args=[project.slug])


# --- what both have ------------------------------------------------------------------------------


def _addresses(request: HttpRequest, route: str) -> Json:
    """Where the page's script sends its work, and under which name a browser keeps what is not saved
    yet: no other person on the same computer is shown it."""
    assert request.resolver_match
    args = list(request.resolver_match.kwargs.values())
    return {
        "csrf": get_token(request),
        "draftKey": f"draft {request.path} of user {request.user.pk}",
        "urls": {
            "draft": reverse(f"dashboard:{route}_draft", args=args),
            "submit": reverse(f"dashboard:{route}_submit", args=args),
        },
    }


def _render(
    request: HttpRequest, project: Project, page: Json, kind: str, back: dict[str, str]
) -> HttpResponse:
    """The workers' page of the project's scheme."""
    guidelines = guidelines_of(project=project, kind=kind)
    context = {
        **page_scripts(page),
        "back": back,
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
        "comment_label": "What was wrong, or a word to the office",
    }
    template = TEMPLATES[ExpertWork(kind)]
    return render(request, f"annotation/{project.scheme}/{template}.html", context)


def _saved(draft: ExpertDraft) -> JsonResponse:
    return JsonResponse({"revision": draft.revision, "submitted": bool(draft.submitted_at)})


def _refused(
    request: HttpRequest, project: Project, error: WorkRefused, back: dict[str, str]
) -> HttpResponse:
    context = {"error": error, "back": back}
    return render_page(request, project, "consolidation/work_refused.html", context, status=409)
