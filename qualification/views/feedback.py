"""The worker's side: feedback behind a signed link, with no login."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.domain.create_project import current_guidelines
from annotation.markdown import render_markdown
from qualification.domain.feedback import BadLink, acknowledge, ask_back, feedback_of_token
from qualification.domain.side_by_side import side_by_side
from qualification.forms import QuestionForm
from qualification.models import Feedback


@csrf_exempt  # the address alone decides what may be done here: there is no session to abuse
@never_cache
@require_http_methods(["GET", "POST"])
def feedback(request: HttpRequest, token: str) -> HttpResponseBase:
    try:
        found = feedback_of_token(token)
    except BadLink as error:
        return render(request, "qualification/bad_link.html", {"error": error}, status=404)
    if request.method == "POST":
        return _answer(request, found, token)
    return _page(request, found, QuestionForm())


def _answer(request: HttpRequest, found: Feedback, token: str) -> HttpResponseBase:
    if "acknowledge" in request.POST:
        acknowledge(feedback=found, now=timezone.now())
        return redirect("qualification:feedback", token=token)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    ask_back(feedback=found, question=form.cleaned_data["question"], now=timezone.now())
    return redirect("qualification:feedback", token=token)


def _page(
    request: HttpRequest, found: Feedback, form: QuestionForm, *, status: int = 200
) -> HttpResponse:
    evaluation = found.evaluation
    one = evaluation.enrolment.round
    guidelines = current_guidelines(project=one.project, role=one.role)
    context = {
        "feedback": found,
        "evaluation": evaluation,
        "found_in_all": evaluation.figures["UA"]["tp"] + evaluation.figures["UA"]["fn"],
        "round": one,
        "items": side_by_side(evaluation=evaluation, notes=found.notes),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
        "form": form,
    }
    response = render(request, "qualification/feedback.html", context, status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
