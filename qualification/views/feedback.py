"""The worker's side: feedback behind a signed link, with no login."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.markdown import render_markdown
from crowd.domain.write_mail import forget_address, keep_address
from crowd.models import MailAddress, Worker
from qualification.domain.feedback import BadLink, acknowledge, ask_back, feedback_of_token
from qualification.domain.pool_feedback import pool_feedback_of_token
from qualification.domain.queries import guidelines_read
from qualification.domain.side_by_side import side_by_side
from qualification.forms import AddressForm, QuestionForm
from qualification.models import Feedback, Letter, PoolFeedback
from qualification.views.pool import pool_feedback_context


@csrf_exempt  # the address alone decides what may be done here: there is no session to abuse
@never_cache
@require_http_methods(["GET", "POST"])
def feedback(request: HttpRequest, token: str) -> HttpResponseBase:
    """On a round."""
    return _letter(request, token, feedback_of_token, _context)


@csrf_exempt  # as above
@never_cache
@require_http_methods(["GET", "POST"])
def pool_feedback(request: HttpRequest, token: str) -> HttpResponseBase:
    """On work in production."""
    return _letter(request, token, pool_feedback_of_token, pool_feedback_context)


def _letter(
    request: HttpRequest,
    token: str,
    find: Callable[[str], Any],
    context_of: Callable[[Any], dict[str, Any]],
) -> HttpResponseBase:
    try:
        found = find(token)
    except BadLink as error:
        return render(request, "qualification/bad_link.html", {"error": error}, status=404)
    worker = worker_of(found)
    form, address = QuestionForm(), AddressForm()
    if request.method == "POST" and {"address", "forget"} & set(request.POST):
        address = AddressForm(request.POST)
        if _address_taken(request, worker, address):
            return redirect(request.path + "#address")
    elif request.method == "POST":
        form = QuestionForm(request.POST)
        if _answered(request, found, form):
            return redirect(request.path)
    status = 422 if form.is_bound or address.is_bound else 200
    context = context_of(found) | {
        "form": form,
        "mail_is_on": settings.MAIL_IS_ON,
        "mail_address": MailAddress.objects.filter(worker=worker).first(),
        "address": address,
    }
    response = render(request, "qualification/feedback.html", context, status=status)
    return _for_their_eyes(response)


def worker_of(found: Letter) -> Worker:
    if isinstance(found, Feedback):
        return found.evaluation.enrolment.worker
    assert isinstance(found, PoolFeedback)
    return found.worker


def _address_taken(request: HttpRequest, worker: Worker, form: AddressForm) -> bool:
    """Keep the address given, or forget it; says whether that could be done."""
    if "forget" in request.POST:
        forget_address(worker=worker)
        return True
    if not settings.MAIL_IS_ON or not form.is_valid():
        return False
    keep_address(worker=worker, address=form.cleaned_data["address"], now=timezone.now())
    return True


def _answered(request: HttpRequest, found: Letter, form: QuestionForm) -> bool:
    """Take what the worker sent; says whether it could be taken."""
    now = timezone.now()
    if "acknowledge" in request.POST:
        acknowledge(feedback=found, now=now)
        return True
    if form.is_valid():
        ask_back(feedback=found, question=form.cleaned_data["question"], now=now)
        return True
    return False


def _for_their_eyes(response: HttpResponse) -> HttpResponse:
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


def _context(found: Feedback) -> dict[str, Any]:
    evaluation = found.evaluation
    one = evaluation.enrolment.round
    guidelines = guidelines_read(enrolment=evaluation.enrolment)
    return {
        "title": one.title,
        "feedback": found,
        "figures": evaluation.figures,
        "corrected": evaluation.corrected_figures,
        "found_in_all": evaluation.figures["UA"]["tp"] + evaluation.figures["UA"]["fn"],
        "role": one.role,
        "other_side": "Expert",
        "items": side_by_side(evaluation=evaluation, notes=found.notes, guidelines=guidelines),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
    }
