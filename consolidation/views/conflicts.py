from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.publishing.queries import submissions_of
from annotation.enums import SubmissionState
from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.reviews.resolve_conflict import (
    ConflictResolutionError,
    Version,
    compare_versions,
    has_two_versions,
    resolve_conflict,
)
from consolidation.forms import ConflictForm
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def copies(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show both copies with their differences, and record the choice."""
    submission = get_object_or_404(
        submissions_of(project=project).select_related(
            "item__project", "assignment__hit__task__batch"
        ),
        pk=pk,
        assignment__isnull=False,
    )
    if not has_two_versions(submission):
        messages.info(request, "This submission has no conflict to resolve.")
        return redirect("consolidation:submissions", slug=project.slug)
    form = ConflictForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            accepted = resolve_conflict(
                submission=submission,
                copy=Version(form.cleaned_data["copy"]),
                reason=form.cleaned_data["reason"],
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except (ConflictResolutionError, TransitionNotAllowedError) as error:
            form.add_error(None, str(error))
        else:
            submission.refresh_from_db()
            message = (
                "The copy was selected. Another problem with this assignment still needs a review."
            )
            if accepted:
                message = (
                    f"The copy was selected and accepted. {submission.worker} will be paid shortly."
                )
            elif submission.state == SubmissionState.WAITING:
                message = "The copy was selected. The work is in review until consolidation."
            messages.success(request, message)
            return redirect("consolidation:submissions", slug=project.slug)
    context = {
        "submission": submission,
        "two": compare_versions(submission=submission),
        "form": form,
    }
    status = 422 if form.is_bound else 200
    return render_page(request, project, "consolidation/copies.html", context, status=status)
