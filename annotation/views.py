"""Workers' pages for generation, as they stand in a marketplace's frame."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.domain.compensate import compensation_form
from annotation.domain.drafts import save_draft, submit_draft
from annotation.domain.open_page import guidelines_for, open_page
from annotation.domain.record_generations import parse_generation
from annotation.domain.worker_page import claim_of_token
from annotation.enums import Role
from annotation.forms import read_page_message
from annotation.frame import framed_page, page_endpoint
from annotation.markdown import render_markdown
from annotation.models import Compensation, Task


@require_GET
@framed_page
def generate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    task = get_object_or_404(
        Task.objects.select_related("batch__project"), public_id=public_id, role=Role.GENERATOR
    )
    page = open_page(
        task=task,
        assignment=request.GET.get("assignmentId", ""),
        worker=request.GET.get("workerId", ""),
        submit_to=request.GET.get("turkSubmitTo", ""),
    )
    page["urls"] = {"draft": reverse("annotation:draft"), "submit": reverse("annotation:submit")}
    return render_task_page(request, task, page)


@require_GET
@framed_page
def compensation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    offer = get_object_or_404(Compensation, public_id=public_id)
    form = compensation_form(
        assignment=request.GET.get("assignmentId", ""),
        submit_to=request.GET.get("turkSubmitTo", ""),
    )
    return render(request, "annotation/compensation.html", {"reason": offer.reason, "form": form})


def render_task_page(request: HttpRequest, task: Task, page: dict[str, object]) -> HttpResponse:
    """The page of the task's scheme and role: templates/annotation/<scheme>/<role>.html."""
    token = page["token"]
    guidelines = guidelines_for(task=task, claim=claim_of_token(token) if token else None)
    context = {
        "page": page,
        "task": task,
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
    }
    return render(request, f"annotation/{task.batch.project.scheme}/{task.role}.html", context)


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
