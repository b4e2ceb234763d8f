"""Working on a HIT: the page around the frame, submitting, returning, going on."""

from collections.abc import Iterable

from csp.constants import NONE
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from marketplace.domain import queries, work
from marketplace.domain.errors import NotFoundError, RefusalError
from marketplace.domain.submit_tokens import read_submit_token
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, WorkerAccount
from marketplace.templatetags.marketplace_tags import dollars
from marketplace.views.frame import (
    answer_page_source,
    framing,
    origin_of,
    with_policy,
    work_url,
)
from marketplace.views.groups import to_next
from marketplace.views.session import current_worker, session_token, worker_required
from rendering.kept_pages import render_kept


@require_GET
@cache_control(no_store=True, private=True)
def work_page(request: HttpRequest, assignment_code: str) -> HttpResponseBase:
    now = timezone.now()
    token = session_token(request)
    page = queries.work_page(token=token, assignment_code=assignment_code, now=now)
    if page is None:
        return _no_work(request)
    if page.status != AssignmentStatus.ACCEPTED or page.deadline_at <= now:
        return render(request, "marketplace/work_over.html", {"worker": True, "page": page})
    values = {
        "title": page.title,
        "frame_url": work_url(page),
        "reward": dollars(page.reward_cents),
        "deadline_iso": page.deadline_iso,
        "deadline_clock": page.deadline_clock,
        "code": page.code,
        "csrf_token": get_token(request),
    }
    fixed = {
        "is_demo": settings.DEMO,
        "worker": True,
        "frame_height": page.frame_height,
        "accepts_next": page.accepts_next,
    }
    shown = render_kept(request, "marketplace/work.html", values, **fixed)
    return framing(request, shown, [origin_of(page.external_url), answer_page_source()])


@worker_required
def _no_work(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    raise Http404("No such assignment of yours.")


@require_POST
@worker_required
def return_hit(
    request: HttpRequest, worker: WorkerAccount, assignment_code: str
) -> HttpResponseBase:
    try:
        work.return_assignment(worker=worker, assignment_code=assignment_code, now=timezone.now())
    except RefusalError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, "You returned the HIT. Someone else can do it now.")
    return redirect("marketplace:groups")


@require_POST
@worker_required
def go_on(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    """After a submission: the next HIT of the group if the worker wants that, or the list.

    The page in the frame may have said "submitted" without doing it, so that is looked up here.
    """
    assignment = _own(worker, assignment_code)
    wants_next = "accepts_next" in request.POST
    if wants_next != worker.accepts_next:
        WorkerAccount.objects.filter(pk=worker.pk).update(accepts_next=wants_next)
    if assignment.status == AssignmentStatus.ACCEPTED:
        messages.error(request, "This HIT has not been submitted yet.")
        return redirect("marketplace:work", assignment_code=assignment.code)
    if not wants_next:
        return redirect("marketplace:groups")
    return to_next(request, worker, assignment.hit_type.code)


@csrf_exempt  # the frame has no cookies; the token in the address is bound to the assignment
@require_POST
@xframe_options_exempt
def submit_by_token(request: HttpRequest, token: str) -> HttpResponseBase:
    bound = read_submit_token(token)
    if bound is None:
        return _answer_page(request, "", "This address is not one that the marketplace gave.", 403)
    assignment_code, worker_code = bound
    if request.POST.get("assignmentId", "") != assignment_code:
        return _answer_page(request, "", "The form names another assignment.", 403)
    return _submit(request, worker_code, assignment_code)


@csrf_exempt  # another site's form is refused by its Origin, and a Lax cookie is not sent along
@require_POST
@xframe_options_exempt
def submit_by_session(request: HttpRequest) -> HttpResponseBase:
    """MTurk's own path, for a page that ignores `turkSubmitTo`: only for a worker's session."""
    worker = current_worker(request) if _same_site(request) else None
    if worker is None:
        return _answer_page(request, "", "Log in first, or post to turkSubmitTo.", 403)
    return _submit(request, worker.code, request.POST.get("assignmentId", ""))


def _submit(request: HttpRequest, worker_code: str, assignment_code: str) -> HttpResponseBase:
    try:
        work.submit(
            worker_code=worker_code,
            assignment_code=assignment_code,
            fields=_fields(request),
            now=timezone.now(),
        )
    except NotFoundError as refusal:
        return _answer_page(request, "", refusal.message, 404)
    except RefusalError as refusal:
        return _answer_page(request, "", refusal.message, 409)
    return _answer_page(request, assignment_code, "", 200)


def _fields(request: HttpRequest) -> Iterable[tuple[str, str]]:
    for name, values in request.POST.lists():
        for value in values:
            yield name, str(value)


def _same_site(request: HttpRequest) -> bool:
    origin = request.headers.get("Origin")
    return origin in (None, settings.MARKETPLACE_URL, f"{request.scheme}://{request.get_host()}")


def _answer_page(
    request: HttpRequest, assignment_code: str, problem: str, status: int
) -> HttpResponseBase:
    """Shown inside the frame, whose origin is opaque: so its sources are spelled out."""
    own = settings.MARKETPLACE_URL
    values = {"problem": problem} if problem else {"assignment_code": assignment_code}
    page = render_kept(
        request, "marketplace/submitted.html", values, status=status, marketplace_url=own
    )
    return with_policy(
        request,
        page,
        {
            "default-src": [NONE],
            "script-src": [own],
            "style-src": [own],
            "form-action": [NONE],
            "frame-ancestors": [own],
        },
    )


def _own(worker: WorkerAccount, assignment_code: str) -> Assignment:
    mine = Assignment.objects.select_related("hit_type").defer("answer")
    return get_object_or_404(mine, code=assignment_code, worker=worker)
