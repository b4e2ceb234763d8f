"""Pages for consolidators, validators and revisers in a marketplace's frame."""

from string import ascii_uppercase
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from annotation.domain.corpus.item_context import context_of
from annotation.domain.work.confirm_claim import check_confirmed, confirm_claim
from annotation.domain.work.drafts import submit_draft
from annotation.domain.work.open_page import OpenedPage
from annotation.domain.work.tutorial import example_of
from annotation.domain.work.worker_page import InvalidPageError, NotForWorkerError, page_token_of
from annotation.frame import framed_page, page_endpoint
from annotation.models import Task
from annotation.page_messages import read_page_message
from annotation.views.work import (
    open_framed_page,
    render_guidelines_page,
    render_task_page,
    submitted_response,
)
from annotation.work_page import index_urls
from consolidation.domain.case_records import case_of_task, marked_source, sources_of
from consolidation.domain.cases.open_cases import excluded_workers
from consolidation.domain.cases.record_work import parse_for_case
from consolidation.models import Case
from consolidation.protocols import CASE_ROLES
from crowd.domain.sessions.arrivals import parse_arrival
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Json

OWN_WORK = gettext_lazy(
    "You wrote one of the annotations that are {work} here, or merged them before. Return this "
    "task."
)
EXAMPLE = gettext_lazy("This is an example. The annotations of the task appear when you accept it.")
HIDDEN = gettext_lazy("The annotations of the task appear when you accept it.")
REVISION_HIDDEN = gettext_lazy(
    "Your annotation, and what others dispute in it, appear when you accept the task."
)
MARKED = gettext_lazy("A program wrote annotation {letter}, and people wrote the others.")
OTHERS_WORK = gettext_lazy(
    "Only the worker who wrote this annotation can revise it. Return this task."
)


@require_GET
@framed_page
def consolidate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    page, case = _open(request, public_id, Role.CONSOLIDATOR, OWN_WORK.format(work="merged"))
    if page.hides_work:
        return _render_example(request, page)
    item, sources = case.item, sources_of(case)
    page.data["items"][0]["sources"] = sources
    merging = scheme_of(item.project).get_merging()
    page.data["items"][0]["layout"] = merging.lay_out(sources, context_of(item))
    marked = marked_source(case)
    hint = "" if marked is None else MARKED.format(letter=ascii_uppercase[marked])
    return render_task_page(request, page, hint=hint)


@require_GET
@framed_page
def validate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    page, case = _open(request, public_id, Role.VALIDATOR, OWN_WORK.format(work="judged"))
    if page.hides_work:
        return _render_example(request, page)
    validating = scheme_of(case.item.project).get_validating()
    task = case.case_tasks.get(task__public_id=public_id).task
    page.data["items"][0]["asked"] = validating.asked(sources_of(case, task.round))
    return render_task_page(request, page)


@require_GET
@framed_page
def revise(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Show the generator's page with the disputed annotation and what is disputed."""
    task = get_object_or_404(Task, public_id=public_id, role=Role.REVISER)
    page = open_framed_page(request, public_id, Role.REVISER)
    page.data["urls"] = _urls(page.project)
    if page.hides_work:
        return render_task_page(request, page, hint=str(REVISION_HIDDEN))
    dispute = case_of_task(task).disputes.select_related("source__worker").get(round=task.round)
    author, worker = dispute.source.worker, parse_arrival(request.path, request.GET.dict()).worker
    if worker and author and worker != author.external_id:
        raise NotForWorkerError(OTHERS_WORK)
    (item,) = page.data["items"]
    item["disputes"] = dispute.content
    if item["content"] is None:
        item["content"] = dispute.source.content
    return render_task_page(request, page)


@page_endpoint
def submit(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request)
    claim = page_token_of(message.token)
    tasks = Task.objects.select_related("hit__hit_type").filter(role__in=CASE_ROLES)
    task = tasks.filter(public_id=claim.public_id).first()
    if task is None:
        raise InvalidPageError(gettext("This task doesn't exist."))
    now = timezone.now()
    claim = confirm_claim(claim=claim, task=task, now=now)
    # The answer, and refusals of content, show what others wrote.
    check_confirmed(claim=claim, task=task)
    answer = submit_draft(
        claim=claim,
        state=message,
        parse=parse_for_case(case_of_task(task), task),
        now=now,
        address=request.META.get("REMOTE_ADDR", ""),
    )
    return submitted_response(answer, message)


def _open(
    request: HttpRequest, public_id: UUID, role: Role, own_work: str
) -> tuple[OpenedPage, Case]:
    """Return the opened page and its case. Raise Http404, InvalidPageError."""
    case = case_of_task(get_object_or_404(Task, public_id=public_id, role=role))
    page = open_framed_page(request, public_id, role)
    page.data["urls"] = _urls(page.project)
    if page.hides_work:
        return page, case
    arrival = parse_arrival(request.path, request.GET.dict())
    # All trainees merge the same given annotations, and some repeat a task.
    in_training = case.given is not None
    excluded = [] if in_training else excluded_workers(case.item, but_assignment=arrival.assignment)
    if arrival.worker in {person.external_id for person in excluded}:
        raise NotForWorkerError(own_work)
    return page, case


def _render_example(request: HttpRequest, page: OpenedPage) -> HttpResponse:
    """Render a preview with the example of the tutorial, or only the guidelines if there is none."""
    example = example_of(project=page.project, role=page.role)
    if example is None:
        return render_guidelines_page(request, page, hint=str(HIDDEN))
    page.data["items"] = [example]
    return render_task_page(request, page, hint=str(EXAMPLE))


def _urls(project: Project) -> Json:
    return {
        "draft": reverse("annotation:draft"),
        "submit": reverse("consolidation:submit"),
        "lookUp": reverse("annotation:look-up"),
        **index_urls(project),
    }
