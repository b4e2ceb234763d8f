"""The consolidators' page, as it stands in a marketplace's frame."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from annotation.domain.drafts import submit_draft
from annotation.domain.open_page import open_page
from annotation.domain.worker_page import BadPage, claim_of_token
from annotation.forms import read_page_message
from annotation.frame import framed_page, page_endpoint
from annotation.views import render_task_page
from consolidation.domain.open_cases import excluded_workers
from consolidation.domain.record_gold import parse_for_case, sources_of
from consolidation.models import Case
from schemes.registry import get_scheme

OWN_WORK = "You wrote one of the annotations that are merged here: please return this task."


@require_GET
@gzip_page  # the page's data is four fifths air
@framed_page
def consolidate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    case = get_object_or_404(
        Case.objects.select_related("item__sentence", "item__project", "task__batch__project"),
        task__public_id=public_id,
    )
    worker = request.GET.get("workerId", "")
    if worker in {one.external_id for one in excluded_workers(case.item)}:
        raise BadPage(OWN_WORK)
    assert case.task
    page = open_page(
        task=case.task,
        assignment=request.GET.get("assignmentId", ""),
        worker=worker,
        submit_to=request.GET.get("turkSubmitTo", ""),
    )
    page["urls"] = {"draft": reverse("annotation:draft"), "submit": reverse("consolidation:submit")}
    item, sources = case.item, sources_of(case)
    page["items"][0]["sources"] = sources
    page["items"][0]["layout"] = get_scheme(item.project.scheme).lay_out(
        sources, tokens=item.sentence.tokens, target=item.target
    )
    return render_task_page(request, case.task, page)


@page_endpoint
def submit(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request.body)
    claim = claim_of_token(message.token)
    case = Case.objects.select_related("item").filter(task__public_id=claim.public_id).first()
    if case is None:
        raise BadPage("This task does not exist (any more).")
    answer = submit_draft(
        claim=claim, state=message.state(), parse=parse_for_case(case), now=timezone.now()
    )
    return JsonResponse({"fields": {"content": answer}})
