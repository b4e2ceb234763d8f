"""The page of a HIT with a QuestionForm, which is the marketplace's own."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from marketplace.answer_form import AnswerForm
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.hits.typical_pay import typical_pay
from marketplace.domain.money import format_cents
from marketplace.domain.queries import waiting_cents
from marketplace.domain.questions.form_answers import form_answers_document
from marketplace.domain.questions.question import read_form
from marketplace.domain.work import work
from marketplace.domain.work.extend_time import time_left
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, WorkerAccount
from marketplace.views.groups import SUBMITTED, to_next_or_list
from marketplace.views.media_policy import allow_media
from marketplace.views.session import worker_required


@require_http_methods(["GET", "POST"])
@cache_control(no_store=True, private=True)
@worker_required
def answers(request: HttpRequest, worker: WorkerAccount, assignment_code: str) -> HttpResponseBase:
    """Check and submit the answers. A repeated submission of the same answers changes nothing."""
    assignment = work.find_own(worker=worker, assignment_code=assignment_code)
    if assignment is None or assignment.hit.external_url:
        raise Http404(gettext("You don't have an assignment with this id and a form."))
    if request.method == "GET":
        return redirect("marketplace:work", assignment_code=assignment_code)
    form = AnswerForm(read_form(assignment.hit.question), request.POST)
    if not form.is_valid() and assignment.status == AssignmentStatus.ACCEPTED:
        return form_page(request, worker, assignment, form)
    try:
        work.submit_answer(
            worker_code=worker.code,
            assignment_code=assignment_code,
            answer=form_answers_document(form.question_form, form.answers),
            now=timezone.now(),
        )
    except InvalidParameterError as refusal:
        return form_page(request, worker, assignment, form, problem=refusal.message)
    except RefusalError as refusal:
        messages.error(request, refusal.message)
        return redirect("marketplace:work", assignment_code=assignment_code)
    messages.success(request, SUBMITTED.format(format_cents(assignment.reward_cents)))
    return to_next_or_list(request, worker, assignment.hit_type.code)


def form_page(
    request: HttpRequest,
    worker: WorkerAccount,
    assignment: Assignment,
    form: AnswerForm | None = None,
    problem: str = "",
) -> HttpResponseBase:
    """Render the form of an accepted HIT, or a bound form with its errors."""
    form = form or AnswerForm(read_form(assignment.hit.question))
    pay = typical_pay(hit_types=[assignment.hit_type], now=timezone.now())
    context = {
        "worker": worker,
        "assignment": assignment,
        "form": form,
        "problem": problem,
        "waiting_cents": waiting_cents(worker),
        "time_left": time_left(assignment, now=timezone.now()),
        "pay": pay.get(assignment.hit_type_id),
        "accepts_next": "accepts_next" in request.POST if form.is_bound else worker.accepts_next,
    }
    page = render(request, "marketplace/question_form.html", context)
    return allow_media(request, page, form.question_form)
