"""The worker's page about a declined bonus, and the requester's answers to appeals."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from annotation.bonus_forms import AnswerAppealForm, AppealBonusForm
from annotation.domain.decisions.appeal_bonus import (
    AppealError,
    appeal_bonus,
    decide_appeal,
    why_not_appealed,
)
from annotation.domain.decisions.appeal_links import InvalidAppealLinkError, held_of_token
from annotation.domain.decisions.hold_bonus import work_title
from annotation.domain.decisions.review_bonus import submissions_of_held
from annotation.models import BonusAppeal
from annotation.views.held_bonuses import list_held_bonuses
from audit.domain.change_state import TransitionNotAllowedError
from projects.models import Project
from projects.permissions import STAFF, project_page, public_page
from web.money import dollars


@csrf_exempt  # the signed link is the only credential, so there is no session to abuse
@never_cache
@require_http_methods(["GET", "POST"])
@public_page
def bonus_appeal(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show a worker the decision on their bonus, take their appeal and show the answer."""
    try:
        held = held_of_token(token)
    except InvalidAppealLinkError as error:
        return render(request, "annotation/bad_appeal_link.html", {"error": error}, status=404)
    form = AppealBonusForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            appeal_bonus(held=held, text=form.cleaned_data["text"], now=timezone.now())
        except AppealError as error:
            form.add_error(None, str(error))
        else:
            return redirect(request.path)
    context = {
        "held": held,
        "amount": dollars(held.unpaid_cents or held.earned_cents),
        "work": work_title(submissions_of_held(held)),
        "appeal": BonusAppeal.objects.filter(held=held).first(),
        "closed": why_not_appealed(held, now=timezone.now()),
        "form": form,
    }
    status = 422 if form.is_bound else 200
    response = render(request, "annotation/bonus_appeal.html", context, status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


@require_POST
@project_page(STAFF)
def answer(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Pay the bonus after all, or keep the decision, with an answer to the worker."""
    appeal = get_object_or_404(BonusAppeal, held__project=project, pk=pk)
    form = AnswerAppealForm(request.POST, key=appeal.pk)
    if not form.is_valid():
        return list_held_bonuses(request, project, refused_answer=form, refused_appeal=appeal.pk)
    pay = request.POST.get("outcome") == "pay"
    try:
        decide_appeal(
            appeal=appeal,
            pay=pay,
            answer=form.cleaned_data["answer"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        done = "The bonus will be paid." if pay else "The bonus stays declined."
        messages.success(request, f"{done} The worker gets your answer.")
    return redirect("annotation:held_bonuses", slug=project.slug)
