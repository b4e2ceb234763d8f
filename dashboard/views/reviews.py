"""An expert's blind look at a sample of the gold, and what share of it was wrong."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.models import Project
from annotation.permissions import project_page
from audit.domain.change_state import MoveRefused
from consolidation.domain.monitor import (
    ReviewRefused,
    confirm_review,
    error_rate,
    return_review,
    reviews_of,
    what_changed,
)
from consolidation.models import Review
from dashboard.forms.reviews import ReviewForm
from dashboard.pages import render_page
from dashboard.paging import page_of
from dashboard.views.expert_pages import address_of_next_review
from qualification.domain.side_by_side import aligned_rows
from schemes.registry import get_scheme


@require_GET
@project_page
def reviews(request: HttpRequest, project: Project) -> HttpResponse:
    page = page_of(reviews_of(project=project), cursor=request.GET.get("page", ""), by=("-pk",))
    scheme = get_scheme(project.scheme)
    rows = [
        {
            "review": one,
            "headline": scheme.headline(one.gold.item.sentence.tokens, one.gold.item.target),
        }
        for one in page.rows
    ]
    context = {"rows": rows, "page": page, "query": "", "rate": error_rate(project=project)}
    return render_page(request, project, "consolidation/reviews.html", context)


@require_GET
@project_page
def review(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    return _page(request, project, _review(project, pk), ReviewForm())


def _review(project: Project, pk: int) -> Review:
    return get_object_or_404(reviews_of(project=project).select_related("correction"), pk=pk)


def _page(
    request: HttpRequest, project: Project, found: Review, form: ReviewForm, status: int = 200
) -> HttpResponse:
    """Nothing here tells whose work it is."""
    item = found.gold.item
    changed = what_changed(found)
    context = {
        "review": found,
        "item": item,
        "gold": found.gold,
        "form": form,
        "changes": aligned_rows(changed.rows, item.sentence.tokens) if changed else [],
    }
    return render_page(request, project, "consolidation/review.html", context, status=status)


@require_POST
@project_page
def judge(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    found = _review(project, pk)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        return _page(request, project, found, form, status=422)
    try:
        _take(found, form, request)
    except (ReviewRefused, MoveRefused) as error:
        form.add_error(None, str(error))
        return _page(request, project, found, form, status=422)
    messages.success(request, "Your judgment is kept.")
    return redirect(address_of_next_review(project))


def _take(found: Review, form: ReviewForm, request: HttpRequest) -> None:
    verdict, comment = form.cleaned_data["verdict"], form.cleaned_data["comment"]
    expert, now = request.user, timezone.now()
    assert expert.is_authenticated
    if verdict == "confirm":
        confirm_review(review=found, expert=expert, now=now)
    else:
        return_review(review=found, expert=expert, comment=comment, now=now)
