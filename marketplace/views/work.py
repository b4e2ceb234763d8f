"""Views for working on a HIT, submitting it, returning it and continuing."""

from collections.abc import Iterable
from dataclasses import asdict

from csp.constants import NONE
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from marketplace.domain.errors import NotFoundError, RefusalError
from marketplace.domain.hits.typical_pay import typical_pay
from marketplace.domain.money import format_cents
from marketplace.domain.queries import waiting_cents
from marketplace.domain.questions.submit_tokens import read_submit_token
from marketplace.domain.work import work
from marketplace.domain.work.extend_time import extend_time, time_left
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, WorkerAccount
from marketplace.views.frame import (
    framing,
    in_chosen_language,
    origin_of,
    page_url,
    sandbox_of,
    submit_url,
    work_url,
)
from marketplace.views.groups import SUBMITTED, to_next, to_next_or_list
from marketplace.views.question_form import form_page
from marketplace.views.session import current_worker, worker_required


@require_GET
@cache_control(no_store=True, private=True)
@worker_required
def work_page(
    request: HttpRequest, worker: WorkerAccount, assignment_code: str
) -> HttpResponseBase:
    assignment = _own(worker, assignment_code)
    is_over = assignment.deadline_at <= timezone.now()
    context: dict[str, object] = {"worker": worker, "assignment": assignment}
    if is_over or assignment.status != AssignmentStatus.ACCEPTED:
        return render(request, "marketplace/work_over.html", context)
    url = page_url(assignment.hit, assignment.hit_type)
    if not url:
        return form_page(request, worker, assignment)
    context["frame_url"] = in_chosen_language(
        request, work_url(assignment, url), assignment.hit_type
    )
    context["sandbox"] = sandbox_of(request, url)
    pay = typical_pay(hit_types=[assignment.hit_type], now=timezone.now())
    context["pay"] = pay.get(assignment.hit_type_id)
    context["waiting_cents"] = waiting_cents(worker)
    context["time_left"] = time_left(assignment, now=timezone.now())
    page = render(request, "marketplace/work.html", context)
    return framing(request, page, [origin_of(url), submit_url()])


@require_POST
@worker_required
def more_time(
    request: HttpRequest, worker: WorkerAccount, assignment_code: str
) -> HttpResponseBase:
    """Extend the deadline. The page's script gets JSON, a browser without scripts the page again."""
    is_script = request.headers.get("Accept") == "application/json"
    seen = request.POST.get("extensions", "")
    now = timezone.now()
    try:
        assignment = extend_time(
            worker=worker,
            assignment_code=assignment_code,
            seen=int(seen) if seen.isdecimal() else -1,
            now=now,
        )
    except RefusalError as refusal:
        if is_script:
            return JsonResponse({"error": refusal.message}, status=409)
        messages.error(request, refusal.message)
    else:
        if is_script:
            return JsonResponse(asdict(time_left(assignment, now=now)))
    return redirect("marketplace:work", assignment_code=assignment_code)


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
        messages.success(
            request, gettext("You returned the task. It is available to other workers again.")
        )
    return redirect("marketplace:groups")


@require_POST
@worker_required
def replace_hit(
    request: HttpRequest, worker: WorkerAccount, assignment_code: str
) -> HttpResponseBase:
    """Return a HIT whose page refused the worker, and continue with the group's next one.

    A false message from the frame costs its worker this HIT and gains nothing.
    """
    assignment = _own(worker, assignment_code)
    try:
        work.return_assignment(
            worker=worker, assignment_code=assignment_code, now=timezone.now(), is_refused=True
        )
    except RefusalError as refusal:
        messages.error(request, refusal.message)
        return redirect("marketplace:groups")
    return to_next(request, worker, assignment.hit_type.code)


@require_POST
@worker_required
def go_on(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    """Continue with the group's next HIT or the list, depending on the worker's choice.

    The submission is checked here, because the page in the frame is not trusted.
    """
    assignment = _own(worker, assignment_code)
    if assignment.status == AssignmentStatus.ACCEPTED:
        messages.error(request, gettext("This task hasn't been submitted yet."))
        return redirect("marketplace:work", assignment_code=assignment.code)
    if assignment.status == AssignmentStatus.SUBMITTED and "accepts_next" not in request.POST:
        messages.success(request, SUBMITTED.format(format_cents(assignment.reward_cents)))
    return to_next_or_list(request, worker, assignment.hit_type.code)


@csrf_exempt  # the token in the URL is bound to the assignment, and no cookie is read
@require_http_methods(["GET", "POST"])
@cache_control(no_store=True, private=True)
@xframe_options_exempt
def submit_by_token(request: HttpRequest, token: str) -> HttpResponseBase:
    bound = read_submit_token(token)
    if bound is None:
        return _answer_page(request, "", gettext("This submission URL is invalid."), 403)
    assignment_code, worker_code = bound
    if _form(request).get(work.ASSIGNMENT_FIELD, "") != assignment_code:
        return _answer_page(request, "", gettext("The form belongs to another assignment."), 403)
    return _submit(request, worker_code, assignment_code)


@csrf_exempt  # `_same_site` checks where the form comes from
@require_http_methods(["GET", "POST"])
@cache_control(no_store=True, private=True)
@xframe_options_exempt
def submit_by_session(request: HttpRequest) -> HttpResponseBase:
    """Accept submissions to MTurk's own path, from pages that ignore `turkSubmitTo`."""
    worker = current_worker(request) if _same_site(request) else None
    if worker is None:
        return _answer_page(request, "", gettext("Sign in first, or post to turkSubmitTo."), 403)
    return _submit(request, worker.code, _form(request).get(work.ASSIGNMENT_FIELD, ""))


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


def _form(request: HttpRequest) -> QueryDict:
    """Return the submitted form. Some clients submit by GET, which MTurk accepts too."""
    return request.GET if request.method == "GET" else request.POST


def _fields(request: HttpRequest) -> Iterable[tuple[str, str]]:
    for name, values in _form(request).lists():
        for value in values:
            yield name, str(value)


def _same_site(request: HttpRequest) -> bool:
    """Return False for forms of other sites. Links of theirs send the Lax cookie but no Origin.

    A GET from this site can only be a link or an image in a requester's QuestionForm. Without
    Sec-Fetch-Site, which old browsers and sites without https lack, a GET may be any site's link.
    """
    fetched = request.headers.get("Sec-Fetch-Site")
    if request.method == "GET":
        return fetched == "none"
    if fetched not in (None, "none", "same-origin"):
        return False
    origin = request.headers.get("Origin")
    return origin in (None, settings.MARKETPLACE_URL, f"{request.scheme}://{request.get_host()}")


def _answer_page(
    request: HttpRequest, assignment_code: str, problem: str, status: int
) -> HttpResponseBase:
    """Render the page after a submission. Its frame has an opaque origin, so 'self' matches nothing."""
    own = settings.MARKETPLACE_URL
    context = {"problem": problem, "assignment_code": assignment_code, "marketplace_url": own}
    page = render(request, "marketplace/submitted.html", context, status=status)
    policy = {
        "default-src": [NONE],
        "script-src": [own],
        "style-src": [own],
        "form-action": [NONE],
        "frame-ancestors": [own],
    }
    response: HttpResponseBase = csp_replace(policy)(lambda _: page)(request)
    return response


def _own(worker: WorkerAccount, assignment_code: str) -> Assignment:
    assignment = work.find_own(worker=worker, assignment_code=assignment_code)
    if assignment is None:
        raise Http404(gettext("You don't have an assignment with this id."))
    return assignment
