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
    correct_review,
    error_rate,
    return_review,
    reviews_of,
)
from consolidation.enums import ReviewState
from consolidation.models import Review
from dashboard.forms import ReviewForm
from dashboard.pages import render_page
from dashboard.paging import page_of
from schemes.base import ContentError
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
    found = get_object_or_404(reviews_of(project=project), pk=pk)
    item = found.gold.item
    lines = get_scheme(project.scheme).write_lines(found.gold.content, tokens=item.sentence.tokens)
    return _page(request, project, found, ReviewForm(initial={"lines": lines}))


def _page(
    request: HttpRequest, project: Project, found: Review, form: ReviewForm, status: int = 200
) -> HttpResponse:
    """Nothing here tells whose work it is."""
    context = {"review": found, "item": found.gold.item, "gold": found.gold, "form": form}
    return render_page(request, project, "consolidation/review.html", context, status=status)


@require_POST
@project_page
def judge(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    found = get_object_or_404(reviews_of(project=project), pk=pk)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        return _page(request, project, found, form, status=422)
    try:
        _take(found, form, request)
    except (ContentError, ReviewRefused, MoveRefused) as error:
        form.add_error(None, str(error))
        return _page(request, project, found, form, status=422)
    messages.success(request, "Your judgment is kept.")
    following = reviews_of(project=project, state=ReviewState.DRAWN).first()
    if following:
        return redirect("dashboard:review", project.slug, following.pk)
    return redirect("dashboard:reviews", project.slug)


def _take(found: Review, form: ReviewForm, request: HttpRequest) -> None:
    verdict, comment = form.cleaned_data["verdict"], form.cleaned_data["comment"]
    expert, now = request.user, timezone.now()
    assert expert.is_authenticated
    if verdict == "confirm":
        confirm_review(review=found, expert=expert, now=now)
    elif verdict == "return":
        return_review(review=found, expert=expert, comment=comment, now=now)
    else:
        item = found.gold.item
        scheme = get_scheme(item.project.scheme)
        content = scheme.read_lines(form.cleaned_data["lines"], tokens=item.sentence.tokens)
        correct_review(review=found, expert=expert, content=content, comment=comment, now=now)
