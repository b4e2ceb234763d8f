"""Workers' pages for generation, as they stand in a marketplace's frame, and for practice."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from annotation.domain.compensate import compensation_form
from annotation.domain.drafts import save_draft, submit_draft
from annotation.domain.open_page import NoSuchTask, OpenedPage, open_page
from annotation.domain.practice import (
    Lesson,
    NoSuchExercise,
    check_answers,
    find_lesson,
    practice_guidelines,
    practice_page,
)
from annotation.domain.record_generations import parse_generation
from annotation.domain.worker_page import claim_of_token
from annotation.enums import Role
from annotation.forms import read_page_message, read_practice_message
from annotation.frame import framed_page, page_endpoint
from annotation.markdown import render_markdown
from annotation.models import Compensation
from annotation.page_script import page_scripts
from rendering.kept_pages import render_compressed


@require_GET
@framed_page
def generate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    page = open_framed_page(request, public_id, Role.GENERATOR)
    page.data["urls"] = {
        "draft": reverse("annotation:draft"),
        "submit": reverse("annotation:submit"),
    }
    return render_task_page(request, page)


@require_GET
@framed_page
def compensation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    offer = get_object_or_404(Compensation, public_id=public_id)
    form = compensation_form(
        assignment=request.GET.get("assignmentId", ""),
        submit_to=request.GET.get("turkSubmitTo", ""),
    )
    return render(request, "annotation/compensation.html", {"reason": offer.reason, "form": form})


def open_framed_page(request: HttpRequest, public_id: UUID, role: Role) -> OpenedPage:
    """The task's page as the frame's address names it. Raises Http404, BadPage."""
    try:
        return open_page(
            public_id=public_id,
            role=role,
            assignment=request.GET.get("assignmentId", ""),
            worker=request.GET.get("workerId", ""),
            submit_to=request.GET.get("turkSubmitTo", ""),
        )
    except NoSuchTask as error:
        raise Http404(str(error)) from error


def render_task_page(request: HttpRequest, page: OpenedPage) -> HttpResponse:
    """The page of the task's scheme and role: templates/annotation/<scheme>/<role>.html."""
    scripts = page_scripts(page.data)
    return render_compressed(
        request,
        f"annotation/{page.project.scheme}/{page.role}.html",
        {"script": scripts["script"]},  # all that differs between workers
        shared=scripts["shared"],
        guidelines=render_markdown(page.guidelines),
        pays=bool(page.data["pay"]),
    )


@page_endpoint
def draft(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request.body)
    saved = save_draft(
        claim=claim_of_token(message.token), state=message.state(), now=timezone.now()
    )
    return JsonResponse({"revision": saved.revision, "submitted": bool(saved.submitted_at)})


@page_endpoint
def submit(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request.body)
    answer = submit_draft(
        claim=claim_of_token(message.token),
        state=message.state(),
        parse=parse_generation,
        now=timezone.now(),
    )
    return JsonResponse({"fields": {"content": answer}})


@require_GET
def practice_start(request: HttpRequest, scheme: str) -> HttpResponse:
    return redirect("annotation:practice", scheme=scheme, number=1)


@require_GET
@gzip_page
def practice(request: HttpRequest, scheme: str, number: int) -> HttpResponse:
    lesson = _lesson(scheme, number)
    page = practice_page(lesson)
    page["urls"] = {"check": reverse("annotation:practice-check", args=[scheme, number])}
    context = {
        **page_scripts(page),
        "lesson": lesson,
        "guidelines": render_markdown(practice_guidelines(scheme)),
    }
    return render(request, f"annotation/{scheme}/practice.html", context)


@page_endpoint
def practice_check(request: HttpRequest, scheme: str, number: int) -> HttpResponse:
    content = read_practice_message(request.body)
    return JsonResponse(check_answers(lesson=_lesson(scheme, number), content=content))


def _lesson(scheme: str, number: int) -> Lesson:
    try:
        return find_lesson(scheme=scheme, number=number)
    except NoSuchExercise as error:
        raise Http404(str(error)) from error
