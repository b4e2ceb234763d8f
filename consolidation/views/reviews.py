"""Pages on which experts review a sample of the gold blind, with the error rate."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.item_context import headline_of
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.monitor import (
    ReviewError,
    confirm_review,
    error_rate,
    return_review,
    reviews_of,
    what_changed,
)
from consolidation.forms import ReviewForm
from consolidation.models import Review
from consolidation.views.expert_pages import address_of_next_review
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import REVIEWERS, STAFF, pages_open_to, project_page
from schemes.base import Noun
from web.badges import badge_of
from web.lists import Column, Empty, Listing, link, time_column

REVIEWS = Noun("review", "reviews")


@require_GET
@project_page(STAFF | REVIEWERS)
def reviews(request: HttpRequest, project: Project) -> HttpResponseBase:
    may = pages_open_to(request.user, project)

    def headline(row: Review) -> str:
        return headline_of(row.gold.item, project)

    def review_link(row: Review) -> str:
        if "consolidation:review" not in may:
            return headline(row)
        return link(reverse("consolidation:review", args=[project.slug, row.pk]), headline(row))

    listing = Listing(
        request=request,
        name="reviews",
        rows=reviews_of(project=project),
        columns=[
            Column("Item", headline, review_link),
            Column("State", lambda row: row.get_state_display(), badge_of, order="state"),
            time_column("Sampled", lambda row: row.drawn_at, order="drawn_at"),
            time_column("Reviewed", lambda row: row.reviewed_at, order="reviewed_at"),
        ],
        count=REVIEWS.count,
        empty=Empty(
            "No reviews yet",
            "A random sample of the consolidated gold appears here as items are finished.",
        ),
    )
    context = {"rate": error_rate(project=project)}
    return render_list(request, project, "consolidation/reviews.html", listing, context)


@require_GET
@project_page(REVIEWERS)
def review(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    review = _review(project, pk)
    return _page(request, project, review, _form(review))


def _form(review: Review, *data: Any) -> ReviewForm:
    return ReviewForm(*data, can_return=review.gold.submission_id is not None)


def _review(project: Project, pk: int) -> Review:
    return get_object_or_404(reviews_of(project=project).select_related("correction"), pk=pk)


def _page(
    request: HttpRequest, project: Project, review: Review, form: ReviewForm, status: int = 200
) -> HttpResponse:
    """Render the review without identifying the gold's authors."""
    item = review.gold.item
    changed = what_changed(review)
    context = {
        "review": review,
        "item": item,
        "gold": review.gold,
        "form": form,
        "changes": changed.rows if changed else [],
    }
    return render_page(request, project, "consolidation/review.html", context, status=status)


@require_POST
@project_page(REVIEWERS)
def judge(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    review = _review(project, pk)
    form = _form(review, request.POST)
    if not form.is_valid():
        return _page(request, project, review, form, status=422)
    try:
        _take(review, form, request)
    except (ReviewError, TransitionNotAllowedError) as error:
        form.add_error(None, str(error))
        return _page(request, project, review, form, status=422)
    messages.success(request, "Review saved.")
    return redirect(address_of_next_review(project))


def _take(review: Review, form: ReviewForm, request: HttpRequest) -> None:
    verdict, comment = form.cleaned_data["verdict"], form.cleaned_data["comment"]
    expert, now = request.user, timezone.now()
    assert expert.is_authenticated
    if verdict == "confirm":
        confirm_review(review=review, expert=expert, now=now)
    else:
        return_review(review=review, expert=expert, comment=comment, now=now)
