"""Pages on which experts review a sample of the gold blind, with the error rate."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import headline_of
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.experts.monitor import (
    ReviewError,
    confirm_review,
    draw_more,
    error_rate,
    request_review,
    return_review,
    reviews_of,
    what_changed,
)
from consolidation.forms import DrawReviewsForm, ReviewForm
from consolidation.models import Gold, Review
from consolidation.views.expert_pages import address_of_next_review
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import REVIEWERS, STAFF, pages_open_to, project_page
from schemes.contract.values import Noun
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
            Column("Reason", lambda row: row.get_origin_display(), order="origin"),
            time_column("Added", lambda row: row.drawn_at, order="drawn_at"),
            time_column("Reviewed", lambda row: row.reviewed_at, order="reviewed_at"),
        ],
        count=REVIEWS.count,
        empty=Empty(
            "No reviews yet",
            "A random sample of the gold appears here as items are finished. You can add more above.",
        ),
    )
    context = {
        "rate": error_rate(project=project),
        "share": f"{project.monitoring_per_thousand / 10:g}",
        "draw_form": DrawReviewsForm(),
    }
    return render_list(request, project, "consolidation/reviews.html", listing, context)


@require_GET
@project_page(REVIEWERS)
def review(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    review = _review(project, pk)
    return _page(request, project, review, _form(review))


@require_POST
@project_page(STAFF | REVIEWERS)
def draw(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Add items to the sample now."""
    form = DrawReviewsForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Enter a number of items from 1 to 1,000.")
        return redirect("consolidation:reviews", project.slug)
    count = draw_more(
        project=project,
        count=form.cleaned_data["count"],
        actor=str(request.user),
        now=timezone.now(),
    )
    if count:
        messages.success(request, f"{REVIEWS.count(count)} added.")
    else:
        messages.info(request, "No items to add. All finished items are in the sample.")
    return redirect("consolidation:reviews", project.slug)


@require_POST
@project_page(STAFF | REVIEWERS)
def request_gold_review(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Open the review of an item's gold for an expert, or ask the experts for it."""
    gold = get_object_or_404(
        Gold.objects.select_related("item__project"), item__project=project, pk=pk
    )
    try:
        review = request_review(gold=gold, actor=str(request.user), now=timezone.now())
    except ReviewError as error:
        messages.error(request, str(error))
        return redirect("consolidation:item", project.slug, gold.item_id)
    if "consolidation:correction" not in pages_open_to(request.user, project):
        messages.success(request, "The experts will see this item among their reviews.")
        return redirect("consolidation:item", project.slug, gold.item_id)
    has_editor = scheme_of(project).merging is not None
    page = "consolidation:correction" if has_editor else "consolidation:review"
    return redirect(page, project.slug, review.pk)


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
        "has_editor": scheme_of(project).merging is not None,
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
