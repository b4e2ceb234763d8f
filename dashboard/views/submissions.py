"""Submissions that wait for a person, and the person's word on them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choose_copy import CanNotChoose, Copy, has_two_copies
from annotation.domain.decide_submission import accept_assignment, reject_submissions
from annotation.domain.queries import can_be_used, submissions_of, waiting_for_a_person
from annotation.domain.set_aside import pay_and_set_aside
from annotation.enums import SubmissionState
from annotation.models import Project, Submission
from annotation.permissions import project_page
from audit.domain.change_state import MoveRefused
from consolidation.domain.choose_copy import choose_copy_of, compare_copies
from crowd.models import Assignment
from dashboard.forms.submissions import CopyForm, RejectForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of

PAGE_SIZE = 20


@require_GET
@project_page
def submissions(request: HttpRequest, project: Project) -> HttpResponse:
    return _list(request, project, RejectForm())


def _list(
    request: HttpRequest, project: Project, form: RejectForm, *, refused: int = 0
) -> HttpResponse:
    page = page_of(
        waiting_for_a_person(project=project).select_related("item__project"),
        cursor=request.GET.get("page", ""),
        by=("pk",),
        size=PAGE_SIZE,
    )
    context = {
        "page": page,
        "rows": [
            {"submission": one, "usable": can_be_used(one), "copies": has_two_copies(one)}
            for one in page.rows
        ],
        "form": form,
        "refused": refused,
        "query": query_without_page(request),
    }
    status = 422 if refused else 200
    return render_page(request, project, "dashboard/submissions.html", context, status=status)


@require_POST
@project_page
def accept(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    if not all(map(_is_annotation, assignment.submissions.all())):
        messages.error(
            request, "Nothing was accepted: this content can't be used as an annotation."
        )
        return redirect("dashboard:submissions", slug=project.slug)
    try:
        accept_assignment(
            assignment=assignment, actor=request.user.get_username(), now=timezone.now()
        )
    except MoveRefused as error:
        messages.error(request, f"Nothing was accepted: {error}")
    else:
        messages.success(request, f"Accepted. {assignment.worker} is paid by the next sweep.")
    return redirect("dashboard:submissions", slug=project.slug)


def _is_annotation(submission: Submission) -> bool:
    """Whether accepting it makes sense; what was accepted before is a repeat, and harmless."""
    return submission.state == SubmissionState.ACCEPTED or can_be_used(submission)


@require_POST
@project_page
def set_aside(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    try:
        pay_and_set_aside(
            assignment=assignment, actor=request.user.get_username(), now=timezone.now()
        )
    except MoveRefused as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        told = f"{assignment.worker} is paid by the next sweep; the work is left out."
        messages.success(request, told)
    return redirect("dashboard:submissions", slug=project.slug)


@require_POST
@project_page
def reject(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    assignment = _assignment(project, pk)
    form = RejectForm(request.POST)
    if not form.is_valid():
        return _list(request, project, form, refused=pk)
    try:
        reject_submissions(
            assignment=assignment,
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except MoveRefused as error:
        messages.error(request, f"Nothing was rejected: {error}")
    else:
        messages.success(request, f"Rejected. {assignment.worker} is told the reason.")
    return redirect("dashboard:submissions", slug=project.slug)


@require_http_methods(["GET", "POST"])
@project_page
def copies(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Our copy and the marketplace's, what differs in words, and the choice."""
    submission = get_object_or_404(
        submissions_of(project=project).select_related("item__project", "assignment__hit__task"),
        pk=pk,
        assignment__isnull=False,
    )
    if not has_two_copies(submission):
        messages.info(request, "There are no two copies of this work to choose from (any more).")
        return redirect("dashboard:submissions", slug=project.slug)
    form = CopyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            accepted = choose_copy_of(
                submission=submission,
                copy=Copy(form.cleaned_data["copy"]),
                reason=form.cleaned_data["reason"],
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except (CanNotChoose, MoveRefused) as error:
            form.add_error(None, str(error))
        else:
            told = (
                f"Chosen and accepted. {submission.worker} is paid by the next sweep."
                if accepted
                else "Chosen. Something else about this assignment still waits for you."
            )
            messages.success(request, told)
            return redirect("dashboard:submissions", slug=project.slug)
    context = {"submission": submission, "two": compare_copies(submission=submission), "form": form}
    status = 422 if form.is_bound else 200
    return render_page(request, project, "dashboard/copies.html", context, status=status)


def _assignment(project: Project, pk: int) -> Assignment:
    """The assignment that carried the submission: it is decided as a whole."""
    submission = get_object_or_404(
        submissions_of(project=project).select_related("assignment__worker"),
        pk=pk,
        assignment__isnull=False,
    )
    assert submission.assignment
    return submission.assignment
