"""The page of a qualification test: its introduction, its form with the time left, and its end."""

import math

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST

from marketplace.answer_form import AnswerForm
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.qualifications import qualification_test
from marketplace.enums import RequestStatus
from marketplace.models import (
    QualificationAttempt,
    QualificationRequest,
    QualificationType,
    WorkerAccount,
)
from marketplace.views.media_policy import allow_media
from marketplace.views.session import worker_required


@require_http_methods(["GET", "POST"])
@cache_control(no_store=True, private=True)
@worker_required
def test_page(request: HttpRequest, worker: WorkerAccount, type_code: str) -> HttpResponseBase:
    """Show the test in progress or the introduction to it, or submit the answers."""
    kind = _find(type_code)
    attempt = qualification_test.open_attempt(worker=worker, kind=kind)
    if request.method == "POST":
        return _submit(request, worker, kind, attempt)
    if attempt is None or attempt.deadline_at <= timezone.now():
        return _introduction(request, worker, kind, is_over=attempt is not None)
    form = AnswerForm(qualification_test.read_test(attempt.test))
    return _form_page(request, worker, attempt, form)


@require_POST
@worker_required
def start_test(request: HttpRequest, worker: WorkerAccount, type_code: str) -> HttpResponseBase:
    kind = _find(type_code)
    try:
        qualification_test.start(worker=worker, kind=kind, now=timezone.now())
    except RefusalError as refusal:
        messages.error(request, refusal.message)
    return redirect("marketplace:qualification-test", type_code=kind.code)


def _submit(
    request: HttpRequest,
    worker: WorkerAccount,
    kind: QualificationType,
    attempt: QualificationAttempt | None,
) -> HttpResponseBase:
    if attempt is None:
        messages.info(
            request, gettext("You have no test in progress. You may have submitted it already.")
        )
        return redirect("marketplace:qualifications")
    if qualification_test.is_over(attempt, now=timezone.now()):
        return _introduction(request, worker, kind, is_over=True)
    form = AnswerForm(qualification_test.read_test(attempt.test), request.POST)
    if not form.is_valid():
        return _form_page(request, worker, attempt, form)
    try:
        submitted = qualification_test.submit(
            attempt=attempt, answers=form.answers, now=timezone.now()
        )
    except InvalidParameterError as refusal:
        return _form_page(request, worker, attempt, form, problem=refusal.message)
    except RefusalError as refusal:
        messages.error(request, refusal.message)
        return redirect("marketplace:qualification-test", type_code=kind.code)
    messages.success(request, _result(submitted, worker))
    return redirect("marketplace:qualifications")


def _result(submitted: QualificationRequest, worker: WorkerAccount) -> str:
    kind = submitted.qualification_type
    if submitted.status != RequestStatus.ACCEPTED:
        return gettext("Your answers were sent. %(name)s reviews them.") % {
            "name": kind.requester.name
        }
    value = kind.grants.get(worker=worker).value
    return gettext("Qualification “%(name)s” granted. Your score is %(value)s.") % {
        "name": kind.name,
        "value": value,
    }


def _introduction(
    request: HttpRequest, worker: WorkerAccount, kind: QualificationType, *, is_over: bool
) -> HttpResponseBase:
    context = {
        "worker": worker,
        "kind": kind,
        "is_over": is_over,
        "question_count": len(qualification_test.read_test(kind.test).questions),
        "start_problem": qualification_test.start_problem(
            worker=worker, kind=kind, now=timezone.now()
        ),
    }
    return render(request, "marketplace/qualification_test.html", context)


def _form_page(
    request: HttpRequest,
    worker: WorkerAccount,
    attempt: QualificationAttempt,
    form: AnswerForm,
    *,
    problem: str = "",
) -> HttpResponseBase:
    left = (attempt.deadline_at - timezone.now()).total_seconds()
    context = {
        "worker": worker,
        "kind": attempt.qualification_type,
        "attempt": attempt,
        "form": form,
        "problem": problem,
        "seconds_left": max(0, math.ceil(left)),
    }
    page = render(request, "marketplace/qualification_test.html", context)
    return allow_media(request, page, form.question_form)


def _find(type_code: str) -> QualificationType:
    types = QualificationType.objects.select_related("requester").exclude(test="")
    return get_object_or_404(types, code=type_code, deleted_at__isnull=True)
