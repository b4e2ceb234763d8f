"""Pages on which experts annotate, merge and correct.

The pages are the workers' pages with a session. Their data and URLs do not identify the authors.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.work.look_up import look_up_for_page
from annotation.frame import answer_script
from annotation.page_messages import read_look_up_message, read_page_message
from annotation.views.work import saved_response
from annotation.work_page import index_urls, render_work_page
from consolidation.domain.experts.expert_queues import position_of, take_next
from consolidation.domain.experts.expert_work import (
    ExpertWorkError,
    guidelines_of,
    open_again,
    open_correction,
    open_queued,
    save_correction,
    save_queued,
    submit_correction,
    submit_queued,
)
from consolidation.domain.experts.monitor import reviews_of
from consolidation.enums import ExpertWork, QueueState, ReviewState
from consolidation.models import ExpertQueue, QueuedItem, Review
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from projects.pages import render_page
from projects.permissions import REVIEWERS, project_page
from schemes.contract.values import Json

View = Callable[..., HttpResponseBase]
# The roles whose pages experts use.
ROLES = {ExpertWork.ANNOTATE: Role.GENERATOR, ExpertWork.MERGE: Role.CONSOLIDATOR}
SIGNED_OUT = "You've been signed out. Sign in again in another tab, then reload this page."


def reviewer_endpoint(view: View) -> View:
    """Declare an endpoint that an expert page's script calls, with JSON error responses."""
    page = project_page(REVIEWERS)(view)

    @wraps(view)
    def answered(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            return JsonResponse({"error": SIGNED_OUT}, status=403)
        try:
            return answer_script(page, request, kwargs)
        except ExpertWorkError as error:
            return JsonResponse({"error": str(error)}, status=403)

    answered.rule = REVIEWERS  # type: ignore[attr-defined]
    return answered


@require_GET
@gzip_page
@project_page(REVIEWERS)
def item(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    queued = _queued(project, pk)
    back = {
        "url": reverse("consolidation:expert_queue", args=[project.slug, queued.queue_id]),
        "title": queued.queue.title,
    }
    try:
        page = open_queued(queued=queued, expert=request.user, now=timezone.now())
    except ExpertWorkError as error:
        return _refused(request, project, error, back)
    page |= _addresses(request, project, page, "expert")
    back |= _places(request, project, queued)
    if page["submitted"]:
        back["correct"] = reverse("consolidation:expert_correct", args=[project.slug, pk])
    else:
        address = reverse("consolidation:expert_next", args=[project.slug, queued.queue_id])
        back["later"], back["leaving"] = address, str(pk)
    return _render(request, project, page, queued.queue.kind, back)


def _places(request: HttpRequest, project: Project, queued: QueuedItem) -> dict[str, str]:
    """Return the item's place in the expert's work, its neighbours, and where to flag it."""
    position = position_of(queued=queued, expert=request.user, now=timezone.now())
    places = {
        "place": f"{position.number:,} of {position.total:,}",
        "flag": reverse("consolidation:flag_item", args=[project.slug, queued.pk]),
    }
    for name, pk in (("previous", position.previous), ("next", position.next)):
        if pk:
            places[name] = reverse("consolidation:expert_item", args=[project.slug, pk])
    return places


@require_POST
@project_page(REVIEWERS)
def correct(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Open the expert's submitted work again, or the review of the gold that it became."""
    assert request.user.is_authenticated
    queued = _queued(project, pk)
    try:
        review = open_again(queued=queued, expert=request.user, now=timezone.now())
    except ExpertWorkError as error:
        messages.error(request, str(error))
        return redirect("consolidation:expert_queue", project.slug, queued.queue_id)
    if review:
        return redirect("consolidation:correction", project.slug, review.pk)
    return redirect("consolidation:expert_item", project.slug, pk)


@reviewer_endpoint
def item_draft(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    assert request.user.is_authenticated
    queued, state = _queued(project, pk), read_page_message(request)
    return saved_response(
        save_queued(queued=queued, expert=request.user, state=state, now=timezone.now())
    )


@reviewer_endpoint
def item_submit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Submit the work and return the URL of the expert's next item as `next`."""
    assert request.user.is_authenticated
    queued, now = _queued(project, pk), timezone.now()
    state = read_page_message(request)
    submit_queued(queued=queued, expert=request.user, state=state, now=now)
    following = take_next(queue=queued.queue, expert=request.user, now=now, leaving=pk)
    if following is None:
        messages.success(request, "Submitted. There are no more items for you in this queue.")
    return JsonResponse({"next": address_of_next(project, queued.queue, following)})


@reviewer_endpoint
def look_up(request: HttpRequest, project: Project) -> HttpResponse:
    message = read_look_up_message(request)
    items = {int(pk) for pk in request.GET.getlist("item") if pk.isdecimal() and len(pk) < 19}
    # An expert may get any item of an open queue.
    queued = QueuedItem.objects.filter(queue__project=project, queue__state=QueueState.OPEN)
    items.update(queued.values_list("item", flat=True))
    results = look_up_for_page(
        project=project, resource=message.resource, query=message.query, items=items
    )
    return JsonResponse({"results": results})


def address_of_next(project: Project, queue: ExpertQueue, queued: QueuedItem | None) -> str:
    """Return the URL of the item, or of the queue if there is no item."""
    if queued is None:
        return reverse("consolidation:expert_queue", args=[project.slug, queue.pk])
    return reverse("consolidation:expert_item", args=[project.slug, queued.pk])


def _queued(project: Project, pk: int) -> QueuedItem:
    rows = QueuedItem.objects.select_related("queue", "item__sentence__image", "item__project")
    return get_object_or_404(rows, queue__project=project, pk=pk)


@require_GET
@gzip_page
@project_page(REVIEWERS)
def correction(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    back = {
        "url": reverse("consolidation:review", args=[project.slug, pk]),
        "title": f"Review {pk}",
    }
    try:
        page = open_correction(review=review, expert=request.user)
    except ExpertWorkError as error:
        return _refused(request, project, error, back)
    page |= _addresses(request, project, page, "correction")
    return _render(request, project, page, ExpertWork.MERGE, back)


@reviewer_endpoint
def correction_draft(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    assert request.user.is_authenticated
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    state = read_page_message(request)
    return saved_response(
        save_correction(review=review, expert=request.user, state=state, now=timezone.now())
    )


@reviewer_endpoint
def correction_submit(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Submit the correction and return the URL of the next review as `next`."""
    assert request.user.is_authenticated
    review = get_object_or_404(reviews_of(project=project), pk=pk)
    state = read_page_message(request)
    submit_correction(review=review, expert=request.user, state=state, now=timezone.now())
    messages.success(request, "Your correction is saved as the new gold.")
    return JsonResponse({"next": address_of_next_review(project)})


def address_of_next_review(project: Project) -> str:
    following: Review | None = reviews_of(project=project, state=ReviewState.DRAWN).first()
    if following:
        return reverse("consolidation:review", args=[project.slug, following.pk])
    return reverse("consolidation:reviews", args=[project.slug])


def _addresses(request: HttpRequest, project: Project, page: Json, route: str) -> Json:
    """Return the URLs for the page's script and the browser's key for unsaved work.

    The key contains the user, so that users of the same computer don't see each other's work.
    """
    assert request.resolver_match
    args = list(request.resolver_match.kwargs.values())
    own_items = urlencode([("item", item["id"]) for item in page["items"]])
    return {
        "csrf": get_token(request),
        "draftKey": f"draft {request.path} of user {request.user.pk}",
        "urls": {
            "draft": reverse(f"consolidation:{route}_draft", args=args),
            "submit": reverse(f"consolidation:{route}_submit", args=args),
            "lookUp": f"{reverse('consolidation:expert_look_up', args=args[:1])}?{own_items}",
            **index_urls(project),
        },
    }


def _render(
    request: HttpRequest, project: Project, page: Json, kind: str, back: dict[str, str]
) -> HttpResponse:
    """Render the scheme's page for workers."""
    return render_work_page(
        request,
        scheme=scheme_of(project),
        role=ROLES[ExpertWork(kind)],
        page=page,
        guidelines=guidelines_of(project=project, kind=kind),
        back=back,
        comment_label="Comment for the project's staff",
    )


def _refused(
    request: HttpRequest, project: Project, error: ExpertWorkError, back: dict[str, str]
) -> HttpResponse:
    context = {"error": error, "back": back}
    return render_page(request, project, "consolidation/work_refused.html", context, status=409)
